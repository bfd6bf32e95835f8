"""Every parser reads a mutated text, or refuses it in one sentence; what it reads is whole.

SKAT_ENV_FUZZ_SECONDS=60 shares a minute among the parsers.
"""

import bz2
import gzip
import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.engine.judging import facts, judged_line, parse_judged
from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.network import NetworkSpec
from skat_env.beliefs.belief import Belief
from skat_env.call_text import parse_call
from skat_env.datasets.array_file import read_arrays, write_arrays
from skat_env.datasets.dataset import MANIFEST, shard_path
from skat_env.datasets.formats import line_formats
from skat_env.datasets.readings import readings
from skat_env.deal import Deal
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasState, KlaverjasView, live_table
from skat_env.records import GameRecord
from skat_env.rule_options import parse_rules
from skat_env.skat import GAME as SKAT
from skat_env.skat import Declaration, SkatState, SkatView
from skat_env.skat.iss.lines import TableLine
from skat_env.skat.iss.notation import SgfGame, write
from skat_env.skat.iss.seat_game import SeatGame
from skat_env.solvers.open_card import Asked, parse_open_card_line, parse_position
from skat_env.solvers.review import Review, review
from skat_env.tools.parsing import parse_json, parse_toml
from tests.conftest import ROOT, random_games
from tests.helpers.checkpoints import forget_checksums
from tests.helpers.damage import content, without_checksums
from tests.helpers.endings import klaverjas_ending, skat_endings
from tests.helpers.fuzzing import mutated, require_sentence, rounds
from tests.helpers.klaverjas_lines import live_line, live_row, playout
from tests.helpers.networks import random_network
from tests.helpers.open_card_rows import klaverjas_row, skat_row
from tests.helpers.records import make_records, write_dataset
from tests.helpers.sgf_lines import BY_HAND, DEAL, TAKEN, played, sgf, told

QUICK = 40
"""Rounds of a parser, unless there is time for more."""


@dataclass(frozen=True)
class Parser:
    """A parser, and texts that it reads."""

    name: str
    samples: Callable[[], list[bytes]]
    read: Callable[[bytes, Path], Any]
    """Reads bytes; the folder is empty at first, for parsers of files."""


def text_of(data: bytes) -> str:
    return data.decode(errors="replace")


def encoded(texts: list[str]) -> list[bytes]:
    return [text.encode() for text in texts]


# Positions.


def structs() -> list[bytes]:
    pytest.importorskip("msgspec", reason="structs need the extra 'learn'")
    write = importlib.import_module("skat_env.structs").write_position
    written = [*map(write, unfinished(SKAT)), *(write(state.view(0)) for state in unfinished(KLAVERJAS))]
    return encoded(written)


def read_struct(data: bytes, _: Path) -> None:
    found = importlib.import_module("skat_env.structs")
    position = found.read_position(data)
    assert found.read_position(found.write_position(position)).text() == position.text()


def trajectories() -> list[bytes]:
    pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")
    write = importlib.import_module("skat_env.openspiel").trajectory_of
    return encoded([write(record).to_string() for record in make_records()[:6]])


def read_trajectory(data: bytes, _: Path) -> None:
    found = importlib.import_module("skat_env.openspiel")
    record = found.record_of(text_of(data))
    assert found.record_of(found.trajectory_of(record)).text() == record.text()


def unfinished(game: Any) -> list[Any]:
    """Games of random play, broken off anywhere."""
    rng = np.random.default_rng(5)
    states = random_games(game, 12, 5)
    for state in states:
        for _ in range(int(rng.integers(len(state.history()) + 1))):
            state.undo()
    return states


def states(game: Any) -> list[bytes]:
    return encoded([state.text() for state in unfinished(game)])


def views(game: Any) -> list[bytes]:
    return encoded([state.view(number % 3).text() for number, state in enumerate(unfinished(game))])


def read_state(kind: type[Any], data: bytes) -> None:
    state = kind.parse(text_of(data))
    assert kind.parse(state.text()) == state
    seats = range(len(state.places))[: 3 if kind is SkatState else 4]
    for seat in seats:
        assert state.observe(seat).tolist() == state.view(seat).observe(seat).tolist()
    if not state.is_over:
        state.apply(state.legal_actions()[0])
        state.undo()


