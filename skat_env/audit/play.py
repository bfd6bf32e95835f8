"""Audits: two agents are asked for the same decisions of games that others play, and where they differ, both actions
are played out from the true deal by the same players with the same luck.

The audit's seed and the number of the deal determine all of it.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from skat_env.errors import IllegalAction, ParseError
from skat_env.match.play import named_agents
from skat_env.match.result import declarer_lead
from skat_env.options import MAX_COUNT, Count, check_fields, checked_options
from skat_env.play.capabilities import drawn_worlds, is_batched
from skat_env.play.decision_cache import Timed
from skat_env.play.lockstep import (
    GAMES_IN_STEP,
    IllegalDecision,
    action_of,
    apply_action,
    decide_states,
)
from skat_env.play.players import Players
from skat_env.play.randomness import agent_rng, branch_rng, question_rng, worlds_rng
from skat_env.play.starts import StartsInTurn, require_kinds, starts_by_kind
from skat_env.protocols import Agent, Game, State, World, WorldSampler
from skat_env.records import MAX_SEED
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.rule_options import parse_rules
from skat_env.tools.workers import Workers, map_unordered, require_workers

BIDDER: Final = "rule"
BELIEF: Final = "policy"
SECONDS: Final = ("a", "b", "others")
"""What took how long: A's decisions, B's, and everything else: the games and the branches."""
DEALS_IN_STEP: Final = 16
"""The deals of a block, which is audited at once if there are batch agents: about 300 decisions in Skat."""


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """What determines an audit."""

    game: str
    agents: tuple[str, str]
    """The agents A and B."""
    deals: int
    """The number of games whose decisions are asked."""
    seed: int = 0
    players: str = "policy"
    """The agent that plays both actions out, at every seat."""
    played_by: str | None = None
    """The agent that plays the games, at every seat; None: the players."""
    bidder: str = BIDDER
    """The agent that plays random deals up to the cardplay."""
    source: str | None = None
    """The file with the recorded games whose decisions are asked; None: random deals."""
    rules: str | None = None
    """Rule options as `parse_rules` reads them; None: the game's defaults, or the rules of the recorded games."""
    worlds: Count | None = None
    """The number of deals, possible by the belief, on which both actions are played out; None: the true one."""
    belief: str = BELIEF
    """The belief that makes these deals."""
    kinds: tuple[str, ...] | None = None
    """Kinds of game, which random deals have in turn; None: whatever the bidder declares."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        check_fields(self, "an audit")
        if len(set(self.agents)) < 2:
            raise ValueError(f"an audit needs two different agents, got {' '.join(self.agents)}")
        if self.rules is not None:
            parse_rules(self.rules, game)
        if not 1 <= self.deals <= MAX_COUNT:
            raise ValueError(f"an audit of {self.deals} deals: expected at least 1 and at most {MAX_COUNT:,}")
        if not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"seed {self.seed} of an audit: expected 0 to {MAX_SEED}")
        if self.kinds is not None:
            require_kinds(game, self.kinds)
        if self.source is not None and (self.kinds is not None or self.rules is not None):
            raise ValueError(f"the recorded games of {self.source} have their own kinds and rules")
        if self.source is not None and (self.played_by is not None or self.bidder != BIDDER):
            raise ValueError(
                f"the recorded games of {self.source} are played: expected no bidder, and nobody who plays them"
            )
        if self.worlds is None and self.belief != BELIEF:
            raise ValueError(
                f"an audit with belief={self.belief} plays on with the true deal: expected worlds, too"
            )

    @property
    def all_agents(self) -> tuple[str, ...]:
        """All agents that are needed: A, B, those who play the games and play on, and the bidder."""
        names = [*self.agents, self.players]
        if self.source is None:
            names += [self.games_by, self.bidder]
        return tuple(names)

    @property
    def games_by(self) -> str:
        """The agent that plays the games."""
        return self.players if self.played_by is None else self.played_by


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision that A and B were asked for."""

    number: int
    """How many cards were played before it."""
    a: int
    """A's action."""
    b: int
    points: float
    """What A's action brings more than B's, played out: points per game and seat, as matches from the cardplay on count
    them (`skat_env.match.result`), for the side of the seat that decides; 0 if they agree."""


@dataclass(frozen=True, slots=True)
class AuditedGame:
    """A game and what the agents would have played in it."""

    deal: int
    position: str
    """The text of its last state."""
    answers: tuple[Answer, ...]
    """The decisions of the cardplay with more than one legal action, in order."""
    seconds: tuple[float, ...]
    """As `SECONDS` says."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A decision that is asked."""

    row: int
    """The game's place in its block."""
    deal: int
    number: int
    """How many cards were played before."""
    state: State


