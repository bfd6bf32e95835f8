"""GameRecord: one line of text and back, what it refuses, and files of lines."""

import bz2
import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.datasets.formats import format_of, line_formats, read_lines, record_facts
from skat_env.datasets.line_file import LineFile
from skat_env.errors import ParseError
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.records import GameRecord, Reading, Source, Status
from skat_env.registry import game_names
from skat_env.skat import SkatState
from skat_env.skat.iss.notation import write
from tests.conftest import random_games
from tests.helpers.records import GAMES, klaverjas_records, records
from tests.helpers.sgf_lines import value_or_refusal

AGENTS = ("rule", "pimc(worlds=160)", "Jörg")
RECORD = GameRecord.of("skat", GAMES[0], AGENTS, seed=7)


def test_of_a_finished_game() -> None:
    assert (RECORD.status, RECORD.claim, RECORD.seed, RECORD.source) == (Status.COMPLETE, None, 7, None)
    assert RECORD.result == RECORD.returns() == GAMES[0].returns()
    assert RECORD.returns("list_score") == GAMES[0].returns("list_score")
    assert RECORD.differences() == ()
    GAMES[0].undo()
    GAMES[0].undo()
    assert RECORD.state.is_over
    assert GameRecord.of("skat", GAMES[0], AGENTS).status is Status.ABORTED
    GAMES[0].apply(RECORD.state.history()[-2])
    GAMES[0].apply(RECORD.state.history()[-1])


def test_of_a_game_that_everybody_passed() -> None:
    state = SkatState.new(GAMES[1].deal)
    for _ in range(3):
        state.apply(32)
    record = GameRecord.of("skat", state, AGENTS)
    assert (record.status, record.result) == (Status.PASSED, (0, 0, 0))
    assert GameRecord.parse(record.text()) == record


def test_the_line_is_json_with_its_keys_in_order() -> None:
    fields = json.loads(RECORD.text())
    assert list(fields) == ["game", "position", "agents", "status", "result", "seed"]
    assert fields["position"] == RECORD.state.text()
    assert "\n" not in RECORD.text()
    full = replace(RECORD, source=Source("ISS", 3, 7, datetime(2021, 4, 30, 1, 13, 30, tzinfo=UTC)))
    assert json.loads(full.text())["source"] == {
        "server": "ISS",
        "series": 3,
        "id": 7,
        "date": "2021-04-30T01:13:30Z",
    }


@pytest.mark.parametrize("game", game_names())
@given(st.data())
def test_lines_parse_back(game: str, data: st.DataObject) -> None:
    record = data.draw(records() if game == "skat" else klaverjas_records())
    again = GameRecord.parse(record.text())
    assert again == record
    assert again.text() == record.text()
    ours = record.returns()
    compared = None if ours is None or record.result is None else ours == record.result
    assert again.differences() == {None: None, True: ()}.get(compared, again.differences())
    assert (again.differences() is None) == (compared is None)


@given(klaverjas_records())
def test_facts_of_klaverjas(record: GameRecord) -> None:
    facts = record_facts("klaverjas", record)
    assert list(facts) == list(record_facts("klaverjas", None))
    assert set(record_facts("klaverjas", None).values()) == {None}
    json.dumps(facts)
    if record.status is Status.ABORTED:
        assert facts["scores"] is None
        assert (facts["trump"] is None) == (record.state.trump is None)
    else:
        result = record.state.result(record.claim)
        assert facts == {name: getattr(result, name) for name in facts}
        assert record.returns() == tuple(facts["difference"] * sign for sign in (1, -1, 1, -1))


def test_of_a_finished_game_of_klaverjas() -> None:
    (state,) = random_games(KLAVERJAS, 1, 3)
    record = GameRecord.of("klaverjas", state, ("a", "b", "c", "d"), 3)
    assert (record.status, record.result, record.differences()) == (Status.COMPLETE, state.returns(), ())
    state.undo()
    assert GameRecord.of("klaverjas", state, ("a", "b", "c", "d")).status is Status.ABORTED
    with pytest.raises(ParseError, match="needs 4 agents"):
        GameRecord.of("klaverjas", state, ("a", "b", "c"))


def changed(**changes: Any) -> str:
    """The line with keys replaced; None takes a key out."""
    fields = json.loads(RECORD.text()) | changes
    return json.dumps({key: value for key, value in fields.items() if value is not None})


