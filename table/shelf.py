"""The shelf: a folder of games, matches, ladders and training runs, to look at in a browser. Nothing in it changes."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skat_env.agents.learners.metrics import read_metrics
from skat_env.datasets.dataset import is_dataset
from skat_env.datasets.formats import format_of
from skat_env.datasets.line_file import COMPRESSED
from skat_env.errors import OptionError, ParseError
from skat_env.ladder.benchmark import Benchmark
from skat_env.ladder.report import TITLES, ladder_tables
from skat_env.ladder.result import Ladder
from skat_env.ladder.row import Row
from skat_env.match.folder import JOURNAL
from skat_env.match.run import result_so_far
from skat_env.records import GameRecord, Reading
from skat_env.registry import get_game, has_part
from skat_env.solvers.review import NothingToReview, review
from skat_env.table.answers import Answer, JsonRoutes, NotFound, failed, whole_number, words
from skat_env.table.game_files import AnyReading, GameFile, open_games
from skat_env.table.solving import Solvers
from skat_env.table.summaries import Summary, summary
from skat_env.tools.json_file import finite, read_object

PAGE: Final = 50
"""Games on a page."""
MAX_PAGE: Final = 200
PATIENCE: Final = 1.5
"""The longest search for games in one answer, in seconds; the page then asks for the next part."""
MAX_ENTRIES: Final = 2000
"""Names of a folder that are listed."""
MAX_JSON: Final = 32 << 20
"""The largest file of results, in bytes."""
MAX_JOURNAL: Final = 8 << 20
"""The largest journal of a match whose result so far is shown, in bytes: 17,000 games of Skat, read in 5 seconds."""
MAX_COSTS: Final = 100_000
"""Reviewed games whose costs are kept."""
MAX_POINTS: Final = 2000
"""Points of a learning curve; of longer ones, as many are chosen evenly."""
RUN, MATCH, LADDER, RESULT, METRICS = "run.json", "match.json", "ladder.json", "result.json", "metrics.jsonl"
_PICTURES: Final = {".png": "image/png", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8"}
_GAMES: Final = (".jsonl", ".json", ".sgf", ".txt", ".csv", ".tsv", *COMPRESSED, "")
_CONTAINED: Final = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The policy of files that others made: they run nothing and load nothing."""
_ADVICE: Final = "it cannot be shown"

Json = dict[str, Any]
Question = Mapping[str, Any]


