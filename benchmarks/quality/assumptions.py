"""How often the assumptions about the hidden cards of Skat are wrong: cards excluded that the player held after all.

python -m benchmarks.quality.assumptions [--agents rule policy] [--games 2000] [--out results/assumptions.json]

Each agent plays all seats of the same deals. An exclusion counts if it excludes a card that is not played yet and that
the rules leave possible there. Bad skats are looked for by each defender after some tricks, in up to 1,000 of its
worlds; they are wrong if the skat is one. Intervals are 95%, by game: a game can have several exclusions. They are
Wilson's where none was wrong, or no game has two.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.agents.skat.bidding.expert_bidding import CHECKPOINT
from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.expert.assumptions import ASSUMPTIONS, Course, Exclusion, exclusions
from skat_env.agents.skat.expert.bad_skats import BadSkats
from skat_env.beliefs.belief import Belief
from skat_env.cards import mask_of
from skat_env.deal import Deal
from skat_env.match.statistics import ratio
from skat_env.options import Count, Range, Seed
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.skat.rules import follow_groups
from skat_env.tools.progress import progress_bar

WORLDS = 1000
"""Worlds of a position in which bad skats are looked for."""
BATCH = 200
"""Games between two steps of the progress bar."""


@dataclass
class Options(Kept):
    """How often the assumptions about the hidden cards of Skat are wrong."""

    agents: tuple[str, ...] = ("rule", "policy", "pimc(worlds=20)")
    """Agents whose games are looked at."""
    games: Count = 2000
    """Number of deals of each agent."""
    seed: Seed = 1
    """Seed of the deals and of the agents."""
    tricks: Annotated[int, Range(ge=0, le=9)] = 5
    """The number of tricks after which bad skats are looked for."""


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    agent: str
    kind: str
    assumption: str
    exclusions: int
    """The number of times that it excluded something."""
    wrong: float
    """The share of them in which one of the cards lay there."""
    low: float
    high: float
    cards: float
    """The cards that it excludes, on average."""


@dataclass(frozen=True)
class SkatFigure:
    """One row of the table of bad skats."""

    agent: str
    kind: str
    positions: int
    """The number of positions of defenders."""
    wrong: float
    """The share of them in which the skat is among the bad ones."""
    low: float
    high: float
    left: float
    """The share of the worlds that is left, on average."""


@dataclass
class Tally:
    """The exclusions by one assumption, by game."""

    exclusions: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    cards: float = 0

    def new_game(self) -> None:
        """What is added from here on is of another game."""
        self.exclusions.append(0)
        self.wrong.append(0)

    def add(self, wrong: bool, cards: float) -> None:
        """Adds an exclusion of the last game."""
        self.exclusions[-1] += 1
        self.wrong[-1] += wrong
        self.cards += cards

    def mean_cards(self) -> float:
        """The cards of an exclusion, on average."""
        return self.cards / sum(self.exclusions)

    def share(self) -> tuple[float, float, float]:
        """The share of wrong exclusions, and the ends of its interval."""
        exclusions, wrong = np.array(self.exclusions), np.array(self.wrong)
        if wrong.any() and exclusions.max() > 1:
            found = ratio(wrong, exclusions)
            return found.mean, max(found.low, 0.0), min(found.high, 1.0)
        games = int((exclusions > 0).sum())
        interval = binomtest(int(wrong.sum()), games).proportion_ci(method="wilson")
        return int(wrong.sum()) / games, float(interval.low), float(interval.high)


@dataclass
class Game:
    """A finished game, to look up who held what."""

    state: SkatState
    course: Course = field(init=False)

    def __post_init__(self) -> None:
        self.course = Course.of(self.state)

    def held(self, exclusion: Exclusion) -> int:
        """The cards at the exclusion's place when it was seen."""
        if exclusion.place == 3:
            return self.state.skat
        later = self.state.plays()[exclusion.plays :]
        return (
            mask_of(card for seat, card in later if seat == exclusion.place)
            | self.state.hands[exclusion.place]
        )

    def news(self, exclusion: Exclusion) -> int:
        """The excluded cards that were not played and that the rules left possible there."""
        played = self.state.plays()[: exclusion.plays]
        possible = exclusion.cards & ~mask_of(card for _, card in played)
        assert self.state.contract is not None
        groups = follow_groups(self.state.contract)
        for first in range(0, len(played), 3):
            trick = played[first : first + 3]
            led = next(group for group in groups if group >> trick[0][1] & 1)
            for seat, card in trick:
                if seat == exclusion.place and not led >> card & 1:
                    possible &= ~led
        return possible