def read_view(kind: type[Any], data: bytes) -> None:
    view = kind.parse(text_of(data))
    assert kind.parse(view.text()) == view
    view.observe(view.seat)
    belief = Belief(view)
    rng = np.random.default_rng(0)
    for row in belief.sample(2, rng):
        belief.state(row, rng)
    belief.marginals()


# Lines of games.


def records() -> list[bytes]:
    games = [*random_games(KLAVERJAS, 4, 6)]
    lines = [GameRecord.of("klaverjas", state, ("a", "b", "c", "d")) for state in games]
    return encoded([record.text() for record in (*make_records()[:20], *lines)])


def sgf_lines() -> list[bytes]:
    penalty = "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 p0:0 p1:0 p2:1 l:2 to:-1 r:0"
    lines = [write(record) for record in make_records()[:20]]
    lines += [
        sgf(
            played(TAKEN + "1 C.S8.H7", 12) + " w LE.0", "d:1 win v:60 m:2 bidok p:120 t:10 s:1 z:1 l:0 to:-1"
        ),
        sgf("1 18 0 p w TI.2", penalty, head=r"CO[a \] b]"),
        sgf(TAKEN + "1 C.??.?? 0 SA 1 CJ 1 SC w TI.0"),
        sgf(played(BY_HAND + "1 CHZ"), deal=DEAL.replace("CA.CT.C9", "??.??.??")),
    ]
    return encoded([*lines, f"table .1 me end {lines[0]}"])


def read_sgf(data: bytes, _: Path) -> None:
    game = SgfGame.parse(text_of(data))
    again = SgfGame.parse(write(game.record))
    assert again.record.returns() == game.record.returns()
    assert again.record.status == game.record.status


def read_record(data: bytes, _: Path) -> None:
    record = GameRecord.parse(text_of(data))
    assert GameRecord.parse(record.text()) == record
    record.returns()
    if record.game == "skat":
        write(record)


def playouts() -> list[bytes]:
    return encoded([playout(state) for state in random_games(KLAVERJAS, 6, 7)])


def live_rows() -> list[bytes]:
    rows = [live_row(state) for state in random_games(KLAVERJAS, 6, 8)]
    return encoded([live_line(row, python) for row in rows for python in (True, False)])


def game_files() -> list[bytes]:
    plain = [b"\n".join(lines[:5]) for lines in (records(), sgf_lines(), playouts())]
    plain.append(b"\n".join([live_table.HEADER.encode(), *live_rows()[:4]]))
    return [*plain, *map(gzip.compress, plain), *map(bz2.compress, plain)]


def read_file(data: bytes, folder: Path) -> None:
    (folder / "games").write_bytes(data)
    for _, reading in readings(folder / "games", "", bar=False):
        if isinstance(reading, ValueError):
            require_sentence(reading)


# Lines of a server and of engines.


def server_lines() -> list[bytes]:
    lines = [
        "table .1 me state 3 me rule rule:2 . me loopback 0 0 0 0 0 0 1 1",
        "table .1 me play w ??.?? 240.0 239.5 240.0",
        "table .12 me end (;GM[Skat] ;)",
        "table .1 me leave",
    ]
    return encoded(
        [*lines, *(f"table .1 me play {mover} {move} 1.0 2.0 3.0" for mover, move in moves_told()[1])]
    )


def read_server_line(data: bytes, _: Path) -> None:
    line = TableLine.parse(text_of(data))
    assert TableLine.parse(line.text()) == line


def moves_told() -> list[list[tuple[str, str]]]:
    """Games as the server tells them to middlehand."""
    return [told(state, 1) for state in unfinished(SKAT)]


def games_of_a_seat() -> list[bytes]:
    return encoded(["\n".join(f"{mover} {move}" for mover, move in game) for game in moves_told()])


def read_game_of_a_seat(data: bytes, _: Path) -> None:
    moves = [line.partition(" ") for line in text_of(data).splitlines()]
    game = SeatGame(1, moves[0][2] if moves else "")
    for mover, _, move in moves[1:]:
        before = game.view
        try:
            game.hear(mover, move)
        except ValueError:
            assert game.view == before
            raise
    assert SkatView.parse(game.view.text()) == game.view


