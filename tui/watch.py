"""Whether the vault changed: another process, or another screen, may have added or forgotten something."""

import asyncio

from storage.vault import Vault

POLL_SECONDS = 1.0
"""Between two looks at the vault's change counter, which costs one read of a page."""


class VaultWatch:
    """Remembers how the vault stood when one last looked."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._seen = -1

    async def changed(self) -> bool:
        """Whether anything was written since the last call; the first call only looks."""
        counter = await asyncio.to_thread(self._vault.change_counter)
        before, self._seen = self._seen, counter
        return before not in {-1, counter}
