"""Names of the screens' colours, known below the screens so that a setting can be checked without them."""

OWN_THEMES = ("assistant-dark", "assistant-light")
TERMINAL_THEMES = ("ansi-dark", "ansi-light")
"""Those made of the terminal's own 16 colours."""
THEMES = (
    *OWN_THEMES,
    *TERMINAL_THEMES,
    "atom-one-dark",
    "atom-one-light",
    "catppuccin-frappe",
    "catppuccin-latte",
    "catppuccin-macchiato",
    "catppuccin-mocha",
    "dracula",
    "flexoki",
    "gruvbox",
    "monokai",
    "nord",
    "rose-pine",
    "rose-pine-dawn",
    "rose-pine-moon",
    "solarized-dark",
    "solarized-light",
    "textual-dark",
    "textual-light",
    "tokyo-night",
)
"""All that can be chosen: the app's own, those of the terminal, and those of the screens' library."""
