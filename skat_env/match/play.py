"""Matches: agents play the same deals in each other's place, so that the luck of the cards cancels out.

A match is a list of deals, each played by a list of casts (which agent sits at which seat). One agent has all seats of
a team. The match's seed, the deal's number and the cast determine every game: the randomness of the deal comes from the
first two, the randomness of an agent from these and its seat.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from skat_env.errors import IllegalAction, UnknownName
from skat_env.options import MAX_COUNT, check_fields, checked_options
from skat_env.play.capabilities import is_batched, tell_end
from skat_env.play.casts import MODES, WHOLE_GAMES, Cast, Mode, declarer_cast, pair_casts, seat_cast
from skat_env.play.decision_cache import DecisionCache
from skat_env.play.lanes import lane_players
from skat_env.play.lockstep import IllegalDecision, Thinking
from skat_env.play.players import Players
from skat_env.play.randomness import agent_rng
from skat_env.play.starts import StartsInTurn, require_kinds, starts_by_kind
from skat_env.protocols import Agent, Game, Outcome, State
from skat_env.records import MAX_SEED
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.workers import Workers, map_unordered, require_workers

BIDDER: Final = "rule"
DEALS_IN_LANES: Final = 64
"""The deals of a block if all agents play in lanes. Blocks depend on deal numbers alone."""
DEALS_IN_STEP: Final = 8
"""The deals of a block if there are batch agents, beside others that may take a second for a game."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What determines the games of a match."""

    game: str
    agents: tuple[str, ...]
    """The agents: two or more names."""
    deals: int
    seed: int = 0
    mode: Mode = "all-seats"
    """`all-seats`: full games, with every seating of A and B by team that has both; `alone`: full games, A at each seat
    in turn and B at the others; `swapped`: from the cardplay on, A
    on the declarer's side against B, and B against A; `mirrored`: also each against itself, which separates declaring
    from defence; `mixed`: also each as declarer against opponents of whom some are A and some B."""
    bidder: str = BIDDER
    """The agent that plays random deals up to the cardplay, in matches that start there."""
    source: str | None = None
    """The file with the deals or the starts of the cardplay; None: random deals."""
    rules: str | None = None
    """Rule options as `parse_rules` reads them; None: the game's defaults, or the rules of the recorded games."""
    against: str | None = None
    """The agent that all others are compared with; None: every pair is compared."""
    kinds: tuple[str, ...] | None = None
    """In matches from the cardplay on: kinds of game, which the deals have in turn; None: whatever the bidder declares
    or the source holds."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        if self.mode not in MODES:
            raise UnknownName("mode", self.mode, MODES)
        check_fields(self, "a match")
        if self.rules is not None:
            parse_rules(self.rules, game)
        if len(self.agents) < 2 or len(set(self.agents)) < len(self.agents):
            raise ValueError(
                f"a match needs two or more different agents, each a word of its own, got {len(self.agents)}: "
                f"{', '.join(map(repr, self.agents)) or 'none'}"
            )
        if self.against is not None and self.against not in self.agents:
            raise UnknownName("agent of this match", self.against, self.agents)
        if not 1 <= self.deals <= MAX_COUNT:
            most = MAX_COUNT // len(self.kinds or (None,))
            raise ValueError(
                f"a match of {self.deals_text(self.deals)}: expected at least 1 and at most {most:,}"
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"seed {self.seed} of a match: expected 0 to {MAX_SEED}")
        if self.mode == "mixed" and len(game.teams) < 3:
            raise ValueError(
                f"a mixed match needs opponents who may differ: in {self.game} partners are one agent"
            )
        if self.kinds is not None:
            require_kinds(game, self.kinds)
            if not self.from_cardplay:
                raise ValueError(
                    "kinds of game can be chosen only from the cardplay on: in mode swapped, mirrored or mixed"
                )

    @property
    def from_cardplay(self) -> bool:
        """Whether the games start with the cardplay, with casts by team counted from the declarer's."""
        return self.mode not in WHOLE_GAMES

    @property
    def needs_bidder(self) -> bool:
        """Whether the bidder plays: random deals up to the cardplay."""
        return self.from_cardplay and self.source is None

    def require_bidder_used(self) -> None:
        """Raises a ValueError if a bidder is chosen in a match that has none."""
        if self.bidder != BIDDER and not self.needs_bidder:
            raise ValueError(
                f"a match with bidder={self.bidder} has none: only random deals in mode swapped, mirrored or mixed are "
                "bid by it"
            )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of agents to compare."""
        if self.against is None:
            return list(itertools.combinations(self.agents, 2))
        return [(agent, self.against) for agent in self.agents if agent != self.against]

    def deals_text(self, deals: int) -> str:
        """A number of deals of this match, as text: `20 deals`, or with kinds `10 deals of each kind`."""
        of_each = " of each kind" if self.kinds else ""
        return f"{deals // len(self.kinds or (None,))} deals{of_each}"

    def casts(self) -> list[Cast]:
        """The casts of all pairs, without repetitions, which every deal is played by."""
        casts: dict[Cast, None] = {}
        for pair in self.pairs:
            casts.update(dict.fromkeys(pair_casts(self.game, pair, self.mode)))
        return list(casts)

    def block_of(self, made: Sequence[Agent]) -> int:
        """The number of deals that are played together by some agents, those of the match in order and the bidder."""
        if not any(map(is_batched, made)):
            return 1
        return DEALS_IN_STEP if lane_players(made) is None else DEALS_IN_LANES

    def seated(self, start: State, cast: Cast) -> Cast:
        """The agents by seat in a game that begins with a state."""
        return seat_cast(get_game(self.game), start, cast) if self.from_cardplay else cast

    def cast_of(self, state: State, agents: Cast) -> Cast:
        """The cast of a finished game, from its agents by seat."""
        return declarer_cast(get_game(self.game), state, agents) if self.from_cardplay else agents


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game to play."""

    deal: int
    """The deal's number in the match."""
    cast: Cast
    """The agents by seat; in matches from the cardplay on by team, counted from the declarer's."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game."""

    spec: GameSpec
    position: str
    """The text of the final state."""
    returns: tuple[int, ...]
    """The results by seat, in the game's match unit."""
    outcome: Outcome | None
    agents: Cast
    """The agents' names, by seat."""
    sides: tuple[int, ...]
    """The side of each seat: 0 the declaring side, 1 the other, -1 nobody declared."""
    thinking: tuple[Thinking, ...]
    """The decisions, their time and what else is counted of them, by seat."""


