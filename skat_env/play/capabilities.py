"""The capabilities of agents: deciding in batches, being shown the true state, remembering their games, drawing by
weights.

These functions look at attributes because they run for every decision: `isinstance` with a Protocol takes longer than a
cheap agent takes to decide.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

import numpy as np

from skat_env.errors import NotFinite
from skat_env.protocols import (
    Agent,
    BatchAgent,
    CheatingAgent,
    Decision,
    DrawingAgent,
    Game,
    ListeningAgent,
    Position,
    RememberingAgent,
    State,
    View,
    World,
    WorldSampler,
)

V = TypeVar("V", bound=Position)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an agent needs or can do beside deciding; `BatchAgent` and the other protocols say what each means."""

    cheats: bool = False
    batched: bool = False
    remembers: bool = False
    draws: bool = False
    listens: bool = False

    @classmethod
    def of(cls, agent: Agent) -> "Abilities":
        """Those of an agent."""
        return cls(cheats(agent), is_batched(agent), remembers(agent), draws(agent), listens(agent))

    @classmethod
    def joined(cls, parts: Iterable[Agent]) -> "Abilities":
        """Those of an agent whose decisions are each made by one of some parts.

        It cheats, is asked in batches, remembers and listens if one part does; it draws if all do.
        """
        each = [cls.of(part) for part in parts]
        return cls(
            any(part.cheats for part in each),
            any(part.batched for part in each),
            any(part.remembers for part in each),
            all(part.draws for part in each),
            any(part.listens for part in each),
        )


def cheats(agent: Agent) -> TypeGuard[CheatingAgent]:
    """Whether an agent must be shown the true state."""
    return bool(getattr(agent, "cheats", False))


def remembers(agent: Agent) -> TypeGuard[RememberingAgent]:
    """Whether an agent's decisions may depend on what it kept from its earlier moves of the game."""
    return bool(getattr(agent, "remembers", False))


def draws(agent: Agent) -> TypeGuard[DrawingAgent]:
    """Whether an agent draws its actions from the weights of its decisions, or evenly where a decision has none."""
    return bool(getattr(agent, "draws", False))


def listens(agent: Agent) -> TypeGuard[ListeningAgent]:
    """Whether an agent is told how its games end. The attribute `listens = False` denies it, as agents made of others
    do.
    """
    return hasattr(agent, "hear_end") and bool(getattr(agent, "listens", True))


def tell_end(state: State, agents: Sequence[Agent | None]) -> None:
    """Tells the agents that listen how a game has ended. Games that are only thought of are not told.

    Args:
        state: the game, which is over.
        agents: the agents, by seat; None: the seat is played from outside.
    """
    for seat, agent in enumerate(agents):
        if agent is not None and listens(agent):
            agent.hear_end(state.view(seat), state.returns())


def agent_name(agent: Agent) -> str:
    """The name of an agent for messages; that of its class if it has none."""
    return str(getattr(agent, "name", type(agent).__name__))


def is_batched(agent: Agent) -> bool:
    """Whether asking an agent for many decisions at once pays off.

    It does for a `BatchAgent`, unless its attribute `batched` is false or it cheats: agents that cheat are shown each
    state and asked one by one.
    """
    return _has_batches(agent) and getattr(agent, "batched", True) and not cheats(agent)


def _has_batches(agent: Agent) -> TypeGuard[BatchAgent]:
    return hasattr(agent, "decide_many")


def decide(agent: Agent, view: View, state: State, rng: np.random.Generator) -> Decision:
    """An agent's decision; only an agent that cheats is shown the state."""
    return agent.decide_knowing(view, state, rng) if cheats(agent) else agent.decide(view, rng)


def decide_many(agent: Agent, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
    """An agent's decisions for many views: in one call if it is a batch agent, else one by one.

    Raises:
        ValueError: if a batch agent gives more or fewer decisions than it was asked for.
    """
    if not _has_batches(agent):
        return [agent.decide(view, rng) for view, rng in zip(views, rngs, strict=True)]
    decisions = agent.decide_many(views, rngs)
    if not isinstance(decisions, Sequence) or len(decisions) != len(views):
        given = f"{len(decisions)} decisions" if isinstance(decisions, Sequence) else repr(decisions)
        raise ValueError(
            f"{agent_name(agent)} gave {given} for {len(views)} views: expected a list of as many"
        )
    return decisions


def require_views(game: Game, views: Sequence[View]) -> None:
    """Checks what a batch agent is asked: views of its game, in each of which a seat is to act that knows its cards.

    Raises:
        ValueError: if one is something else; names it.
    """
    for number, view in enumerate(views):
        if not isinstance(view, game.view):
            raise ValueError(
                f"view {number} is a {type(view).__name__}: expected a {game.view.__name__} of a game of {game.name}"
            )
        require_turn(view, f"view {number}")


def require_turn(view: View, name: str = "the view") -> None:
    """Checks that the seat of a view, which has this name in the message, is to act.

    Raises:
        ValueError: if it is not.
    """
    if view.to_act != view.seat:
        raise ValueError(f"{name} is of seat {view.seat}, which is not to act: '{view.text()}'")


def drawn_worlds(belief: WorldSampler, view: View, n: int, rng: np.random.Generator) -> list[World]:
    """The worlds that a belief draws, as `WorldSampler.worlds`, without those of weight 0.

    Raises:
        ValueError: if there is none, or one is no state of the view's game; or if a weight is negative or not
            finite, or none is above 0.
    """
    worlds = belief.worlds(view, n, rng)
    kind = type(view.blank_state())
    for number, world in enumerate(worlds):
        if type(world.state) is not kind:
            found = type(world.state).__name__
            raise ValueError(
                f"world {number} of belief {belief.name} is a {found}: expected a {kind.__name__}"
            )
    weights = np.array([world.weight for world in worlds], np.float64)
    if not np.isfinite(weights).all() or not (weights >= 0).all() or not weights.any():
        odd = next((weight for weight in weights.tolist() if not 0 <= weight < np.inf), None)
        found = "no world with a weight above 0" if odd is None else f"a world with the weight {odd}"
        raise ValueError(
            f"belief {belief.name} gives {found} for '{view.text()}': expected finite weights, one of them above 0"
        )
    return [world for world in worlds if world.weight > 0]


def decide_by_part(
    parts: Sequence[Hashable],
    views: Sequence[V],
    rngs: Sequence[np.random.Generator],
    ask: Callable[[Any, list[V], list[np.random.Generator]], list[Decision]],
) -> list[Decision]:
    """The decisions for many views by an agent made of parts; each part is asked once, for all its views.

    Args:
        parts: the part that decides each view.
        views: the views to decide.
        rngs: a generator for each view.
        ask: (part, its views, their generators) -> its decisions.

    Raises:
        NotFinite: if a network of a part has an output that is not finite; names the view.
    """
    decisions: dict[int, Decision] = {}
    numbers: dict[Hashable, list[int]] = {}
    for number, part in enumerate(parts):
        numbers.setdefault(part, []).append(number)
    for part, own in numbers.items():
        try:
            asked = ask(part, [views[i] for i in own], [rngs[i] for i in own])
        except NotFinite as error:
            raise error.at(views[own[error.row]].text()) if error.row < len(own) else error from None
        decisions.update(zip(own, asked, strict=True))
    return [decisions[number] for number in range(len(views))]
