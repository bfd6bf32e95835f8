"""Klaverjas' constants: phases, actions, card strengths, and the options of its rules.

Source: the official rules of the Dutch federations (Rotterdam and Amsterdam), as the cited papers play them.
`_rules.pyx` plays by the rules, `scoring.py` has the scores.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Literal, get_args

from skat_env.cards import CARD_TEXTS, SUITS
from skat_env.errors import OptionError, ParseError, UnknownName
from skat_env.rule_options import ABOUT

NUM_SEATS: Final = 4
SEAT_NAMES: Final = ("south", "west", "north", "east")
"""The seats, clockwise; south and north play against west and east."""
PLACE_SIZES: Final = (8, 8, 8, 8)
"""The number of cards in each hand."""


class Phase(IntEnum):
    """What the seat to act decides."""

    CHOOSE = 0
    PLAY = 1
    OVER = 2


STAGES: Final = ("choice", "cardplay")
"""The parts of a game: choosing trumps, the tricks."""

# Actions 0..31 are cards.
PASS: Final = 32
NAME: Final = 33
"""The action `NAME + suit` names trumps and declares."""
ACTION_TEXTS: Final[tuple[str, ...]] = (*CARD_TEXTS, "pass", *SUITS)
_ACTION_OF_TEXT: Final = {text: action for action, text in enumerate(ACTION_TEXTS)}

TRUMP_RANKS: Final = "78QKTA9J"
"""The ranks of the trump suit from low to high."""
PLAIN_RANKS: Final = "789JQKTA"
"""The ranks of the other suits from low to high."""
TRUMP_POINTS: Final = (0, 0, 14, 10, 20, 3, 4, 11)
"""Card points in trumps, by rank 7 8 9 T J Q K A; 62 in all."""
PLAIN_POINTS: Final = (0, 0, 0, 10, 2, 3, 4, 11)
"""Card points in the other suits; 30 a suit."""
LAST_TRICK: Final = 10
"""Card points for the last trick; with it a deal has 162."""
ALL_POINTS: Final = 162
PIT: Final = 100
"""The points for winning all eight tricks."""
RUN_OF_THREE, RUN_OF_FOUR, STUK, FOUR_OF_A_KIND = 20, 50, 20, 100
"""Roem: cards in sequence 7 8 9 T J Q K A in one suit; king and queen of trumps; four cards of one rank."""

Legality = Literal["rotterdam", "amsterdam"]
Choice = Literal["given", "forced", "free"]
Tie = Literal["nat", "made"]
FourJacks = Literal[200, 100]
PitFor = Literal["declarers", "both"]


@dataclass(frozen=True, slots=True)
class KlaverjasRules:
    """The options of the rules.

    Raises:
        UnknownName: if an option has a value that it does not know.
        OptionError: if it is the text of a number.
    """

    legality: Legality = field(
        default="rotterdam",
        metadata={
            ABOUT: "Who cannot follow suit must trump, and overtrump if possible: in Rotterdam always, "
            "in Amsterdam only while an opponent is winning the trick."
        },
    )
    """Whether a player who cannot follow must always trump and overtrump (rotterdam) or only while an opponent is
    winning the trick (amsterdam)."""
    choice: Choice = field(
        default="given",
        metadata={
            ABOUT: "given: trumps and declarer come with the deal; forced: forehand must name a suit; "
            "free: each in turn names a suit or passes, and forehand must name one if all pass."
        },
    )
    """How trumps are chosen. given: trumps and declarer come with the deal. forced: forehand must name a suit. free:
    from forehand on each player names a suit or passes, and forehand must name one if all pass."""
    tie: Tie = field(
        default="nat",
        metadata={ABOUT: "What the declaring team is if both teams have equally many points."},
    )
    """The declaring team's result if both teams have equally many points."""
    four_jacks: FourJacks = field(
        default=200,
        metadata={ABOUT: "The roem for four jacks in a trick."},
    )
    """Roem for four jacks in a trick."""
    pit: PitFor = field(
        default="declarers",
        metadata={
            ABOUT: "Who gets 100 points for winning all eight tricks: the declaring team only, or either team."
        },
    )
    """Who can get 100 for all eight tricks: the declaring team only, or either team."""

    def __post_init__(self) -> None:
        for name, kind in OPTIONS.items():
            value, known = getattr(self, name), get_args(kind)
            numbers = [str(each) for each in known if type(each) is int]
            if type(value) is str and value in numbers:
                raise OptionError(f"the rule '{name}' is a number: {' or '.join(numbers)}, not '{value}'")
            if not any(type(value) is type(each) and value == each for each in known):
                raise UnknownName(f"value of the rule '{name}'", value, [str(each) for each in known])

    def text(self) -> str:
        """The options that differ from the defaults: `legality=amsterdam pit=both`."""
        words: list[str] = []
        for name, kind in OPTIONS.items():
            value: str | int = getattr(self, name)
            if value != get_args(kind)[0]:
                words.append(f"{name}={value}")
        return " ".join(words)


OPTIONS: Final = {
    "legality": Legality,
    "choice": Choice,
    "tie": Tie,
    "four_jacks": FourJacks,
    "pit": PitFor,
}
"""The options of the rules and their values, the default first."""


def partner_of(seat: int) -> int:
    """The seat opposite."""
    return seat ^ 2


def action_text(action: int) -> str:
    """An action as text: `SJ`, `pass`, or `S` for spades as trumps."""
    return ACTION_TEXTS[action]


def parse_action(text: str) -> int:
    """The action that a text names.

    Raises:
        ParseError: if it names none.
    """
    if text in _ACTION_OF_TEXT:
        return _ACTION_OF_TEXT[text]
    raise ParseError(f"'{text}' is not an action: expected a card or one of {', '.join(ACTION_TEXTS[32:])}")
