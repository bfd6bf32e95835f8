"""Packing game records and their search results into arrays, about sixty bytes per game, and unpacking them.

Each row is a game. A column whose rows all have the default is left out of the file. A deal has 2 bits per card:
bit `c` of `low` and of `high` are the two bits of the place where card `c` lies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.datasets._replay import NO_RESULT, pack_finished, rebuild
from skat_env.datasets.searches import ARRAYS, Searches, SearchTable, joined, require_search_types
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.protocols import Game, State
from skat_env.records import MAX_NUMBER, MAX_SEED, GameRecord, Source, Status

Arrays = dict[str, NDArray[Any]]
_STATUSES: Final = tuple(Status)
_CLAIMS: Final = {None: -1, False: 0, True: 1}
COLUMNS: Final = {
    "low": 0,  # the lower bits of the cards' places
    "high": 0,  # the upper bits
    "start": 0,  # index into `starts`, the heads of the positions' texts
    "length": 0,  # number of actions of the game; `actions` joins those of all games
    "status": 0,  # index into records.Status
    "claim": -1,  # 1, 0: the remaining tricks go to the declaring side, to the other; -1: no claim
    "result": NO_RESULT,  # [games, seats] in the first reward unit, as recorded; NO_RESULT: none
    "player": 0,  # [games, seats] index into the players of the dataset
    "server": 0,  # 1 + index into `servers`; 0: not from a server
    "series": 0,
    "id": 0,
    "date": 0,  # seconds since 1970; 0: unknown
    "seed": 0,  # 1 + seed; 0: none
    "ending": 0,  # 1 + index into `endings`; 0: as the actions say
}
"""The columns and their defaults. In a file, unsigned numbers have the smallest type that holds them."""
_TYPES: Final = {
    "low": np.uint32,
    "high": np.uint32,
    "length": np.uint8,
    "status": np.uint8,
    "claim": np.int8,
    "result": np.int16,
}
"""The types of the columns that always have the same."""


class Packer:
    """Collects the rows of some records; players and the texts of tables are numbered in the order of appearance."""

    def __init__(self, game: Game, players: dict[str, int] | None = None) -> None:
        self.game = game
        self.games = 0
        self.players: dict[str, int] = {} if players is None else players
        self.starts: dict[str, int] = {}
        self.servers: dict[str, int] = {}
        self.endings: dict[str, int] = {}
        self._rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        # Of one or more games each.
        self._actions: list[bytes] = []
        self._searches: list[Searches | None] = []

    def add(self, record: GameRecord, searches: Searches | None = None) -> None:
        """Adds a record and its search results.

        Raises:
            ParseError: if it is of another game, has more than 255 actions, or the search results do not fit it.
        """
        rows, state, source = self._rows, record.state, record.source
        actions = bytes(state.history())
        if searches is not None and len(searches.counts) != len(actions):
            raise ParseError(
                f"searches of {len(searches.counts)} decisions for a game of {len(actions)} actions"
            )
        if record.game != self.game.name or len(actions) > 255:
            raise ParseError(
                f"a game of {record.game} with {len(actions)} actions among games of {self.game.name}"
            )
        places = (*state.deal.places, 0, 0)
        rows["low"].append(places[1] | places[3])
        rows["high"].append(places[2] | places[3])
        rows["start"].append(_index(self.starts, state.head()))
        rows["length"].append(len(actions))
        rows["status"].append(_STATUSES.index(record.status))
        rows["claim"].append(_CLAIMS[record.claim])
        rows["result"].append(record.result or (NO_RESULT,) * len(record.agents))
        rows["player"].append([_index(self.players, name) for name in record.agents])
        rows["server"].append(0 if source is None else 1 + _index(self.servers, source.server))
        rows["series"].append(0 if source is None else source.series)
        rows["id"].append(0 if source is None else source.id)
        rows["date"].append(0 if source is None or source.date is None else int(source.date.timestamp()))
        rows["seed"].append(0 if record.seed is None else 1 + record.seed)
        rows["ending"].append(1 + _index(self.endings, record.ending) if record.ending else 0)
        self._actions.append(actions)
        self._searches.append(searches)
        self.games += 1

    def add_finished(
        self,
        states: Sequence[State],
        seated: NDArray[np.integer],
        seed: int,
        server: str,
        first_id: int,
        searches: Searches | None,
    ) -> None:
        """Adds finished games, numbered from `first_id` by a server without series, in bulk.

        Args:
            states: the games at their ends.
            seated: int [games, seats], the numbers of the players.
            seed: what made them.
            server: the server.
            first_id: the id of the first one.
            searches: what was found in all of their steps; None: nothing is kept.
        """
        low, high, length, status, result, actions = pack_finished(list(states))
        columns: dict[str, Any] = {
            "low": low,
            "high": high,
            "start": np.array([_index(self.starts, state.head()) for state in states]),
            "length": length,
            "status": status,
            "result": result,
            "player": seated,
            "server": 1 + _index(self.servers, server),
            "id": first_id + np.arange(len(states)),
            "seed": 1 + seed,
        }
        for name, rows in self._rows.items():
            values = columns.get(name, COLUMNS[name])
            rows += values.tolist() if isinstance(values, np.ndarray) else [values] * len(states)
        self._actions.append(actions.tobytes())
        self._searches.append(searches)
        self.games += len(states)

    def copy(self, rows: "Rows", numbers: Sequence[int], players: Sequence[str]) -> None:
        """Adds some rows of a file, unchanged; `players` are those of its dataset."""
        for name, column in self._rows.items():
            values = rows.column(name)[numbers].tolist()
            if name == "start":
                values = [_index(self.starts, rows.starts[start]) for start in values]
            elif name == "server":
                values = [server and 1 + _index(self.servers, rows.servers[server - 1]) for server in values]
            elif name == "ending":
                values = [ending and 1 + _index(self.endings, rows.endings[ending - 1]) for ending in values]
            elif name == "player":
                values = [[_index(self.players, players[player]) for player in seats] for seats in values]
            column += values
        for number in numbers:
            self._actions.append(rows.actions(number).tobytes())
            self._searches.append(rows.searches(number))
        self.games += len(numbers)

    def tables(self) -> dict[str, list[str]]:
        """The texts that columns number: starts, servers, and endings if a game has one."""
        tables = {"starts": list(self.starts), "servers": list(self.servers)}
        return tables | ({"endings": list(self.endings)} if self.endings else {})

    def arrays(self) -> Arrays:
        """The columns, `actions`, and the arrays of the search results if there are any."""
        arrays: Arrays = {}
        for name, rows in self._rows.items():
            array = np.array(rows, _TYPES.get(name, np.uint64))
            if name in ("result", "player"):
                array = array.reshape(self.games, len(self.game.seats))
            arrays[name] = array
        arrays["actions"] = np.frombuffer(b"".join(self._actions), np.uint8)
        return arrays | joined(self._searches, list(map(len, self._actions)))


def compact(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays in the smallest types that hold them, without the columns that have only defaults."""
    compacted: Arrays = {}
    for name, array in arrays.items():
        if name in COLUMNS and np.all(array == COLUMNS[name]):
            continue
        largest = array.max(initial=0) if array.dtype == np.uint64 else None
        compacted[name] = array if largest is None else array.astype(np.min_scalar_type(largest))
    return compacted