class Shelf:
    """Answers questions about the files of a folder.

    Every question names a file or folder by `path`, relative to the shelf, with `/` between names.

    Args:
        folder: the shelf.
        solvers: those of the server; None: its own.

    Raises:
        NotADirectoryError: if it is no folder.
    """

    def __init__(self, folder: Path, solvers: Solvers | None = None) -> None:
        if not folder.is_dir():
            raise NotADirectoryError(f"the shelf {folder} is no folder: name one that is there")
        self._root = folder.resolve()
        self._solvers = solvers or Solvers()
        self._costs: dict[tuple[Path, int, int], tuple[int, ...] | None] = {}

    def routes(self, json_routes: JsonRoutes) -> list[Route]:
        """`GET /api/shelf`, `/api/shelf/games`, `/match`, `/ladder`, `/run`, `/result`, and `/shelf/file`."""
        return [
            json_routes.get("/api/shelf", self._told(self.listing)),
            json_routes.get("/api/shelf/games", self._told(self.games)),
            json_routes.get("/api/shelf/match", self._told(self.match)),
            json_routes.get("/api/shelf/ladder", self._told(self.ladder)),
            json_routes.get("/api/shelf/run", self._told(self.run)),
            json_routes.get("/api/shelf/result", self._told(self.result)),
            Route("/shelf/file", self._file, methods=["GET"]),
        ]

    def _told(self, answer: Answer) -> Answer:
        """The answer, where an error names files by their paths on the shelf: pages learn nothing of this machine."""

        def ask(question: Question) -> Mapping[str, Any]:
            try:
                return answer(question)
            except ParseError as error:
                raise ParseError(str(error).replace(f"{self._root}/", "")) from None

        return ask

    def place(self, path: str) -> Path:
        """The file or folder with a path. Paths and links that lead out of the shelf are not found.

        Raises:
            NotFound: if there is none.
        """
        missing = NotFound(f"there is no '{path}' on the shelf")
        names = [name for name in path.split("/") if name]
        if path.startswith("/") or not path.isprintable() or "\\" in path:
            raise missing
        if any(name.startswith(".") for name in names):
            raise missing
        try:
            found = self._root.joinpath(*names).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise missing from None
        if not found.is_relative_to(self._root):
            raise missing
        return found

    def _inner(self, path: str, name: str) -> Path | None:
        """A file in a folder of the shelf; None: there is none, or it is a link that leads out of the shelf."""
        try:
            return self.place(f"{path}/{name}".lstrip("/"))
        except NotFound:
            return None

    def _whole(self, path: str) -> Path:
        """A file, or a folder for a reader that opens whatever it finds there.

        Raises:
            NotFound: if there is none, or a link in the folder leads out of the shelf.
        """
        place = self.place(path)
        if place.is_dir():
            for each in place.iterdir():
                if each.is_symlink() and not each.name.startswith("."):
                    self.place(f"{path}/{each.name}".lstrip("/"))
        return place

    def reading(self, path: str, number: int) -> Reading:
        """A game of a dataset or file; `number` counts from 0.

        Raises:
            NotFound: if there is none.
            ParseError: if it cannot be read.
        """
        file = self._games(path)
        if not 0 <= number < len(file):
            raise NotFound(f"there is no game {number} in {path}: it has {len(file)}, counted from 0")
        found = file.read(number)
        if isinstance(found, ParseError):
            raise found
        return found

    def count(self, path: str) -> int:
        """The number of games of a dataset or file.

        Raises:
            NotFound: if there is none.
        """
        return len(self._games(path))

    def listing(self, question: Question) -> Json:
        """What is in a folder: `entries`, each with `name`, `path`, `kind` and `note`.

        The kinds are `folder`, `games` (a file or dataset), `match`, `ladder`, `run`, `result`, `picture` and `report`.
        """
        path = words(question, "path")
        folder = self.place(path)
        if not folder.is_dir():
            raise NotFound(f"'{path}' is no folder of the shelf")
        entries = []
        names = sorted(each.name for each in folder.iterdir() if not each.name.startswith("."))
        for name in names[:MAX_ENTRIES]:
            inner = f"{path}/{name}".lstrip("/")
            try:
                kind, note = self._kind(inner)
            except (NotFound, OSError):
                continue
            if kind:
                entries.append({"name": name, "path": inner, "kind": kind, "note": note})
        return {"path": path, "entries": entries, "left_out": max(0, len(names) - MAX_ENTRIES)}

    def games(self, question: Question) -> Json:
        """The games of a file or dataset, from number `from` on, as summaries.

        Filters: `kind` of game, `won` ("yes" or "no"), `player` (a part of a name), `cost` (at least this, of the
        player's cards if one is named, else of all). The last needs a review of each game, and so does `costs` ("yes"),
        with which the costs of each are told.

        Returns:
            `games`, each with its `number`, that pass the filters; `next`, the number at which to go on, None at the
            end; `searched` games, of which `unreadable` could not be read.
        """
        path = words(question, "path")
        place, file = self.place(path), self._games(path)
        start = whole_number(question, "from", 0, 0, max(0, len(file)))
        most = whole_number(question, "count", PAGE, 1, MAX_PAGE)
        keeps = _Filter(question)
        cost = whole_number(question, "cost", 0, 0, 10**6)
        player = words(question, "player").casefold()
        wants_costs = cost > 0 or words(question, "costs") == "yes"
        found: list[Json] = []
        unreadable, number = 0, start
        until = time.monotonic() + PATIENCE
        while number < len(file) and len(found) < most and (number == start or time.monotonic() < until):
            reading = file.read(number)
            if isinstance(reading, ParseError):
                unreadable += 1
                if not keeps.given:
                    found.append({"number": number, "error": str(reading)})
            elif keeps(told := summary(reading.record)):
                costs = file.costs(number)
                if costs is None and wants_costs:
                    costs = self._reviewed(place, number, reading.record)
                seats = [seat for seat, name in enumerate(told.players) if player in name.casefold()]
                if not cost or (costs is not None and sum(costs[seat] for seat in seats) >= cost):
                    found.append({"number": number, **told.as_json(), "costs": costs})
            number += 1
        first = next((each for each in found if "game" in each), None)
        game = get_game(first["game"]) if first else self._game_of(file)
        return {
            "path": path,
            "total": len(file),
            "from": start,
            "next": number if number < len(file) else None,
            "searched": number - start,
            "unreadable": unreadable,
            "games": found,
            "kinds": list(game.kinds) if game else [],
            "seats": list(game.seats) if game else [],
            "unit": game.match_unit.replace("_", " ") if game else "",
            "players": list(file.players[:MAX_PAGE]),
        }

    def match(self, question: Question) -> Json:
        """A match: `agents` with their means, and `rows`, the estimates of each pair with their 95% intervals.

        Of one that is not `finished` they are those of its deals so far; of a long journal, or of other work that keeps
        its games as a match does, there are none.
        """
        path = words(question, "path")
        place = self.place(path)
        folder = path if place.is_dir() else ""
        result = self._inner(path, RESULT) if place.is_dir() else place
        if result is not None:
            found = _object(result)
        elif self._inner(path, MATCH) is None:
            raise NotFound(f"'{path}' is no folder of a match")
        else:
            found = _so_far(self._whole(path))
        try:
            agents = [
                {
                    "name": name,
                    "points": each["points_per_game"],
                    "declares": each["declared_share"],
                    "wins": each["declared_won"],
                    "seconds": each["seconds_per_move"],
                }
                for name, each in found["agents"].items()
            ]
            rows = [
                row
                for kind, pairs in (("", found["comparisons"]), *found.get("kinds", {}).items())
                for pair in pairs
                for row in _estimates(kind, pair)
            ]
            told = {
                "path": path,
                "config": found["config"],
                "finished": result is not None,
                "deals": found["deals"],
                "games": found["games"],
                "unit": str(found["reward"]).replace("_", " "),
                "command": found.get("command", ""),
                "agents": agents,
                "rows": rows,
                "links": [
                    f"{folder}/{name}"
                    for name in ("report.html", "games.jsonl")
                    if folder and self._inner(folder, name) is not None
                ],
            }
        except (KeyError, TypeError, AttributeError, ValueError):
            raise ParseError(f"{path} is not the result of a match") from None
        return told

    def ladder(self, question: Question) -> Json:
        """A ladder: `tables`, one per track, each with its `title`, `columns` and `rows`."""
        path = words(question, "path")
        place = self.place(path)
        result = self._inner(path, RESULT) if place.is_dir() else place
        if result is None:
            raise NotFound(f"the ladder {path} has no result yet")
        found = _object(result)
        try:
            benchmark = Benchmark(found["game"], "", "", str(found["benchmark"].get("made_by", "")), {})
            rows = [Row.parse(row) for row in found["rows"]]
            tables = ladder_tables(Ladder.of(benchmark, tuple(map(str, found["anchors"])), rows))
        except (KeyError, TypeError, AttributeError, ParseError, IndexError):
            raise ParseError(f"{path} is not the result of a ladder") from None
        return {
            "path": path,
            "game": benchmark.game,
            "command": found.get("command", ""),
            "tables": [
                {
                    "title": f"{benchmark.game}: {TITLES[track]}",
                    "columns": [name for columns in parts for name in columns.names],
                    "rows": [
                        [cell for columns in parts for cell in columns.cells[row]]
                        for row in range(len(parts[0].cells))
                    ],
                }
                for track, parts in tables.items()
            ],
        }

    def run(self, question: Question) -> Json:
        """A training run: its `learner` and `config`, and `curves`, points of each metric by its name."""
        path = words(question, "path")
        self.place(path)
        metrics, config = self._inner(path, METRICS), self._inner(path, RUN)
        lines = [] if metrics is None else read_metrics(metrics)
        head = {} if config is None else read_object(config, _ADVICE)
        return finite(  # type: ignore[no-any-return]
            {
                "path": path,
                "learner": head.get("learner", ""),
                "config": head.get("config", {}),
                "command": head.get("command", ""),
                "commit": head.get("commit", ""),
                "curves": _curves(lines),
            }
        )

    def result(self, question: Question) -> Json:
        """Any file of results, as it is."""
        path = words(question, "path")
        return {"path": path, "result": finite(_object(self.place(path)))}

    async def _file(self, request: Request) -> Response:
        """A picture or a report, which runs nothing and loads nothing."""
        path = request.query_params.get("path", "")
        try:
            place = self.place(path)
            if place.suffix.lower() not in _PICTURES or not place.is_file():
                raise NotFound(f"'{path}' is no picture or report")
            content = await to_thread.run_sync(place.read_bytes)
        except (NotFound, OSError) as error:
            return failed(str(error), 404)
        headers = {"Content-Security-Policy": _CONTAINED, "X-Content-Type-Options": "nosniff"}
        return Response(content, 200, headers, _PICTURES[place.suffix.lower()])

    def _games(self, path: str) -> GameFile:
        return open_games(self._whole(path), path)

    def _kind(self, path: str) -> tuple[str, str]:
        """The kind of a file or folder, and a note; an empty kind: it cannot be shown."""
        place = self.place(path)
        if not place.is_dir():
            return _kind_of_file(place)
        if is_dataset(place):
            return "games", "dataset"
        for name, kind in ((MATCH, "match"), (LADDER, "ladder"), (RUN, "run")):
            if self._inner(path, name) is not None:
                return kind, ""
        return "folder", ""

    def _game_of(self, file: GameFile) -> Any:
        first: AnyReading | None = file.read(0) if len(file) else None
        return get_game(first.record.game) if isinstance(first, Reading) else None

    def _reviewed(self, place: Path, number: int, record: GameRecord) -> tuple[int, ...] | None:
        """By seat, what the cards of a game cost; None: it cannot be reviewed."""
        key = place, place.stat().st_mtime_ns, number
        if key not in self._costs:
            if len(self._costs) >= MAX_COSTS:
                self._costs.clear()
            self._costs[key] = self._solve(record)
        return self._costs[key]

    def _solve(self, record: GameRecord) -> tuple[int, ...] | None:
        if not has_part(record.game, "review"):
            return None
        try:
            with self._solvers.of(record.game) as solver:
                return review(record, solver).costs
        except NothingToReview:
            return None


