"""Policies: the probabilities of the cards in each information set."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import OptionError
from skat_env.options import Count, Seed, checked_options
from skat_env.play.capabilities import agent_name, cheats, decide_many, remembers
from skat_env.protocols import Agent, View

CARDS = 32


class Policy(Protocol):
    """What a player does, as a function of what it sees."""

    def probabilities(self, views: Sequence[Any]) -> NDArray[np.float64]:
        """The probability of each card in each view, in which its seat is to act: float64 [views, 32].

        Each row sums to 1 over the legal cards. It depends on its view alone.
        """


class UniformPolicy:
    """Plays every legal card with the same probability."""

    def probabilities(self, views: Sequence[View]) -> NDArray[np.float64]:
        """The probability of each card in each view, float64 [views, 32]."""
        legal = np.array([view.legal() for view in views], np.uint64)
        chances = (legal[:, None] >> np.arange(CARDS, dtype=np.uint64) & np.uint64(1)).astype(np.float64)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


class AgentPolicy:
    """An agent as a policy: how often it plays each card.

    An agent that uses no chance is a policy of its own, and one sample is exact. Another one is frozen: its luck in a
    view follows from the seed and the view, so that it is a policy too, a mixture of `samples` draws.

    Args:
        agent: the agent.
        samples: how often it is asked in each view; None: it is asked once, and the weights of its decision are its
            probabilities, as those of `policy(cardplay=sample)` are.
        seed: of its luck.

    Raises:
        ValueError: if the agent remembers its games or cheats, so that its play is no function of a view; or an option
            is out of range.
    """

    @checked_options("a policy")
    def __init__(self, agent: Agent, samples: Count | None = 1, seed: Seed = 0) -> None:
        if remembers(agent):
            raise OptionError(
                f"the agent {agent_name(agent)} remembers its games: expected one whose play follows from a view alone"
            )
        if cheats(agent):
            raise OptionError(
                f"the agent {agent_name(agent)} sees all cards: expected one whose play follows from a view alone"
            )
        self._agent, self._samples, self._seed = agent, samples, seed

    def probabilities(self, views: Sequence[View]) -> NDArray[np.float64]:
        """The probability of each card in each view, float64 [views, 32]."""
        chances = np.zeros((len(views), CARDS))
        rows = np.arange(len(views))
        keys = [view.key() for view in views]
        for draw in range(self._samples or 1):
            rngs = [np.random.default_rng([self._seed, key, draw]) for key in keys]
            decisions = decide_many(self._agent, views, rngs)
            if self._samples is None:
                for row, decision in enumerate(decisions):
                    if decision.weights is None:
                        chances[row, decision.action] = 1
                    else:
                        chances[row] = decision.weights[:CARDS]
            else:
                chances[rows, [decision.action for decision in decisions]] += 1
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


class Strategy:
    """A pure strategy: a card for each information set, and another policy where it has none.

    Args:
        cards: the card by the key of the view.
        elsewhere: the policy in other views.
    """

    def __init__(self, cards: Mapping[int, int], elsewhere: Policy) -> None:
        self.cards, self._elsewhere = cards, elsewhere

    def probabilities(self, views: Sequence[View]) -> NDArray[np.float64]:
        """The probability of each card in each view, float64 [views, 32]."""
        chances = np.zeros((len(views), CARDS))
        chosen = [self.cards.get(view.key()) for view in views]
        others = [row for row, card in enumerate(chosen) if card is None]
        if others:
            chances[others] = self._elsewhere.probabilities([views[row] for row in others])
        for row, card in enumerate(chosen):
            if card is not None:
                chances[row, card] = 1
        return chances


def asked(policy: Policy, views: Sequence[Any]) -> NDArray[np.float64]:
    """A policy's probabilities, checked: float64 [views, 32].

    Raises:
        ValueError: if they are not the probabilities of the legal cards; names the view.
    """
    chances = np.asarray(policy.probabilities(views), np.float64)
    if chances.shape != (len(views), CARDS):
        raise OptionError(
            f"a policy gave {chances.shape} probabilities for {len(views)} views: expected ({len(views)}, 32)"
        )
    legal = UniformPolicy().probabilities(views) > 0
    right = (chances >= 0).all(axis=1) & (np.abs(np.where(legal, chances, 0).sum(axis=1) - 1) < 1e-6)
    right &= ~((chances > 0) & ~legal).any(axis=1)
    if not right.all():
        view = views[int(np.flatnonzero(~right)[0])]
        raise OptionError(
            f"a policy's probabilities are not at least 0 with a sum of 1 over the legal cards in '{view.text()}'"
        )
    return np.ascontiguousarray(chances)
