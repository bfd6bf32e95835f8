"""Playouts and klaver.live tables: read, replayed, imported, and everything that can be wrong with a line."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.commands.data import Export, Import
from skat_env.commands.replay import Replay
from skat_env.datasets.dataset import Verdict
from skat_env.datasets.formats import format_of, line_formats
from skat_env.datasets.importer import import_games
from skat_env.errors import ParseError
from skat_env.klaverjas import GAME, KlaverjasRules, KlaverjasState, live_table, playouts
from skat_env.match.start_files import read_starts
from skat_env.records import GameRecord
from tests.conftest import random_games
from tests.helpers.klaverjas_lines import COLUMNS, laid, live_card, live_line, live_row, playout
from tests.helpers.klaverjas_play import SUITS_APART, played_down
from tests.helpers.sgf_lines import value_or_refusal

STATES: list[KlaverjasState] = random_games(GAME, 60, 17)
HEADER = ",".join(COLUMNS)


def other_forehand(state: KlaverjasState, forehand: int) -> KlaverjasState:
    """A deal of the same cards that another seat begins, everybody playing his last legal card."""
    again = KlaverjasState.new(state.deal, state.rules, forehand, state.declarer, state.trump)
    while not again.is_over:
        again.apply(again.legal_actions()[-1])
    return again


STATES += [other_forehand(state, number % 4) for number, state in enumerate(STATES[:20])]
NAT = next(state for state in STATES if not state.result().made)
PIT = played_down(SUITS_APART)
MADE = next(state for state in STATES if state.result().made)


def run(command: Any, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict], str]:
    capsys.readouterr()
    status = command.run()
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()] if isinstance(command, Replay) else [], err


# Playouts.


def test_the_shared_playouts(
    shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = shared("data/klaverjas/playouts.jsonl")
    status, rows, err = run(Replay(source), capsys)
    assert (status, len(rows)) == (0, 400)
    assert all(row["matches_record"] for row in rows)
    assert "400 games: 400 complete" in err
    assert "0 differ from their record, 0 malformed lines" in err
    dataset = import_games(source, tmp_path / "playouts")
    assert (dataset.check() == Verdict.AGREES).all()


@pytest.mark.parametrize("state", STATES[::7])
def test_playouts_are_read(state: KlaverjasState) -> None:
    reading = playouts.read(playout(state))
    assert reading.record.state == state
    assert reading.differences == ()
    assert reading.record.result == state.returns()


def test_playouts_that_differ_raise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = json.loads(playout(MADE))
    plays = fields["plays"]
    seat, card, legal = plays[3]
    cases = [
        ({"card_points": [1, 161]}, "card_points"),
        ({"roem": [5, 5]}, "roem"),
        ({"tricks": [8, 1]}, "tricks"),
        ({"nat": not fields["nat"]}, "nat"),
        ({"difference_team0": fields["difference_team0"] + 1}, "difference_team0"),
        ({"plays": [*plays[:3], [(seat + 1) % 4, card, legal], *plays[4:]]}, "seat of play 4"),
        ({"plays": [*plays[:3], [seat, card, "D7 " + legal], *plays[4:]]}, "legal set of play 4"),
    ]
    for number, (changes, told) in enumerate(cases):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(playout(MADE) + "\n" + playout(MADE, **changes) + "\n")
        status, rows, err = run(Replay(path), capsys)
        assert (status, [row["matches_record"] for row in rows]) == (1, [True, False])
        assert f"{path}:2: {told}" in err
        assert "should be" in err
        assert dict(import_games(path, tmp_path / f"{number}").problems("differing")).keys() == {2}


def bad_playouts() -> list[tuple[str, str]]:
    fields = json.loads(playout(MADE))
    plays = fields["plays"]
    legal = set(plays[1][2].split())
    illegal = next(card for card in fields["hands"][plays[1][0]].split() if card not in legal)
    return [
        ("{}", "with the keys trump, declarer"),
        (playout(MADE)[:-5], "as a JSON object"),
        (playout(MADE, more=1), "with the keys"),
        (playout(MADE, trump="X"), "is not a suit"),
        (playout(MADE, declarer=5), "not one of 0..3"),
        (playout(MADE, forehand="a"), "is not a seat"),
        (playout(MADE, nat=None, difference_team0=None), "not a number"),
        (playout(MADE, hands=fields["hands"][:3]), "the deal lacks"),
        (playout(MADE, hands=["D7 D7", *fields["hands"][1:]]), "has a card twice"),
        (playout(MADE, plays=plays[:30]), "incomplete"),
        (playout(MADE, plays=[*plays, plays[0]]), "the game is over"),
        (playout(MADE, plays=[*plays[:1], [plays[1][0], illegal, plays[1][2]], *plays[2:]]), "play 2: "),
        (playout(MADE, plays=[[1, 2, 3]]), "has the wrong type"),
    ]


@pytest.mark.parametrize(("line", "told"), bad_playouts())
def test_malformed_playouts(line: str, told: str) -> None:
    with pytest.raises(ParseError, match=told):
        playouts.read(line)


# klaver.live tables.


@pytest.mark.parametrize("python", [False, True])
def test_rows_are_read(python: bool) -> None:
    for state in [*STATES, PIT]:
        rows = [live_row(state)]
        if not state.result().pit:
            rows.append(laid(live_row(state), state))
        for row in rows:
            reading = live_table.read(live_line(row, python))
            assert reading.record.state == state
            assert reading.differences == ()
            assert reading.record.result == state.returns()


def test_a_round_may_have_all_eight_tricks_and_amsterdam_rules() -> None:
    states = random_games(GAME, 40, 5, KlaverjasRules(legality="amsterdam"))
    refused = 0
    for state in states:
        row = live_row(state) | {"Rules": "Amsterdam", "Extra": 'a "comment", with commas'}
        last = dict(state.plays()[28:])
        eight = [*row["Rounds"], {"Cards": [live_card(last[player]) for player in range(4)]}]
        columns = ("Extra", *COLUMNS[::-1], "Rules")
        read = live_table.reader(",".join(columns))
        assert read is not None
        assert read(live_line(row | {"Rounds": eight}, columns=columns)).record.state == state
        assert read(live_line(row, columns=columns)).record.state == state
        if value_or_refusal(lambda row=row: live_table.read(live_line(row))) is None:
            refused += 1  # by Rotterdam's rules somebody revoked
    assert refused > 5


def changed_scores(state: KlaverjasState, **changes: Any) -> dict[str, Any]:
    row = live_row(state)
    return row | {"Scores": row["Scores"] | changes}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (changed_scores(MADE, We=live_row(MADE)["Scores"]["We"] + 3), "scores .* should be"),
        (changed_scores(MADE, TheyRoem=990), "scores .* should be"),
        (changed_scores(NAT, WeNat=False, TheyNat=False), "Nat False should be True"),
        (changed_scores(MADE, WeNat=True), "WeNat True should be False"),
    ],
)
def test_other_scores_are_differences(row: dict, told: str, tmp_path: Path) -> None:
    reading = live_table.read(live_line(row))
    assert reading.differences
    with pytest.raises(ParseError, match=told):
        raise ParseError("; ".join(reading.differences))
    path = tmp_path / "table.csv"
    path.write_text("\n".join([HEADER, live_line(live_row(STATES[1])), live_line(row)]))
    dataset = import_games(path, tmp_path / "games")
    assert len(dataset) == 2
    assert [line for line, _ in dataset.problems("differing")] == [3]


def bad_rows() -> list[tuple[str, str]]:
    row = live_row(MADE)
    rounds, cards = row["Rounds"], row["Cards"]
    first, second = (trick["Cards"] for trick in rounds[:2])
    line = live_line(row)
    # The first card that its player held, but might not play.
    state = KlaverjasState.parse(f"{MADE.deal.text()} {MADE.head()} :")
    revoke = None
    for number, (who, card) in enumerate(MADE.plays()[:28]):
        illegal = [c for c in range(32) if state.hands[who] >> c & 1 and not state.legal() >> c & 1]
        if illegal:
            given = [list(trick["Cards"]) for trick in rounds]
            given[number // 4][who] = live_card(illegal[0])
            revoke = [{"Cards": trick} for trick in given]
            break
        state.apply(card)
    assert revoke is not None
    return [
        ("1,harten", "has 2 columns, its header has 6"),
        (line[:-5], "on one line, without line breaks"),
        (live_line(row | {"FirstPlayer": 4}), "FirstPlayer '4' is not a player"),
        (live_line(row | {"Gaat": "x"}), "Gaat 'x' is not a player"),
        (live_line(row | {"Troef": "zonder"}), "Troef 'zonder' is not a suit"),
        (live_line(row | {"Troef": ""}), "Troef '' is not a suit"),
        (live_line(row | {"Cards": "[1"}), "Cards is neither JSON nor a Python literal"),
        (live_line(row | {"Cards": "__import__('os')"}), "Cards is neither JSON nor a Python literal"),
        (live_line(row | {"Cards": cards[:3]}), "not a list of four texts"),
        (live_line(row | {"Cards": [cards[0][:-4], *cards[1:]]}), "player 0 has [67] different cards"),
        (live_line(row | {"Cards": [cards[0].replace(cards[0][:3], "x7 ", 1), *cards[1:]]}), "is not a card"),
        (live_line(row | {"Cards": [cards[0], cards[0], *cards[2:]]}), "twice"),
        (live_line(row | {"Rounds": rounds[:6]}), "Rounds has 6 tricks, expected seven"),
        (live_line(row | {"Rounds": []}), "Rounds has 0 tricks"),
        (live_line(row | {"Rounds": "{}"}), "not a list of tricks"),
        (live_line(row | {"Rounds": [{"Cards": first[:3]}, *rounds[1:]]}), "trick 1 has no list of four"),
        (live_line(row | {"Rounds": [{"Cards": [None, *first[1:]]}, *rounds[1:]]}), "None in trick 1"),
        (live_line(row | {"Rounds": [rounds[0], {"Cards": [first[0], *second[1:]]}, *rounds[2:]]}), "before"),
        (live_line(row | {"Rounds": [{"Cards": first[1:] + first[:1]}, *rounds[1:]]}), "does not hold"),
        (live_line(row | {"Rounds": revoke}), "revokes with"),
        (live_line(row | {"Scores": "{'We': 1"}), "Scores is neither"),
        (live_line(row | {"Scores": "[]"}), "Scores is not an object"),
        (live_line(changed_scores(MADE, We="12")), "needs 'We' as a number"),
        (live_line(changed_scores(MADE, WeNat=0)), "needs 'WeNat' as true or false"),
        (live_line(changed_scores(MADE, They=-4)), "beyond what a round can have"),
        (live_line(changed_scores(MADE, WeVerzaakt=True)), r"team We has revoked \(verzaakt\)"),
        (live_line(changed_scores(MADE, TheyVerzaakt=True)), "team They has revoked"),
    ]


BAD_ROWS = bad_rows()


@pytest.mark.parametrize(("line", "told"), BAD_ROWS, ids=[told for _, told in BAD_ROWS])
def test_malformed_rows(line: str, told: str) -> None:
    with pytest.raises(ParseError, match=told):
        live_table.read(line)


def write_table(path: Path, header: str = HEADER) -> list[int]:
    """A table of good and bad rows; the numbers of the bad ones."""
    lines, bad = [header], []
    good = [live_line(live_row(state)) for state in STATES]
    for number, line in enumerate(good):
        lines.append(line)
        if number < len(BAD_ROWS):
            lines.append(BAD_ROWS[number][0])
            bad.append(len(lines))
    data = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return bad


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_tables_are_replayed_and_imported(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    bad = write_table(path)
    assert format_of(path).name == "klaver.live"
    status, rows, err = run(Replay(path), capsys)
    assert (status, len(rows)) == (1, len(STATES))
    assert [row["scores"] for row in rows] == [list(state.result().scores) for state in STATES]
    for line in bad:
        assert f"{path}:{line}: " in err
    assert f"0 differ from their record, {len(bad)} malformed lines" in err
    shards = None
    for lines_per_shard in (7, 1000):
        dataset = import_games(path, tmp_path / f"games {lines_per_shard}", lines_per_shard=lines_per_shard)
        assert [record.state for record in dataset] == STATES
        assert [line for line, _ in dataset.problems("bad")] == bad
        assert (dataset.check() == Verdict.AGREES).all()
        found = [record.text() for record in dataset]
        assert shards in (None, found)
        shards = found
    status, _, _ = run(Replay(tmp_path / "games 7"), capsys)
    assert status == 0


def test_two_workers_know_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    row = live_row(STATES[0])
    columns = COLUMNS[::-1]
    path.write_text("\n".join([",".join(columns), *[live_line(row, columns=columns)] * 9]))
    dataset = import_games(path, tmp_path / "games", workers=2, lines_per_shard=3)
    assert [record.state for record in dataset] == [STATES[0]] * 9


def test_exports_are_text_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.csv"
    write_table(path)
    assert Import(path, tmp_path / "games", workers=1).run() == 0
    assert f"{len(BAD_ROWS)}          lines could not" in capsys.readouterr().out
    assert Export(tmp_path / "games", tmp_path / "out.jsonl").run() == 0
    again = import_games(tmp_path / "out.jsonl", tmp_path / "again")
    assert [record.state for record in again] == STATES
    with pytest.raises(ParseError, match="sgf cannot hold games of klaverjas"):
        Export(tmp_path / "games", tmp_path / "out.sgf").run()
    assert not (tmp_path / "out.sgf").exists()


def test_starts_of_matches(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_table(path)
    for mode in ("all-seats", "mirrored"):
        starts = read_starts(path, "klaverjas", mode, 1000)  # type: ignore[arg-type]
        assert (starts.without, starts.repeated) == (len(BAD_ROWS), 20)
        expected = [" ".join([state.deal.text(), state.head(), ":"]) for state in STATES[:-20]]
        assert [start.strip() for start in starts.texts] == expected
    free = tmp_path / "free.jsonl"
    states = random_games(GAME, 5, 3, KlaverjasRules(choice="free"))
    free.write_text("".join(GameRecord.of("klaverjas", s, ("a",) * 4).text() + "\n" for s in states))
    for mode, stage in (("all-seats", "choice"), ("mirrored", "cardplay")):
        starts = read_starts(free, "klaverjas", mode, 1000)  # type: ignore[arg-type]
        assert {KlaverjasState.parse(start).stage for start in starts.texts} == {stage}


def test_other_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("FirstPlayer,Troef,Gaat\n0,harten,1\n")
    with pytest.raises(ParseError, match=r"expected .* or 'FirstPlayer,Troef,Gaat,Cards,Rounds,Scores'"):
        format_of(path)


@pytest.mark.slow
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    row = live_row(MADE)
    lines = [text, *(live_line(row | {name: text}) for name in COLUMNS)]
    for line in lines:
        value_or_refusal(lambda line=line: live_table.read(line))
    fields = json.loads(playout(MADE))
    for key in fields:
        value_or_refusal(lambda key=key: playouts.read(json.dumps(fields | {key: text})))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(COLUMNS), json_values)
def test_any_value_of_a_row_is_read_or_refused(name: str, value: Any) -> None:
    row = live_row(MADE)
    value_or_refusal(lambda: live_table.read(live_line(row | {name: json.dumps(value)})))
    if name == "Scores":
        for key in row["Scores"]:
            value_or_refusal(lambda key=key: live_table.read(live_line(changed_scores(MADE, **{key: value}))))
    if name == "Rounds":
        value_or_refusal(lambda: live_table.read(live_line(row | {name: [value] * 7})))


@given(st.sampled_from(sorted(json.loads(playout(MADE)))), json_values)
def test_any_value_of_a_playout_is_read_or_refused(key: str, value: Any) -> None:
    value_or_refusal(lambda: playouts.read(json.dumps(json.loads(playout(MADE)) | {key: value})))


def test_what_is_read_can_be_written_as_a_record() -> None:
    for name, line in (("playouts", playout(NAT)), ("klaver.live", live_line(live_row(NAT)))):
        record = line_formats()[name].read(line).record
        assert GameRecord.parse(record.text()) == record
        assert replace(record, seed=3).seed == 3