def judgements() -> list[bytes]:
    return encoded(
        [judged_line(facts(about, state)) for about in (SKAT, KLAVERJAS) for state in unfinished(about)]
    )


def read_judgement(data: bytes, _: Path) -> None:
    found = parse_judged(text_of(data))
    assert parse_judged(judged_line(found)) == found


# Open cards, and what one player knows.

KNOWN = [
    '{"contract":"D","hand":["D7","SJ","CT"],"unseen":["DJ","DK","DA","ST","SA","CA"],"voids":[["C"],["H"]],"leader":1}',
    '{"contract":"N","hand":"D7 S8","unseen":"D8 DK S9","voids":[[],["H"]],"leader":2,"table":"DA","soloist":1}',
    '{"contract":"G","hand":"D7","unseen":"DJ DK DA S7","leader":0,"soloist":2,"guaranteed_points":0,"cards":[]}',
]


def open_cards() -> list[bytes]:
    rng = np.random.default_rng(9)
    rows = [skat_row(state, id=1, actions={"D7": 3}) for state in skat_endings(6, 9)]
    rows += [klaverjas_row(klaverjas_ending(rng, KLAVERJAS.rules(), 8)) for _ in range(3)]
    return encoded([*(json.dumps(row) for row in rows), *KNOWN])


def read_open_cards(data: bytes, _: Path) -> None:
    kind, line = parse_open_card_line(data)
    asked = Asked(kind.asked[0])
    questions = kind.questions(line, asked)
    kind.answers(line, asked, [kind.solver.solve(line.position, question) for question in questions])


def reviews() -> list[bytes]:
    state = klaverjas_ending(np.random.default_rng(10), KLAVERJAS.rules(), 24)
    return encoded([review(state).text()])


def read_review(data: bytes, _: Path) -> None:
    found = Review.parse(text_of(data))
    assert Review.parse(found.text()) == found


# Words.

CALLS = [
    "pimc(worlds=160, belief=uniform)",
    "hybrid(ismcts(c=1.5), trick=3)",
    'policy("a b", x=-1e3)',
    "rule",
]
RULES = ["legality=amsterdam choice=free tie=made four_jacks=100 pit=both", "play_out=true"]


def words() -> list[bytes]:
    deal = Deal.random(np.random.default_rng(0), SKAT.place_sizes).text()
    return encoded([*CALLS, *RULES, deal, "GHZ", "NO", "CJ"])


def read_words(data: bytes, _: Path) -> None:
    text, refusals = text_of(data), 0
    calls: list[Callable[[], Any]] = [
        lambda: parse_call(text),
        lambda: parse_rules(text, SKAT),
        lambda: parse_rules(text, KLAVERJAS),
        lambda: Deal.parse(text, SKAT.place_sizes),
        lambda: Declaration.parse(text),
    ]
    for call in calls:
        try:
            call()
        except ValueError as error:
            require_sentence(error)
            refusals += 1
    if refusals == len(calls):
        raise ValueError("nobody reads it")


# Files of values.


def configs() -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "configs").glob("*.toml"))]


def read_any_config(data: bytes, folder: Path) -> None:
    pytest.importorskip("torch", reason="learners need the extra 'learn'")
    config = importlib.import_module("skat_env.agents.learners.config")
    learners = importlib.import_module("skat_env.agents.learners.train").LEARNERS
    path = folder / "config.toml"
    path.write_bytes(data)
    for module in learners.values():
        try:
            config.check_config(config.read_config(importlib.import_module(module).Config, path))
        except ValueError as error:
            require_sentence(error)
    parse_toml(data.decode())


def shards(folder: Path) -> list[Path]:
    """The files of a small dataset, of its first reading."""
    if not (folder / "games").exists():
        write_dataset(folder / "games", make_records()[:6])
    return [shard_path(folder / "games", 0), folder / "games" / MANIFEST]


