"""Calls by worlds played out: bids, games and discards (ours).

Networks value bids, and games with their discards; those that they value most are played out in worlds that the auction
leaves likely. The networks have seen millions of other hands, worlds played out see this one: what a call is worth is
part one, part the other.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.search.pimc import merged
from skat_env.agents.search.race import Tried, try_actions
from skat_env.agents.search.rollouts import Rollouts
from skat_env.agents.skat.game_values import GAMES, declarable, next_action
from skat_env.agents.skat.policy.declared_values import DeclaredValues
from skat_env.agents.skat.policy.networks import PAIR_MASKS, POINTS, discard_legal, more_than_others
from skat_env.beliefs.belief import Belief
from skat_env.cards import cards_of
from skat_env.options import Count, NonNegative, Range, Share, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import (
    Abilities,
    cheats,
    decide_by_part,
    decide_many,
    drawn_worlds,
    require_views,
)
from skat_env.play.deadline import seconds_left
from skat_env.protocols import Agent, Decision, State, WorldSampler
from skat_env.registry import make_agent, make_belief
from skat_env.skat import GAME, Declaration, SkatState, SkatView
from skat_env.skat.rules import YES, Phase
from skat_env.tools.method_cache import MethodCache

Floats = NDArray[np.float64]


class Plan(NamedTuple):
    """A game with its discards."""

    game: Declaration
    pair: int
    """The two cards that are discarded, as a mask."""

    def action(self, view: SkatView) -> int | None:
        """The next action of the plan; None if the view does not follow it."""
        if view.contract not in (None, self.game.contract):
            return None
        if view.phase in (Phase.CONTRACT, Phase.ANNOUNCE):
            return next_action(view, self.game)
        left = int(view.hand) & self.pair
        follows = (
            view.announcement == self.game.announcement and left | int(view.skat) & self.pair == self.pair
        )
        return cards_of(left)[0] if follows and left else None

    def actions(self, state: State) -> list[int]:
        """All actions of the plan, from a state before the soloist declares; they are the same in all its worlds."""
        table, found = cast(SkatState, state.clone()), []
        while table.phase != Phase.PLAY:
            action = self.action(table.view(table.to_act))
            assert action is not None
            found.append(action)
            table.apply(action)
        return found


class Found(NamedTuple):
    """What a search for a plan found."""

    plan: Plan
    worth: float
    """The soloist's points less the mean of the defenders'."""
    hurried: bool
    """Whether it had a deadline, so that it may have ended early."""


class SearchCalls(Delegating):
    """Declares and discards what is worth most in worlds played out, and bids so where it is close; leaves all else to
    another agent.

    A plan depends on the soloist's hand, seat and the auction alone: they seed the generator of its worlds. So it is
    made once for the game and both discards. One that a deadline may have cut short is made again for the next game.

    Args:
        worlds: the number of worlds sampled.
        inner: the agent that bids, picks up, declares hand games, plays cards, and plays all seats in the worlds.
        belief: the sampler of worlds, or its name.
        close: bids, answers and pick-ups are played out if the inner agent values two actions that differ by less than
            so many points; 0: none.
        boldness: the points that being the soloist is worth more at this table than where the inner agent has all
            seats, in its values of bids and in worlds.
        candidates: how many games with their discards are tried: those of the highest values.
        played_out: the share of worlds played out in the worth of a call; the rest is the value.
        race: a candidate that is behind the best by more than so many standard errors of the difference after 16, 32,
            64 and so on worlds is not tried further; None: all are tried in all worlds.
        checkpoint: the networks that value declared games, by name or path.

    Raises:
        ValueError: if an option is out of range, or an agent or belief cheats; its subclasses for unknown names.
        ParseError: if the checkpoint is damaged, of another version or for another purpose.
    """

    @checked_options("search_calls")
    def __init__(
        self,
        worlds: Count = 160,
        *,
        inner: str | Agent = "policy",
        belief: str | WorldSampler = "uniform",
        close: NonNegative = 0.0,
        boldness: Annotated[float, Range(ge=-1000, le=1000)] = 0.0,
        candidates: Count = 10,
        played_out: Share = 0.5,
        race: NonNegative | None = 2.0,
        checkpoint: str = "skat-policy",
    ) -> None:
        self.inner = make_agent(inner, GAME.name)
        self.belief = make_belief(belief, GAME.name)
        for part, sees in ((self.inner, cheats(self.inner)), (self.belief, self.belief.cheats)):
            if sees:
                raise ValueError(
                    f"search_calls with {part.name}, which cheats: expected one that sees a view alone"
                )
        self._worlds, self._candidates, self._close, self._boldness = worlds, candidates, close, boldness
        self._share, self._race = played_out, race
        self._values = DeclaredValues(load_checkpoint(checkpoint, GAME.name))
        self._rollouts = Rollouts(self.inner, GAME.name)
        self._plan = MethodCache(self._search, 1024)
        self.delegate_to(self.inner, own=Abilities())
        self.name = own_text(self, "search_calls", "worlds", "inner", inner=self.inner, belief=self.belief)

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """The next action of the plan for the soloist's hand; the inner agent's where there is none, unless worlds
        played out find another call better.
        """
        planned = self._planned(view)
        return self._call(view, self.inner.decide(view, rng), rng) if planned is None else planned

    def decide_many(self, views: Sequence[SkatView], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views; the inner agent is asked once for all of its own."""
        require_views(GAME, views)
        planned = [self._planned(view) for view in views]

        def ask(number: int | None, some: list[SkatView], own: list[np.random.Generator]) -> list[Decision]:
            found = None if number is None else planned[number]
            if found is not None:
                return [found]
            return [
                self._call(*each) for each in zip(some, decide_many(self.inner, some, own), own, strict=True)
            ]

        parts = [None if found is None else number for number, found in enumerate(planned)]
        return decide_by_part(parts, views, rngs, ask)

    def _call(self, view: SkatView, decision: Decision, rng: np.random.Generator) -> Decision:
        """The inner agent's decision, or that of worlds played out at a close bid, answer or pick-up."""
        values: dict[int, float] = dict(decision.stats.get("values", {}))
        if view.phase > Phase.PICK_UP or not values or not (self._close or self._boldness):
            return decision
        if view.phase != Phase.PICK_UP:
            values[YES] += self._boldness
        highest = max(values, key=values.__getitem__)
        close = [action for action, value in values.items() if values[highest] - value < self._close]
        if len(close) < 2:
            # A pick-up stays with the inner agent, which may leave out games that it values but would not declare.
            if highest == decision.action or view.phase == Phase.PICK_UP:
                return decision
            return Decision(highest, value=values[highest], stats={"values": values})
        worth = np.array([values[action] for action in close])
        tried = self._try(view, worth, lambda _: [[action] for action in close], rng)
        best = tried.best(None, 0)
        found = {close[number]: float(mean) for number, mean in zip(tried.actions, tried.means, strict=True)}
        return Decision(close[tried.actions[best]], value=float(tried.means[best]), stats={"values": found})

    def _planned(self, view: SkatView) -> Decision | None:
        """The plan's decision; None if there is none for the view."""
        if view.hand_game or view.phase not in (Phase.CONTRACT, Phase.ANNOUNCE, Phase.DISCARD):
            return None
        before = _before_declaring(view)

        def of_another_game(found: Found) -> bool:
            return found.hurried and (view.phase == Phase.CONTRACT or found.plan.action(view) is None)

        self._plan.forget(of_another_game, before)
        found = self._plan(before)
        action = found.plan.action(view)
        return None if action is None else Decision(action, value=found.worth)

    def _search(self, view: SkatView) -> Found:
        """The best plan for a soloist's view before it declares."""
        plans, values = self._proposals(view)
        rng = np.random.default_rng([view.seat, view.hand | view.skat])
        tried = self._try(view, values, lambda state: [plan.actions(state) for plan in plans], rng)
        best = tried.best(None, 0)
        return Found(plans[tried.actions[best]], float(tried.means[best]), seconds_left() is not None)

    def _try(
        self,
        view: SkatView,
        values: Floats,
        calls_of: Callable[[State], list[list[int]]],
        rng: np.random.Generator,
    ) -> Tried:
        """Plays calls out in worlds.

        Args:
            view: of the seat that calls.
            values: of the calls, float64 [calls].
            calls_of: the actions of each call, given any world.
            rng: of the worlds, and of what is played in them.

        Returns:
            What the calls, by number, are worth.
        """
        states, weights = merged(drawn_worlds(self.belief, view, self._worlds, rng))
        salt, calls = int(rng.integers(2**62)), calls_of(states[0])

        def worths(first: int, end: int, some: list[int]) -> Floats:
            tried = [calls[number] for number in some]
            played = calls_played_out(self._rollouts, states[first:end], tried, [salt], first, self._boldness)
            worth: Floats = self._share * played + (1 - self._share) * values[some]
            return worth

        return try_actions(worths, weights, list(range(len(values))), self._race, None)

    def _proposals(self, view: SkatView) -> tuple[list[Plan], Floats]:
        """The plans that are tried, and their values, float64 [candidates]; the best first."""
        games = [GAMES[number] for number in np.flatnonzero(declarable(GAMES, [view])[0])]
        pairs = PAIR_MASKS[discard_legal([view])[0]]
        values = np.stack([self._values.of_pairs(view, game, pairs)[:, POINTS] for game in games])
        best = np.argsort(-values, axis=None, kind="stable")[: self._candidates]
        places = list(zip(*(each.tolist() for each in np.unravel_index(best, values.shape)), strict=True))
        plans = [Plan(games[game], int(pairs[pair])) for game, pair in places]
        return plans, values.ravel()[best].astype(np.float64)


