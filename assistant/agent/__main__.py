"""The agent as a process: `python -m assistant.agent N`, where N is the descriptor of a socket that listens."""

import os
import signal
import socket
import sys

from assistant.agent.hardening import clocks, lock_memory, protect_process
from assistant.agent.held import Arena
from assistant.agent.server import FORGETTING_SIGNALS, MOST_CONVERSATIONS, MOST_KEYS, Agent


def main() -> int:
    """Go into the background, protect the memory, and serve."""
    if os.fork():  # who started this waits for it; the child belongs to nobody, and can get no terminal
        os._exit(0)
    protect_process()
    heard, written = socket.socketpair()
    written.settimeout(0)
    signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    for number in FORGETTING_SIGNALS:
        signal.signal(number, lambda *_: None)  # the loop reads its number from the pair
    arena = Arena(MOST_KEYS + MOST_CONVERSATIONS)
    memory = lock_memory(arena)
    with socket.socket(fileno=int(sys.argv[1])) as listening, heard, written:
        Agent(listening, heard, arena=arena, memory=memory, clocks=clocks()).run()
    return 0


sys.exit(main())