def played_game(
    game: Game, spec: GameSpec, state: State, agents: Cast, thinking: tuple[Thinking, ...]
) -> PlayedGame:
    """A finished game as a match keeps it."""
    sides = tuple(state.side(seat) for seat in range(len(agents)))
    returns = state.returns(game.match_unit)
    # Whole microseconds, as a folder keeps them: a match that is shown again prints the same.
    timed = tuple(replace(each, seconds=round(each.seconds, 6)) for each in thinking)
    return PlayedGame(spec, state.text(), returns, state.outcome(), agents, sides, timed)


class DealPlayer:
    """Plays all games of deals; a worker process keeps one.

    Args:
        config: what to play.
        agents: agent objects by name, for names that the registry does not know.
        cache: whether a decision that recurs in the games of a deal is taken from a decision cache instead of being
            made again.
        in_lanes: whether games of networks alone are played in lanes.
    """

    def __init__(
        self,
        config: MatchConfig,
        agents: dict[str, Agent] | None = None,
        cache: bool = True,
        in_lanes: bool = True,
    ) -> None:
        self.config = config
        self._caches = cache
        self._in_lanes = in_lanes
        self.game = get_game(config.game)
        self.rules = None if config.rules is None else parse_rules(config.rules, self.game)
        self._agents: dict[str, Agent] = dict(agents or {})

    def agent(self, name: str) -> Agent:
        """The agent with a name, made once."""
        if name not in self._agents:
            self._agents[name] = make_agent(name, self.config.game)
        return self._agents[name]

    @cached_property
    def _starts(self) -> StartsInTurn:
        config, game = self.config, self.game
        stage = game.stages[-1 if config.from_cardplay else 0]
        bidder: str | Agent = self._agents.get(config.bidder, config.bidder)
        if config.from_cardplay:
            bidder = self.agent(config.bidder)
        return starts_by_kind(game, config.seed, stage, bidder, self.rules, config.kinds)

    @cached_property
    def _players(self) -> Players:
        return Players(self.game, [self.agent(name) for name in self.config.agents], self._in_lanes)

    def starts(self, deals: Sequence[tuple[int, str | None]]) -> list[State]:
        """The states in which the games of some deals start; a deal is (its number, the text of its start or None)."""
        new = [deal for deal, given in deals if given is None]
        made = dict(zip(new, self._starts(new) if new else [], strict=True))
        return [made[deal] if given is None else self.game.state.parse(given) for deal, given in deals]

    def __call__(self, deals: Sequence[tuple[int, str | None]]) -> list[PlayedGame]:
        """Plays all casts on some deals; a deal is (its number, the text of its start or None)."""
        config = self.config
        specs: list[GameSpec] = []
        states: list[State] = []
        seated: list[Cast] = []
        for (deal, _), start in zip(deals, self.starts(deals), strict=True):
            for cast in config.casts():
                specs.append(GameSpec(deal, cast))
                states.append(start.clone())
                seated.append(config.seated(start, cast))
        names, seed = config.agents, config.seed
        try:
            thought = self._players.play(
                states,
                lambda game, seat: agent_rng(seed, specs[game].deal, seat),
                np.array([[names.index(name) for name in cast] for cast in seated], np.int16),
                cache=DecisionCache() if self._caches else None,
            )
        except IllegalDecision as error:
            raise IllegalAction(f"deal {specs[error.game].deal} of the match: {error}") from None
        for state, cast in zip(states, seated, strict=True):
            tell_end(state, [self.agent(name) for name in cast])
        return [played_game(self.game, *game) for game in zip(specs, states, seated, thought(), strict=True)]


