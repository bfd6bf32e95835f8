"""Matches: agents play the same deals in each other's place, so that luck of the cards cancels.

A match is a list of deals; on each, a list of casts (who sits at which seat) is played. Seats that always win and lose
together, a game's `teams`, are one agent's. Every game is determined by the match's seed, the deal's number and the
cast: the deal's randomness comes from the first two, an agent's from those, its seat and its name.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from skat_env.errors import UnknownName
from skat_env.play.capabilities import is_batched
from skat_env.play.casts import MODES, Cast, Mode, pair_casts, seat_cast
from skat_env.play.decision_cache import DecisionCache
from skat_env.play.lockstep import Thinking, play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import PlayedTo, RandomDeals, require_kinds
from skat_env.protocols import Agent, Game, Outcome, State
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.workers import Backend, map_unordered

DEALS_IN_STEP: Final = 64
"""Deals of a block that is played in step where there are batch agents; by number, whoever plays it."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What determines the games of a match."""

    game: str
    agents: tuple[str, ...]
    """Two or more names."""
    deals: int
    seed: int = 0
    mode: Mode = "all-seats"
    """`all-seats`: full games, each team is A's or B's in every way but the two uniform ones; `swapped`: from cardplay
    on, A on the declarer's side against B, and B against A; `mirrored`: besides, each against itself, which tells
    declaring and defence apart; `mixed`: besides, each as declarer against opponents of whom some are A and some B."""
    bidder: str = "rule"
    """Plays what comes before the cardplay of matches that start there on random deals."""
    source: str | None = None
    """The file that the deals, or the starts of the cardplay, are from; None: random ones."""
    rules: str | None = None
    """Options of the game's rules as `parse_rules` reads them; None: its defaults, or those of the recorded games."""
    against: str | None = None
    """The agent that all others are compared with; None: every pair is compared."""
    kinds: tuple[str, ...] | None = None
    """From cardplay on: the kinds of game of the deals, of each as many, in turn; None: whatever the bidder declares or
    the source holds."""

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
        if self.against is not None and self.against not in self.agents:
            raise UnknownName("agent of this match", self.against, self.agents)
        if self.deals < 1:
            raise ValueError(f"a match of {self.deals} deals: expected at least 1")
        if self.mode == "mixed" and len(game.teams) < 3:
            raise ValueError(
                f"a mixed match needs opponents who may differ: in {self.game} partners are one agent"
            )
        if self.kinds is not None:
            require_kinds(game, self.kinds)
            if not self.from_cardplay:
                raise ValueError(
                    "kinds of game can be chosen from the cardplay on only: in mode swapped, mirrored or mixed"
                )

    @property
    def from_cardplay(self) -> bool:
        """Whether the games start with the cardplay, and casts count from the declarer's team on."""
        return self.mode != "all-seats"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of agents that are compared."""
        if self.against is None:
            return list(itertools.combinations(self.agents, 2))
        return [(agent, self.against) for agent in self.agents if agent != self.against]


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to play."""

    deal: int
    """The deal's number in the match."""
    cast: Cast
    """By seat; from the cardplay on, by team from the declarer's on."""


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
    """Their names by seat."""
    sides: tuple[int, ...]
    """By seat: 0 the declaring side, 1 the other, -1 nobody declared."""
    thinking: tuple[Thinking, ...]
    """By seat."""


def match_casts(config: MatchConfig) -> list[Cast]:
    """The casts of all pairs, each once."""
    casts: dict[Cast, None] = {}
    for pair in config.pairs:
        casts.update(dict.fromkeys(pair_casts(config.game, pair, config.mode)))
    return list(casts)


def played_game(
    game: Game, spec: GameSpec, state: State, agents: Cast, thinking: tuple[Thinking, ...]
) -> PlayedGame:
    """What a match keeps of a finished game."""
    sides = tuple(state.side(seat) for seat in range(len(agents)))
    returns = state.returns(game.match_unit)
    return PlayedGame(spec, state.text(), returns, state.outcome(), agents, sides, thinking)


class DealPlayer:
    """Plays the games of some deals after those of others; what a worker process keeps.

    Args:
        config: of the match.
        agents: agent objects by name, for names that the registry does not know.
        cache: whether a decision that comes up again in the games of a deal is taken from a decision cache, or taken
            again.
    """

    def __init__(
        self, config: MatchConfig, agents: dict[str, Agent] | None = None, cache: bool = True
    ) -> None:
        self.config = config
        self._caches = cache
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
        elif self.config.from_cardplay:
            kinds = self.config.kinds or (None,)
            bidder, kind = self.agent(self.config.bidder), kinds[deal % len(kinds)]
            starts = PlayedTo(game.name, game.stages[-1], bidder, self.rules, kind)
            state = starts(deal_rng(self.config.seed, deal))
        else:
            state = RandomDeals(game.name, self.rules)(deal_rng(self.config.seed, deal))
        return state

    def __call__(self, deals: Sequence[tuple[int, str | None]]) -> list[PlayedGame]:
        """Plays all casts of some deals, each (its number, its given start or None)."""
        config = self.config
        specs: list[GameSpec] = []
        states: list[State] = []
        seated: list[Cast] = []
        for deal, given in deals:
            start = self.start(deal, given)
            for cast in match_casts(config):
                specs.append(GameSpec(deal, cast))
                states.append(start.clone())
                seated.append(seat_cast(self.game, start, cast) if config.from_cardplay else cast)
        thinking = play_games(
            states,
            [[self.agent(name) for name in names] for names in seated],
            [
                [agent_rng(config.seed, spec.deal, seat) for seat in range(len(names))]
                for spec, names in zip(specs, seated, strict=True)
            ],
            cache=DecisionCache() if self._caches else None,
        )
        return [played_game(self.game, *game) for game in zip(specs, states, seated, thinking, strict=True)]


def play_match(
    config: MatchConfig,
    starts: Sequence[str] | None = None,
    done: frozenset[GameSpec] = frozenset(),
    workers: int = 1,
    backend: Backend = "processes",
    agents: dict[str, Agent] | None = None,
) -> Iterator[list[PlayedGame]]:
    """Plays the games of a match that are not done yet: those of a deal together, deals in any order.

    With batch agents the deals are played in blocks, and one of which a game is missing is played again whole: what
    else is in a batch may change the last bits of a network's answer.

    Args:
        config: what to play.
        starts: the texts of the states in which the deals start, one a deal; None: random deals.
        done: games that need not be played again.
        workers: processes; the games do not depend on their number.
        backend: where the workers are.
        agents: agent objects by name, for names that the registry does not know.
    """
    in_step = any(map(is_batched, make_agents(config, agents)))
    block = DEALS_IN_STEP if in_step else 1
    casts = match_casts(config)
    work = []
    for first in range(0, config.deals, block):
        deals = range(first, min(first + block, config.deals))
        if any(GameSpec(deal, cast) not in done for deal in deals for cast in casts):
            work.append([(deal, None if starts is None else starts[deal]) for deal in deals])
    played = map_unordered(DealPlayer(config, agents), work, workers, backend)
    return ([game for game in games if game.spec not in done] for games in played)


def make_agents(config: MatchConfig, agents: dict[str, Agent] | None = None) -> list[Agent]:
    """Every agent of a match, and its bidder if it has one: made once before anything is played or written, so that
    a wrong name is told.

    Raises:
        UnknownName, ParseError: as `make_agent`.
    """
    needs_bidder = config.from_cardplay and config.source is None
    names = (*config.agents, *([config.bidder] if needs_bidder else []))
    return [make_agent((agents or {}).get(name, name), config.game) for name in names]
