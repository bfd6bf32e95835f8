"""Skat's numbers and names: phases, actions, contracts, bids, and the options of its rules.

Source: the International Skat Order (ISkO). The rules in motion are in `_rules.pyx`, scores in `scoring.py`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from skat_env.cards import CARD_TEXTS, SUITS, parse_card
from skat_env.errors import ParseError

NUM_SEATS: Final = 3
FOREHAND, MIDDLEHAND, REARHAND = range(3)
SEAT_NAMES: Final = ("forehand", "middlehand", "rearhand")
SKAT_PLACE: Final = 3
PLACE_SIZES: Final = (10, 10, 10, 2)
"""Cards of the three hands and of the skat in a deal."""


class Phase(IntEnum):
    """What the seat to act decides."""

    BID = 0
    ANSWER = 1
    PICK_UP = 2
    CONTRACT = 3
    ANNOUNCE = 4
    DISCARD = 5
    PLAY = 6
    OVER = 7


STAGES: Final = ("auction", "declaration", "cardplay")
"""The parts of a game: bidding; picking up to discarding; the tricks."""


class Start(IntEnum):
    """From where a game is played; what lies before is given as a fact, not as actions."""

    DEAL = 0
    AUCTION_GIVEN = 1
    CARDPLAY = 2


class Contract(IntEnum):
    """The six kinds of game; suit games have the number of their suit."""

    DIAMONDS = 0
    HEARTS = 1
    SPADES = 2
    CLUBS = 3
    GRAND = 4
    NULL = 5


class Announcement(IntEnum):
    """What the soloist announces; in suit and grand each level includes those below it."""

    NONE = 0
    SCHNEIDER = 1
    SCHWARZ = 2
    OUVERT = 3


# Actions 0..31 are cards: played, or laid into the skat.
PASS: Final = 32
YES: Final = 33
PICK_UP: Final = 34
HAND: Final = 35
DECLARE: Final = 36
"""`DECLARE + contract` names the game."""
ANNOUNCE: Final = 42
"""`ANNOUNCE + announcement` announces."""
NUM_ACTIONS: Final = 46
HIDDEN: Final = 255
"""Stands in a view's history for a card that the seat did not see (the soloist's discards)."""

CONTRACT_LETTERS: Final = "DHSCGN"
ACTION_TEXTS: Final = (
    *CARD_TEXTS, "pass", "yes", "pick-up", "hand",
    *CONTRACT_LETTERS,
    "plain", "schneider", "schwarz", "ouvert",
)  # fmt: skip
_ACTION_OF_TEXT: Final = {text: action for action, text in enumerate(ACTION_TEXTS)}

BID_VALUES: Final = (
    18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 45, 46, 48, 50, 54, 55, 59, 60, 63,
    66, 70, 72, 77, 80, 81, 84, 88, 90, 96, 99, 100, 108, 110, 117, 120, 121, 126, 130, 132, 135,
    140, 143, 144, 150, 153, 154, 156, 160, 162, 165, 168, 170, 176, 180, 187, 192, 198, 204, 216, 240, 264,
)  # fmt: skip
"""The 63 values that can be bid (ISkO): every value that some suit, grand or null game can have."""
BID_LEVEL: Final = {value: level for level, value in enumerate(BID_VALUES, start=1)}
"""The level 1..63 of a bid value; level 0 is "no bid"."""

BASE_VALUES: Final = (9, 10, 11, 12, 24)
"""By contract; a suit or grand game is worth base times multiplier."""
NULL_VALUES: Final = {(False, False): 23, (True, False): 35, (False, True): 46, (True, True): 59}
"""By (hand, ouvert)."""

CARD_POINTS: Final = (0, 0, 0, 10, 2, 3, 4, 11)
"""By rank 7 8 9 T J Q K A; 120 in all."""
TRUMP_GAME_RANKS: Final = "789QKTA"
"""The ranks of a suit from low to high in suit games and grand; the jacks are trumps, D H S C upward."""
NULL_RANKS: Final = "789TJQKA"
"""The ranks of a suit from low to high in null games."""


@dataclass(frozen=True, slots=True)
class SkatRules:
    """Options of the rules."""

    play_out: bool = False
    """Play all ten tricks even when a null game or an announced schwarz is already lost."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared game. Text is that of the ISS: `C`, `GH`, `CHS`, `CHZ`, `CO`, `NOH`."""

    contract: Contract
    hand: bool = False
    announcement: Announcement = Announcement.NONE

    def __post_init__(self) -> None:
        level = self.announcement
        if self.contract == Contract.NULL:
            if level not in (Announcement.NONE, Announcement.OUVERT):
                raise ParseError("a null game is announced plain or ouvert, never schneider or schwarz")
        elif level and not self.hand:
            raise ParseError(f"{level.name.lower()} can be announced only in a hand game")

    def text(self) -> str:
        """The ISS text, with the modifiers that the ISS writes."""
        letter = CONTRACT_LETTERS[self.contract]
        if self.contract == Contract.NULL:
            return letter + ("O" if self.announcement else "") + ("H" if self.hand else "")
        return letter + ("", "H", "HS", "HZ", "O")[self.announcement + self.hand]

    @classmethod
    def parse(cls, text: str) -> "Declaration":
        """The game that a text names; modifiers H, S, Z, O in any order.

        Schwarz (`Z`) includes schneider; ouvert (`O`) in suit and grand is a hand game with both announced.

        Raises:
            ParseError: if it names none, or one that cannot be announced.
        """
        letter, modifiers = text[:1], text[1:]
        if letter not in CONTRACT_LETTERS or not letter or set(modifiers) - set("HSZO"):
            raise ParseError(
                f"'{text}' is not a declaration: expected one of {CONTRACT_LETTERS} and modifiers H, S, Z, O"
            )
        contract = Contract(CONTRACT_LETTERS.index(letter))
        if "O" in modifiers:
            announcement = Announcement.OUVERT
        elif "Z" in modifiers:
            announcement = Announcement.SCHWARZ
        else:
            announcement = Announcement.SCHNEIDER if "S" in modifiers else Announcement.NONE
        implied_hand = announcement == Announcement.OUVERT and contract != Contract.NULL
        return cls(contract, "H" in modifiers or implied_hand, announcement)


def action_text(action: int) -> str:
    """`SJ`, `pass`, `G`, … for an action; `?` for a hidden card."""
    return "?" if action == HIDDEN else ACTION_TEXTS[action]


def parse_action(text: str) -> int:
    """The action that a text names.

    Raises:
        ParseError: if it names none.
    """
    if text in _ACTION_OF_TEXT:
        return _ACTION_OF_TEXT[text]
    if text == "?":
        return HIDDEN
    if len(text) == 2 and text[0] in SUITS:
        return parse_card(text)
    raise ParseError(f"'{text}' is not an action: expected a card or one of {', '.join(ACTION_TEXTS[32:])}")
