"""Recalls without making anybody wait who wants to stop."""

import threading
from collections.abc import Callable
from concurrent import futures

from assistant.memory.recollection import Recollection

_LOOK_EVERY_SECONDS = 0.05
"""Between two looks at whether it was stopped: far below the 300 ms that a user notices."""


def recalled(
    recall: Callable[[], Recollection], pool: futures.Executor, cancel: threading.Event
) -> Recollection | None:
    """Give what memory gives, recalled in a thread of the pool; None when it was stopped first.

    The first recall loads the encoder, which takes longer than anybody waits who said stop. It cannot be called off:
    whoever owns the pool waits for it, when the user no longer does.
    """
    running = pool.submit(recall)
    while not cancel.is_set():
        if futures.wait([running], timeout=_LOOK_EVERY_SECONDS).done:
            return running.result()
    return None
