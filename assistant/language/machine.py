"""What this machine has for running a network: cores and free memory."""

from __future__ import annotations

import os
from pathlib import Path


def physical_cores(root: Path = Path("/")) -> int:
    """Give the number of cores this process may use, two threads of one core counted once; at least 1."""
    allowed = _allowed_processors()
    topology = root / "sys/devices/system/cpu"
    cores = set()
    for processor in allowed:
        siblings = topology / f"cpu{processor}" / "topology/thread_siblings_list"
        try:
            cores.add(siblings.read_text(encoding="ascii").strip())
        except OSError:
            cores.add(str(processor))
    return max(1, len(cores))


def available_memory(root: Path = Path("/")) -> int:
    """Give the bytes that can be taken without pushing others out; 0 where the system does not tell.

    On Linux what the kernel calls available, held down by the limit of a container; elsewhere all that is installed.
    """
    available = _meminfo(root)
    if available is None:
        return _installed_memory()
    limit, used = _cgroup_bytes(root, "memory.max"), _cgroup_bytes(root, "memory.current")
    if limit is not None and used is not None:
        available = min(available, max(0, limit - used))
    return available


def _allowed_processors() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _meminfo(root: Path) -> int | None:
    try:
        lines = (root / "proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroup_bytes(root: Path, name: str) -> int | None:
    try:
        text = (root / "sys/fs/cgroup" / name).read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _installed_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0
