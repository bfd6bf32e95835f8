"""Matches: agents play the same deals in each other's place, so that luck of the cards cancels.

A match is a list of deals; on each, a list of casts (who sits at which seat) is played. Seats that always win and lose
together, a game's `teams`, are one agent's. Every game is determined by the match's seed, the deal's number and the
cast: the deal's randomness comes from the first two, an agent's from those, its seat and its name.
"""

import itertools
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skat_env.errors import UnknownName
from skat_env.protocols import Agent, Decision, Game, Outcome, State, View
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.starts import PlayedTo, RandomDeals
from skat_env.workers import Backend, map_unordered

Mode = Literal["all-seats", "mirrored"]
MODES: tuple[Mode, ...] = ("all-seats", "mirrored")
Cast = tuple[str, ...]
"""The agents' names by seat."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What determines the games of a match."""

    game: str
    agents: tuple[str, ...]
    """Two or more names; every pair of them is compared."""
    deals: int
    seed: int = 0
    mode: Mode = "all-seats"
    """`all-seats`: full games, each team is A's or B's in every way but the two uniform ones; `mirrored`: from cardplay
    on, A on the declarer's side against B, B against A, and each against itself."""
    bidder: str = "rule"
    """Plays what comes before the cardplay of mirrored matches on random deals."""
    source: str | None = None
    """The file that the deals, or the starts of the cardplay, are from; None: random ones."""
    rules: str | None = None
    """Options of the game's rules as `parse_rules` reads them; None: its defaults, or those of the recorded games."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        if self.rules is not None:
            parse_rules(self.rules, game)
        if self.mode not in MODES:
            raise UnknownName("mode", self.mode, MODES)
        if len(self.agents) < 2 or len(set(self.agents)) < len(self.agents):
            raise ValueError(
                f"a match needs two or more different agents, got {' '.join(self.agents) or 'none'}"
            )
        if self.deals < 1:
            raise ValueError(f"a match of {self.deals} deals: expected at least 1")


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to play."""

    deal: int
    """The deal's number in the match."""
    cast: Cast


@dataclass(slots=True)
class Thinking:
    """How much an agent decided, and how long that took: the only part of a match that is not reproducible."""

    moves: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """One game played."""

    spec: GameSpec
    position: str
    """The finished game as the text of its state."""
    returns: tuple[int, ...]
    """By seat, in the game's match unit."""
    outcome: Outcome | None
    agents: Cast
    """Their names by seat; in a mirrored match the spec has them by side."""
    sides: tuple[int, ...]
    """By seat: 0 the declaring side, 1 the other, -1 nobody declared."""
    thinking: tuple[Thinking, ...]
    """By seat."""


def pair_casts(game: str, pair: tuple[str, str], mode: Mode) -> list[tuple[str, ...]]:
    """The casts that compare two agents: by seat for all-seats, by (declarer's side, other side) for mirrored."""
    if mode == "mirrored":
        return list(itertools.product(pair, repeat=2))
    teams = get_game(game).teams
    team_of = dict(sorted((seat, number) for number, team in enumerate(teams) for seat in team))
    shares = [share for share in itertools.product(pair, repeat=len(teams)) if len(set(share)) > 1]
    return [tuple(share[team] for team in team_of.values()) for share in shares]


def match_casts(config: MatchConfig) -> list[tuple[str, ...]]:
    """The casts of all pairs, each once."""
    casts: dict[tuple[str, ...], None] = {}
    for pair in itertools.combinations(config.agents, 2):
        casts.update(dict.fromkeys(pair_casts(config.game, pair, config.mode)))
    return list(casts)


def seat_cast(state: State, sides: Sequence[str], seats: int) -> Cast:
    """The cast by seat of a mirrored game: `sides` are the agents of the declarer's and of the other side."""
    return tuple(sides[state.side(seat)] for seat in range(seats))


