"""Ends connections that send nothing, so that they do not hold the server's places."""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS: Final = 10.0
"""The time in which the head of a request arrives."""


class PatientProtocol(H11Protocol):
    """HTTP, with an end to requests that never become whole."""

    _waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Waits no longer when a request is there, and again for the next one."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops waiting."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._waits is None:
            self._waits = self.loop.call_later(REQUEST_SECONDS, self._end)

    def _stop(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None

    def _end(self) -> None:
        self._waits = None
        if self.transport.get_protocol() is not self:  # a WebSocket by now
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
