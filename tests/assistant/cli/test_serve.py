"""The screens in a browser: who may open them, what they load, and how they end."""

import asyncio
import base64
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.assistant.cli.support import REPOSITORY, Here, Home
from tests.conftest import PASSPHRASE

pytest.importorskip("textual_serve", reason="the web server is an extra")

import aiohttp

LONGEST_SECONDS = 60.0
LOADED = re.compile(r"""(?:src|href)\s*=\s*["']([^"']*)|url\(\s*["']?([^"')]*)|@import\s+["']([^"']*)""")
"""What a page or a style sheet makes a browser load."""
ADDRESS = re.compile(r"assistant: the screens are at (http://127\.0\.0\.1:\d+)/([\w-]+)/ until ctrl\+c\n")
QUESTION = b"assphrase"
"""What the first screen shows."""
UNLOCKED = b"rite a message"
"""What the screens show once the vault is open."""


class Served:
    """A server that runs."""

    def __init__(self, home: Home) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assistant", "serve"],
            env=home.environment,
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stderr is not None
        found = ADDRESS.fullmatch(self.process.stderr.readline())
        assert found
        self.origin, self.secret = found.groups()
        self.root = f"{self.origin}/{self.secret}"

    def pages(self) -> list[int]:
        """Give the processes of open pages."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(number) for number in children.split()]

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """End it; gives its exit code and what else it wrote."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=LONGEST_SECONDS)
        return self.process.returncode, out, err


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(Home(tmp_path_factory.mktemp("served")))
    yield running
    running.end()


def talk(what: "Callable[[aiohttp.ClientSession], Awaitable[None]]") -> None:
    """Be a browser."""

    async def run() -> None:
        async with aiohttp.ClientSession() as session:
            await asyncio.wait_for(what(session), LONGEST_SECONDS)

    asyncio.run(run())


