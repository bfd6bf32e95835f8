"""The likelihood of the other players' past decisions in each world (Rebstock 2019, equation 5.1)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.agents.beliefs.past_decisions import Deals, PastDecision, PastDecisions
from skat_env.agents.networks._evaluated import EvaluatedNetwork
from skat_env.agents.networks.checkpoint import Checkpoint
from skat_env.beliefs._hindsight import Replays, log_chances
from skat_env.beliefs.belief import Rows
from skat_env.beliefs.posterior import Trust
from skat_env.protocols import View

Floats = NDArray[np.float64]
CHUNK: Final = 1024
"""Worlds replayed and evaluated together: few enough to stay in a core's cache."""
ALL: Final = np.uint64(2**64 - 1)
MIXER: Final = np.uint64(0x9E3779B97F4A7C15)
STRIDE: Final = 25
"""The step between the states taken from a world; prime to 66, so that no state is taken twice."""


class PolicyModel:
    """The policy networks of a checkpoint, as a model of the players.

    Args:
        checkpoint: it holds the networks.
        past: the game's part `past_decisions`.
    """

    def __init__(self, checkpoint: Checkpoint, past: PastDecisions) -> None:
        self.name = checkpoint.name
        self._checkpoint, self._past = checkpoint, past
        self._networks: dict[str, tuple[EvaluatedNetwork, Encoder, NDArray[np.uint64]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """How to pickle it."""
        return PolicyModel, (self._checkpoint, self._past)

    def log_chances(
        self,
        decision: PastDecision,
        replays: Replays,
        hidden: NDArray[np.uint32],
        scratch: dict[str, NDArray[np.float32]],
    ) -> Floats:
        """The logarithm of the probability of a decision in each world, float64 [n].

        Args:
            decision: the decision; games are replayed up to it.
            replays: the replays of n worlds.
            hidden: uint32 [n], the cards that the view does not see.
            scratch: buffers of features by network, reused by later calls with as many worlds or fewer; allocating
                them anew takes as long as filling them.

        Raises:
            ParseError: if the checkpoint lacks the network.
            NotFinite: if the network has an output that is not finite.
        """
        network, encoder, needs = self._network(decision.network)
        n = len(hidden)
        if decision.network not in scratch:
            scratch[decision.network] = np.empty((n, encoder.width), np.float32)
        rows = scratch[decision.network][:n]
        legal = np.empty(n, np.uint64)
        did = hidden.astype(np.uint64) if decision.did is None else np.full(n, decision.did, np.uint64)
        differ = replays.write(encoder, rows, legal, did)
        if not decision.of_cards:
            legal[:] = ALL
        return log_chances(network.folded(rows, differ), needs, legal, did)

    def _network(self, name: str) -> tuple[EvaluatedNetwork, Encoder, NDArray[np.uint64]]:
        """A network as it is evaluated here, its encoder, and the actions that make each output legal."""
        if name not in self._networks:
            network = self._checkpoint.network(name)
            self._networks[name] = (
                network.evaluated,
                network.encoder,
                self._past.needs(name, network.spec.outputs),
            )
        return self._networks[name]


@dataclass(frozen=True, slots=True)
class Worked:
    """Results for one seat's decisions, kept for its later ones."""

    decisions: tuple[PastDecision, ...]
    keys: NDArray[np.uint64]
    """[m], ascending: the different things that the seat may have known."""
    logs: Floats
    """[m, decisions]: log-probabilities."""


class PastLikelihood:
    """The likelihood of all decisions of the other players, as a function of worlds.

    Of several models each player follows one throughout the game: the likelihood of its decisions is the models' mean.
    A decision depends only on what its seat knew, so each hand is evaluated once, however many worlds contain it.

    Args:
        view: the view of the seat that draws the inference; its own decisions count as certain.
        past: the game's part `past_decisions`.
        models: the models of the other players, equally probable of each of them.
        sample: the number of states taken from each world; 0: decisions that differ between the states of a world are
            left out.
        salt: seeds the choice of states.
        known: results from earlier in the same game, by seat and number of the model.
    """

    def __init__(
        self,
        view: View,
        past: PastDecisions,
        models: Sequence[PolicyModel],
        sample: int,
        salt: int,
        known: Mapping[tuple[int, int], Worked],
    ) -> None:
        self._view, self._past, self._models = view, past, models
        self._sample, self._salt = sample, np.uint64(salt)
        self.known = dict(known)
        """Results by seat and number of the model; `learn` adds to them."""
        self._decisions: dict[int, list[PastDecision]] = {}
        for decision in past.decisions(view, sample > 0):
            self._decisions.setdefault(decision.seat, []).append(decision)

    def log_likelihood(self, rows: Rows, trust: Trust, learn: bool = False) -> Floats:
        """The log-likelihood of each world, float64 [n]; a world with several states has their mean likelihood.

        Args:
            rows: the worlds, uint32 [n, places].
            trust: the exponent, and the minimum probability of a decision.
            learn: whether to keep the results in `known`.
        """
        if not len(rows):
            return np.zeros(0)
        states = max(1, self._sample)
        total = np.zeros(len(rows) * states)
        for _, logs, at in self.by_model(rows, trust, learn):
            total += (np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)))[at]
        return (
            total if states == 1 else np.logaddexp.reduce(total.reshape(-1, states), axis=1) - np.log(states)
        )

    def by_model(
        self, rows: Rows, trust: Trust, learn: bool = False
    ) -> Iterator[tuple[int, Floats, NDArray[np.int64]]]:
        """Each other seat, with the log-likelihood of its decisions by each model in all that it may have known,
        float64 [models, m], and the number of what it knew in each state, int64 [n * states].

        Args:
            rows: the worlds, uint32 [n, places], one at least; the states of each follow one another.
            trust: as in `log_likelihood`.
            learn: as in `log_likelihood`.
        """
        states = max(1, self._sample)
        deals = self._past.deals(self._view, np.repeat(rows, states, axis=0), self._numbers(rows, states))
        for seat, decisions in self._decisions.items():
            keys = self._past.keys(self._view, seat, deals)
            keys, first, at = _distinct(keys)
            some = Deals(deals.dealt[first], deals.hidden[first])
            logs = np.empty((len(self._models), len(keys)))
            for model in range(len(self._models)):
                worked = Worked(tuple(decisions), keys, self._logs(seat, model, keys, some, rows[:1]))
                if learn:
                    self.known[seat, model] = worked
                logs[model] = np.maximum(worked.logs, trust.log_floor).sum(axis=1)
            yield seat, trust.temper * logs if trust.temper else np.zeros_like(logs), at

    def _numbers(self, rows: Rows, states: int) -> NDArray[np.int64]:
        """The numbers of the states taken from each world, int64 [n * states], by a hash of the world."""
        if self._sample == 0:
            return np.zeros(len(rows), np.int64)
        mixed = np.full(len(rows), self._salt)
        for place in rows.T:
            mixed = (mixed ^ place) * MIXER
            mixed ^= mixed >> np.uint64(29)
        count = self._past.states(self._view)
        numbers = (mixed % np.uint64(count)).astype(np.int64)[:, None] + STRIDE * np.arange(states)
        return np.asarray(numbers % count).reshape(-1)

    def _logs(self, seat: int, model: int, keys: NDArray[np.uint64], deals: Deals, world: Rows) -> Floats:
        """A model's log-probabilities, float64 [m, decisions of the seat], of distinct keys in ascending order."""
        decisions = self._decisions[seat]
        logs = np.empty((len(keys), len(decisions)))
        known = self.known.get((seat, model))
        count = len(known.decisions) if known else 0
        if known is None or tuple(decisions[:count]) != known.decisions:
            self._work_out(model, decisions, deals, world[0], logs)
            return logs
        at = np.minimum(np.searchsorted(known.keys, keys), len(known.keys) - 1)
        old = known.keys[at] == keys
        logs[old, :count] = known.logs[at[old]]
        for rows, begin in ((old, count), (~old, 0)):
            part = np.empty((int(rows.sum()), len(decisions) - begin))
            self._work_out(
                model, decisions[begin:], Deals(deals.dealt[rows], deals.hidden[rows]), world[0], part
            )
            logs[rows, begin:] = part
        return logs

    def _work_out(
        self, model: int, decisions: list[PastDecision], deals: Deals, world: Any, out: Floats
    ) -> None:
        """Replays the worlds and writes the model's log-probabilities into `out`, float64 [n, decisions]."""
        if not decisions:
            return
        scratch: dict[str, NDArray[np.float32]] = {}
        for first in range(0, len(out), CHUNK):
            chunk = slice(first, first + CHUNK)
            replays = Replays(self._view, world, deals.dealt[chunk], deals.hidden[chunk])
            for column, decision in enumerate(decisions):
                replays.advance(decision.step)
                out[chunk, column] = self._models[model].log_chances(
                    decision, replays, deals.hidden[chunk], scratch
                )


def _distinct(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct keys in ascending order, where each is found, and the number of each key among them.

    As `np.unique`, but where a key is found is any of its places: sorts that keep the order take five times as long.
    """
    order = np.argsort(keys)
    ascending = keys[order]
    new = np.ones(len(keys), np.bool_)
    new[1:] = ascending[1:] != ascending[:-1]
    at = np.empty(len(keys), np.int64)
    at[order] = np.cumsum(new) - 1
    return ascending[new], order[new], at