class _Filter:
    """Whether a game passes the filters of a question that need no review."""

    def __init__(self, question: Question) -> None:
        self.kind, won, self.player = (
            words(question, "kind"),
            words(question, "won"),
            words(question, "player"),
        )
        if won not in ("", "yes", "no"):
            raise OptionError(f"won='{won}': expected yes, no or nothing")
        self.won = None if not won else won == "yes"
        self.player = self.player.casefold()
        self.given = bool(self.kind or won or self.player)

    def __call__(self, game: Summary) -> bool:
        return (
            (not self.kind or game.kind == self.kind)
            and (self.won is None or game.won == self.won)
            and any(self.player in name.casefold() for name in game.players)
        )


def _kind_of_file(place: Path) -> tuple[str, str]:
    suffix = place.suffix.lower()
    size = place.stat().st_size
    if suffix in _PICTURES:
        return ("report" if suffix == ".html" else "picture"), _size(size)
    if suffix in _GAMES and place.name not in (METRICS, "thinking.jsonl"):
        try:
            format_of(place)
        except (ParseError, OSError):
            pass
        else:
            if suffix != ".json" or _is_game(place):
                return "games", _size(size)
    if suffix == ".json" and size <= MAX_JSON:
        return _kind_of_result(place), _size(size)
    return "", ""


