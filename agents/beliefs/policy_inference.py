"""Policy inference: a world's weight is the probability that a policy gives to the others' past decisions in it.

Rebstock 2019, chapter 5, algorithm 2: PI20 is `policy`, PI100 `policy(k=100000)`, PIF20 `policy(states=full)`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.beliefs.past_decisions import PastDecisions
from skat_env.agents.beliefs.past_likelihood import PastLikelihood, PolicyModel, Worked
from skat_env.agents.networks.card_networks import card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.beliefs.belief import Belief, Rows
from skat_env.beliefs.posterior import (
    Drawn,
    Floats,
    ImportanceSample,
    InferringSampler,
    PosteriorSampler,
    Trust,
)
from skat_env.call_text import call_text
from skat_env.errors import UnknownName
from skat_env.options import Count, Floor, NonNegative, checked_options
from skat_env.own_text import own_text
from skat_env.play.game_cache import GameCache
from skat_env.protocols import State, View, WorldSampler
from skat_env.registry import get_game, get_part, make_belief

STATES: Final = ("configurations", "full")
MAX_NUMBERS: Final = 16_000_000
"""Numbers, 8 bytes each, that are cached for all games in play together."""
MIN_CHANCE: Final = 1e-6
"""The probability that replaces 0 where every world contains a decision that the model rules out."""


class PolicyInference(PosteriorSampler):
    """The posterior of equation 5.1 over a sample of worlds.

    Args:
        k: the number of worlds drawn; all of them if there are no more.
        states: `configurations`: a world says where the cards lie; decisions that differ between its states are left
            out (the soloist's before it picked up, if it is unknown which cards it found). `full`: the state is drawn
            too, one for each world, or several if there are fewer than k worlds; no decision is left out.
        model: a checkpoint of policy networks, by name or path; None: the one that ships. Of several, joined by `+`,
            each of the others is as likely to follow one as another.
        players: the checkpoints that play in worlds played out as the models are inferred, one for each, joined by `+`;
            None: the models. A model that tells best what others do need not play as well as they.
        proposal: the belief from which worlds are drawn, or its name; importance weights correct for it.
        prior: a belief, or its name, whose probabilities are the prior: of what the networks do not know, such as the
            choice of trumps in Klaverjas; None: all worlds are equally likely before the decisions are weighed.
        temper: the exponent of the likelihood; below 1 the model is trusted less. 1 as in the paper.
        floor: the minimum probability of a decision; 0 as in the paper.
        int8: whether networks multiply bytes after their first layer, which takes two thirds of the time; without it
            they are as exact as floats.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
        ParseError: if the checkpoint is damaged, belongs to another game, needs another version of an encoder, or has
            no networks for past decisions.
    """

    exact = False

    @checked_options("policy inference")
    def __init__(
        self,
        k: Count = 20_000,
        *,
        states: str = "configurations",
        model: str | None = None,
        players: str | None = None,
        proposal: str | WorldSampler = "uniform",
        prior: str | WorldSampler | None = None,
        temper: NonNegative = 1.0,
        floor: Floor = 0.0,
        int8: bool = True,
        game: str,
    ) -> None:
        if states not in STATES:
            raise UnknownName("states of policy inference", states, STATES)
        self._k, self._full, self._trust = k, states == "full", Trust(temper, floor)
        self._proposal = _inferring("proposal", make_belief(proposal, game))
        self._prior = None if prior is None else _inferring("prior", make_belief(prior, game))
        self._past: PastDecisions = get_part(game, "past_decisions")
        self._seats = len(get_game(game).seats)
        names = (model or self._past.model).split("+")
        bytes_too = {"int8": True} if int8 else {}
        seated = names if players is None else players.split("+")
        if len(seated) != len(names):
            raise ValueError(
                f"policy inference with players={players}: expected one for each of {len(names)} models"
            )
        for name in set(seated) - set(names):
            load_checkpoint(name, game)
        self.models = tuple(call_text("policy", {"checkpoint": name, **bytes_too}) for name in seated)
        checkpoints = [load_checkpoint(each, game) for each in names]
        for checkpoint in checkpoints:
            checkpoint.require_any(self._past.networks, card_networks(game).names)
        self._models = [
            PolicyModel(checkpoint.in_int8() if int8 else checkpoint, self._past)
            for checkpoint in checkpoints
        ]
        self._worked: GameCache[dict[tuple[int, int], Worked]] = GameCache(MAX_NUMBERS, _numbers)
        self.name = own_text(self, "policy", proposal=self._proposal, prior=self._prior)

    def posterior(self, view: View, rng: np.random.Generator) -> ImportanceSample:
        """All worlds of a view, or a sample of k, with their weights.

        Results from the seat's last decision are reused. That does not change which worlds are drawn, and their weights
        only in the last bits. If the model rules out every world, decisions that it rules out get the probability
        `MIN_CHANCE`; if all weights vanish even so, the proposal is returned unchanged.
        """
        belief = _exact("proposal", self._proposal, view, rng)
        prior = None if self._prior is None else _exact("prior", self._prior, view, rng)
        drawn: Drawn = "distinct" if belief.is_uniform else "independent"
        if self._k >= belief.count:
            drawn = "all"
        rows = belief.sample(self._k, rng) if drawn == "independent" else belief.sample_distinct(self._k, rng)
        sample = min(self._past.states(view), max(1, self._k // belief.count)) if self._full else 0
        salt = int(rng.integers(2**63))
        past = self._past_likelihood(view, sample, salt, rng)
        trust = self._trust

        def weighed(some: Rows, learn: bool = False) -> Floats:
            logs = past.log_likelihood(some, trust, learn)
            if prior is not None:
                with np.errstate(divide="ignore"):
                    logs = logs + np.log(prior.probability(some))
            return logs

        logs = weighed(rows, learn=True)
        if not np.isfinite(logs).any():
            self.fallbacks += 1
            trust = replace(trust, floor=max(trust.floor, MIN_CHANCE))
            logs = weighed(rows)
        self._worked.keep(view, rng, past.known)

        def likelihood(some: Rows) -> Floats:
            possible = Belief(view).probability(some) > 0
            found = np.full(len(some), -np.inf)
            found[possible] = weighed(some[possible])
            return found

        return ImportanceSample(belief, rows, logs, likelihood, drawn)

    def models_in(self, view: View, states: Sequence[State], rng: np.random.Generator) -> NDArray[np.int16]:
        """The model that each seat follows in some worlds, as `PlayerInference`: all are equally likely at first."""
        belief = Belief(view)
        rows = np.array([belief.row(state) for state in states])
        past = self._past_likelihood(view, 0, 0, rng)
        trust = replace(self._trust, floor=max(self._trust.floor, MIN_CHANCE))
        luck = rng.random((len(rows), self._seats))
        drawn = (luck * len(self.models)).astype(np.int16)
        for seat, logs, at in past.by_model(rows, trust):
            odds = np.exp(logs - logs.max(axis=0)).cumsum(axis=0)[:, at]
            drawn[:, seat] = (odds <= luck[:, seat] * odds[-1]).sum(axis=0)
        self._worked.keep(view, rng, past.known)
        return drawn

    def _past_likelihood(
        self, view: View, sample: int, salt: int, rng: np.random.Generator
    ) -> PastLikelihood:
        """The likelihood of the others' decisions in worlds of a view; the seat's earlier results are taken."""
        known = self._worked.take(view, rng) or {}
        return PastLikelihood(view, self._past, self._models, sample, salt, known)


def _inferring(what: str, belief: WorldSampler) -> InferringSampler:
    """A belief that knows probabilities.

    Raises:
        ValueError: if it does not.
    """
    if not isinstance(belief, InferringSampler):
        raise ValueError(f"policy inference cannot use the {what} '{belief.name}': it has no probabilities")
    if isinstance(belief, PosteriorSampler) and not belief.exact:
        raise _inexact(what, belief)
    return belief


def _exact(what: str, sampler: InferringSampler, view: View, rng: np.random.Generator) -> Belief:
    """The exact posterior of a belief.

    Raises:
        ValueError: if it has none.
    """
    belief = sampler.posterior(view, rng)
    if not isinstance(belief, Belief):
        raise _inexact(what, sampler)
    return belief


def _inexact(what: str, sampler: InferringSampler) -> ValueError:
    return ValueError(
        f"the {what} '{sampler.name}' has no exact probabilities: expected a belief with exact ones"
    )


def _numbers(worked: dict[tuple[int, int], Worked]) -> int:
    return sum(each.logs.size + each.keys.size for each in worked.values())
