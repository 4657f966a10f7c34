"""Serves the screens to browsers of this machine: pages with a secret in their address, a process for each page."""

import asyncio
import contextlib
import errno
import secrets
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from assistant.cli.web_page import SCRIPT_SOURCE, page
from assistant.errors import BadInput

HOST = "127.0.0.1"
SECRET_BYTES = 16
PATIENCE_SECONDS = 5.0
"""For screens to close the vault and end; then they are ended."""
GOODBYE_SECONDS = 2.0
"""For a page to answer that it is to be closed."""
HEARTBEAT_SECONDS = 15.0
"""Between two questions whether a page is still there."""
MOST_CELLS = 1000
"""Columns or rows of a page."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Screens:
    """Pages of one profile."""

    def __init__(self, *, profile: str | None = None) -> None:
        self._command = (sys.executable, "-m", "assistant.cli.served", *([profile] if profile else []))
        self._secret = secrets.token_urlsafe(SECRET_BYTES)
        self._sockets: set[web.WebSocketResponse] = set()
        self._authority = ""

    async def serve(self, port: int, *, tell: Callable[[str], None]) -> int | None:
        """Serve until a signal ends it; gives which, and None for the one of ctrl+c. `tell` is given the address.

        Raises
        ------
        BadInput
            The port cannot be had.
        """
        ended: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, _settle, ended, number)
        runner = web.AppRunner(self._application(), access_log=None)  # the secret would be in a log
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, port)
            await site.start()
            self._authority = f"{HOST}:{runner.addresses[0][1]}"
            tell(f"http://{self._authority}/{self._secret}/")
            return await ended
        except OSError as error:
            why = "it is taken" if error.errno == errno.EADDRINUSE else error.strerror
            message = f"port {port} cannot be served: {why}; choose another with --port"
            raise BadInput(message) from error
        finally:
            await runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._guarded])
        root = f"/{self._secret}"
        application.add_routes(
            [
                web.get(f"{root}/", self._page),
                web.get(f"{root}/ws", self._screens),
                web.static(f"{root}/static", Path(str(files("textual_serve"))) / "static"),
            ]
        )
        application.on_shutdown.append(self._close_all)
        return application

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let in who knows the secret, was sent here by no other name of this machine, and by no other site."""
        first = request.path.split("/")[1]
        if not secrets.compare_digest(first.encode(), self._secret.encode()):
            raise web.HTTPNotFound
        if request.headers.get("Host") != self._authority:
            raise web.HTTPForbidden(text="this name is not served")
        origin = request.headers.get("Origin")
        if origin != f"http://{self._authority}" and (origin is not None or request.path.endswith("/ws")):
            raise web.HTTPForbidden(text="other sites are not served")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(self._headers())
        return response

    def _headers(self) -> dict[str, str]:
        own = "'self'"
        policy = (
            f"default-src 'none'; script-src {own} {SCRIPT_SOURCE}; "
            f"connect-src ws://{self._authority}; font-src {own}; img-src {own} data:; "
            f"style-src {own} 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; "
            "form-action 'none'"  # the terminal writes styles; nothing can come from, or go to, anywhere else
        )
        return {
            "Content-Security-Policy": policy,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    async def _page(self, _: web.Request) -> web.Response:
        root = f"/{self._secret}"
        text = page(static=f"{root}/static", socket=f"ws://{self._authority}{root}/ws")
        return web.Response(text=text, content_type="text/html")

    async def _screens(self, request: web.Request) -> web.WebSocketResponse:
        """Run the screens of a page for as long as it is there."""
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT_SECONDS, timeout=GOODBYE_SECONDS)
        await socket.prepare(request)
        process = _Process(self._command, socket)
        self._sockets.add(socket)
        try:
            await process.start(_cells(request, "width", 80), _cells(request, "height", 24))
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    await _obey(process, socket, message.json())
        except ValueError:  # no JSON: nothing that a page of ours sends
            await socket.close()
        finally:
            self._sockets.discard(socket)
            await asyncio.shield(process.stop())
        return socket

    async def _close_all(self, _: web.Application) -> None:
        await asyncio.gather(*(socket.close() for socket in set(self._sockets)))


class _Process(AppService):
    """The screens of one page."""

    def __init__(self, command: tuple[str, ...], socket: web.WebSocketResponse) -> None:
        super().__init__(
            "",
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=self._closed,
            download_manager=DownloadManager(),
        )
        self._arguments = command
        self._socket = socket

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        """Start them without a shell between."""
        environment = self._build_environment(width=width, height=height)
        self._process = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._stdin = self._process.stdin
        return self._process

    async def run(self) -> None:
        """Pass on what they show until they end; then the page is told."""
        await super().run()
        await self._closed()

    async def on_data(self, payload: bytes) -> None:
        """Pass it on; once the page is gone it is only read, so that the screens do not wait and can end."""
        with contextlib.suppress(ConnectionError):
            await self._socket.send_bytes(payload)

    async def on_meta(self, data: bytes) -> None:
        """Leave out what the screens ask of the browser: to open an address, to save a file."""

    async def stop(self) -> None:
        """Ask them to end, which closes the vault, and see that they do."""
        process, task = self._process, self._task
        if process is None or task is None:
            return
        await self.send_meta({"type": "quit"})
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None and process.returncode is None:
                process.send_signal(number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), PATIENCE_SECONDS)
                break
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self._task = None

    async def _closed(self) -> None:
        await self._socket.close()


async def _obey(process: _Process, socket: web.WebSocketResponse, message: object) -> None:
    """Pass on what a page sends; what is not known is left out."""
    match message:
        case ["stdin", str(typed)]:
            await process.send_bytes(typed.encode(errors="replace"))
        case ["resize", {"width": int(width), "height": int(height)}]:
            await process.set_terminal_size(_within(width), _within(height))
        case ["ping", str(sent)]:
            await socket.send_json(["pong", sent])
        case ["blur"]:
            await process.blur()
        case ["focus"]:
            await process.focus()
        case _:
            pass


def _cells(request: web.Request, name: str, otherwise: int) -> int:
    given = request.query.get(name, "")
    return _within(int(given)) if given.isascii() and given.isdecimal() else otherwise


def _within(cells: int) -> int:
    return min(max(cells, 1), MOST_CELLS)


def _settle(ended: "asyncio.Future[int | None]", number: int) -> None:
    if not ended.done():
        ended.set_result(None if number == signal.SIGINT else number)
