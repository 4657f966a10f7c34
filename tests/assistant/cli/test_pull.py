"""A model's file from a server of this machine: whole and checked, or not at all."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from assistant.errors import BadInput, ModelMissing, ModelNotLoadable
from assistant.language.fetching import Source, fetch
from tests.assistant.cli.support import Here

CONTENT = bytes(range(256)) * 400
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Giving(BaseHTTPRequestHandler):
    """Gives the content by ranges; `/cut/` breaks off, `/whole/` knows no ranges, `/away/` sends elsewhere."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.asked.append((self.path, asked))
        if self.path.startswith("/none/"):
            self.send_error(404)
            return
        if self.path.startswith("/away/"):
            self.send_response(302)
            self.send_header("Location", "http://192.0.2.1/model.gguf")
            self.end_headers()
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and not self.path.startswith("/whole/") else 0
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : 50_000 if self.path.startswith("/cut/") else None])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), Giving)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    Giving.asked.clear()


def test_a_file_comes_whole_and_is_not_fetched_twice(server: str, tmp_path: Path) -> None:
    source = Source(address=f"{server}/some-model.gguf", digest=DIGEST)
    shares: list[float | None] = []
    path = fetch(source, tmp_path / "models", lambda _, share: shares.append(share))
    assert path == tmp_path / "models" / "some-model.gguf"
    assert path.read_bytes() == CONTENT
    assert shares[-1] == 1.0
    fetch(source, tmp_path / "models")
    assert Giving.asked == [("/some-model.gguf", None)]


@pytest.mark.parametrize(("then", "range_asked"), [("", "bytes=50000-"), ("/whole", "bytes=50000-")])
def test_what_broke_off_is_gone_on_with(server: str, tmp_path: Path, then: str, range_asked: str) -> None:
    with pytest.raises(ModelMissing, match="broke off; the same command goes on with it"):
        fetch(Source(address=f"{server}/cut/model.gguf", digest=DIGEST), tmp_path)
    assert not (tmp_path / "model.gguf").exists()
    path = fetch(Source(address=f"{server}{then}/model.gguf", digest=DIGEST), tmp_path)
    assert path.read_bytes() == CONTENT
    assert Giving.asked[-1] == (f"{then}/model.gguf", range_asked)
    assert [file.name for file in tmp_path.iterdir()] == ["model.gguf"]


def test_what_came_whole_but_was_not_put_in_place_is_only_checked(server: str, tmp_path: Path) -> None:
    (tmp_path / f"{DIGEST[:16]}.part").write_bytes(CONTENT)
    assert fetch(Source(address=f"{server}/model.gguf", digest=DIGEST), tmp_path).read_bytes() == CONTENT


def test_what_has_another_checksum_is_removed(server: str, tmp_path: Path) -> None:
    with pytest.raises(ModelNotLoadable, match="another checksum"):
        fetch(Source(address=f"{server}/model.gguf", digest="0" * 64), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "digest", "what"),
    [
        ("http://example.org/model.gguf", DIGEST, "https://"),
        ("file:///etc/passwd.gguf", DIGEST, "https://"),
        ("https://example.org/model.bin", DIGEST, "GGUF"),
        ("https://example.org/model.gguf", "abc", "64 hexadecimal digits"),
    ],
)
def test_what_cannot_be_checked_or_is_read_on_the_way_is_refused(address: str, digest: str, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        Source(address=address, digest=digest)


def test_no_server_leads_to_an_open_address_or_out_of_the_folder(server: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="https://"):
        fetch(Source(address=f"{server}/away/model.gguf", digest=DIGEST), tmp_path)
    assert Source(address="https://example.org/a/..%2F..%2Fx.gguf", digest=DIGEST).file_name == "x.gguf"


def test_the_command_fetches_only_what_is_a_model(here_empty: Here, server: str) -> None:
    ran = here_empty.run("model", "pull", f"{server}/model.gguf", "--sha256", DIGEST.upper(), unlocking=False)
    assert ran.code == 5
    assert "not a GGUF file" in ran.err
    assert list(here_empty.home.paths.models.iterdir()) == []
    gone = here_empty.run("model", "pull", f"{server}/none/model.gguf", "--sha256", DIGEST, unlocking=False)
    assert (gone.code, gone.out) == (5, "")
    assert "404" in gone.err
    assert here_empty.run("model", "pull", f"{server}/model.gguf", unlocking=False).code == 2


def test_where_a_model_is_and_which_version_this_is_are_told_for_programs(here_empty: Here, tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    file.touch()
    assert here_empty.run("model", "path", str(file), unlocking=False).out == f"{file}\n"
    told = json.loads(here_empty.run("model", "path", "--json", str(file), unlocking=False).out)
    assert told == {"name": "mine", "file": str(file), "exists": True}
    assert json.loads(here_empty.run("version", "--json", unlocking=False).out)["name"] == "assistant"
