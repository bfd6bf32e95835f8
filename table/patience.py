"""Ends connections that send nothing, so that they do not hold the server's places."""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS: Final = 10.0
"""The time in which the head of a request arrives."""
BODY_SECONDS: Final = 60.0
"""The time in which the rest of it arrives: 16 MB over two megabits a second."""


class PatientProtocol(H11Protocol):
    """HTTP, with an end to requests that never become whole."""

    _waits: asyncio.TimerHandle | None = None
    _begun = False
    """Whether a head has come, and what it announces is waited for."""

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
        begun = self.cycle is not None and not self.cycle.response_complete
        if begun != self._begun or (begun and not self.cycle.more_body):
            self._stop()
        self._begun = begun
        if self._waits is None and (not begun or self.cycle.more_body):
            self._waits = self.loop.call_later(BODY_SECONDS if begun else REQUEST_SECONDS, self._end)

    def _stop(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None

    def _end(self) -> None:
        self._waits = None
        if self.transport.get_protocol() is not self:  # a WebSocket by now
            return
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self.transport.close()
