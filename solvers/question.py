"""What an open-card solver is asked, apart from what each game counts."""

from dataclasses import dataclass
from typing import Annotated

from skat_env.cards import ALL_CARDS_MASK
from skat_env.options import Range, check_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCardQuestion:
    """The part of a question that is the same in every game; each game's `Question` adds its aim.

    Raises:
        OptionError: if a limit is not positive, or another field not what it may be.
        ValueError: if best play is asked for after some cards alone.
    """

    actions: bool = False
    """Answer the question after every legal action, too."""
    cards: Annotated[int, Range(ge=0, le=ALL_CARDS_MASK)] = ALL_CARDS_MASK
    """The cards, as a mask, to answer for with `actions`; all else is as if they were the only legal ones. If none of
    them is legal, nothing is answered."""
    line: bool = False
    """Give best play of both sides to the end, too."""
    node_limit: Annotated[int, Range(ge=1, le=2**63 - 1)] | None = None
    """Maximum of positions to look up in the tables; None: no limit."""
    time_limit: Annotated[float, Range(gt=0)] | None = None
    """Maximum of seconds to search; None: no limit."""

    def __post_init__(self) -> None:
        check_fields(self, "a question")
        if self.line and self.cards != ALL_CARDS_MASK:
            raise ValueError("a question about some cards alone has no line of best play: expected all cards")
