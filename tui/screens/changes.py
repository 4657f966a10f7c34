"""What the user can have done with memories, from any screen that shows some: correct, pin, put away, forget."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from textual.screen import Screen

from assistant.bootstrap import Assistant, now
from assistant.memory import archive
from storage.vault import Vault
from tui.failures import told
from tui.forgetting import UNDO, forgotten_line
from tui.screens.forget import ForgetScreen
from tui.screens.modals import EditScreen
from tui.text import count

TOLD_SECONDS = 8
"""What came of something that cannot be seen in the list."""


async def edit(screen: Screen[Any], assistant: Assistant, chosen: str) -> None:
    """Ask for new words and put them in the place of the old ones."""
    with told(screen):
        turn = await asyncio.to_thread(assistant.vault.turns.get, chosen)
        text = await screen.app.push_screen_wait(EditScreen(turn.text))
        if text is not None:
            await asyncio.to_thread(assistant.memory.revise, turn.id, text)
            screen.app.notify("Corrected. The old words are gone.")


async def pin(screen: Screen[Any], assistant: Assistant, meant: Sequence[str]) -> None:
    """Keep memories at hand for good; let go of them when all are pinned already."""
    with told(screen):
        screen.app.notify(await asyncio.to_thread(_pin, assistant.vault, meant))


async def rest(screen: Screen[Any], assistant: Assistant, meant: Sequence[str]) -> None:
    """Put memories into the archive; bring them back when all rest there already."""
    with told(screen):
        screen.app.notify(await asyncio.to_thread(_rest, assistant.vault, meant))


async def forget(screen: Screen[Any], assistant: Assistant, meant: Sequence[str], *, undo: str = UNDO) -> bool:
    """Show all that would go, ask, and forget it; told is what takes it back. Gives whether it was forgotten."""
    memory, settings = assistant.memory, assistant.config
    with told(screen):
        plan = await asyncio.to_thread(memory.plan_forgetting, meant)
        backups = await asyncio.to_thread(assistant.vault.backups.listing)
        grace = timedelta(hours=settings.grace_hours)
        question = ForgetScreen(plan, grace=grace, now=now(), backups=len(backups), undo=undo)
        chosen = await screen.app.push_screen_wait(question)
        if chosen is not None:
            gone = await asyncio.to_thread(partial(memory.forget, plan, now=now(), grace=chosen))
            screen.app.notify(forgotten_line(gone, undo=undo), timeout=TOLD_SECONDS)
            return True
    return False


def _pin(vault: Vault, meant: Sequence[str]) -> str:
    nodes = [vault.turns.get(one).node for one in meant]
    traces = vault.traces.of(nodes)
    pinned = all(node in traces and traces[node].pinned for node in nodes)
    archive.pin(vault, nodes, pinned=not pinned)
    return f"{'Unpinned' if pinned else 'Pinned'}: {count(len(nodes), 'memory', 'memories')}."


def _rest(vault: Vault, meant: Sequence[str]) -> str:
    nodes = [vault.turns.get(one).node for one in meant]
    traces = vault.traces.of(nodes)
    if all(node in traces and traces[node].archived for node in nodes):
        return f"Back: {count(len(archive.reinstate(vault, nodes, 0)), 'memory', 'memories')}."
    gone = archive.put_away(vault, nodes)
    line = f"Archived: {count(len(gone), 'memory', 'memories')}, still found when a question fits."
    pinned = sum(trace.pinned for trace in traces.values())
    return f"{line} {count(pinned, 'pinned one stays', 'pinned ones stay')}." if pinned else line
