"""Reading a table of start deals, `id,trump,declarer,hand0,hand1,hand2,hand3`: one per row, with the trump suit and
declarer that people chose.

    0,C,2,CK CT DA S8 HT C8 D8 S7,S9 CQ CA DK H8 D9 HA SK,CJ SJ D7 H7 ST DT C9 HQ,H9 SA DJ DQ HJ HK SQ C7

Cells are separated by commas, semicolons or tabs; the order of the columns does not matter, and others are ignored.
The table does not have the forehand: a start draws it at random.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Self

import numpy as np

from skat_env.cards import SUITS, parse_mask
from skat_env.deal import Deal, require_deal
from skat_env.errors import ParseError
from skat_env.klaverjas._state import KlaverjasState
from skat_env.klaverjas.rules import NUM_SEATS, PLACE_SIZES, KlaverjasRules
from skat_env.tools.csv_table import CsvHeader

HEADER: Final = "id,trump,declarer,hand0,hand1,hand2,hand3"
_HEADER: Final = CsvHeader(tuple(HEADER.split(",")))
_NEEDED: Final = _HEADER.columns[1:]


@dataclass(frozen=True, slots=True)
class StartRow:
    """A deal with its trumps and declarer: a `StartSource`, which draws the forehand."""

    deal: Deal
    trump: int
    """The trump suit 0..3."""
    declarer: int
    """The declarer's seat 0..3."""
    rules: KlaverjasRules = field(default_factory=KlaverjasRules)
    """The rules. If they have trumps chosen in the game, only the cards of the row count."""

    @classmethod
    def parse(cls, line: str, rules: KlaverjasRules | None = None, header: CsvHeader = _HEADER) -> Self:
        """The start in a row.

        Raises:
            ParseError: if the row is malformed.
        """
        row = header.row(line)
        trump, declarer, *hands = (row[name] for name in _NEEDED)
        if len(trump) != 1 or trump not in SUITS:
            raise ParseError(f"trump '{trump}' is not a suit: expected one of {', '.join(SUITS)}")
        if declarer not in ("0", "1", "2", "3"):
            raise ParseError(f"declarer '{declarer}' is not a seat: expected 0, 1, 2 or 3")
        deal = Deal(tuple(parse_mask(".".join(hand.split()) or "-") for hand in hands))
        require_deal(deal, PLACE_SIZES)
        return cls(deal, SUITS.index(trump), int(declarer), rules or KlaverjasRules())

    def __call__(self, rng: np.random.Generator) -> KlaverjasState:
        """The state of the start, with a forehand drawn at random."""
        forehand = int(rng.integers(NUM_SEATS))
        if self.rules.choice != "given":
            return KlaverjasState.new(self.deal, self.rules, forehand)
        return KlaverjasState.new(self.deal, self.rules, forehand, self.declarer, self.trump)


def reader(header: str) -> Callable[[str, Any], StartRow] | None:
    """A function that reads the rows under a header; None if the line is not the header of such a table."""
    found = CsvHeader.parse(header, _NEEDED)
    return None if found is None else partial(StartRow.parse, header=found)
