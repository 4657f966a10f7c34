"""Says on any screen that the vault locks soon."""

from textual.widgets import Static


class LockWarning(Static):
    """One line at the top, as long as nobody does anything."""

    DEFAULT_CSS = """
    LockWarning { dock: top; width: 100%; height: 1; padding: 0 1; text-align: right; color: $text-warning; }
    """

    def __init__(self, line: str) -> None:
        super().__init__(line, markup=False)
