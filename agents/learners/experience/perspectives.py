"""Positions of recorded games as every seat sees them, with the game's result: what value networks learn from."""

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.agents.learners.experience.memory import Rows
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.play.worth import side_values, teams_of


class Perspectives:
    """Every position of the cardplay of some games, including the last, for every seat; 33 x 4 per game in Klaverjas.

    Args:
        dataset: the games.
        decisions: of the dataset.
        encoder: one that reads all of the cardplay and its end.
        games: bool [games], which games.
    """

    def __init__(
        self, dataset: Dataset, decisions: Decisions, encoder: Encoder, games: NDArray[np.bool_]
    ) -> None:
        self.encoder, self._decisions = encoder, decisions
        found = decisions.find(encoder, games)
        numbers, steps = found["game"].astype(np.int64), found["step"].astype(np.int64)
        last = np.flatnonzero(np.append(numbers[1:] != numbers[:-1], True)) if len(numbers) else numbers
        self._games = np.concatenate([numbers, numbers[last]])
        self._steps = np.concatenate([steps, steps[last] + 1])
        self._seats = len(dataset.game.seats)
        self._teams = teams_of(dataset.game)
        outcomes = decisions.outcomes(dataset.game.match_unit)
        self._worth = side_values(outcomes.returns, outcomes.declarer, dataset.game)
        self._declaring = self._teams[outcomes.declarer]

    def __len__(self) -> int:
        return len(self._games) * self._seats

    def rows(self, chosen: NDArray[np.int64]) -> Rows:
        """Rows by number, int64 [n], in the order of the games.

        They are features, float32 [n, encoder.width], and values, float32 [n] in game units: what the seat's side has
        more than the other in the end.
        """
        positions, seats = np.divmod(chosen, self._seats)
        order = np.lexsort((self._steps[positions], self._games[positions]))
        positions, seats = positions[order], seats[order]
        games = self._games[positions]
        features = self._decisions.rows(self.encoder, games, self._steps[positions], seats)
        declares = self._teams[seats] == self._declaring[games]
        values = np.where(declares, self._worth[games], -self._worth[games])
        return {"features": features, "values": values.astype(np.float32)}