_Values = dict[tuple[int, int, int], float]
"""The declaring side's lead by row of the game, number of the decision, and action."""
_Branch = tuple[_Question, int]
"""A question, and the action that its game goes on with."""


class DealAuditor:
    """Audits games; a worker process keeps one.

    Args:
        config: what to audit.
        agents: agent objects by name, for names that the registry does not know.
    """

    def __init__(self, config: AuditConfig, agents: dict[str, Agent] | None = None) -> None:
        self.config = config
        self.game: Game = get_game(config.game)
        self.rules = None if config.rules is None else parse_rules(config.rules, self.game)
        self._belief: WorldSampler | None = None
        self._agents: dict[str, Agent] = dict(agents or {})
        self._ready: dict[str, Players] = {}

    def agent(self, name: str) -> Agent:
        """The agent with a name, made once."""
        if name not in self._agents:
            self._agents[name] = make_agent(name, self.config.game)
        return self._agents[name]

    def _players(self, name: str) -> Players:
        """An agent at all seats, made ready once."""
        if name not in self._ready:
            self._ready[name] = Players(self.game, [self.agent(name)])
        return self._ready[name]

    @property
    def belief(self) -> WorldSampler:
        """The belief, made once."""
        if self._belief is None:
            self._belief = make_belief(self.config.belief, self.config.game)
        return self._belief

    def __call__(self, deals: Sequence[tuple[int, str | None]]) -> list[AuditedGame]:
        """Audits some games; a game is (its number, the text of its last state, or None if it is to be played)."""
        started = time.perf_counter()
        try:
            ended = self._ended(deals)
            questions = [
                _Question(row, deal, len(state.plays()), state)
                for row, ((deal, _), last) in enumerate(zip(deals, ended, strict=True))
                for state in card_decisions(self.game, last)
            ]
            a, b = (self._answers(self.agent(name), questions) for name in self.config.agents)
            pairs = [(one.action, other.action) for (one, _), (other, _) in zip(a, b, strict=True)]
            both = list(zip(questions, pairs, strict=True))
            values = self._values(
                [(each, card) for each, pair in both if pair[0] != pair[1] for card in pair]
            )
        except IllegalDecision as error:
            raise IllegalAction(f"an audit: {error}") from None
        answers: list[list[Answer]] = [[] for _ in deals]
        for each, (one, other) in both:
            points = 0.0 if one == other else self._points(each, values, one, other)
            answers[each.row].append(Answer(each.number, one, other, points))
        seconds = [[0.0, 0.0] for _ in deals]
        for number, timed in enumerate((a, b)):
            for each, (_, took) in zip(questions, timed, strict=True):
                seconds[each.row][number] += took
        others = time.perf_counter() - started - sum(map(sum, seconds))
        return [
            AuditedGame(
                deal,
                ended[row].text(),
                tuple(answers[row]),
                tuple(round(each, 6) for each in (*seconds[row], others / len(deals))),
            )
            for row, (deal, _) in enumerate(deals)
        ]

    @cached_property
    def _starts(self) -> StartsInTurn:
        config, game = self.config, self.game
        bidder = self.agent(config.bidder)
        return starts_by_kind(game, config.seed, game.stages[-1], bidder, self.rules, config.kinds)

    def _ended(self, deals: Sequence[tuple[int, str | None]]) -> list[State]:
        """The last state of each game; those that are not given are played."""
        config = self.config
        ended = [None if text is None else self._recorded(deal, text) for deal, text in deals]
        numbers = [deals[row][0] for row, state in enumerate(ended) if state is None]
        states: dict[int, State] = {}
        if numbers:
            states = dict(zip(numbers, self._starts(numbers), strict=True))
            self._players(config.games_by).play(
                [states[deal] for deal in numbers],
                lambda row, seat: agent_rng(config.seed, numbers[row], seat),
            )
        return [
            states[deal] if state is None else state for (deal, _), state in zip(deals, ended, strict=True)
        ]

    def _recorded(self, deal: int, text: str) -> State:
        """The last state of a recorded game."""
        try:
            state: State = self.game.state.parse(text)
        except ValueError as error:
            raise ParseError(f"game {deal} of the audit: {error}") from None
        return state

    def _answers(self, agent: Agent, questions: Sequence[_Question]) -> list[Timed]:
        """What an agent decides, every time anew, with its seconds."""
        answers: list[Timed] = []
        for first in range(0, len(questions), GAMES_IN_STEP):
            some = questions[first : first + GAMES_IN_STEP]
            rngs = [question_rng(self.config.seed, question.deal, question.number) for question in some]
            answers += decide_states(agent, [question.state for question in some], rngs)
        for question, (decision, _) in zip(questions, answers, strict=True):
            action_of(agent, question.state, decision)
            apply_action(agent, question.state.clone(), decision.action)
        return answers

    def _values(self, branches: Sequence[_Branch]) -> _Values:
        """What the declaring side's lead comes to when a game goes on with an action.

        On several deals it is the mean, by their weights.
        """
        seed = self.config.seed
        deals: dict[tuple[int, int], list[World]] = {}
        states: list[State] = []
        luck: list[tuple[_Question, int]] = []
        for question, action in branches:
            key = question.row, question.number
            if key not in deals:
                deals[key] = self._deals(question)
            for number, world in enumerate(deals[key]):
                states.append(world.state.clone())
                states[-1].apply(action)
                luck.append((question, number))

        def rng_of(game: int, seat: int) -> np.random.Generator:
            question, number = luck[game]
            return branch_rng(seed, question.deal, question.number, seat, number)

        self._players(self.config.players).play(states, rng_of)
        ended = iter(states)
        values: dict[tuple[int, int, int], float] = {}
        for question, action in branches:
            worlds = deals[question.row, question.number]
            leads = [self._lead(next(ended)) * world.weight for world in worlds]
            values[question.row, question.number, action] = sum(leads) / sum(world.weight for world in worlds)
        return values

    def _lead(self, state: State) -> int:
        """The declaring side's lead in a game that is over."""
        sides = [state.side(seat) for seat in range(len(self.game.seats))]
        return declarer_lead(state.returns(self.game.match_unit), sides)

    def _deals(self, question: _Question) -> list[World]:
        """The deals on which a question is played out: the true one, or some that its seat may think possible."""
        state = question.state
        if self.config.worlds is None or self.belief.cheats:
            return [World(state, 1.0)]
        rng = worlds_rng(self.config.seed, question.deal, question.number)
        return drawn_worlds(self.belief, state.view(state.to_act), self.config.worlds, rng)

    def _points(self, question: _Question, values: _Values, one: int, other: int) -> float:
        """What one action of a question brings its side more than another."""
        state = question.state
        lead = values[question.row, question.number, one] - values[question.row, question.number, other]
        return (lead if state.side(state.to_act) == 0 else -lead) / len(self.game.seats)


