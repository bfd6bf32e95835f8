"""Policy inference: worlds weigh as much as a policy makes the others' past decisions likely in them.

Rebstock 2019, chapter 5, algorithm 2: PI20 is `policy`, PI100 `policy(k=100000)`, PIF20 `policy(states=full)`.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from agents.beliefs.past_decisions import PastDecisions
from agents.beliefs.past_likelihood import PastLikelihood, PolicyModel, Worked
from agents.networks.checkpoint import load_checkpoint
from skat_env.beliefs.belief import Belief, Rows
from skat_env.beliefs.posterior import (
    Drawn,
    Floats,
    ImportanceSample,
    InferringSampler,
    PosteriorSampler,
    Trust,
)
from skat_env.errors import UnknownName
from skat_env.play.game_cache import GameCache
from skat_env.protocols import View, WorldSampler
from skat_env.registry import get_part, make_belief

STATES: Final = ("configurations", "full")
MOST_NUMBERS: Final = 16_000_000
"""That all games in play keep together, 8 bytes each."""
LEAST: Final = 1e-6
"""Probability of a decision that cannot be, where no world is left without one."""


class PolicyInference(PosteriorSampler):
    """The posterior of eq. 5.1 on a sample of worlds.

    Args:
        k: worlds that are drawn; all are taken where there are no more.
        states: `configurations`: a world is where the cards lie, and decisions are left out on which the states of a
            world differ (the soloist's before he picked up, where it is open what he found); `full`: states are drawn
            too, one of each world, more where there are fewer worlds than k, and nothing is left out.
        model: a checkpoint of policy networks, by name or path; None: the one that ships.
        proposal: the belief from which worlds are drawn, or its name; what it prefers is weighed back.
        temper: an exponent of the likelihood; below 1 the model is trusted less. 1 is the paper's.
        floor: least probability of each decision; 0 is the paper's.

    Raises:
        ValueError: if an option is out of range; its subclasses for names.
        ParseError: if the checkpoint is damaged, of another game, of another version of an encoder, or of networks for
            something else.
    """

    def __init__(
        self,
        k: int = 20_000,
        *,
        states: str = "configurations",
        model: str | None = None,
        proposal: str | WorldSampler = "uniform",
        temper: float = 1.0,
        floor: float = 0.0,
        game: str,
    ) -> None:
        if not isinstance(k, int) or k < 1:
            raise ValueError(f"policy inference with k={k}: expected a whole number from 1")
        if states not in STATES:
            raise UnknownName("states of policy inference", states, STATES)
        self._k, self._full, self._trust = k, states == "full", Trust(temper, floor)
        drawn_from = make_belief(proposal, game)
        if not isinstance(drawn_from, InferringSampler):
            raise ValueError(
                f"policy inference has no use for the proposal '{drawn_from.name}': it draws only"
            )
        self._proposal = drawn_from
        self._past: PastDecisions = get_part(game, "past_decisions")
        checkpoint = load_checkpoint(model or self._past.model, game)
        checkpoint.require_any(self._past.networks)
        self._model = PolicyModel(checkpoint, self._past)
        self._worked: GameCache[dict[int, Worked]] = GameCache(MOST_NUMBERS, _numbers)
        words = [f"k={k}"] * (k != 20_000)
        words += [f"states={states}"] * self._full
        words += [f"model={model}"] * (model is not None)
        words += [f"proposal={self._proposal.name}"] * (self._proposal.name != "uniform")
        words += self._trust.words
        self.name = f"policy({', '.join(words)})" if words else "policy"

    def posterior(self, view: View, rng: np.random.Generator) -> ImportanceSample:
        """The worlds of a view, or k of them, with their weights.

        What was worked out at the seat's last decision is used again. The worlds do not depend on it, their weights in
        the last bits alone. Where every world is impossible by the model, impossible decisions count `LEAST`; if that
        tells nothing either, the proposal stands.
        """
        belief = self._proposal.posterior(view, rng)
        if not isinstance(belief, Belief):
            raise ValueError(
                f"the proposal '{self._proposal.name}' is known on samples only: expected an exact one"
            )
        drawn: Drawn = "distinct" if belief.is_uniform else "independent"
        if self._k >= belief.count:
            drawn = "all"
        rows = belief.sample(self._k, rng) if drawn == "independent" else belief.sample_distinct(self._k, rng)
        sample = min(self._past.states(view), max(1, self._k // belief.count)) if self._full else 0
        salt = int(rng.integers(2**63))
        past = PastLikelihood(view, self._past, self._model, sample, salt, self._worked.take(view, rng) or {})
        trust = self._trust
        logs = past.log_likelihood(rows, trust, learn=True)
        if not np.isfinite(logs).any():
            self.fallbacks += 1
            trust = replace(trust, floor=max(trust.floor, LEAST))
            logs = past.log_likelihood(rows, trust)
        self._worked.keep(view, rng, past.known)

        def likelihood(some: Rows) -> Floats:
            possible = Belief(view).probability(some) > 0
            found = np.full(len(some), -np.inf)
            found[possible] = past.log_likelihood(some[possible], trust)
            return found

        return ImportanceSample(belief, rows, logs, likelihood, drawn)


def _numbers(worked: dict[int, Worked]) -> int:
    return sum(each.logs.size + each.keys.size for each in worked.values())
