"""The app's own colours: quiet grounds, one accent, and text that stays readable on both."""

from textual.theme import Theme

DARK = Theme(
    name="assistant-dark",
    dark=True,
    primary="#7aa2c8",
    secondary="#8a93a6",
    accent="#b9a6d8",
    foreground="#dcdfe4",
    background="#16181d",
    surface="#1e2127",
    panel="#272b33",
    success="#8fbf8f",
    warning="#d9b36c",
    error="#d97b7b",
    variables={"footer-key-foreground": "#7aa2c8", "border": "#7aa2c8 70%", "block-cursor-text-style": "none"},
)

LIGHT = Theme(
    name="assistant-light",
    dark=False,
    primary="#2f5f8f",
    secondary="#5b6472",
    accent="#6a4f9c",
    foreground="#24272d",
    background="#fbfaf7",
    surface="#f1efe9",
    panel="#e6e3db",
    success="#2f6f3e",
    warning="#8a5a00",
    error="#a8323a",
    variables={"footer-key-foreground": "#2f5f8f", "border": "#2f5f8f 70%", "block-cursor-text-style": "none"},
)

THEMES = (DARK, LIGHT)
