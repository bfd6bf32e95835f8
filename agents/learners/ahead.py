"""Waves of games that workers play while the learner learns: what the learners that play themselves share.

A wave is played with the weights that a stated number of updates before its own have made, whoever plays it, so that
the workers change nothing. It is cut into pieces that depend on nothing but these weights and their number; a piece
whose worker is lost is played again.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.config import LearnerConfig, Natural, Positive
from skat_env.agents.learners.run import network_after
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.tools.pieces import LATER, Shared
from skat_env.tools.workers import Workers, map_ordered

Played = TypeVar("Played")
Networks = Mapping[str, Network]
"""Networks by name."""


class AheadConfig(LearnerConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How far play runs ahead of learning."""

    age: Natural = 0
    """Updates by which the weights that play are older than those that learn. 0: play and learning take turns; 1: the
    workers play the next games during an update."""
    pieces: Positive = 1
    """Pieces of an update's games, which workers play at the same time. With another number a run is repeated only
    approximately, as networks are asked in other batches."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some games of a wave."""

    wave: int
    """The number of updates before it is learnt from."""
    first: int
    """The number of its first game in the wave."""
    stop: int
    """The number behind its last one."""
    networks: Shared[Networks]
    """What it is played with."""


class PlayedAhead(Generic[Played]):
    """Waves of games in play; a context manager, at whose end their workers end.

    Args:
        play: plays a piece: a pure function, picklable.
        config: how far play runs ahead, and in how many pieces.
        games: of a wave.
        waves: of the whole run.
        workers: who plays; waves that are of one piece and not played ahead are played in this process.
    """

    def __init__(
        self,
        play: Callable[[Piece], Played],
        config: AheadConfig,
        games: int,
        waves: int,
        workers: Workers | int,
    ) -> None:
        self._age, self._pieces = config.age, min(config.pieces, games)
        self._games, self._waves = games, waves
        self._handed: deque[Shared[Networks]] = deque()
        self._first = 0  # the wave of the first of these
        self._unsent: deque[Piece] = deque()
        alone = not config.age and self._pieces == 1
        self._results: Generator[Played] = map_ordered(play, self._sent(), 1 if alone else workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._results.close()

    def wave(self, networks: Networks) -> list[Played]:
        """The games of the next wave, piece by piece, after the waves that may now be played are handed out.

        Args:
            networks: of this moment, by name.
        """
        shared = Shared(networks)
        while len(self._handed) <= self._age and self._first + len(self._handed) < self._waves:
            self._hand_out(shared)
        played = [next(self._results) for _ in range(self._pieces)]
        self._handed.popleft()
        self._first += 1
        return played

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """What `restore` needs: the weights of the waves that are handed out."""
        return {
            f"ahead/{number}/{name}/{key}": array.copy()  # two waves may have the same
            for number, networks in enumerate(self._handed)
            for name, network in networks.value.items()
            for key, array in network.weights().items()
        }

    def restore(
        self, wave: int, tensors: Mapping[str, torch.Tensor], specs: Mapping[str, NetworkSpec]
    ) -> None:
        """The inverse of `arrays`, before the first wave is asked for: the next one is `wave`.

        Raises:
            ValueError: if there are no weights for a wave that was handed out, or they have other shapes.
        """
        self._first = wave
        for number in range(min(self._age, self._waves - wave) if wave else 0):
            networks = {
                name: network_after(f"ahead/{number}/{name}/", tensors, spec) for name, spec in specs.items()
            }
            self._hand_out(Shared(networks))

    def _hand_out(self, networks: Shared[Networks]) -> None:
        wave = self._first + len(self._handed)
        self._handed.append(networks)
        for number in range(self._pieces):
            first, stop = (each * self._games // self._pieces for each in (number, number + 1))
            self._unsent.append(Piece(wave, first, stop, networks))

    def _sent(self) -> Iterator[Any]:
        """The pieces in order, as they become known."""
        while True:
            yield self._unsent.popleft() if self._unsent else LATER
