"""A complete agent for Skat, and its match against another agent.

python examples/own_agent.py --against random --deals 300

The agent plans its whole declaration at once, though it is asked step by step: pick up, contract, first discard,
second discard. The plan depends on nothing but the twelve cards, so it is the same at every step.

An installed package makes the agent known to `skat-env` by an entry point in its `pyproject.toml`; the key is
`skat.NAME` for an agent of one game, `NAME` for one of all games:

    [project.entry-points."skat_env.agents"]
    "skat.planner" = "my_package.planner:Planner"

Then `skat-env match --agents "planner(trumps=7)" rule` plays it: the options of the text are the parameters of the
constructor.
"""

from dataclasses import dataclass

import numpy as np
import tyro

from skat_env import compare
from skat_env.cards import ACE, JACK, cards_of, rank_mask, suit_mask
from skat_env.match.statistics import Estimate
from skat_env.protocols import Decision
from skat_env.skat import SkatView
from skat_env.skat.rules import BASE_VALUES, CARD_POINTS, DECLARE, PASS, PICK_UP, YES, Phase

JACKS = rank_mask(JACK)


@dataclass
class Options:
    """Play the planner against another agent on the same deals."""

    against: str = "random"
    """The other agent."""
    deals: int = 300
    """Deals, each played with every seating of the two."""
    seed: int = 0
    """Seed of the deals and of the agents."""


@dataclass(frozen=True)
class Plan:
    """A declaration, decided at once."""

    suit: int
    """The trump suit."""
    discards: tuple[int, int]
    """The two cards to lay into the skat."""


def trumps_of(cards: int, suit: int) -> int:
    """The trumps among some cards, as a mask, when a suit is played."""
    return cards & (suit_mask(suit) | JACKS)


def longest_suit(cards: int) -> int:
    """The suit with most cards; of equally long ones the dearest."""
    return max(range(4), key=lambda suit: (trumps_of(cards, suit).bit_count(), suit))


def plan(twelve: int) -> Plan:
    """The longest suit is trumps; the dearest cards of the shortest other suits are laid away, but no aces."""
    suit = longest_suit(twelve)

    def worth(card: int) -> tuple[bool, int, int]:
        """What a card is worth in the hand: trumps and aces most, then cards of long suits, then few points."""
        length = (twelve & suit_mask(card // 8) & ~JACKS).bit_count()
        kept = bool(1 << card & trumps_of(twelve, suit)) or card % 8 == ACE
        return kept, length, -CARD_POINTS[card % 8]

    first, second = sorted(cards_of(twelve), key=worth)[:2]
    return Plan(suit, (first, second))


class Planner:
    """Plays suit games with many trumps.

    Args:
        trumps: the fewest trumps among ten cards with which it bids.
    """

    def __init__(self, trumps: int = 6) -> None:
        self.name = f"planner(trumps={trumps})"
        self._trumps = trumps

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """One of the legal actions; `rng` is not used."""
        if view.stage == "auction":
            return Decision(self._bid(view))
        if view.phase == Phase.PICK_UP:
            return Decision(PICK_UP)
        if view.phase == Phase.PLAY:
            return Decision(self._card(view))
        # The cards that are laid away already are in `view.skat`: together always the same twelve.
        planned = plan(view.hand | view.skat)
        if view.phase == Phase.CONTRACT:
            return Decision(DECLARE + planned.suit)
        return Decision(next(card for card in planned.discards if view.hand >> card & 1))

    def _bid(self, view: SkatView) -> int:
        """Bids or holds up to twice the base value, the least that a suit game is worth."""
        suit = longest_suit(view.hand)
        if trumps_of(view.hand, suit).bit_count() < self._trumps:
            return PASS
        value = view.next_bid if view.phase == Phase.BID else view.bid
        return YES if 0 < value <= 2 * BASE_VALUES[suit] else PASS

    def _card(self, view: SkatView) -> int:
        """The soloist leads jacks, then aces; a last defender gives points if its partner led; else the cheapest."""
        legal = view.legal_actions()
        on_table = len(view.trick())
        if on_table == 0 and view.is_soloist:
            return max(
                legal, key=lambda card: (card % 8 == JACK, card % 8 == ACE, CARD_POINTS[card % 8], card)
            )
        if on_table == 2 and not view.is_soloist and view.trick()[0][0] != view.soloist:
            return max(legal, key=lambda card: CARD_POINTS[card % 8])
        return min(legal, key=lambda card: CARD_POINTS[card % 8])


def play(options: Options) -> Estimate:
    """The difference in tournament points per game and seat."""
    planner = Planner()
    return compare(planner, options.against, deals=options.deals, seed=options.seed).difference


if __name__ == "__main__":
    print(play(tyro.cli(Options, description=__doc__)).text())