def read_shard(data: bytes, folder: Path) -> None:
    path, manifest = shards(folder)
    whole = path.read_bytes(), manifest.read_bytes()
    (path if data[:4] == b"SKAT" else manifest).write_bytes(data)
    try:
        content(folder / "games")
    finally:
        path.write_bytes(whole[0])
        manifest.write_bytes(whole[1])


def shard_samples(folder: Path) -> list[bytes]:
    path, manifest = shards(folder)
    return [path.read_bytes(), without_checksums(path), without_checksums(path), manifest.read_bytes()]


def read_array_file(data: bytes, folder: Path) -> None:
    (folder / "arrays").write_bytes(data)
    for array in read_arrays(folder / "arrays")[1].values():
        array.sum()


def array_files(folder: Path) -> list[bytes]:
    path = folder / "arrays"
    write_arrays(path, {"a": [1]}, {"x": np.arange(30), "y": np.zeros((4, 3), np.float32)})
    return [path.read_bytes(), without_checksums(path)]


def checkpoint_files(folder: Path) -> list[bytes]:
    pytest.importorskip("torch", reason="networks need the extra 'learn'")
    spec = NetworkSpec("skat.bid_answer", 64, (2,), branch="", branch_hidden=())
    save_checkpoint(folder / "c", "skat", {"bids": random_network(spec)}, {"note": "x"})
    forget_checksums(folder / "c")  # they would refuse all damage before it is read
    return [(folder / "c" / name).read_bytes() for name in ("checkpoint.json", "bids.safetensors")]


def read_checkpoint(data: bytes, folder: Path) -> None:
    whole = checkpoint_files(folder)
    name = "checkpoint.json" if data[:2] == whole[0][:2] else "bids.safetensors"
    (folder / "c" / name).write_bytes(data)
    load_checkpoint(folder / "c", "skat")


TEXTS = [
    Parser("skat states", lambda: states(SKAT), lambda data, _: read_state(SkatState, data)),
    Parser("klaverjas states", lambda: states(KLAVERJAS), lambda data, _: read_state(KlaverjasState, data)),
    Parser("skat views", lambda: views(SKAT), lambda data, _: read_view(SkatView, data)),
    Parser("klaverjas views", lambda: views(KLAVERJAS), lambda data, _: read_view(KlaverjasView, data)),
    Parser("structs", structs, read_struct),
    Parser("trajectories", trajectories, read_trajectory),
    Parser("records", records, read_record),
    Parser("sgf", sgf_lines, read_sgf),
    Parser("lines of a server", server_lines, read_server_line),
    Parser("games of a seat", games_of_a_seat, read_game_of_a_seat),
    Parser("judgements", judgements, read_judgement),
    Parser("playouts", playouts, lambda data, _: line_formats()["playouts"].read(text_of(data))),
    Parser("klaver.live", live_rows, lambda data, _: live_table.read(text_of(data))),
    Parser("files of games", game_files, read_file),
    Parser("open cards", open_cards, read_open_cards),
    Parser("positions", open_cards, lambda data, _: parse_position(text_of(data))),
    Parser("reviews", reviews, read_review),
    Parser("words", words, read_words),
    Parser("json", open_cards, lambda data, _: parse_json(data)),
    Parser("configs", configs, read_any_config),
]
FILES: dict[str, tuple[Callable[[Path], list[bytes]], Callable[[bytes, Path], None]]] = {
    "datasets": (shard_samples, read_shard),
    "array files": (array_files, read_array_file),
    "checkpoints": (checkpoint_files, read_checkpoint),
}
PARSERS = [*TEXTS, *(Parser(name, list, read) for name, (_, read) in FILES.items())]


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_mutated_texts_are_read_or_one_sentence(parser: Parser, tmp_path: Path) -> None:
    samples = FILES[parser.name][0](tmp_path) if parser.name in FILES else parser.samples()
    for sample in samples:
        parser.read(sample, tmp_path)
    read = refused = 0
    for rng in rounds(QUICK, 1 / len(PARSERS)):
        data = mutated(samples, rng)
        try:
            parser.read(data, tmp_path)
            read += 1
        except ValueError as error:
            require_sentence(error)
            refused += 1
    print(f"{parser.name}: {read + refused} mutated texts, {read} read, {refused} refused")
    assert refused
