import subprocess
import sys
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def test_the_wheel_holds_the_three_packages_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"assistant", "tui", "storage"}
    assert {"tui/app.tcss", "assistant/py.typed", "tui/py.typed", "storage/py.typed"} <= set(names)
    assert all(name.endswith((".py", ".tcss", "py.typed")) for name in names if ".dist-info/" not in name)
