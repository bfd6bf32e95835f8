"""What people exchange: compressed files, games over several lines and several on one, comments, any separator."""

import bz2
import csv
import gzip
import io
import lzma
import random
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from skat_env.commands.data import Export
from skat_env.datasets.dataset import Dataset, Verdict
from skat_env.datasets.formats import format_of
from skat_env.datasets.importer import import_games
from skat_env.datasets.line_file import COMPRESSED, LineFile
from skat_env.datasets.readings import readings
from skat_env.errors import ParseError
from skat_env.klaverjas import GAME, start_table
from skat_env.match.start_files import read_starts
from skat_env.play.randomness import deal_rng
from skat_env.records import GameRecord, Reading
from skat_env.skat.iss.notation import games_in, write
from skat_env.table.game_files import open_games
from tests.conftest import random_games, random_skat_games
from tests.helpers.klaverjas_lines import COLUMNS, live_line, live_row
from tests.helpers.scores import random_rows

NAMES = ("a", "b [x]", "c \\ d")
GAMES = [GameRecord.of("skat", state, NAMES) for state in random_skat_games(20, seed=5)]
LINES = [write(game) for game in GAMES]
AFTER_VALUE = re.compile(r"(?<=[^\\]\])")
ROUNDS = random_games(GAME, 12, 17)