async def shown(socket: "aiohttp.ClientWebSocketResponse", until: bytes = QUESTION) -> bytes:
    """Give what the screens write until this is in it."""
    written = b""
    while until not in written:
        message = await socket.receive()
        assert message.type is aiohttp.WSMsgType.BINARY, message
        written += message.data
    return written


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_there(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def arguments_of(process: int) -> list[bytes]:
    return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")


def test_the_secret_has_128_bits_and_nothing_is_served_without_it(served: Served) -> None:
    assert len(served.secret) >= 22  # of 6 bits each

    async def ask(session: aiohttp.ClientSession) -> None:
        other = "x" * len(served.secret)
        for path in (
            "/",
            "/ws",
            "/static/js/textual.js",
            f"/{other}/",
            f"/{other}/ws",
            "/favicon.ico",
            f"/{served.secret}x/",
        ):
            async with session.get(served.origin + path, headers={"Origin": served.origin}) as answer:
                assert answer.status == 404, path
        async with session.get(f"{served.root}/") as answer:
            assert answer.status == 200
        async with session.get(f"{served.root}/static/") as answer:
            assert answer.status in {403, 404}

    talk(ask)


@pytest.mark.parametrize("name", ["example.org", "localhost.example.org:80", "localhost", "0.0.0.0"])
def test_another_name_for_this_machine_is_refused(served: Served, name: str) -> None:
    async def ask(session: aiohttp.ClientSession) -> None:
        for path in ("/", "/ws"):
            headers = {"Host": name, "Origin": served.origin}
            async with session.get(served.root + path, headers=headers) as answer:
                assert answer.status == 403

    talk(ask)


@pytest.mark.parametrize("origin", ["https://example.org", "null", "http://127.0.0.1:1", "http://localhost", None])
def test_pages_of_other_sites_get_no_screens(served: Served, origin: str | None) -> None:
    async def ask(session: aiohttp.ClientSession) -> None:
        headers = {"Origin": origin} if origin else {}
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await session.ws_connect(f"{served.root}/ws", headers=headers)

    talk(ask)
    assert served.pages() == []


def test_nothing_that_is_served_loads_from_another_host(served: Served) -> None:
    async def read(session: aiohttp.ClientSession) -> None:
        async with session.get(f"{served.root}/") as answer:
            page, policy = await answer.text(), answer.headers["Content-Security-Policy"]
            assert answer.headers["Referrer-Policy"] == "no-referrer"
        waiting, seen = [page], set[str]()
        while waiting:
            for address in {"".join(one) for one in LOADED.findall(waiting.pop())} - seen:
                seen.add(address)
                assert address == "" or address.startswith((f"/{served.secret}/static/", "data:")), address
                if address.endswith(".css"):
                    async with session.get(served.origin + address) as answer:
                        waiting.append(await answer.text())
                elif address.startswith("/"):
                    async with session.get(served.origin + address) as answer:
                        assert answer.status == 200
        assert {address.rsplit(".", 1)[-1] for address in seen} >= {"css", "js", "ttf"}
        hosts = set(re.findall(r"\w+://[^\s;]+", policy))
        assert hosts == {served.origin.replace("http", "ws")}
        assert "default-src 'none'" in policy

    talk(read)


def test_the_one_script_that_stands_in_the_page_is_allowed_by_its_digest_and_no_other(served: Served) -> None:
    async def look(session: "aiohttp.ClientSession") -> None:
        async with session.get(served.root + "/") as answer:
            page, policy = await answer.text(), answer.headers["Content-Security-Policy"]
        (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        assert "focus()" in script
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src 'self' 'sha256-{digest}';" in policy

    talk(look)


def test_a_page_shows_the_screens_and_its_process_ends_with_it(served: Served) -> None:
    pages: list[int] = []

    async def open_and_close(session: aiohttp.ClientSession) -> None:
        headers = {"Origin": served.origin}
        async with session.ws_connect(f"{served.root}/ws?width=80&height=24", headers=headers) as socket:
            await shown(socket)
            pages.extend(served.pages())
            assert arguments_of(pages[0])[1:] == [b"-m", b"assistant.cli.served", b""]
            await socket.send_json(["ping", "7"])
            while (message := await socket.receive()).type is not aiohttp.WSMsgType.TEXT:
                pass
            assert message.json() == ["pong", "7"]

    talk(open_and_close)
    assert len(pages) == 1
    wait_until(lambda: not is_there(pages[0]))


def test_the_passphrase_is_typed_in_the_page_and_no_open_vault_is_left_when_the_server_is_killed(full: Home) -> None:
    running = Served(full)
    pages: list[int] = []

    async def unlock(session: aiohttp.ClientSession) -> None:
        async with session.ws_connect(f"{running.root}/ws", headers={"Origin": running.origin}) as socket:
            await shown(socket)
            await socket.send_json(["stdin", PASSPHRASE + "\r"])
            await shown(socket, UNLOCKED)
            pages.extend(running.pages())
            running.process.kill()
            while (await socket.receive()).type is aiohttp.WSMsgType.BINARY:
                pass

    talk(unlock)
    assert running.end() == (-signal.SIGKILL, "", "")
    wait_until(lambda: not is_there(pages[0]))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_server_ends_with_all_of_its_pages(tmp_path: Path, number: int, code: int) -> None:
    running = Served(Home(tmp_path))
    pages: list[int] = []
    ended: list[tuple[int, str, str]] = []

    async def open_and_end(session: aiohttp.ClientSession) -> None:
        async with session.ws_connect(f"{running.root}/ws", headers={"Origin": running.origin}) as socket:
            await shown(socket)
            pages.extend(running.pages())
            os.kill(running.process.pid, number)
            while (await socket.receive()).type is aiohttp.WSMsgType.BINARY:
                pass

    talk(open_and_end)
    ended.append(running.end())
    assert ended == [(code, "", "")]
    assert len(pages) == 1
    wait_until(lambda: not is_there(pages[0]))


def test_no_other_host_can_be_chosen_and_no_passphrase_given(here_new: Here) -> None:
    for arguments, what in ((["--host", "0.0.0.0"], "no such option: --host"), ([], "typed in the browser")):
        ran = here_new.run("serve", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert what in ran.err.lower()


def test_without_the_extra_it_is_told_how_to_get_it(empty: Home) -> None:
    hidden = (
        "import sys; sys.modules['textual_serve'] = None; from assistant.cli import main; sys.exit(main(['serve']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", hidden],
        env=empty.environment,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'assistant[serve]'" in done.stderr
    assert done.stderr.count("\n") == 1
