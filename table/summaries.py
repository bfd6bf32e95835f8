"""A recorded game in a line: who played, what, and how it ended."""

from dataclasses import asdict, dataclass
from typing import Any

from skat_env.pictures.table import table_of
from skat_env.records import GameRecord, Status, date_text
from skat_env.registry import get_game


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list says of a game."""

    game: str
    players: tuple[str, ...]
    status: str
    title: str
    """What was played: `♣ clubs hand`."""
    suit: int | None
    """The trump suit, whose symbol stands before the title; None: none."""
    kind: str | None
    """One of the game's kinds; None: nothing was declared."""
    declarer: int
    """The seat that declared; -1: nobody."""
    declarer_name: str
    won: bool | None
    """Whether the declaring side won; None: nobody did."""
    returns: tuple[int, ...] | None
    """The result of every seat in the unit of matches; None: the game was broken off."""
    tricks: int
    """The number of complete tricks."""
    source: str
    """The number and date on the server it comes from; empty: none."""

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON holds it."""
        return asdict(self)


def summary(record: GameRecord) -> Summary:
    """The summary of a game."""
    about, state = get_game(record.game), record.state
    table = table_of(record.game, state)
    won = None
    if record.status in (Status.COMPLETE, Status.CLAIMED):
        outcome = state.outcome()
        # A game that was claimed has no outcome: who lost it is behind.
        won = outcome.won if outcome is not None else state.returns(None, record.claim)[state.declarer] > 0
    source = record.source
    said = ""
    if source is not None:
        said = f"{source.server} {source.id}"
        said += f", {date_text(source.date)[:10]}" if source.date is not None else ""
    return Summary(
        game=record.game,
        players=record.agents,
        status=str(record.status),
        title=table.title,
        suit=table.suit,
        kind=state.kind,
        declarer=state.declarer,
        declarer_name=about.seats[state.declarer] if state.declarer >= 0 else "",
        won=won,
        returns=record.returns(about.match_unit),
        tricks=state.tricks_played,
        source=said,
    )