def zipped(data: bytes, *names: str) -> bytes:
    """A .zip in which every file holds the data."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return target.getvalue()


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda data: zipped(data, "games.sgf", "__MACOSX/._games.sgf", "folder/"),
}


def games_of(path: Path) -> list[GameRecord]:
    """The games of a file, none of whose lines is bad; each way to read it has the same."""
    found = []
    for place, reading in readings(path, "", bar=False):
        assert isinstance(reading, Reading), (place, reading)
        found.append(reading.record)
    opened = open_games(path, path.name)
    shown = [opened.read(number) for number in range(len(opened))]
    assert [reading.record for reading in shown if isinstance(reading, Reading)] == found
    for number, lines_per_shard in enumerate((1, 7, 1000)):
        dataset = import_games(path, path.with_name(f"{path.name} {number}"), lines_per_shard=lines_per_shard)
        assert list(dataset) == found
        assert not list(dataset.problems("bad"))
    return found


@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_compressed_files_are_read_by_their_content(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "games"
    path.write_bytes(COMPRESSIONS[kind]("\n".join(LINES).encode()))
    assert games_of(path) == GAMES
    with LineFile(path) as file:
        assert sum(count for _, count, _ in file.blocks(9)) == len(LINES)
        assert file.position == file.bytes


@pytest.mark.parametrize("kind", sorted(set(COMPRESSIONS) - {"plain"}))
def test_damaged_archives_are_one_sentence(tmp_path: Path, kind: str) -> None:
    whole = COMPRESSIONS[kind]("\n".join(LINES).encode())
    path = tmp_path / "games"
    rng = random.Random(1)
    refused = 0
    for number in range(60):
        cut = bytearray(whole)
        if number % 2:
            cut[rng.randrange(len(cut))] ^= 1 << rng.randrange(8)
        else:
            del cut[rng.randrange(len(cut)) :]
        path.write_bytes(cut)
        try:
            list(readings(path, "", bar=False))
        except ParseError as error:
            refused += 1
            assert "\n" not in str(error)
            assert str(path) in str(error)
    assert refused > 30


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (zipped(b"x"), "holds 0 files: expected a .zip of one file"),
        (zipped(b"x", "a.sgf", "b.sgf"), "holds 2 files: .*, not of a.sgf, b.sgf"),
        (zipped(b"x", "a", "b", "c", "d"), "holds 4 files: .*, not of a, b, c …"),
        (b"\x28\xb5\x2f\xfd\x00", "Zstandard: unpack it with zstd -d"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip: unpack it with 7z x"),
    ],
)
def test_other_archives_are_refused(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "games"
    path.write_bytes(data)
    with pytest.raises(ParseError, match=told):
        format_of(path)


@pytest.mark.parametrize("ending", ["", *COMPRESSED])
def test_exports_come_back(tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "games.sgf"
    source.write_text("\n".join(LINES))
    import_games(source, tmp_path / "games")
    for folder in ("0", "1"):
        (tmp_path / folder).mkdir()
        assert Export(tmp_path / "games", tmp_path / folder / f"out.sgf{ending}").run() == 0
    first, second = (tmp_path / f"{number}" / f"out.sgf{ending}" for number in (0, 1))
    assert first.read_bytes() == second.read_bytes()
    assert (first.read_bytes()[:2] == b"(;") == (ending == "")
    assert format_of(first).name == "sgf"
    assert games_of(first) == GAMES


# SGF: games over lines, games on a line, comments.


def broken(line: str, rng: random.Random, share: float) -> str:
    """A game over several lines, as editors and other programs break it: after properties, and at blanks."""
    text = "".join(part + ("\n" if rng.random() < share else "") for part in AFTER_VALUE.split(line))
    breaks = ("\n", "\r\n", " \n\t", " \\\n")
    return re.sub(" (?!$)", lambda found: rng.choice(breaks) if rng.random() < share else " ", text)


def pairs(lines: Sequence[str], between: str) -> str:
    """Two games a line."""
    return "\n".join(between.join(("", *lines[at : at + 2])) for at in range(0, len(lines), 2))


SHAPES: dict[str, Callable[[Sequence[str], random.Random], str]] = {
    "a line a game": lambda lines, rng: "\n".join(lines),
    "two on a line": lambda lines, rng: pairs(lines, " "),
    "two on a line, in a log": lambda lines, rng: pairs(lines, " table .1 x end "),
    "all on one line": lambda lines, rng: "".join(lines),
    "a property a line": lambda lines, rng: "\n\n".join(AFTER_VALUE.sub("\n", line) for line in lines),
    "broken anywhere": lambda lines, rng: "\n".join(broken(line, rng, 0.3) for line in lines),
    "broken everywhere": lambda lines, rng: "\n".join(broken(line, rng, 1) for line in lines),
    "broken and joined": lambda lines, rng: " ".join(broken(line, rng, 0.1) for line in lines),
    "comments": lambda lines, rng: "# (;GM[Skat]\n#\n" + "\n# x\n#y\n".join(f"{a} # {a}" for a in lines),
    "comments within": lambda lines, rng: "\n".join(AFTER_VALUE.sub("\n# (;x\n", line) for line in lines),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_games_in_every_shape(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "games.sgf"
    path.write_bytes(SHAPES[shape](LINES, random.Random(3)).encode())
    assert games_of(path) == GAMES


def test_lines_of_the_server_in_every_shape(tmp_path: Path, shared: Callable[[str], Path]) -> None:
    source = shared("data/skat/iss_games.sgf")
    lines = source.read_text().splitlines()
    expected = [
        reading.record for _, reading in readings(source, "", bar=False) if isinstance(reading, Reading)
    ]
    for number, shape in enumerate(SHAPES):
        path = tmp_path / f"{number}.sgf"
        path.write_text(SHAPES[shape](lines, random.Random(number)))
        found = [
            reading.record for _, reading in readings(path, "", bar=False) if isinstance(reading, Reading)
        ]
        assert found == expected, shape


def test_a_game_that_is_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    rng = random.Random(2)
    path = tmp_path / "games.sgf"
    for trial in range(60):
        texts = [broken(line, rng, 0.2) if trial % 2 else line for line in LINES[:6]]
        damaged = rng.randrange(6)
        texts[damaged] = texts[damaged][: rng.randrange(1, len(texts[damaged]) - 1)]
        path.write_text("\n".join(texts) + "\n")
        found = [
            reading.record for _, reading in readings(path, "", bar=False) if isinstance(reading, Reading)
        ]
        expected = [game for number, game in enumerate(GAMES[:6]) if number != damaged]
        assert [game for game in found if game in expected] == expected


def test_the_lines_of_a_dataset(tmp_path: Path) -> None:
    """Bad, broken, joined and hidden games: each has the line that it begins on, however the file is cut."""
    bad = LINES[1].replace("GM[Skat]", "GM[Go]")
    text = "\n".join(
        [
            "# a comment",  # 1
            LINES[0] + LINES[1],  # 2
            LINES[2].replace("]", "]\n", 1),  # 3, 4
            "",  # 5
            LINES[3] + " " + bad + " " + bad,  # 6
            bad,  # 7
            LINES[4],  # 8
            "(;GM[Skat]",  # 9
            "PC[",  # 10
            LINES[5] + LINES[6] + LINES[7],  # 11
        ]
    )
    path = tmp_path / "games.sgf"
    path.write_text(text)
    for lines_per_shard in range(1, 13):
        dataset = import_games(path, tmp_path / f"{lines_per_shard}", lines_per_shard=lines_per_shard)
        assert list(dataset) == GAMES[:8]
        lines = [int(line) for shard in dataset.shards() for line in shard.lines]
        assert lines == [2, 2, 3, 6, 8, 11, 11, 11]
        assert [line for line, _ in dataset.problems("bad")] == [6, 6, 7, 9]
        assert dataset.manifest["lines"] == 11
        assert (dataset.check() == Verdict.AGREES).all()
        assert list(Dataset(dataset.folder)) == GAMES[:8]


def test_what_follows_a_game_is_not_lost() -> None:
    line = LINES[0]
    assert games_in(line) == ([line], "")
    assert games_in(f"{line} {line}") == ([line, line], "")
    assert games_in(f"{line} # {line}") == ([line], "")
    assert games_in(f"{line} x {line[:-2]}") == ([line], f"x {line[:-3]}")
    for text in (
        f"{line} more",
        f"{line} ] {line}",
        f"{line};",
        "hello",
        "(;GM[Skat])x",
        f"{{}} {line[:-1]}",
    ):
        assert games_in(text) is None
    for end in range(2, len(line) - 1):
        assert games_in(line[:end]) == ([], line[:end].strip())


# Tables: any separator, comments, what spreadsheets write.


def table(rows: Sequence[str], header: Sequence[str], separator: str, quoting: int, extra: bool) -> str:
    """Rows of a CSV table with other separators and quotes, and with more columns."""
    target = io.StringIO()
    writer = csv.writer(target, delimiter=separator, quoting=quoting, lineterminator="\r\n")
    for number, cells in enumerate([list(header), *csv.reader(rows)]):
        writer.writerow([("" if number == 0 else f"#{number}"), *cells] if extra else cells)
    return target.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("before", ["", "\ufeff", "# by hand\n\n", "sep=;\r\n"])
def test_tables_with_any_separator(tmp_path: Path, separator: str, quoting: int, before: str) -> None:
    rounds = [live_line(live_row(state), python=number % 2 == 0) for number, state in enumerate(ROUNDS)]
    for extra in (False, True):
        path = tmp_path / f"{extra}.csv"
        text = table(rounds, COLUMNS, separator, quoting, extra)
        path.write_text(before + text.replace("\r\n", "\r\n# a remark\r\n", 3), newline="")
        assert format_of(path).name == "klaver.live"
        assert [game.state for game in games_of(path)] == ROUNDS
        found = read_starts(path, "klaverjas", "mirrored", 1000)
        assert (len(found.texts), found.without) == (len(ROUNDS), 0)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("before", ["", "\ufeff", "# by hand\n\n", "sep=;\r\n"])
def test_tables_of_starts_with_any_separator(
    tmp_path: Path, separator: str, quoting: int, before: str
) -> None:
    rows = random_rows(12)
    expected = [start_table.StartRow.parse(row)(deal_rng(4, deal)).text() for deal, row in enumerate(rows)]
    names = start_table.HEADER.split(",")
    for number, order in enumerate((names, names[::-1], names[1:])):
        path = tmp_path / f"{number}.csv"
        cells = [dict(zip(names, row.split(","), strict=True)) for row in rows]
        text = table(
            [",".join(row[name] for name in order) for row in cells], order, separator, quoting, False
        )
        path.write_text(before + text.replace("\r\n", "\r\n# a remark\r\n", 3), newline="")
        found = read_starts(path, "klaverjas", "mirrored", 1000, 4)
        assert (found.texts, found.problems) == (expected, [])


def test_tables_without_quotes(tmp_path: Path) -> None:
    """As both theses' programs read them: semicolons, and no quotes around JSON."""
    path = tmp_path / "rounds.csv"
    rows = [";".join(next(csv.reader([live_line(live_row(state), python=False)]))) for state in ROUNDS]
    path.write_text("\n".join([";".join(COLUMNS), *rows]))
    assert [game.state for game in games_of(path)] == ROUNDS
