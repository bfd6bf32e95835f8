"""Waves of games that workers play while the learner learns: what the learners that play themselves share.

A wave is played with the weights that a stated number of updates before its own have made, whoever plays it, so that
the workers change nothing. It is cut into pieces that depend on nothing but these weights and their number; a piece
whose worker is lost is played again.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import torch

from skat_env.agents.learners.config import LearnerConfig, Natural, Positive
from skat_env.tools.pieces import LATER, Shared
from skat_env.tools.workers import Workers, map_ordered

Played = TypeVar("Played")
Weights = Mapping[str, Mapping[str, torch.Tensor]]
"""The weights of networks, by the names of network and weight."""


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
    weights: Shared[Weights]
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
        self._handed: deque[Shared[Weights]] = deque()
        self._first = 0  # the wave of the first of these
        self._unsent: deque[Piece] = deque()
        alone = not config.age and self._pieces == 1
        self._results: Generator[Played] = map_ordered(play, self._sent(), 1 if alone else workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._results.close()

    def wave(self, weights: Weights) -> list[Played]:
        """The games of the next wave, piece by piece, after the waves that may now be played are handed out.

        Args:
            weights: of this moment.
        """
        # A copy, as the learner goes on to change them while they are in play.
        copied: Weights = {
            network: {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
            for network, tensors in weights.items()
        }
        shared = Shared(copied)
        while len(self._handed) <= self._age and self._first + len(self._handed) < self._waves:
            self._hand_out(shared)
        played = [next(self._results) for _ in range(self._pieces)]
        self._handed.popleft()
        self._first += 1
        return played

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs: the weights of the waves that are handed out."""
        return {
            f"ahead/{number}/{network}/{name}": tensor.clone()  # two waves may have the same
            for number, weights in enumerate(self._handed)
            for network, tensors in weights.value.items()
            for name, tensor in tensors.items()
        }

    def restore(self, wave: int, tensors: Mapping[str, torch.Tensor]) -> None:
        """The inverse of `tensors`, before the first wave is asked for: the next one is `wave`.

        Raises:
            KeyError: if there are no weights for a wave that was handed out.
        """
        self._first = wave
        for number in range(min(self._age, self._waves - wave) if wave else 0):
            weights: dict[str, dict[str, torch.Tensor]] = {}
            for full, tensor in tensors.items():
                place, _, name = full.rpartition("/")
                if place.startswith(f"ahead/{number}/"):
                    weights.setdefault(place.removeprefix(f"ahead/{number}/"), {})[name] = tensor
            if not weights:
                raise KeyError(f"ahead/{number}")
            self._hand_out(Shared(weights))

    def _hand_out(self, weights: Shared[Weights]) -> None:
        wave = self._first + len(self._handed)
        self._handed.append(weights)
        for number in range(self._pieces):
            first, stop = (each * self._games // self._pieces for each in (number, number + 1))
            self._unsent.append(Piece(wave, first, stop, weights))

    def _sent(self) -> Iterator[Any]:
        """The pieces in order, as they become known."""
        while True:
            yield self._unsent.popleft() if self._unsent else LATER