@dataclass(frozen=True)
class Rows:
    """The rows of a file: the inverse of `Packer`."""

    game: Game
    games: int
    arrays: Mapping[str, NDArray[Any]]
    starts: Sequence[str]
    servers: Sequence[str]
    endings: Sequence[str] = ()

    def column(self, name: str) -> NDArray[Any]:
        """A column with a row for every game; rows of `result` and `player` have one value per seat.

        Raises:
            KeyError: if there is no such column.
        """
        if name in self.arrays:
            return self.arrays[name]
        shape = (self.games, len(self.game.seats)) if name in ("result", "player") else (self.games,)
        return np.broadcast_to(np.int32(COLUMNS[name]), shape)

    def require_sound(self) -> None:
        """Checks the arrays against each other and against the tables, before anything reads them unchecked.

        Raises:
            ValueError: if they contradict each other.
        """
        if type(self.games) is not int or self.games < 0:
            raise ValueError(f"{self.games!r} is not a number of games")
        for table in (self.starts, self.servers, self.endings):
            if not isinstance(table, list | tuple) or not all(isinstance(text, str) for text in table):
                raise ValueError("starts, servers or endings is not a list of texts")
        limits = {
            "start": len(self.starts) - 1,
            "server": len(self.servers),
            "status": len(_STATUSES) - 1,
            "series": MAX_NUMBER,
            "id": MAX_NUMBER,
            "date": MAX_NUMBER,
            "seed": MAX_SEED + 1,
            "ending": len(self.endings),
        }
        for name in COLUMNS:
            column = self.column(name)
            shape = (self.games, len(self.game.seats)) if name in ("result", "player") else (self.games,)
            fits = column.dtype == _TYPES[name] if name in _TYPES else column.dtype.kind == "u"
            if column.shape != shape or not (fits or name not in self.arrays):
                raise ValueError(
                    f"the column {name} has the type {column.dtype} and the shape {column.shape}"
                )
            if name in limits and self.games and int(column.max()) > limits[name]:
                raise ValueError(f"the column {name} has {column.max()}, expected at most {limits[name]}")
        claim, claimed = self.column("claim"), self.column("status") == _STATUSES.index(Status.CLAIMED)
        if np.any((claim < -1) | (claim > 1) | ((claim >= 0) != claimed)):
            raise ValueError("a claimed game has no claim, or another game has one")
        actions = self.arrays["actions"]
        steps = int(self.column("length").sum(dtype=np.int64))
        if actions.dtype != np.uint8 or actions.shape != (steps,):
            raise ValueError("actions are missing, or there are more than the sum of the lengths")
        require_search_types(self.arrays)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """int64 [games]: where the actions of each game end in `actions`."""
        return np.cumsum(self.column("length"), dtype=np.int64)

    @cached_property
    def search_table(self) -> SearchTable | None:
        """The search results of the games; None if the file has none.

        Raises:
            ValueError: if the arrays contradict each other.
        """
        if not any(name in self.arrays for name in ARRAYS):
            return None
        return SearchTable(self.arrays, len(self.arrays["actions"]))

    @cached_property
    def templates(self) -> list[State]:
        """For each kind of start, a position without actions, with an arbitrary deal."""
        places, first = [], 0
        for size in self.game.place_sizes:
            places.append((1 << size) - 1 << first)
            first += size
        deal = Deal(tuple(places)).text()
        return [self.game.state.parse(f"{deal} {start} :") for start in self.starts]

    def state(self, row: int) -> State:
        """The last position of a game, every action checked.

        Raises:
            ParseError: if a place has the wrong number of cards.
            IllegalAction: if an action is not legal.
        """
        start = self.templates[int(self.column("start")[row])]
        low, high = int(self.column("low")[row]), int(self.column("high")[row])
        return rebuild(start, self.game.place_sizes, low, high, self.actions(row))

    def actions(self, row: int) -> NDArray[np.uint8]:
        """uint8 [steps]: the actions of a game."""
        return self.arrays["actions"][slice(*self._span(row))]

    def searches(self, row: int) -> Searches | None:
        """The search results of a game; None if the file has none."""
        return None if self.search_table is None else self.search_table.game(*self._span(row))

    def _span(self, row: int) -> tuple[int, int]:
        """The range of a game's steps among the steps of all games."""
        end = int(self.ends[row])
        return end - int(self.column("length")[row]), end

    def record(self, row: int, players: Sequence[str]) -> GameRecord:
        """The record of a game; `players` are the dataset's."""
        get = {name: self.column(name)[row] for name in COLUMNS}
        source = None
        if get["server"]:
            seconds = int(get["date"])
            date = datetime.fromtimestamp(seconds, UTC) if seconds else None
            source = Source(self.servers[int(get["server"]) - 1], int(get["series"]), int(get["id"]), date)
        claim = int(get["claim"])
        return GameRecord(
            self.game.name,
            self.state(row),
            tuple(players[index] for index in get["player"].tolist()),
            _STATUSES[int(get["status"])],
            None if claim < 0 else bool(claim),
            None if get["result"][0] == NO_RESULT else tuple(get["result"].tolist()),
            int(get["seed"]) - 1 if get["seed"] else None,
            source,
            self.endings[int(get["ending"]) - 1] if get["ending"] else "",
        )


def _index(table: dict[str, int], name: str) -> int:
    return table.setdefault(name, len(table))
