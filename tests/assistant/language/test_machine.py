from pathlib import Path

from assistant.language.machine import available_memory, physical_cores


def test_this_machine_has_cores_and_memory() -> None:
    assert physical_cores() >= 1
    assert available_memory() > 1 << 20


def test_memory_is_what_the_container_leaves(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    4000 kB\n")
    assert available_memory(tmp_path) == 4000 * 1024
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("1000\n")
    assert available_memory(tmp_path) == 4000 * 1024
    (group / "memory.max").write_text("3000\n")
    assert available_memory(tmp_path) == 2000


def test_threads_of_one_core_count_once(tmp_path: Path) -> None:
    for processor in range(512):
        topology = tmp_path / f"sys/devices/system/cpu/cpu{processor}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text("0-511\n")
    assert physical_cores(tmp_path) == 1
    assert physical_cores(tmp_path / "nothing") >= 1


def test_a_system_that_tells_nothing_gives_what_is_installed(tmp_path: Path) -> None:
    assert available_memory(tmp_path) > 1 << 20
