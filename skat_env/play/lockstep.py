"""Playing games in step, so that batch agents decide for many games in one call."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Final

import numpy as np

from skat_env.errors import IllegalAction, NotFinite
from skat_env.play.capabilities import (
    agent_name,
    cheats,
    decide,
    decide_many,
    is_batched,
    remembers,
    tell_end,
)
from skat_env.play.decision_cache import DecisionCache, Timed
from skat_env.protocols import Agent, Decision, State

GAMES_IN_STEP: Final = 256
"""Larger batches speed networks up little, and searches may keep a tree for every seat of the games in play."""
COUNTED: Final = frozenset(("failure", "replies", "tokens"))
"""Statistics of decisions that matches sum up: numbers as such, of texts how many there are."""
Observe = Callable[[int, State, Decision], None]
"""A callback: (number of the game, its state before the decision, the decision)."""


@dataclass(slots=True)
class Thinking:
    """The number of an agent's decisions and the time they took: the only part of a match that is not reproducible."""

    moves: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    """What `COUNTED` names of their statistics, summed over the decisions that have it."""

    def count(self, decision: Decision, seconds: float) -> None:
        """Adds a decision."""
        self.moves += 1
        self.seconds += seconds
        for name in COUNTED & decision.stats.keys() if decision.stats else ():
            value = decision.stats[name]
            self.counts[name] = self.counts.get(name, 0) + (int(value) if isinstance(value, Integral) else 1)


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


class IllegalDecision(IllegalAction):
    """An agent decided what is not legal, or gave something else than a decision."""

    game: int = -1
    """The number of the game."""


def is_over(state: State) -> bool:
    """Whether a game has ended."""
    return state.is_over


def play_games(
    states: Sequence[State],
    agents: Sequence[Sequence[Agent]],
    rngs: Sequence[Sequence[np.random.Generator]],
    observe: Observe | None = None,
    until: Callable[[State], bool] = is_over,
    cache: DecisionCache | None = None,
) -> list[tuple[Thinking, ...]]:
    """Plays games to their end, or until a condition holds.

    Returns the number of decisions and the seconds they took, by game and seat.

    If an agent is a batch agent, `GAMES_IN_STEP` games are played in step: each round it is asked once, for all games
    in which it is to act. The batches depend on the games alone, so the same games are played the same way again.

    No agent is told how a game has ended, as a search plays out games, too.

    Args:
        states: the games, one state each; they are changed.
        agents: the agents, by game and seat.
        rngs: the agents' generators, by game and seat.
        observe: called with every decision before it is played.
        until: the condition on a state at which its game stops; it must hold when the game is over.
        cache: decisions of these games and of others of the same deals. A cached decision is not made again and counts
            the seconds of the first time. Agents that remember their games are always asked.

    Raises:
        IllegalDecision: if an agent chooses an illegal action, or gives no decision; names it and the position.
        ValueError: if a batch agent gives more or fewer decisions than it was asked for; or `states` are as
            `require_states` refuses them; or a game has not an agent and a generator for each seat. Agents are objects,
            not texts.
    """
    require_states(states)
    tables = [
        _Table(number, state, seated, luck, tuple(Thinking() for _ in seated))
        for number, (state, seated, luck) in enumerate(zip(states, agents, rngs, strict=True))
    ]
    _require_seats(tables)
    if any(is_batched(agent) for seated in agents for agent in seated):
        for first in range(0, len(tables), GAMES_IN_STEP):
            group = tables[first : first + GAMES_IN_STEP]
            while playing := [table for table in group if not until(table.state)]:
                _play_round(playing, observe, cache)
    else:
        for table in tables:
            while not until(table.state):
                _play_turns([(table, table.state.to_act)], observe, cache)
    return [table.thinking for table in tables]


def _require_seats(tables: Sequence[_Table]) -> None:
    """Raises a ValueError if a game has not an agent and a generator for each seat."""
    seats = len(tables[0].state.returns()) if tables else 0
    for table in tables:
        agents, luck = len(table.agents), len(table.rngs)
        if agents != seats or luck != seats:
            raise ValueError(f"game {table.number}: {agents} agents and {luck} generators for {seats} seats")
        for agent in table.agents:
            if isinstance(agent, str):
                raise ValueError(
                    f"game {table.number}: the agent '{agent}' is a text: expected an object, as make_agent gives"
                )


def require_states(states: Sequence[State], kind: type[Any] | None = None, changes: bool = True) -> None:
    """Checks states that are taken together.

    Args:
        states: the states.
        kind: the class of States that they must have; None: any, but the same.
        changes: whether they will be changed, so that each must be an object of its own.

    Raises:
        ValueError: if one is something else, or is there twice.
    """
    first: dict[int, int] = {}
    for number, state in enumerate(states):
        if not hasattr(state, "apply") or type(state) is not (kind or type(states[0])):
            expected = "State of the game of the others" if kind is None else kind.__name__
            raise ValueError(f"game {number} is a {type(state).__name__}: expected a {expected}")
        if changes and first.setdefault(id(state), number) != number:
            raise ValueError(
                f"games {first[id(state)]} and {number} are the same object: expected a State each; clone() makes one"
            )


