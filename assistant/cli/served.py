"""The screens of one page in a browser, as a process: `python -m assistant.cli.served`. It ends with who started it."""

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence

LOOK_SECONDS = 0.5
"""Between two looks whether the server is there."""


def main(arguments: Sequence[str]) -> int:
    """Show the screens of a profile, the only argument; gives the exit code. The passphrase is asked for in them."""
    from assistant.cli import exit_code, streams
    from assistant.cli.passphrase import forbid_core_dumps
    from assistant.config import load_config
    from assistant.errors import AssistantError
    from assistant.paths import find_paths
    from tui.app import run

    forbid_core_dumps()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        paths = find_paths(profile=arguments[0] if arguments else None)
        config = load_config(paths.config_file, os.environ).config
    except AssistantError as error:
        streams.tell_error(str(error))
        return exit_code(error)
    return run(config, paths)


def _end_with(parent: int) -> None:
    """End this process once its parent is gone: the vault is not to stay open for nobody."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
