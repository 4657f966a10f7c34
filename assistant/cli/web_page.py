"""The page that shows the screens: a terminal of the web server's package, and nothing from anywhere else."""

import base64
import hashlib
from string import Template

_FOCUS = """
new MutationObserver(() => document.querySelector(".xterm-helper-textarea")?.focus())
  .observe(document.body, {attributes: true, attributeFilter: ["class"]});
"""
"""Whoever opens the page can type at once: the terminal says by a class of the body when it is there."""
SCRIPT_SOURCE = f"'sha256-{base64.b64encode(hashlib.sha256(_FOCUS.encode()).digest()).decode()}'"
"""What lets the page's own script run where no other that stands in a page may (CSP level 2)."""

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>assistant</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="$static/css/xterm.css">
<style>
@font-face { font-family: "Roboto Mono"; src: url("$static/fonts/RobotoMono-VariableFont_wght.ttf");
  font-weight: 100 700; }
@font-face { font-family: "Roboto Mono"; src: url("$static/fonts/RobotoMono-Italic-VariableFont_wght.ttf");
  font-style: italic; font-weight: 100 700; }
body { margin: 0; background: #101418; color: #d8dee4; font-family: "Roboto Mono", monospace; overflow: hidden; }
.textual-terminal { width: 100vw; height: 100vh; }
.told { position: absolute; inset: 0; display: flex; align-items: center; justify-content: center; }
.closed, body.-first-byte .opening, body.-closed .opening { display: none; }
body.-closed .closed { display: flex; background: #101418; z-index: 10; }
</style>
<script src="$static/js/textual.js"></script>
</head>
<body>
<div class="told opening">Opening&hellip;</div>
<div class="told closed"><p>The vault of this page is closed.
<a href="" style="color: inherit">Open it again</a></p></div>
<div class="textual-terminal" data-session-websocket-url="$socket" data-font-size="16"></div>
<script>$focus</script>
</body>
</html>
""")


def page(*, static: str, socket: str) -> str:
    """Give the page. `static` is the path of the package's files, `socket` the address of the screens."""
    return _PAGE.substitute(static=static, socket=socket, focus=_FOCUS)
