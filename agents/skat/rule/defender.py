"""A defender's cardplay in suit games and grand: each legal card gets a score, and the best is played."""

from dataclasses import dataclass

from skat_env.agents.skat.rule._defender import best_card
from skat_env.agents.skat.rule.situation import Situation
from skat_env.skat.rules import Contract


@dataclass(frozen=True, slots=True)
class DefenderWeights:
    """Weights in card points, found by coordinate search against the soloist on games that `rule` declares."""

    low_trump: float
    """The value of a trump kept in hand."""
    jack: float
    full_trump: float
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
    smear: float
    """Points that the partner, if still to play, adds to a trick of its side."""
    feed: float
    """Points that the partner adds to the soloist's trick, and the soloist to any trick."""
    lead_trump: float
    """The cost of leading trumps, which helps the soloist."""
    length_to_soloist: float
    """The bonus for each card held of the suit led, if the soloist plays second ("dem Feinde lang")."""
    length_to_partner: float
    """The bonus for each such card if the partner plays second ("dem Freunde kurz", but positive in grand)."""
    returned: float
    """The bonus for returning the partner's suit."""
    continued: float
    """The bonus for continuing the suit that this seat led before."""
    force: float
    """The bonus for leading a suit that the soloist must ruff."""
    rank: float
    """The value of each step in strength within a group."""
    top_trump: float
    """The value of a trump that no hidden trump beats."""
    goal: float
    """The value of reaching 60 points with this trick, and the cost of giving the soloist its 61."""


SUIT = DefenderWeights(
    low_trump=4.0,
    jack=13.72,
    full_trump=5.88,
    standing=0.2,
    standing_control=7.0,
    guarded=0.3,
    bare=0.1,
    unguard=1.8,
    smear=2.16,
    feed=0.9,
    lead_trump=-2.16,
    length_to_soloist=1.5,
    length_to_partner=-1.0,
    returned=4.2,
    continued=1.5,
    force=2.0,
    rank=0.1,
    top_trump=2.1,
    goal=12.0,
)
GRAND = DefenderWeights(
    low_trump=4.0,
    jack=7.0,
    full_trump=3.0,
    standing=0.4,
    standing_control=5.0,
    guarded=0.1,
    bare=-0.7,
    unguard=3.0,
    smear=6.0,
    feed=0.9,
    lead_trump=-8.4,
    length_to_soloist=0.9,
    length_to_partner=1.0,
    returned=4.2,
    continued=2.1,
    force=2.8,
    rank=0.1,
    top_trump=1.0,
    goal=20.0,
)


def defender_card(situation: Situation) -> int:
    """The code of the card that a defender plays, with the weights of its kind of game."""
    return best_card(situation, GRAND if situation.layout.contract == Contract.GRAND else SUIT)
