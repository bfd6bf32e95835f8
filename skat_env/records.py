"""GameRecord: a played game of any kind, who played it and where it comes from, as one line of text.

The line is a JSON object with its keys in a fixed order; keys without a value are left out. Every tool can read it,
`grep` and `jq` find games in it, and later versions can add keys.

    {"game":"skat","position":"C7.C8…/…/…/D7.DA : yes pass …","agents":["rule","random","random"],
     "status":"complete","result":[70,0,0],"seed":5}
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self

from skat_env.errors import ParseError
from skat_env.options import check_fields, check_list, check_option
from skat_env.protocols import State
from skat_env.registry import get_game
from skat_env.tools.parsing import parse_json

MAX_SEED: Final = 2**63 - 1
MAX_NUMBER: Final = 2**32 - 1
"""The largest number of a series or of a game; datasets store each in four bytes."""
MAX_RESULT: Final = 2**15 - 1


class Status(StrEnum):
    """How a game ended."""

    COMPLETE = "complete"
    """Played to its end."""
    CLAIMED = "claimed"
    """Ended by a claim or a resignation: the remaining tricks go to one side."""
    PASSED = "passed"
    """Everybody passed."""
    ABORTED = "aborted"
    """Broken off, without a result by the rules."""


@dataclass(frozen=True, slots=True)
class Source:
    """The identity of a game on its server. Only server, series and id together are unique; `generate` and `match`
    count their deals by id, so that their games differ by deal, players and actions.

    Raises:
        ParseError: if a number or the date is out of range.
    """

    server: str
    series: int
    """0 if the server has no series."""
    id: int
    date: datetime | None = None
    """The date in UTC, whole seconds, 1970 to 2106."""

    def __post_init__(self) -> None:
        check_fields(self, "the source of a record")
        if not self.server.isprintable():
            raise ParseError(f"server {self.server!r} has characters that cannot be printed")
        if not (0 <= self.series <= MAX_NUMBER and 0 <= self.id <= MAX_NUMBER):
            raise ParseError(f"series {self.series} or id {self.id} is not in 0..{MAX_NUMBER}")
        date = self.date
        if date is not None and (
            date.utcoffset() != timedelta(0) or date.microsecond or not 0 < date.timestamp() <= MAX_NUMBER
        ):
            raise ParseError(f"date {date} is not a whole second UTC from 1970 to 2106")


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it was played.

    Raises:
        ParseError: if the parts contradict each other or a number is out of range.
    """

    game: str
    """The game's name, as in `get_game`."""
    state: State
    """The last position, which holds the rules, the start and all actions. `clone` it to continue the game."""
    agents: tuple[str, ...]
    """The names of the players, by seat."""
    status: Status
    claim: bool | None = None
    """In a claimed game, whether the remaining tricks go to the declaring side; else None."""
    result: tuple[int, ...] | None = None
    """The result of every seat as the source recorded it, in the game's first reward unit."""
    seed: int | None = None
    """The seed of the match that made it."""
    source: Source | None = None
    """The identity of a game that comes from a server."""
    ending: str = ""
    """How a game ended that its server broke off, in the words of the server's format; empty: as the actions say."""

    def __post_init__(self) -> None:
        check_fields(self, "a record")
        game = get_game(self.game)
        if not isinstance(self.state, game.state):
            raise ParseError(f"a {type(self.state).__name__} is no game of {self.game}")
        seats = len(game.seats)
        if len(self.agents) != seats or (self.result is not None and len(self.result) != seats):
            raise ParseError(f"a game of {self.game} needs {seats} agents, and as many results if it has any")
        if not all(map(str.isprintable, self.agents)):
            raise ParseError("the name of an agent has characters that cannot be printed")
        if not self.ending.isprintable():
            raise ParseError("the ending has characters that cannot be printed")
        if self.result is not None and max(map(abs, self.result)) > MAX_RESULT:
            raise ParseError(f"result {self.result} is beyond {MAX_RESULT}")
        if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
            raise ParseError(f"seed {self.seed} is not in 0..{MAX_SEED}")
        if (self.claim is not None) != (self.status is Status.CLAIMED):
            raise ParseError("a claimed game needs 'claim', and no other game may have it")
        if self.status is not Status.ABORTED and self.state.is_over == (self.status is Status.CLAIMED):
            raise ParseError(
                f"the game is {'' if self.state.is_over else 'not '}over, but called {self.status}"
            )
        if self.claim is not None:
            try:
                self.state.result(self.claim)
            except ValueError as error:
                raise ParseError(f"the game cannot be claimed: {error}") from None

    @classmethod
    def of(cls, game: str, state: State, agents: Sequence[str], seed: int | None = None) -> Self:
        """The record of a game that was just played; its status is aborted if it is not over."""
        state = check_option("a record", "state", State, state)
        status = Status.ABORTED
        if state.is_over:
            status = Status.PASSED if state.result().declarer < 0 else Status.COMPLETE
        result = state.returns() if state.is_over else None
        return cls(
            game, state.clone(), tuple(check_list("a record", "agents", agents)), status, None, result, seed
        )

    def returns(self, unit: str | None = None) -> tuple[int, ...] | None:
        """The result of every seat by the rules; None if the game was aborted."""
        return None if self.status is Status.ABORTED else self.state.returns(unit, self.claim)

    def differences(self) -> tuple[str, ...] | None:
        """How the recorded result differs from the rules'; None if there is nothing to compare."""
        ours = self.returns()
        if ours is None or self.result is None:
            return None
        unit = get_game(self.game).reward_units[0]
        return () if ours == self.result else (f"{unit} {list(self.result)} should be {list(ours)}",)

    def _repr_svg_(self) -> str:
        """The game as a strip of tricks in SVG, which notebooks show."""
        from skat_env.pictures.strip import strip
        from skat_env.pictures.svg import document

        return document(strip(self.game, self.state, self.agents))

    def _repr_html_(self) -> str:
        """The same as `_repr_svg_`."""
        return self._repr_svg_()

    def text(self) -> str:
        """The record as one line."""
        fields: dict[str, Any] = {"game": self.game, "position": self.state.text(), "agents": self.agents}
        fields["status"] = self.status
        for name in ("claim", "result", "seed"):
            if getattr(self, name) is not None:
                fields[name] = getattr(self, name)
        if self.source is not None:
            source = {"server": self.source.server, "series": self.source.series, "id": self.source.id}
            date = self.source.date
            fields["source"] = source if date is None else source | {"date": date_text(date)}
        if self.ending:
            fields["ending"] = self.ending
        return json.dumps(fields, separators=(",", ":"))

    @classmethod
    def parse(cls, line: str) -> Self:
        """The record in a line.

        >>> state = get_game("skat").state.random(np.random.default_rng(1))
        >>> for _ in range(3): state.apply(PASS)
        >>> line = GameRecord.of("skat", state, ("Ann", "Bob", "rule")).text()
        >>> GameRecord.parse(line).agents
        ('Ann', 'Bob', 'rule')

        Raises:
            ParseError: if the line is malformed or its position illegal.
        """
        try:
            fields = parse_json(check_option("a record", "line", str, line), _object)
        except ValueError as error:
            raise ParseError(f"expected a record as a JSON object: {error}") from None
        if not isinstance(fields, dict):
            raise ParseError("expected a record as a JSON object in {}")
        game = _take(fields, "game", str)
        try:
            state = get_game(game).state.parse(_take(fields, "position", str))
        except ValueError as error:
            raise ParseError(str(error)) from None
        except OverflowError:
            raise ParseError("the position has a number that is too large") from None
        status = _take(fields, "status", str)
        if status not in tuple(Status):
            raise ParseError(f"'{status}' is not a status: expected one of {', '.join(Status)}")
        record = cls(
            game,
            state,
            tuple(_take(fields, "agents", list, str)),
            Status(status),
            _take(fields, "claim", bool) if "claim" in fields else None,
            tuple(_take(fields, "result", list, int)) if "result" in fields else None,
            _take(fields, "seed", int) if "seed" in fields else None,
            _source(_take(fields, "source", dict)) if "source" in fields else None,
            _take(fields, "ending", str) if "ending" in fields else "",
        )
        if fields:
            raise ParseError(f"unknown key '{next(iter(fields))}' in a record")
        ended = state.is_over and record.status is not Status.ABORTED
        if ended and (record.status is Status.PASSED) != (state.result().declarer < 0):
            raise ParseError(f"the game has the status {status}, but it did not end that way")
        return record