POSITION = RECORD.state.text()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "expected a record as a JSON object"),
        ("[1]", "expected a record as a JSON object in {}"),
        ("{", "expected a record as a JSON object"),
        ("[" * 100_000, "expected a record as a JSON object"),
        ("{" + '"a":' * 3, "expected a record as a JSON object"),
        (RECORD.text()[:-1] + ',"game":"skat"}', "a key is given twice"),
        (changed(game=None), "needs the key 'game'"),
        (changed(game="bridge"), "unknown game 'bridge'"),
        (changed(game=["skat"]), "'game' of a record does not have the type str"),
        (changed(position=None), "needs the key 'position'"),
        (changed(position="C7"), "colon"),
        (changed(position=POSITION + " CJ"), "the game is over"),
        (changed(position=POSITION.rsplit(" ", 1)[0]), "not over, but called complete"),
        (changed(position=POSITION.replace(" : ", " play_out=2 : ")), "'play_out=2' is neither 0 nor 1"),
        (changed(position=POSITION.replace(" : ", " game=G : ")), "need 'declarer='"),
        (changed(agents=["a", "b"]), "needs 3 agents"),
        (changed(agents=["a", "b", 3]), "'agents' of a record does not have the type list of str"),
        (changed(agents=["a", "b", "c\n"]), "cannot be printed"),
        (changed(agents=["a", "b", "\ud800"]), "cannot be printed"),
        (
            changed(status="over"),
            "'over' is not a status: expected one of complete, claimed, passed, aborted",
        ),
        (changed(status="passed"), "it did not end that way"),
        (changed(status="claimed"), "needs 'claim'"),
        (changed(status="claimed", claim=True), "over, but called claimed"),
        (changed(claim=True), "needs 'claim'"),
        (changed(claim=1), "'claim' of a record does not have the type bool"),
        (changed(result=[1, 2]), "as many results"),
        (changed(result=[1, 2, True]), "list of int"),
        (changed(result=[1, 2, 40000]), "is beyond 32767"),
        (changed(seed=-1), "seed -1 is not in 0"),
        (changed(seed=2**63), "is not in 0"),
        (changed(extra=1), "unknown key 'extra'"),
        (changed(source={}), "needs the key 'server'"),
        (changed(source={"server": "a", "series": 1, "id": 2, "x": 3}), "unknown key 'x'"),
        (changed(source={"server": "a", "series": -1, "id": 2}), "series -1 or id 2"),
        (changed(source={"server": "a\n", "series": 1, "id": 2}), "cannot be printed"),
        (changed(source={"server": "a", "series": 1, "id": 2, "date": "2021"}), "is not a date"),
        (
            changed(source={"server": "a", "series": 1, "id": 2, "date": "1969-12-31T00:00:00Z"}),
            "1970 to 2106",
        ),
    ],
)
def test_malformed_records(line: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        GameRecord.parse(line)


def test_a_record_needs_a_state_of_its_game() -> None:
    with pytest.raises(ParseError, match="a SkatState is no game of klaverjas"):
        GameRecord.of("klaverjas", GAMES[0], (*AGENTS, "random"))
    with pytest.raises(ParseError, match="a KlaverjasState is no game of skat"):
        replace(RECORD, state=random_games(KLAVERJAS, 1, 1)[0])


def test_a_claim_needs_a_declared_game() -> None:
    with pytest.raises(ParseError, match="cannot be claimed"):
        GameRecord("skat", SkatState.new(GAMES[0].deal), AGENTS, Status.CLAIMED, True)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for line in (
        text,
        changed(position=text),
        changed(position=POSITION.replace(":", text)),
        changed(status=text),
    ):
        value_or_refusal(partial(GameRecord.parse, line))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.sampled_from(["game", "position", "agents", "status", "claim", "result", "seed", "source"]),
    json_values,
)
def test_any_value_is_read_or_refused(key: str, value: Any) -> None:
    value_or_refusal(lambda: GameRecord.parse(json.dumps(json.loads(RECORD.text()) | {key: value})))


# Files of lines.


def write_file(path: Path, data: bytes) -> Path:
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".bz2":
        # Two streams after each other, as parallel packers write them.
        data = bz2.compress(data[: len(data) // 2]) + bz2.compress(data[len(data) // 2 :])
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["games", "games.gz", "games.bz2", "games.sgf"])
@pytest.mark.parametrize("format_name", ["sgf", "records"])
def test_files_are_known_by_their_content(tmp_path: Path, name: str, format_name: str) -> None:
    games = [GameRecord.of("skat", state, AGENTS) for state in GAMES]
    text = "\ufeff\n\r\n" + "".join(line_formats()[format_name].write(game) + "\r\n" for game in games)
    path = write_file(tmp_path / name, text.encode())
    line_format = format_of(path)
    assert line_format == line_formats()[format_name]
    found: list[tuple[int, Reading | ParseError]] = []
    with LineFile(path) as file:
        for first, count, block in file.blocks(5):
            assert count <= 5
            found += read_lines(line_format, first, block)
        assert file.position == file.bytes
    assert [number for number, _ in found] == list(range(3, 3 + len(games)))
    assert [reading.record for _, reading in found if isinstance(reading, Reading)] == games


def test_bad_lines_are_numbered(tmp_path: Path) -> None:
    lines = [write(RECORD).encode(), b"", b"(;GM[Skat]", b"\xff\xfe", write(RECORD).encode()]
    path = write_file(tmp_path / "games.sgf", b"\n".join(lines))
    with LineFile(path) as file:
        ((first, _, block),) = file.blocks(100)
        found = dict(read_lines(line_formats()["sgf"], first, block))
    assert list(found) == [1, 3, 4, 5]
    assert isinstance(found[3], ParseError)
    assert str(found[4]) == "expected UTF-8"


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"hello\n", b"\x00" * 100_000, bytes(range(256)), b"BZh9 no", b"\x1f\x8b"]
)
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "games"
    path.write_bytes(data)
    with pytest.raises(ParseError, match=r"games (is not a file of games|cannot be read)"):
        format_of(path)


@pytest.mark.parametrize("name", ["games.gz", "games.bz2"])
def test_truncated_archives_are_refused(tmp_path: Path, name: str) -> None:
    text = "".join(GameRecord.of("skat", state, AGENTS).text() + "\n" for state in GAMES)
    path = write_file(tmp_path / name, text.encode())
    path.write_bytes(path.read_bytes()[:-20])
    with LineFile(path) as file, pytest.raises(ParseError, match="cannot be read beyond line"):
        list(file.blocks(3))
