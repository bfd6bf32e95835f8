from typing import Final, final

from skat_env.agents.skat.rule.layout import Layout
from skat_env.skat import SkatView

SOLOIST_TRUMP_SHARE: Final[float]
"""The share of the hidden trumps that a defender expects in the soloist's hand. The partner has the rest, as trumps
are hardly ever discarded (Edelkamp 2020, section 4). Chosen by us: as a setting of the defenders in 2,000 suit
games, none of 0.60, 0.66, 0.78 and 0.85 did better."""

@final
class Situation:
    """A view of the cardplay, prepared for a decision. Cards are codes of the contract's layout.

    Args:
        view: the view of the seat that is to play.

    Raises:
        ValueError: if no card can be played.
    """

    def __init__(self, view: SkatView) -> None: ...
    @property
    def layout(self) -> Layout:
        """The layout of the contract."""

    @property
    def view(self) -> SkatView:
        """The view."""

    @property
    def seat(self) -> int:
        """The own seat."""

    @property
    def soloist(self) -> int:
        """The soloist's seat."""

    @property
    def hand(self) -> int:
        """The own cards."""

    @property
    def legal(self) -> int:
        """The cards that may be played."""

    @property
    def trump_mask(self) -> int:
        """The trumps."""

    @property
    def position(self) -> int:
        """The place in the trick: 0 leads, 1 plays second, 2 last."""

    @property
    def tricks_left(self) -> int:
        """The tricks still to be played, this one included."""

    @property
    def led(self) -> int:
        """The code led; -1 when leading."""

    @property
    def best(self) -> int:
        """The code that wins the trick so far; -1 when leading."""

    @property
    def best_seat(self) -> int:
        """The seat that played it; -1 when leading."""

    @property
    def table_points(self) -> int:
        """The card points of the trick so far."""

    @property
    def banked(self) -> tuple[int, int]:
        """Card points taken by the soloist, with the skat if this seat knows it, and by the defenders."""

    @property
    def hidden(self) -> int:
        """The cards that this seat has not seen: the other hands, and the skat unless it knows it."""

    @property
    def could(self) -> list[int]:
        """The hidden cards that each seat may hold."""

    @property
    def known(self) -> list[int]:
        """The hidden cards that each seat is known to hold."""

    @property
    def left(self) -> list[int]:
        """The number of cards in each seat's hand."""

    @property
    def chances(self) -> list[tuple[float, float]]:
        """The chance of each seat to hold a (plain card, trump) that it may hold."""

    def chance(self, seat: int, mask: int) -> float:
        """The chance that a seat holds at least one of the cards; 0 and 1 are certain. Unchecked."""

    def chance_of_ruff(self, seat: int, group: int) -> float:
        """The chance that a seat is void in a plain group and has a trump. Unchecked."""
