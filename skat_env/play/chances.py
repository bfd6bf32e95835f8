"""What an agent does as probabilities: the chance of every action in a view."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import OptionError
from skat_env.play.capabilities import agent_name, cheats, decide_many, draws, remembers
from skat_env.protocols import Agent, Game, View

ACTIONS: Final = 64


class WatchedGenerator:
    """A random generator that notes whether anything was asked of it."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self.used = False
        """Whether anything was asked of it."""

    def __getattr__(self, name: str) -> Any:
        self.used = True
        return getattr(self._generator, name)


def chances(agent: Agent, views: Sequence[View]) -> NDArray[np.float64]:
    """The probability that an agent chooses each action in each view, in which its seat is to act; float64 [n, 64].

    An agent that asks nothing of its generator has no other choice in the view. One that does is believed only if it
    draws from the weights of its decisions (`draws`).

    Raises:
        OptionError: if the agent has no probabilities: it remembers its games, cheats, or uses chance in another way.
    """
    _require_view_alone(agent)
    found = np.zeros((len(views), ACTIONS))
    # Its draws do not matter, only whether it makes any.
    shared = np.random.default_rng(0)
    watched = [WatchedGenerator(shared) for _ in views]
    decisions = decide_many(agent, views, watched)  # type: ignore[arg-type]
    for row, view, decision, generator in zip(found, views, decisions, watched, strict=True):
        if not generator.used:
            row[decision.action] = 1
        elif not draws(agent):
            raise OptionError(
                f"the agent {agent_name(agent)} uses chance, and not by the weights of its decisions: expected one "
                "whose probabilities are known, as policy"
            )
        elif decision.weights is None:
            row[view.legal_actions()] = 1
        else:
            row[:] = decision.weights
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def require_chances(agent: Agent, game: Game) -> None:
    """Checks on the cardplay of a random game that an agent has probabilities.

    Raises:
        OptionError: as `chances`.
    """
    _require_view_alone(agent)
    rng = np.random.default_rng(0)
    state: Any = game.state.random(rng)
    views: list[View] = []
    while not (state.is_over and views):
        if state.is_over:  # nobody declared
            state = game.state.random(rng)
        if state.stage == game.stages[-1] and state.legal().bit_count() > 1:
            views.append(state.view(state.to_act))
        state.apply(int(rng.choice(state.legal_actions())))
    for view in views:
        chances(agent, [view])


def _require_view_alone(agent: Agent) -> None:
    for is_so, does in ((remembers, "remembers its games"), (cheats, "sees all cards")):
        if is_so(agent):
            raise OptionError(
                f"the agent {agent_name(agent)} {does}: expected one whose play follows from a view alone, as policy"
            )
