"""A browser's socket to real processes, in place of the one within the test's own process."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

Headers = list[tuple[bytes, bytes]]


class Wire:
    """As Channels' `WebsocketCommunicator`, over the network; events are those of ASGI."""

    def __init__(self, address: str, trust: ssl.SSLContext | None, headers: Headers) -> None:
        self.address, self.trust = address, trust
        self.headers = {name.decode(): value.decode() for name, value in headers}
        self.output_queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.socket: ClientConnection | None = None
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.listening: asyncio.Task[None] | None = None

    async def connect(self, timeout: float) -> tuple[bool, int | None]:  # noqa: ASYNC109 (as Channels)
        """Whether the socket was accepted; if not, the HTTP status."""
        origin = self.headers.pop("origin", None)
        try:
            self.socket = await connect(
                self.address,
                origin=origin,  # type: ignore[arg-type]
                additional_headers=self.headers,
                ssl=self.trust,
                compression=None,
                proxy=None,
                open_timeout=timeout,
            )
        except InvalidStatus as refused:
            return False, refused.response.status_code
        self.listening = asyncio.ensure_future(self._listen(self.socket))
        return True, None

    async def _listen(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                self.output_queue.put_nowait({"type": "websocket.send", "text": text})
        self.output_queue.put_nowait({"type": "websocket.close", "code": socket.close_code})
        self.future.set_result(None)

    async def send_input(self, event: dict[str, Any]) -> None:
        assert self.socket is not None
        if event["type"] == "websocket.disconnect":
            await self.socket.close(event["code"])
            return
        with contextlib.suppress(ConnectionClosed):  # as one that is being closed takes it
            await self.socket.send(event["text"] if "text" in event else event["bytes"])

    async def wait(self, timeout: float) -> None:  # noqa: ASYNC109
        async with asyncio.timeout(timeout):
            if self.listening is not None:
                await self.listening


def wires(url: str, trust: ssl.SSLContext | None) -> Callable[[str, Headers], Wire]:
    """What makes a socket to the site at this address."""
    base = url.replace("http", "ws", 1)
    return lambda path, headers: Wire(base + path, trust, headers)
