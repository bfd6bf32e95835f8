"""The soloist's cardplay in grand: each legal card gets a score, and the best is played."""

from dataclasses import dataclass

from skat_env.agents.skat.rule._grand import best_card
from skat_env.agents.skat.rule.situation import Situation


@dataclass(frozen=True, slots=True)
class GrandWeights:
    """Weights in card points, found by coordinate search against the defenders on games that `rule` declares."""

    low_trump: float
    """The value of a trump kept in hand: about a trick."""
    jack: float
    full_trump: float
    """The value of the ace or ten of trumps kept in hand, its points included."""
    standing: float
    """The share of its points that a standing card (one that cannot be beaten) brings if kept."""
    standing_control: float
    """The further value of a standing card for the other cards of its trick."""
    guarded: float
    """The share of its points that a beatable card brings if other cards of its suit are held with it."""
    bare: float
    """The share of its points that a beatable card brings if it is the only one of its suit."""
    unguard: float
    """The cost of playing the last low card beside a beatable ten or king."""
    shed: float
    """The value of playing the last card of a plain suit, to ruff it later."""
    smear: float
    """Points that a defender, if still to play, adds to a trick of its side."""
    feed: float
    """Points that a defender adds to a trick of the soloist."""
    draw: float
    """The value of each trump drawn from a defender."""
    force: float
    """The value of forcing out a higher trump while lower ones remain."""
    lead: float
    """The value of leading to the next trick."""
    rank: float
    """The value of each step in strength within a group."""
    top_trump: float
    """The value of a trump that no hidden trump beats."""
    drawn_out: float
    """The value of a trump when the defenders have none left."""
    establish: float
    """The bonus for leading a plain suit, for each further card held in it."""
    goal: float
    """The value of reaching 61 points with this trick, and the cost of giving the defenders their 60."""


GRAND = GrandWeights(
    low_trump=4.2,
    jack=12.6,
    full_trump=9.0,
    standing=0.42,
    standing_control=5.0,
    guarded=-0.4,
    bare=-0.66,
    unguard=2.02,
    shed=2.5,
    smear=2.52,
    feed=1.5,
    draw=25.0,
    force=3.92,
    lead=0.5,
    rank=0.1,
    top_trump=2.1,
    drawn_out=0.2,
    establish=2.0,
    goal=28.0,
)


def grand_card(situation: Situation) -> int:
    """The code of the card that the soloist plays, where nothing is sure."""
    return best_card(situation, GRAND)