def play_game(
    state: State, agents: Sequence[Agent], rngs: Sequence[np.random.Generator]
) -> tuple[Thinking, ...]:
    """Plays one game to its end, with agents and generators by seat; see `play_games`. Agents that listen hear the end.

    >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
    >>> rule = make_agent("rule", "klaverjas")
    >>> _ = play_game(state, [rule] * 4, [np.random.default_rng(seat) for seat in range(4)])
    >>> state.is_over
    True
    """
    [thinking] = play_games([state], [agents], [rngs])
    if any(each.moves for each in thinking):  # else it was over, and no game of theirs
        tell_end(state, agents)
    return thinking


def _play_round(tables: Sequence[_Table], observe: Observe | None, cache: DecisionCache | None) -> None:
    """Plays one decision in each game."""
    turns: dict[int, list[_Turn]] = {}
    for table in tables:
        seat = table.state.to_act
        turns.setdefault(id(table.agents[seat]), []).append((table, seat))
    for asked in turns.values():
        _play_turns(asked, observe, cache)


def _play_turns(turns: Sequence[_Turn], observe: Observe | None, cache: DecisionCache | None) -> None:
    """Plays one agent's decisions, one in each game."""
    for (table, seat), (decision, seconds) in zip(turns, _ask(turns, cache), strict=True):
        agent = table.agents[seat]
        try:
            action = action_of(agent, table.state, decision)
            table.thinking[seat].count(decision, seconds)
            if observe:
                observe(table.number, table.state, decision)
            apply_action(agent, table.state, action)
        except IllegalDecision as error:
            error.game = table.number
            raise


def action_of(agent: Agent, state: State, decision: Decision) -> int:
    """The action of what an agent gave as its decision for the seat to act.

    Raises:
        IllegalDecision: if it is no Decision.
    """
    if not isinstance(decision, Decision):
        raise _refusal(agent, state, f"expected a Decision, got {decision!r}")
    return decision.action


def apply_action(agent: Agent, state: State, action: int) -> None:
    """Plays the action that an agent chose for the seat to act.

    Raises:
        IllegalDecision: if it is not legal; the state is unchanged.
    """
    try:
        state.apply(action)
    except (ValueError, TypeError, OverflowError) as error:
        raise _refusal(agent, state, str(error)) from None


def _refusal(agent: Agent, state: State, reason: str) -> IllegalDecision:
    return IllegalDecision(f"{agent_name(agent)} at seat {state.to_act} of '{state.text()}': {reason}")


def _ask(turns: Sequence[_Turn], cache: DecisionCache | None) -> list[Timed]:
    """One agent's decisions in some games, with the seconds of each."""
    agent = _agent(turns[0])
    if cache is None or remembers(agent):
        return _decide_now(turns)
    if len(turns) == 1:
        table, seat = turns[0]
        shown = table.state if cheats(agent) else None
        return [
            cache.single(
                agent, table.state.view(seat), shown, table.rngs[seat], lambda: _decide_now(turns)[0]
            )
        ]
    return cache(
        agent,
        [table.state.view(seat) for table, seat in turns],
        [table.state if cheats(agent) else None for table, _ in turns],
        [table.rngs[seat] for table, seat in turns],
        lambda numbers: _decide_now([turns[number] for number in numbers]),
    )


def _decide_now(turns: Sequence[_Turn]) -> list[Timed]:
    """As `_ask`, without a cache."""
    states, rngs = [table.state for table, _ in turns], [table.rngs[seat] for table, seat in turns]
    return decide_states(_agent(turns[0]), states, rngs)


def decide_states(agent: Agent, states: Sequence[State], rngs: Sequence[np.random.Generator]) -> list[Timed]:
    """One agent's decision for the seat to act in each of some games, which stay as they are, with its seconds.

    Seconds are of the processor, all threads together, as other work on the machine must not count. A batch agent is
    asked once; the seconds are shared evenly.

    Args:
        agent: the agent.
        states: the games.
        rngs: a generator for each decision.
    """
    views = [state.view(state.to_act) for state in states]
    clock = time.process_time
    if is_batched(agent):
        started = clock()
        decisions = decide_many(agent, views, rngs)
        share = (clock() - started) / len(views)
        return [(decision, share) for decision in decisions]
    timed = []
    for state, view, rng in zip(states, views, rngs, strict=True):
        started = clock()
        try:
            decision = decide(agent, view, state, rng)
        except NotFinite as error:
            raise error.at(view.text()) from None
        timed.append((decision, clock() - started))
    return timed


def _agent(turn: _Turn) -> Agent:
    table, seat = turn
    return table.agents[seat]