def deal_rng(seed: int, deal: int) -> np.random.Generator:
    """The generator of a deal's cards (and of the bidder that plays it to the cardplay)."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(deal,)))


def agent_rng(seed: int, deal: int, seat: int, name: str) -> np.random.Generator:
    """The generator of an agent in a game: the same in every cast that has it at this seat."""
    return np.random.default_rng(
        np.random.SeedSequence(seed, spawn_key=(deal, seat, zlib.crc32(name.encode())))
    )


def play_game(
    state: State, agents: Sequence[Agent], rngs: Sequence[np.random.Generator]
) -> tuple[Thinking, ...]:
    """Plays a state to its end and returns the decisions of each seat and the seconds they took.

    Args:
        state: is changed.
        agents: by seat.
        rngs: by seat.

    Raises:
        IllegalAction: if an agent chooses an illegal action.
    """
    thinking = tuple(Thinking() for _ in agents)
    clock = time.perf_counter
    while (seat := state.to_act) >= 0:
        view = state.view(seat)
        started = clock()
        decision = decide(agents[seat], view, state, rngs[seat])
        thinking[seat].seconds += clock() - started
        thinking[seat].moves += 1
        state.apply(decision.action)
    return thinking


def played_game(
    game: Game, spec: GameSpec, state: State, agents: Cast, thinking: tuple[Thinking, ...]
) -> PlayedGame:
    """What a match keeps of a finished game."""
    sides = tuple(state.side(seat) for seat in range(len(agents)))
    returns = state.returns(game.match_unit)
    return PlayedGame(spec, state.text(), returns, state.outcome(), agents, sides, thinking)


def decide(agent: Agent, view: View, state: State, rng: np.random.Generator) -> Decision:
    """An agent's decision; an agent whose attribute `cheats` is true is shown the state, no other is."""
    if getattr(agent, "cheats", False):
        decision: Decision = agent.decide_knowing(view, state, rng)  # type: ignore[attr-defined]
        return decision
    return agent.decide(view, rng)


class DealPlayer:
    """Plays games of one deal after another; what a worker process keeps."""

    def __init__(self, config: MatchConfig, agents: dict[str, Agent] | None = None) -> None:
        self.config = config
        self.game = get_game(config.game)
        self.rules = None if config.rules is None else parse_rules(config.rules, self.game)
        self._agents: dict[str, Agent] = dict(agents or {})

    def agent(self, name: str) -> Agent:
        """The agent of a name, made once."""
        if name not in self._agents:
            self._agents[name] = make_agent(name, self.config.game)
        return self._agents[name]

    def start(self, deal: int, given: str | None) -> State:
        """The state in which a deal's games start; `given` is its text, if it comes from a file."""
        game = self.game
        state: State
        if given is not None:
            state = game.state.parse(given)
        elif self.config.mode == "mirrored":
            bidder = self.agent(self.config.bidder)
            state = PlayedTo(game.name, game.stages[-1], bidder, self.rules)(deal_rng(self.config.seed, deal))
        else:
            state = RandomDeals(game.name, self.rules)(deal_rng(self.config.seed, deal))
        return state

    def __call__(self, work: tuple[int, str | None, list[tuple[str, ...]]]) -> list[PlayedGame]:
        """Plays the casts of a deal: (deal's number, its given start or None, casts)."""
        deal, given, casts = work
        start = self.start(deal, given)
        seats = len(self.game.seats)
        played = []
        for cast in casts:
            state = start.clone()
            by_seat = seat_cast(start, cast, seats) if self.config.mode == "mirrored" else cast
            thinking = play_game(
                state,
                [self.agent(name) for name in by_seat],
                [agent_rng(self.config.seed, deal, seat, name) for seat, name in enumerate(by_seat)],
            )
            spec = GameSpec(deal, cast)
            played.append(played_game(self.game, spec, state, by_seat, thinking))
        return played


def play_match(
    config: MatchConfig,
    starts: Sequence[str] | None = None,
    done: frozenset[GameSpec] = frozenset(),
    workers: int = 1,
    backend: Backend = "processes",
    agents: dict[str, Agent] | None = None,
) -> Iterator[list[PlayedGame]]:
    """Plays the games of a match that are not done yet: those of a deal together, deals in any order.

    Args:
        config: what to play.
        starts: the texts of the states in which the deals start, one a deal; None: random deals.
        done: games that need not be played again.
        workers: processes; the games do not depend on their number.
        backend: where the workers are.
        agents: agent objects by name, for names that the registry does not know.
    """
    check_agents(config, agents)
    casts = match_casts(config)
    work = []
    for deal in range(config.deals):
        missing = [cast for cast in casts if GameSpec(deal, cast) not in done]
        if missing:
            work.append((deal, starts[deal] if starts is not None else None, missing))
    return map_unordered(DealPlayer(config, agents), work, workers, backend)


def check_agents(config: MatchConfig, agents: dict[str, Agent] | None = None) -> None:
    """Makes every agent of a match once, so that a wrong name is told before anything is played or written.

    Raises:
        UnknownName, ParseError: as `make_agent`.
    """
    needs_bidder = config.mode == "mirrored" and config.source is None
    for name in (*config.agents, *([config.bidder] if needs_bidder else [])):
        if name not in (agents or {}):
            make_agent(name, config.game)