def card_decisions(game: Game, last: State) -> Iterator[State]:
    """The positions of a game's cardplay in which the seat to act had a choice, in order."""
    state, found = last.clone(), []
    for _ in last.plays():
        state.undo()
        if len(state.legal_actions()) > 1:
            found.append(state.clone())
    return iter(found[::-1])


@checked_options("audit")
def audit(
    config: AuditConfig,
    games: Sequence[str] | None = None,
    done: frozenset[int] = frozenset(),
    workers: Workers | int = 1,
    agents: dict[str, Agent] | None = None,
) -> Iterator[list[AuditedGame]]:
    """Audits the games that are not done yet, in any order.

    With batch agents the games are audited in blocks; a block of which a game is missing is audited again whole.

    Args:
        config: what to audit.
        games: the text of the last state of each recorded game; None: random deals are played.
        done: the numbers of the games that need not be audited again.
        workers: who audits, or the number of processes; the results do not depend on it.
        agents: agent objects by name, for names that the registry does not know.

    Raises:
        ValueError: if there are fewer games than the audit has; OptionError, a subclass, for an argument of another
            kind.
    """
    require_workers(workers)
    if games is not None and len(games) < config.deals:
        raise ValueError(f"{len(games)} recorded games for an audit of {config.deals}: expected one for each")
    block = DEALS_IN_STEP if any(map(is_batched, audit_agents(config, agents))) else 1
    work = (
        [
            (deal, None if games is None else games[deal])
            for deal in range(first, min(first + block, config.deals))
        ]
        for first in range(0, config.deals, block)
        if not done.issuperset(range(first, min(first + block, config.deals)))
    )
    audited = map_unordered(DealAuditor(config, agents), work, workers)
    return ([game for game in found if game.deal not in done] for found in audited)


def audit_agents(config: AuditConfig, agents: dict[str, Agent] | None = None) -> list[Agent]:
    """The agents of an audit. Called before anything is done or written, so that a wrong name raises at once, also one
    of the belief; raises as `named_agents`.
    """
    if config.worlds is not None:
        make_belief(config.belief, config.game)
    return named_agents([(agents or {}).get(name, name) for name in config.all_agents], config.game)
