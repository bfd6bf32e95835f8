"""The open-card solvers of a server: one a game, which one question at a time asks."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from skat_env.solvers.review import AnySolver, reviewed_game


class Solvers:
    """The solvers of all games, made where they are first asked for; each keeps what it has found out."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made = cache(lambda game: reviewed_game(game).solver())

    @contextmanager
    def of(self, game: str) -> Iterator[AnySolver]:
        """The solver of a game, which nobody else asks meanwhile."""
        with self._lock:
            yield self._made(game)