@dataclass(frozen=True, slots=True)
class Reading:
    """A game read from a line of a file, and how its recorded result compares with the rules'."""

    record: GameRecord
    differences: tuple[str, ...] | None
    """How the recorded result differs from the rules'; None if there is nothing to compare."""
    recorded: Mapping[str, Any] = field(default_factory=dict)
    """The recorded result, by the field names of the game's result."""
    reason: str = ""
    """Why the game was aborted."""

    @classmethod
    def of(cls, record: GameRecord) -> Self:
        """The reading of a record that holds its own result."""
        return cls(record, record.differences(), {} if record.result is None else {"result": record.result})


class HiddenCards(ParseError):
    """A well-formed record that hides too many cards to set up the game."""

    def __init__(self, message: str, game: str, source: Source | None = None) -> None:
        super().__init__(message)
        self.game = game
        self.source = source

    def __reduce__(self) -> tuple[type, tuple[str, str, Source | None]]:
        """How to pickle it: a worker process hands its errors on."""
        return type(self), (str(self), self.game, self.source)


def date_text(date: datetime) -> str:
    """A date as text: `2007-10-29T04:44:01Z`."""
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_date(text: str) -> datetime:
    """The date in a text such as `2007-10-29T04:44:01Z`.

    Raises:
        ParseError: if it is not a date.
    """
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise ParseError(f"'{text}' is not a date: expected one as 2007-10-29T04:44:01Z") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is given twice")
    return fields


def _take(fields: dict[str, Any], name: str, kind: type[Any], items: type | None = None) -> Any:
    """Removes a key and returns its value; value and items must have the right type (`true` does not pass as 1)."""
    if name not in fields:
        raise ParseError(f"a record needs the key '{name}'")
    value: Any = fields.pop(name)
    if type(value) is not kind or (items is not None and any(type(item) is not items for item in value)):
        expected = kind.__name__ if items is None else f"list of {items.__name__}"
        raise ParseError(f"'{name}' of a record does not have the type {expected}")
    return value


def _source(fields: dict[str, Any]) -> Source:
    server, series, number = (
        _take(fields, "server", str),
        _take(fields, "series", int),
        _take(fields, "id", int),
    )
    date = parse_date(_take(fields, "date", str)) if "date" in fields else None
    if fields:
        raise ParseError(f"unknown key '{next(iter(fields))}' in the source of a record")
    return Source(server, series, number, date)
