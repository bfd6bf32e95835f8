"""Playing games to their end, many in step, so that agents that decide in batches are asked in batches."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

import numpy as np

from skat_env.play.decision_cache import Recall, Timed
from skat_env.protocols import Agent, BatchAgent, Decision, State, View

GAMES_IN_STEP: Final = 256
"""Networks gain little beyond it, and searchers may keep a tree for every seat of the games in play."""
Observe = Callable[[int, State, Decision], None]
"""Is told (number of the game, its state before the decision, the decision)."""


@dataclass(slots=True)
class Thinking:
    """How much an agent decided, and how long that took: the only part of a match that is not reproducible."""

    moves: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Table:
    """A game in play."""

    number: int
    state: State
    agents: Sequence[Agent]
    rngs: Sequence[np.random.Generator]
    thinking: tuple[Thinking, ...]


_Turn = tuple[_Table, int]
"""A game, and the seat to act."""


def is_over(state: State) -> bool:
    """Whether a game has ended."""
    return state.is_over


def play_games(
    states: Sequence[State],
    agents: Sequence[Sequence[Agent]],
    rngs: Sequence[Sequence[np.random.Generator]],
    observe: Observe | None = None,
    until: Callable[[State], bool] = is_over,
    recall: Recall | None = None,
) -> list[tuple[Thinking, ...]]:
    """Plays games to their end, or until something holds.

    Returns by game and seat the decisions and the seconds they took.

    If there is a batch agent, `GAMES_IN_STEP` games are played in step, and it is asked once a round for all in which
    it is to act. What is asked together depends on the games alone: the same games are played the same way again.

    Args:
        states: are changed.
        agents: by game and seat.
        rngs: by game and seat.
        observe: is told every decision before it is played.
        until: holds at the latest when a game is over.
        recall: what was decided in these games or others of the same deals, which is not decided again; the seconds
            are those of the first time. Agents that remember their games are always asked.

    Raises:
        IllegalAction: if an agent chooses an illegal action.
        ValueError: if a batch agent gives more or fewer decisions than it was asked for.
    """
    tables = [
        _Table(number, state, seated, luck, tuple(Thinking() for _ in seated))
        for number, (state, seated, luck) in enumerate(zip(states, agents, rngs, strict=True))
    ]
    in_step = GAMES_IN_STEP if any(is_batched(agent) for seated in agents for agent in seated) else 1
    for first in range(0, len(tables), in_step):
        group = tables[first : first + in_step]
        while playing := [table for table in group if not until(table.state)]:
            _play_round(playing, observe, recall)
    return [table.thinking for table in tables]


def play_game(
    state: State, agents: Sequence[Agent], rngs: Sequence[np.random.Generator]
) -> tuple[Thinking, ...]:
    """Plays one game, its agents and generators by seat; see `play_games`."""
    return play_games([state], [agents], [rngs])[0]


def is_batched(agent: Agent) -> bool:
    """Whether it is worth asking an agent for many decisions at once: a `BatchAgent`, unless its attribute `batched` is
    false (none of its parts is one) or it cheats (it is shown each state, and so is asked one by one).
    """
    return _has_batches(agent) and getattr(agent, "batched", True) and not cheats(agent)


def _has_batches(agent: Agent) -> TypeGuard[BatchAgent]:
    # For each decision: `isinstance` of a Protocol takes longer than cheap agents do.
    return hasattr(agent, "decide_many")


def cheats(agent: Agent) -> bool:
    """Whether an agent must be shown the true state."""
    return bool(getattr(agent, "cheats", False))


def remembers(agent: Agent) -> bool:
    """Whether an agent decides by more than the call tells it: what it kept at earlier moves of the game."""
    return bool(getattr(agent, "remembers", False))


def decide_many(agent: Agent, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
    """An agent's decisions for many views: asked at once if it is a batch agent, else one by one.

    Raises:
        ValueError: if a batch agent gives more or fewer decisions than it was asked for.
    """
    if not _has_batches(agent):
        return [agent.decide(view, rng) for view, rng in zip(views, rngs, strict=True)]
    decisions = agent.decide_many(views, rngs)
    if len(decisions) != len(views):
        raise ValueError(f"{agent.name} gave {len(decisions)} decisions for {len(views)} views")
    return decisions


def decide_by_part(
    parts: Sequence[Hashable],
    views: Sequence[View],
    rngs: Sequence[np.random.Generator],
    ask: Callable[[Any, list[View], list[np.random.Generator]], list[Decision]],
) -> list[Decision]:
    """The decisions for many views of which different parts of an agent decide some, each part asked once.

    Args:
        parts: by view, whose decision it is.
        views: what is to be decided.
        rngs: by view.
        ask: (part, its views, their generators) -> its decisions.
    """
    decisions: dict[int, Decision] = {}
    numbers: dict[Hashable, list[int]] = {}
    for number, part in enumerate(parts):
        numbers.setdefault(part, []).append(number)
    for part, mine in numbers.items():
        asked = ask(part, [views[i] for i in mine], [rngs[i] for i in mine])
        decisions.update(zip(mine, asked, strict=True))
    return [decisions[number] for number in range(len(views))]


def decide(agent: Agent, view: View, state: State, rng: np.random.Generator) -> Decision:
    """An agent's decision; an agent whose attribute `cheats` is true is shown the state, no other is."""
    if cheats(agent):
        decision: Decision = agent.decide_knowing(view, state, rng)  # type: ignore[attr-defined]
        return decision
    return agent.decide(view, rng)


def _play_round(tables: Sequence[_Table], observe: Observe | None, recall: Recall | None) -> None:
    """One decision in each game."""
    turns: dict[int, list[_Turn]] = {}
    for table in tables:
        seat = table.state.to_act
        turns.setdefault(id(table.agents[seat]), []).append((table, seat))
    for asked in turns.values():
        for (table, seat), (decision, seconds) in zip(asked, _ask(asked, recall), strict=True):
            table.thinking[seat].moves += 1
            table.thinking[seat].seconds += seconds
            if observe:
                observe(table.number, table.state, decision)
            table.state.apply(decision.action)


def _ask(turns: Sequence[_Turn], recall: Recall | None) -> list[Timed]:
    """The decisions of one agent in some games, and the seconds of each."""
    agent = _agent(turns[0])
    if recall is None or remembers(agent):
        return _decide_now(turns)
    return recall(
        agent,
        [table.state.view(seat) for table, seat in turns],
        [table.state if cheats(agent) else None for table, _ in turns],
        [table.rngs[seat] for table, seat in turns],
        lambda numbers: _decide_now([turns[number] for number in numbers]),
    )


def _decide_now(turns: Sequence[_Turn]) -> list[Timed]:
    """The same, nothing recalled; the seconds of a batch are shared evenly."""
    agent = _agent(turns[0])
    views = [table.state.view(seat) for table, seat in turns]
    rngs = [table.rngs[seat] for table, seat in turns]
    clock = time.perf_counter
    if is_batched(agent):
        started = clock()
        decisions = decide_many(agent, views, rngs)
        share = (clock() - started) / len(turns)
        return [(decision, share) for decision in decisions]
    timed = []
    for (table, _), view, rng in zip(turns, views, rngs, strict=True):
        started = clock()
        decision = decide(agent, view, table.state, rng)
        timed.append((decision, clock() - started))
    return timed


def _agent(turn: _Turn) -> Agent:
    table, seat = turn
    return table.agents[seat]
