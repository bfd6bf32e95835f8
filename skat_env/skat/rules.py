"""Skat's constants: phases, actions, contracts, bids, and the options of its rules.

Source: the International Skat Order (ISkO). `_rules.pyx` plays by the rules, `scoring.py` has the scores.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from skat_env.cards import CARD_TEXTS, SUITS, parse_card
from skat_env.errors import ParseError
from skat_env.options import check_fields
from skat_env.rule_options import ABOUT

NUM_SEATS: Final = 3
FOREHAND, MIDDLEHAND, REARHAND = range(3)
SEAT_NAMES: Final = ("forehand", "middlehand", "rearhand")
SKAT_PLACE: Final = 3
PLACE_SIZES: Final = (10, 10, 10, 2)
"""The number of cards in each hand and in the skat."""


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
"""The parts of a game: bidding, from picking up to discarding, the tricks."""


class Start(IntEnum):
    """The point from which a game is played; everything before it is given, not played."""

    DEAL = 0
    AUCTION_GIVEN = 1
    CARDPLAY = 2


class Contract(IntEnum):
    """The six contracts; suit games have the number of their suit."""

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


# Actions 0..31 are cards: played to a trick, or discarded.
PASS: Final = 32
YES: Final = 33
PICK_UP: Final = 34
HAND: Final = 35
DECLARE: Final = 36
"""The action `DECLARE + contract` declares the game."""
ANNOUNCE: Final = 42
"""The action `ANNOUNCE + announcement` makes the announcement."""
HIDDEN: Final = 255
"""The entry in a view's history for a card that the seat did not see: a discard of the soloist."""

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
"""The 63 bid values (ISkO): every value that a suit, grand or null game can have."""
BID_LEVEL: Final = {value: level for level, value in enumerate(BID_VALUES, start=1)}
"""The level 1..63 of a bid value; level 0 is "no bid"."""

BASE_VALUES: Final = (9, 10, 11, 12, 24)
"""The base values by contract; a suit or grand game is worth base value times multiplier."""
NULL_VALUES: Final = {(False, False): 23, (True, False): 35, (False, True): 46, (True, True): 59}
"""The values of null games by (hand, ouvert)."""

CARD_POINTS: Final = (0, 0, 0, 10, 2, 3, 4, 11)
"""The card points by rank 7 8 9 T J Q K A; 120 in all."""
TRUMP_GAME_RANKS: Final = "789QKTA"
"""The ranks of a suit from low to high in suit games and grand; the jacks are trumps, in the order D H S C upward."""
NULL_RANKS: Final = "789TJQKA"
"""The ranks of a suit from low to high in null games."""


@dataclass(frozen=True, slots=True)
class SkatRules:
    """The options of the rules."""

    play_out: bool = field(
        default=False,
        metadata={
            ABOUT: "All ten tricks are played, even if a null game or an announced schwarz is lost already."
        },
    )
    """Play all ten tricks even when a null game or an announced schwarz is already lost."""

    def __post_init__(self) -> None:
        check_fields(self, "the rules of Skat")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared game. Its text is that of the ISS: `C`, `GH`, `CHS`, `CHZ`, `CO`, `NOH`.

    Raises:
        OptionError: if there is no such contract or announcement.
        ParseError: if the game cannot be announced.
    """

    contract: Contract
    hand: bool = False
    announcement: Announcement = Announcement.NONE

    def __post_init__(self) -> None:
        if (type(self.contract), type(self.hand), type(self.announcement)) != (Contract, bool, Announcement):
            check_fields(self, "a declaration")
        level = self.announcement
        if self.contract == Contract.NULL:
            if level not in (Announcement.NONE, Announcement.OUVERT):
                raise ParseError("a null game is announced plain or ouvert, never schneider or schwarz")
        elif level and not self.hand:
            raise ParseError(f"{Announcement(level).name.lower()} can be announced only in a hand game")

    def text(self) -> str:
        """The ISS text, with the modifiers that the ISS writes."""
        letter = CONTRACT_LETTERS[self.contract]
        if self.contract == Contract.NULL:
            return letter + ("O" if self.announcement else "") + ("H" if self.hand else "")
        return letter + ("", "H", "HS", "HZ", "O")[self.announcement + self.hand]

    @classmethod
    def parse(cls, text: str) -> "Declaration":
        """The game that a text names, with modifiers H, S, Z, O in any order.

        Schwarz (`Z`) includes schneider; ouvert (`O`) in suit and grand is a hand game with both announced.

        Raises:
            ParseError: if it names no game, or one that cannot be announced.
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


def follow_groups(contract: Contract) -> tuple[int, int, int, int, int]:
    """The cards that follow one another under a contract, as masks: the suits D H S C without trumps, the trumps."""
    jacks = 0x10101010 if contract != Contract.NULL else 0
    plain = [(0xFF << 8 * suit) & ~jacks for suit in range(4)]
    trumps = jacks
    if contract < Contract.GRAND:
        trumps |= plain[contract]
        plain[contract] = 0
    return plain[0], plain[1], plain[2], plain[3], trumps


def action_text(action: int) -> str:
    """An action as text: `SJ`, `pass`, `G` …; `?` for a hidden card."""
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