def _is_game(place: Path) -> bool:
    """Whether the first line of a file is a whole record: other JSON objects begin alike."""
    with place.open("rb") as file:
        return b'"position"' in file.readline(1 << 16)


def _kind_of_result(place: Path) -> str:
    try:
        found = read_object(place, _ADVICE)
    except ParseError:
        return ""
    if {"comparisons", "agents", "config"} <= found.keys():
        return "match"
    return "ladder" if {"benchmark", "rows", "anchors"} <= found.keys() else "result"


def _object(place: Path) -> Json:
    if not place.is_file():
        raise NotFound(f"'{place.name}' is no file of results")
    if place.stat().st_size > MAX_JSON:
        raise ParseError(f"{place.name} has more than {MAX_JSON >> 20} megabytes")
    try:
        return read_object(place, _ADVICE)
    except ParseError:
        raise ParseError(f"{place.name} is damaged, or no JSON object") from None


def _so_far(place: Path) -> Json:
    """The result of the unfinished match in a folder so far, in the form of a finished one's."""
    journal = place / JOURNAL
    if not journal.exists() or journal.stat().st_size <= MAX_JOURNAL:
        result = result_so_far(place)
        if result is not None:
            return result.as_json()
    config = read_object(place / MATCH, _ADVICE)
    return {"config": config, "deals": 0, "games": 0, "reward": "", "agents": {}, "comparisons": []}