def after(state: SkatState, tricks: int) -> SkatState:
    """A finished game after some tricks."""
    declaration = state.declaration
    assert declaration is not None
    hands = [mask_of(card for seat, card in state.plays() if seat == place) for place in range(3)]
    hands = [held | left for held, left in zip(hands, state.hands, strict=True)]
    deal = Deal((hands[0], hands[1], hands[2], state.skat))
    earlier = SkatState.cardplay(deal, state.soloist, declaration, state.bids)
    for _, card in state.plays()[: 3 * tricks]:
        earlier.apply(card)
    return earlier


def count_bad_skats(state: SkatState, bad_skats: BadSkats, tricks: int, seed: int, tally: Tally) -> None:
    """Adds the positions of both defenders of a finished game; `cards` counts the share of the worlds left."""
    if len(state.plays()) <= 3 * tricks:
        return
    tally.new_game()
    earlier = after(state, tricks)
    for seat in range(3):
        view = earlier.view(seat)
        if bad_skats.applies(view):
            belief = Belief(view)
            rows = belief.sample_distinct(WORLDS, np.random.default_rng(seed))
            good = bad_skats.good(view, belief, np.vstack([belief.row(earlier), rows]))
            tally.add(not good[0], float(good[1:].mean()))


def figures(agent_text: str, options: Options) -> tuple[list[Figure], list[SkatFigure]]:
    """The rows of one agent."""
    agent = make_agent(agent_text, "skat")
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    skats: dict[str, Tally] = defaultdict(Tally)
    bad_skats = BadSkats(WinningTables.load(CHECKPOINT))
    with progress_bar(f"playing {agent_text}", options.games) as advance:
        for first in range(0, options.games, BATCH):
            deals = range(first, min(first + BATCH, options.games))
            states = [SkatState.random(deal_rng(options.seed, deal)) for deal in deals]
            rngs = [[agent_rng(options.seed, deal, seat) for seat in range(3)] for deal in deals]
            play_games(states, [[agent] * 3] * len(states), rngs)
            for state in states:
                if state.contract is None or state.kind is None:
                    continue
                count_bad_skats(state, bad_skats, options.tricks, options.seed, skats[state.kind])
                game = Game(state)
                for name in ASSUMPTIONS:
                    tally = tallies[state.kind, name]
                    tally.new_game()
                    for exclusion in exclusions(game.course, [name]):
                        cards = game.news(exclusion)
                        if cards:
                            tally.add(bool(cards & game.held(exclusion)), cards.bit_count())
            advance(deals.stop)
    by_convention = [
        Figure(agent_text, kind, name, sum(tally.exclusions), *tally.share(), tally.mean_cards())
        for (kind, name), tally in sorted(tallies.items())
        if any(tally.exclusions)
    ]
    return by_convention, [
        SkatFigure(agent_text, kind, sum(tally.exclusions), *tally.share(), tally.mean_cards())
        for kind, tally in sorted(skats.items())
        if any(tally.exclusions)
    ]


def main(options: Options) -> None:
    """Measures and prints."""
    rows = [figures(agent, options) for agent in options.agents]
    found = [figure for by_convention, _ in rows for figure in by_convention]
    skats = [figure for _, by_skat in rows for figure in by_skat]
    print_table(
        ("agent", "kind", "assumption", "exclusions", "wrong", "95% interval", "cards"),
        [
            (
                each.agent,
                each.kind,
                each.assumption,
                f"{each.exclusions:,}",
                f"{each.wrong:.1%}",
                f"[{each.low:.1%}, {each.high:.1%}]",
                f"{each.cards:.1f}",
            )
            for each in found
        ],
        left=3,
    )
    print_table(
        ("agent", "kind", "positions", "wrong", "95% interval", "worlds left"),
        [
            (
                each.agent,
                each.kind,
                f"{each.positions:,}",
                f"{each.wrong:.1%}",
                f"[{each.low:.1%}, {each.high:.1%}]",
                f"{each.left:.0%}",
            )
            for each in skats
        ],
        left=2,
        title="bad skats",
    )
    keep(options, rows=found, bad_skats=skats)


if __name__ == "__main__":
    run_benchmark(main, Options)
