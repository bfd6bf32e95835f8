"""The exact value of a small game of two sides by its sequence form: a linear programme.

Koller, Megiddo and von Stengel 1996, equations (8) and (9): the sequences of a player are what he did at his
information sets; a mixed strategy gives every sequence a weight, and the best weights are a linear programme.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, dok_matrix, hstack

from skat_env.protocols import World


@dataclass
class Sequences:
    """The sequences of a player, numbered; 0 is the empty one."""

    numbers: dict[tuple[Any, int], int] = field(default_factory=dict)
    """By information set and action."""
    before: dict[Any, int] = field(default_factory=dict)
    """The sequence that leads to each information set."""

    def constraints(self) -> tuple[csr_matrix, np.ndarray]:
        """E and e of E x = e: the empty sequence weighs 1, and the actions of a set as much as what leads to it."""
        sets = {known: row for row, known in enumerate(self.before, start=1)}
        matrix = dok_matrix((len(sets) + 1, len(self.numbers) + 1))
        matrix[0, 0] = 1
        for known, row in sets.items():
            matrix[row, self.before[known]] = -1
        for (known, _), number in self.numbers.items():
            matrix[sets[known], number] = 1
        right = np.zeros(len(sets) + 1)
        right[0] = 1
        return matrix.tocsr(), right


def value_of(worlds: Sequence[World], seats_of_game: int, lead: Callable[[Any], float]) -> float:
    """The value of an ending for the declarer's side, whose seats see each other's cards as those of the other side do.

    Args:
        worlds: the worlds of which chance draws one.
        seats_of_game: the number of seats.
        lead: (a finished state) -> what the declarer's side gets and the other loses.
    """
    players = (Sequences(), Sequences())
    payoffs: dict[tuple[int, int], float] = defaultdict(float)
    total = sum(world.weight for world in worlds)

    def walk(state: Any, chance: float, at: tuple[int, int]) -> None:
        if state.is_over:
            payoffs[at] += chance * lead(state)
            return
        side = state.side(state.to_act)
        seats = [seat for seat in range(seats_of_game) if state.side(seat) == side]
        known = tuple(state.view(seat) for seat in seats)
        player = players[side]
        assert player.before.setdefault(known, at[side]) == at[side], "a side forgot what it had done"
        for action in state.legal_actions():
            number = player.numbers.setdefault((known, action), len(player.numbers) + 1)
            after = state.clone()
            after.apply(action)
            walk(after, chance, (number, at[1]) if side == 0 else (at[0], number))

    for world in worlds:
        walk(world.state, world.weight / total, (0, 0))
    (first, start), (second, end) = (player.constraints() for player in players)
    payoff = dok_matrix((first.shape[1], second.shape[1]))
    for (x, y), value in payoffs.items():
        payoff[x, y] = value
    # The first player chooses x, the second's best answer is worth end @ q with second.T @ q <= payoff.T @ x.
    rows = csr_matrix((first.shape[0], second.shape[0]))
    solution = linprog(
        np.concatenate([np.zeros(first.shape[1]), -end]),
        A_ub=hstack([-payoff.T, second.T]),
        b_ub=np.zeros(second.shape[1]),
        A_eq=hstack([first, rows]),
        b_eq=start,
        bounds=[(0, None)] * first.shape[1] + [(None, None)] * second.shape[0],
    )
    assert solution.status == 0, solution.message
    return float(-solution.fun)
