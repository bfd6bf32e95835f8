"""What a policy-value network learns from: decisions, what a search found there, and how the games ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.learners.experience.memory import Rows
from skat_env.agents.learners.experience.played_games import PlayedGames
from skat_env.agents.networks.card_networks import CARDS, card_networks
from skat_env.agents.networks.task import renumbered
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import get_encoder
from skat_env.play.lockstep import play_games
from skat_env.play.worth import side_values, teams_of
from skat_env.protocols import Agent, Decision, Game, State


class RecordedCards:
    """The cards that were searched in a dataset, or all that were chosen, for one network.

    Args:
        dataset: games, with what was searched in them.
        decisions: of the dataset.
        name: the network's name.
        games: bool [games], which games; None: all.
        value_share: weight of the search's value in a value; the rest is the game's result.
        sharpness: the power that the search's weights are raised to.
        chosen: whether the targets are the cards chosen, of games with or without searches, and the values results.
    """

    def __init__(
        self,
        dataset: Dataset,
        decisions: Decisions,
        name: str,
        games: NDArray[np.bool_] | None,
        value_share: float,
        sharpness: float = 1.0,
        chosen: bool = False,
    ) -> None:
        game = dataset.game
        self._decisions = decisions
        self.encoder = get_encoder(f"{game.name}.{name}")
        found = decisions.find(self.encoder, games)
        found = found[np.bitwise_count(found["legal"]) > 1]
        rows = (found["game"].astype(np.int64), found["step"].astype(np.int64))
        if chosen:
            weights = np.eye(CARDS, dtype=np.float16)[found["action"]]
            searched = np.full(len(found), np.nan)
        else:
            weights, searched = dataset.targets(*rows, found["legal"])
        kept = weights.any(axis=1)
        found, weights, searched = found[kept], weights[kept, :CARDS], searched[kept]
        self._games, self._steps = rows[0][kept], rows[1][kept]
        outcomes = decisions.outcomes(game.match_unit)
        worth = side_values(outcomes.returns, outcomes.declarer, game)[self._games]
        teams = teams_of(game)
        declares = teams[found["seat"]] == teams[outcomes.declarer[self._games]]
        worth = np.where(declares, worth, -worth)
        worth = np.where(np.isnan(searched), worth, value_share * searched + (1 - value_share) * worth)
        self._values = (worth / card_networks(game.name).scale).astype(np.float32)
        legal = found["legal"][:, None] >> np.arange(CARDS, dtype=np.uint64) & np.uint64(1)
        self._legal, self._weights, self._sharpness = legal.astype(np.bool_), weights, sharpness

    def __len__(self) -> int:
        return len(self._games)

    def rows(self, chosen: NDArray[np.int64]) -> Rows:
        """Some of the rows, int64 [n], in the order of the games."""
        chosen = np.sort(chosen)
        features, labels = self._decisions.labelled_rows(
            self.encoder, self._games[chosen], self._steps[chosen]
        )
        weights = renumbered(self._weights[chosen], labels) ** np.float32(self._sharpness)
        weights /= weights.sum(axis=1, keepdims=True)
        return {
            "features": features,
            "legal": renumbered(self._legal[chosen], labels),
            "targets": weights.astype(np.float16),
            "values": self._values[chosen],
        }


def drawn_rows(parts: Sequence[RecordedCards], count: int, rng: np.random.Generator) -> Rows:
    """Some rows, drawn with the same chance from all parts."""
    sizes = np.array([len(part) for part in parts])
    counts = rng.multinomial(count, sizes / sizes.sum())
    drawn = [
        part.rows(rng.integers(len(part), size=number))
        for part, number in zip(parts, counts, strict=True)
        if number
    ]
    return {name: np.concatenate([rows[name] for rows in drawn]) for name in drawn[0]}


@dataclass(frozen=True, slots=True)
class SearchedGames:
    """Finished games, and what was searched in their cardplay."""

    games: PlayedGames
    """The games with the searched decisions."""
    weights: NDArray[np.float16]
    """float16 [decisions, 32]: the search's weights, by card."""
    values: NDArray[np.float64]
    """float64 [decisions]: what it found the game to be worth to the side to act."""


def play_searched(
    game: Game, agent: Agent, states: Sequence[State], rngs: Sequence[Sequence[np.random.Generator]]
) -> SearchedGames:
    """Plays games to their end with one agent at all seats."""
    decisions: list[tuple[int, int]] = []
    weights: list[NDArray[np.float16]] = []
    values: list[float] = []

    def observe(number: int, state: Any, decision: Decision) -> None:
        if decision.weights is not None and decision.value is not None and state.stage == game.stages[-1]:
            decisions.append((number, len(state.plays())))
            weights.append(decision.weights[:CARDS].astype(np.float16))
            values.append(decision.value)

    play_games(states, [[agent] * len(game.seats)] * len(states), rngs, observe)
    rows = np.array(weights, np.float16).reshape(-1, CARDS)
    return SearchedGames(PlayedGames.of(states, decisions), rows, np.array(values, np.float64))


def searched_rows(game: Game, played: SearchedGames, value_share: float) -> dict[str, Rows]:
    """The rows of all searched decisions, by network."""
    ends = played.games.states(game)
    returns = np.array([state.returns(game.match_unit) for state in ends], np.int32)
    declarers = np.array([state.result().declarer for state in ends], np.int8)
    worth = side_values(returns, declarers, game)
    positions = played.games.positions(game)
    sides = [state.side(state.to_act) for state in positions]
    names = [card_networks(game.name).name_of(*each) for each in zip(positions, sides, strict=True)]
    result = {}
    for name in card_networks(game.name).names:
        numbers = [number for number, each in enumerate(names) if each == name]
        targets = np.zeros((len(numbers), CARDS), np.float16)
        legal = np.zeros((len(numbers), CARDS), np.bool_)
        values = np.empty(len(numbers), np.float32)
        encoder = get_encoder(f"{game.name}.{name}")
        views = [positions[number].view(positions[number].to_act) for number in numbers]
        labels = encoder.labels(views)
        for row, (number, view) in enumerate(zip(numbers, views, strict=True)):
            actions = view.legal_actions()
            outputs = labels[row, actions]
            legal[row, outputs] = True
            targets[row, outputs] = played.weights[number, actions]
            won = worth[played.games.game[number]]
            own = -won if sides[number] else won
            values[row] = value_share * played.values[number] + (1 - value_share) * own
        features = encoder.encode(views).astype(np.float16)
        values /= card_networks(game.name).scale
        result[name] = {"features": features, "legal": legal, "targets": targets, "values": values}
    return result