def calls_played_out(
    rollouts: Rollouts,
    states: Sequence[State],
    calls: Sequence[Sequence[int]],
    seed: Sequence[int],
    first: int = 0,
    boldness: float = 0.0,
) -> Floats:
    """What calls are worth to the seat to act if an agent plays on from all seats, float64 [states, calls]: its points
    less the mean of the others'.

    Args:
        rollouts: of the agent.
        states: at a decision of the same seat.
        calls: the actions of each call.
        seed: of the agent's luck, which depends on the number of the state and the seat too.
        first: the number of the first state.
        boldness: points more for the seat where it is the soloist.
    """
    tables = []
    for state in states:
        for actions in calls:
            tables.append(state.clone())
            for action in actions:
                tables[-1].apply(action)

    def luck(number: int, seat: int) -> np.random.Generator:
        return np.random.default_rng([*seed, first + number // len(calls), seat])

    rollouts.play(tables, luck)
    points = np.array([table.returns(GAME.match_unit) for table in tables], np.float64)
    seat = states[0].to_act
    is_soloist = np.array([cast(SkatState, table).soloist == seat for table in tables])
    worths: Floats = more_than_others(points, seat) + boldness * is_soloist
    return worths.reshape(len(states), len(calls))


def _before_declaring(view: SkatView) -> SkatView:
    """What the soloist saw before it declared."""
    belief, rng = Belief(view), np.random.default_rng(0)
    state = belief.state(belief.sample(1, rng)[0], rng)
    while state.phase != Phase.CONTRACT:
        state.undo()
    before: SkatView = state.view(view.seat)
    return before