def _size(size: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size //= 1000
    return f"{size} GB"


_NAMES: Final[tuple[tuple[str, Callable[[Json], Any]], ...]] = (
    ("whole", lambda pair: pair["difference"]),
    ("defence", lambda pair: pair.get("defence")),
    ("declaring", lambda pair: pair.get("declaring")),
    ("6-way", lambda pair: (pair.get("mixed") or {}).get("difference")),
    ("declaring, mixed", lambda pair: (pair.get("mixed") or {}).get("declaring")),
)


def _estimates(kind: str, pair: Json) -> list[Json]:
    """The estimates of a pair of agents, by name."""
    first, second = pair["agents"]
    found = []
    for name, of in _NAMES:
        value = of(pair)
        if value is not None:
            found.append(
                {
                    "first": str(first),
                    "second": str(second),
                    "kind": kind,
                    "name": name,
                    **{key: value[key] for key in ("mean", "low", "high", "p", "pairs")},
                }
            )
    return found


def _curves(lines: list[Json]) -> dict[str, list[list[float | None]]]:
    """The points of each metric: step, value, and both ends of its interval or None."""
    numbers = {
        name
        for line in lines
        for name, value in line.items()
        if name != "step" and isinstance(value, int | float) and not isinstance(value, bool)
    }
    ends = {
        f"{stem}{between}{end}"
        for name in numbers
        for stem, between in ((name.removesuffix("/mean"), "/" if name.endswith("/mean") else "_"),)
        for end in ("low", "high")
    }
    curves: dict[str, list[list[float | None]]] = {}
    for name in sorted(numbers - ends):
        stem = name.removesuffix("/mean") + ("/" if name.endswith("/mean") else "_")
        points = [
            [line["step"], line[name], line.get(f"{stem}low"), line.get(f"{stem}high")]
            for line in lines
            if name in line
        ]
        stride = -(-len(points) // MAX_POINTS)
        curves[name] = points[::stride]
    return curves
