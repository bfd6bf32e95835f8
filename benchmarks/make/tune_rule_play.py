"""Tunes the weights of the rule player's defenders against its soloist: coordinate search, checked on unseen games.

    python -m benchmarks.make.tune_rule_play --games 2500 --sweeps 2 --seed 1

The games are trump games that the rule player itself bids and declares. Each weight in turn is moved up and down by a
step; a move is kept if it improves the defenders' mean score by more than one standard error of the paired
difference. At the end the new weights are compared with the old ones on unseen games. The score is a logistic function
of the card points around 60.5, which approximates the chance to win and is less noisy than wins.

The weights in the source started as guesses. They were tuned by alternating searches with the soloist, which had
weights of the same kind then, separately for suit games and grand. Finally length_to_partner in grand was set by hand
after trying values on up to 4,000 games, without a check on unseen ones. So no single command reproduces them.
`benchmarks/make/learn_rule_soloist.py` has the soloist's.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import read_options
from skat_env.agents.skat.rule import RuleAgent
from skat_env.agents.skat.rule import defender as defender_module
from skat_env.agents.skat.rule.situation import Situation
from skat_env.agents.skat.rule.soloist import soloist_card
from skat_env.deal import Deal
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, Phase


@dataclass
class Options:
    """Tunes the weights of the rule player's defenders against its soloist."""

    contract: Literal["suit", "grand"] = "suit"
    games: int = 2500
    sweeps: int = 2
    seed: int = 1


def starts(count: int, seed: int, kinds: str) -> list[SkatState]:
    """The starts of the cardplay of trump games that the rule player declares."""
    rng = np.random.default_rng(seed)
    agent = RuleAgent()
    found: list[SkatState] = []
    while len(found) < count:
        state = SkatState.new(Deal.random(rng, PLACE_SIZES))
        while state.to_act >= 0 and state.phase != Phase.PLAY:
            state.apply(agent.decide(state.view(state.to_act), rng).action)
        if state.to_act < 0 or state.contract == Contract.NULL:
            continue
        kind = "grand" if state.contract == Contract.GRAND else "suit"
        if kind == kinds:
            found.append(state)
    return found


def play(state: SkatState, defender: Any) -> float:
    """Plays a game with the defenders' weights; returns the soloist's score."""
    state = state.clone()
    while state.to_act >= 0:
        situation = Situation(state.view(state.to_act))
        alone = state.to_act == state.soloist
        code = soloist_card(situation) if alone else defender_module.defender_card(situation, defender)
        state.apply(situation.layout.card[code])
    return float(1 / (1 + np.exp(-(state.result().card_points - 60.5) / 6)))


def main() -> None:
    """Runs the search and prints the weights found."""
    options = read_options(Options, __doc__)
    old = getattr(defender_module, options.contract.upper())
    search, check = (starts(options.games, options.seed * 2 + i, options.contract) for i in (0, 1))

    def measure(games: list[SkatState], weights: Any) -> NDArray[np.float64]:
        return -np.array([play(game, weights) for game in games])

    weights, scores = climb(old, lambda candidate: measure(search, candidate), options.sweeps)
    difference = measure(check, weights) - measure(check, old)
    error = 1.96 * difference.std() / np.sqrt(len(difference))
    print(f"search {scores.mean():.4f}; unseen games: {difference.mean():+.4f} ± {error:.4f} against the old")
    print(weights)


def climb(
    weights: Any, measure: Callable[[Any], NDArray[np.float64]], sweeps: int
) -> tuple[Any, NDArray[np.float64]]:
    """Coordinate search; returns the best weights and their scores."""
    scores = measure(weights)
    print(f"start {scores.mean():.4f}", flush=True)
    for sweep in range(sweeps):
        for field in fields(weights):
            value = getattr(weights, field.name)
            step = max(abs(value) * 0.6, 0.3 if abs(value) < 1 else 1.0) / (sweep + 1)
            for direction in (1, -1):
                candidate = replace(weights, **{field.name: round(value + direction * step, 2)})
                new = measure(candidate)
                difference = new - scores
                if difference.mean() > max(difference.std() / np.sqrt(len(difference)), 1e-6):
                    weights, scores = candidate, new
                    changed = getattr(weights, field.name)
                    print(f"{field.name} {value} -> {changed}: {scores.mean():.4f}", flush=True)
                    break
    return weights, scores


if __name__ == "__main__":
    main()