@checked_options("play_match")
def play_match(
    config: MatchConfig,
    starts: Sequence[str] | None = None,
    done: frozenset[GameSpec] = frozenset(),
    workers: Workers | int = 1,
    agents: dict[str, Agent] | None = None,
) -> Iterator[list[PlayedGame]]:
    """Plays the games of a match that are not done yet. The games of a deal come together, deals in any order.

    With batch agents the deals are played in blocks. A block with a missing game is played again whole, because the
    other views in a batch may change the last bits of a network's output.

    Args:
        config: what to play.
        starts: the text of the state in which each deal starts; None: random deals.
        done: games that need not be played again.
        workers: who plays, or the number of processes; the games do not depend on it.
        agents: agent objects by name, for names that the registry does not know.

    Raises:
        ValueError: if there are fewer starts than deals; OptionError, a subclass, for an argument of another kind.
    """
    require_workers(workers)
    if starts is not None and len(starts) < config.deals:
        raise ValueError(f"{len(starts)} starts for {config.deals} deals: expected one for each")
    block = deals_in_block(config, agents)
    casts = config.casts()
    blocks = (range(first, min(first + block, config.deals)) for first in range(0, config.deals, block))
    # Made as they are needed: a match may have more deals than fit into memory.
    work = (
        [(deal, None if starts is None else starts[deal]) for deal in deals]
        for deals in blocks
        if any(GameSpec(deal, cast) not in done for deal in deals for cast in casts)
    )
    played = map_unordered(DealPlayer(config, agents), work, workers)
    return ([game for game in games if game.spec not in done] for games in played)


def deals_in_block(config: MatchConfig, agents: dict[str, Agent] | None = None) -> int:
    """The number of deals that are played together."""
    return config.block_of(make_agents(config, agents))


def make_agents(config: MatchConfig, agents: dict[str, Agent] | None = None) -> list[Agent]:
    """The agents of a match, and its bidder if it has one. Called before anything is played or written, so that a wrong
    name raises at once.

    Raises:
        UnknownName, ParseError: as `make_agent`.
        ValueError: if an agent has no name.
    """
    names = (*config.agents, *([config.bidder] if config.needs_bidder else []))
    return named_agents([(agents or {}).get(name, name) for name in names], config.game)


def named_agents(agents: Sequence[str | Agent], game: str) -> list[Agent]:
    """The agents that texts describe, or that are given; raises as `make_agents`."""
    made = [make_agent(agent, game) for agent in agents]
    for agent in made:
        if not isinstance(getattr(agent, "name", None), str):
            raise ValueError(
                f"an agent of the class {type(agent).__name__} has no name: expected a text `name`"
            )
    return made
