"""What a page may say to its table: a JSON object whose `do` names the message."""

from typing import Any, Final

from skat_env.tools.extras import explained

try:
    import msgspec
except ImportError as error:
    raise explained(error) from None

MAX_CLOCK: Final = 3600
"""The most seconds of a clock."""
MAX_NAME: Final = 40
"""The longest name of a person."""


class Message(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """A message; its tag is the name of the class in small letters."""


class Join(Message, frozen=True, tag="join"):
    """The first message of a connection."""

    token: str = ""
    """The token of a person at the table; empty: a spectator."""
    host: str = ""
    """The token of the host, who made the table."""


class Act(Message, frozen=True, tag="act"):
    """An action of the person to act."""

    action: int
    number: int
    """The number of the scene that the person saw."""


class Undo(Message, frozen=True, tag="undo"):
    """Takes back the own last action and all after it."""


class Hint(Message, frozen=True, tag="hint"):
    """Asks what an agent would do."""


class Claim(Message, frozen=True, tag="claim"):
    """The rest is mine."""


class GiveUp(Message, frozen=True, tag="give_up"):
    """The rest is yours."""


class Answer(Message, frozen=True, tag="answer"):
    """Agrees to what another person asks for, or refuses it."""

    agree: bool


class Next(Message, frozen=True, tag="next"):
    """The next deal."""


class Think(Message, frozen=True, tag="think"):
    """Asks for the thoughts of an agent in the own place."""


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays: a person, or an agent."""

    kind: str = "agent"
    """`human` or `agent`."""
    name: str = ""
    """The name of the person."""
    spec: str = "rule"
    """The agent's name, such as `pimc(worlds=40)`."""


class Replace(Message, frozen=True, tag="replace"):
    """The host gives a seat to somebody else."""

    seat: int
    by: Player


class NewTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table is: the game, who plays, and what is allowed."""

    game: str = "skat"
    rules: str = ""
    """Rule options that differ from the defaults."""
    seats: tuple[Player, ...] = ()
    """Who plays, in the order of the seats of the first deal; empty: a person and `rule`."""
    seed: int | None = None
    """The seed of the deals; None: drawn."""
    start: str = ""
    """The first deal, as the text of a State in which nobody has acted; empty: it is drawn as the others are."""
    clock: int = 0
    """The seconds that a person has for a decision, after which `rule` decides; 0: any time."""
    undo: bool = True
    hint: str = "rule"
    """The agent that gives hints and thinks; empty: no hints."""
    thoughts: bool = False
    """Whether people may see what an agent thinks of their own cards, and at an open table what the agents thought."""
    open: bool = False
    """Whether everybody sees all cards."""


Any_Message = Join | Act | Undo | Hint | Claim | GiveUp | Answer | Next | Think | Replace
_MESSAGES: Final = msgspec.json.Decoder(Any_Message)
_NEW_TABLE: Final = msgspec.json.Decoder(NewTable)


def read_message(text: str | bytes) -> Any:
    """A message of a page.

    Raises:
        ValueError: if it is none; one sentence.
    """
    return _read(_MESSAGES, text, "message")


def read_new_table(text: str | bytes) -> NewTable:
    """The description of a table.

    Raises:
        ValueError: if it is none; one sentence.
    """
    found: NewTable = _read(_NEW_TABLE, text, "table")
    return found


def _read(decoder: Any, text: str | bytes, what: str) -> Any:
    try:
        return decoder.decode(text)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"this is no {what}: {error}") from None
