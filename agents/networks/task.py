"""Imitation tasks: rows of recorded decisions, whose features are computed when they are needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import NetworkSpec
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.errors import UnknownName


@dataclass(frozen=True)
class Task:
    """The rows of one network."""

    network: str
    spec: NetworkSpec
    kind: Literal["policy", "value"]
    """`policy`: outputs are logits of a choice; `value`: the output of the chosen action is regressed on `values`, or
    all outputs are if these have a column for each."""
    games: NDArray[np.int64]
    """[n]: the game of each row in its dataset."""
    steps: NDArray[np.int64]
    """[n]: the number of actions before the decision."""
    labels: NDArray[np.int64]
    """[n]: the output of the choice that was made."""
    values: NDArray[np.float32] | None = None
    """[n] or [n, outputs]: results of the game, in game units; None for policies."""
    targets: NDArray[np.float32] | None = None
    """[n, outputs]: a search's distribution over the outputs; zeros in rows without one. None: no row has one."""
    legal: NDArray[np.uint64] | None = None
    """[n]: the legal actions as bits; None: every output is legal."""
    needs: NDArray[np.uint64] | None = None
    """[outputs]: the actions, as bits, that must all be legal for the output to be legal."""
    relabelled: bool = False
    """Whether outputs are cards, so that labels, targets and legal outputs follow the encoder's renumbering."""

    def __len__(self) -> int:
        return len(self.games)

    def part(self, chosen: NDArray[Any]) -> Self:
        """The chosen rows, by mask or index."""

        def some(array: Any) -> Any:
            return None if array is None else array[chosen]

        of_rows = ("games", "steps", "labels", "values", "targets", "legal")
        return replace(self, **{name: some(getattr(self, name)) for name in of_rows})

    def renumbered(self, numbers: NDArray[np.unsignedinteger[Any]]) -> Self:
        """The rows with outputs renumbered by `numbers`, [n, outputs]; `legal` and `needs` stay."""
        labels = np.take_along_axis(numbers, self.labels[:, None], axis=1)[:, 0].astype(np.int64)
        targets = None if self.targets is None else renumbered(self.targets, numbers)
        return replace(self, labels=labels, targets=targets)

    def is_searched(self) -> NDArray[np.bool_]:
        """Whether each row has a search that prefers some outputs to others, bool [n]."""
        if self.targets is None:
            return np.zeros(len(self), np.bool_)
        highest = self.targets.max(axis=1)
        legal = self.legal_outputs()
        lowest = np.where(True if legal is None else legal, self.targets, highest[:, None]).min(axis=1)
        return np.asarray(highest > lowest)

    def legal_outputs(self) -> NDArray[np.bool_] | None:
        """The legal outputs, bool [n, outputs]; None: all."""
        if self.legal is None or self.needs is None:
            return None
        return np.asarray((self.needs & ~self.legal[:, None]) == 0)


@dataclass(frozen=True)
class ImitationTasks:
    """The part `tasks` of a game: the networks that imitate its players."""

    networks: tuple[str, ...]
    task: Callable[[Decisions, Dataset, str, tuple[int, ...], bool], Task]
    """The rows of one of the networks: (decisions of the dataset, dataset, network, hidden widths, relabelled)."""
    output_numbers: Callable[[str, NDArray[np.uint8]], NDArray[np.unsignedinteger[Any]]]
    """The new index of each output of a network, [n, outputs], if cards are renumbered by uint8 [n, 32]."""


def renumbered(array: NDArray[Any], numbers: NDArray[np.unsignedinteger[Any]]) -> NDArray[Any]:
    """Moves the columns of an array [n, m] to their new indices, [n, m]."""
    out = np.empty_like(array)
    np.put_along_axis(out, numbers, array, axis=1)
    return out


def places(moves: NDArray[Any], games: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the decisions of some games and steps are in `moves`, all decisions of a dataset; int64 [n]."""
    return np.asarray(np.searchsorted(moves["game"], games) + steps, np.int64)


def made_by(players: Sequence[str], task: Task, moves: NDArray[Any], dataset: Dataset) -> NDArray[np.bool_]:
    """Whether each row is a decision of one of some players, bool [n].

    Args:
        players: their names.
        task: the rows.
        moves: all decisions of the dataset, as `Decisions.find` gives them.
        dataset: the games.

    Raises:
        UnknownName: if the dataset has no such player.
    """
    for name in players:
        if name not in dataset.players:
            raise UnknownName(f"player of {dataset.folder}", name, dataset.players)
    seats = moves["seat"][places(moves, task.games, task.steps)]
    seated = dataset.column("player")[task.games, seats]
    return np.isin(seated, [dataset.players.index(name) for name in players])
