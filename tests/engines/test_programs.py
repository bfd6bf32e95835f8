"""Adapters of programs that others wrote: those that are built here play whole games and are asked for their rules; the
build scripts say in one sentence what is missing.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.engine.agent import Engine
from skat_env.agents.engine.check import check_engine
from skat_env.agents.engine.judging import facts
from skat_env.registry import get_game
from skat_env.rule_options import parse_rules
from tests.conftest import ROOT

ENGINES = ROOT / "engines"
FREE = "legality=amsterdam choice=free"
PROGRAMS = {
    "xskat": (ENGINES / "xskat" / "libxskat.so", f"{sys.executable} {ENGINES / 'xskat' / 'xskat.py'}", "skat", ""),
    "go_skat": (ENGINES / "go_skat" / "engine", str(ENGINES / "go_skat" / "engine"), "skat", ""),
    "jskat": (ENGINES / "jskat" / "engine", str(ENGINES / "jskat" / "engine"), "skat", ""),
    "tetsuji": (ENGINES / "tetsuji" / "engine.mjs", f"node {ENGINES / 'tetsuji' / 'engine.mjs'}", "klaverjas", FREE),
    "florinho": (ENGINES / "florinho" / "engine.mjs", f"node {ENGINES / 'florinho' / 'engine.mjs'}", "klaverjas", FREE),
    "choogenboom": (ENGINES / "choogenboom" / "rotterdam", str(ENGINES / "choogenboom" / "rotterdam"), "klaverjas", ""),
}  # fmt: skip
"""What was built of each program, the command of its engine, its game and rules that it knows."""
ALIKE = {
    "xskat": ("legal", "turn", "points", "list_score"),
    **dict.fromkeys(("go_skat", "jskat", "tetsuji"), ("legal", "turn", "points")),
}
"""Facts of programs that have to be ours in every game."""
BUILDS = sorted(path.parent.name for path in ENGINES.glob("*/build.py"))
FIRST_LEGAL = """
import { serve } from "./klaverjas.mjs";
serve("first", {
  unknown: (rules) => (rules.pit === "both" ? "first does not know pit=both" : ""),
  choose: (position, legal) => legal[0],
  judge: (position) => (position.trump ? { turn: 9 } : null),
});
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_play_whole_games(name: str) -> None:
    built, command, game, rules = PROGRAMS[name]
    if not built.exists():
        pytest.skip(f"{name} is not built: python engines/{name}/build.py SOURCES")
    checks = check_engine(command, (game,), games=2, time=20_000, rules=rules, positions=100, instead="rule")
    assert {check.what for check in checks} == {
        "handshake", "legal play", "time", "rules", "luck", "end", "honesty"
    }  # fmt: skip
    assert all(check.passed for check in checks if check.what != "rules"), checks
    for fact in ALIKE.get(name, ()):
        assert not any(f"{fact} of " in check.found for check in checks), checks


@pytest.mark.parametrize("name", BUILDS)
def test_builds_say_what_is_missing(name: str, tmp_path: Path) -> None:
    script = ENGINES / name / "build.py"
    for words in ([], [str(tmp_path)]):
        done = subprocess.run(
            [sys.executable, script, *words], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "Traceback" not in done.stderr
        assert ("has no" in done.stderr or "missing" in done.stderr) if words else "expected" in done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_other_sources_are_refused(tmp_path: Path) -> None:
    for name in ("skat.c", "null.c", "ramsch.c", "text.c", "skat.h"):
        (tmp_path / name).write_text("int other;\n")
    script = ENGINES / "xskat" / "build.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert "is of another version: skat.h does not say" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_engines_in_javascript(tmp_path: Path) -> None:
    """The protocol in JavaScript: plays, judges, refuses a variant, and says of a failure what it was."""
    shutil.copy(ENGINES / "klaverjas.mjs", tmp_path)
    (tmp_path / "first.mjs").write_text(FIRST_LEGAL)
    rows = check_engine(
        f"node {tmp_path / 'first.mjs'}", ("klaverjas",), games=2, rules="choice=free", positions=40
    )
    found = {(check.what, check.passed) for check in rows}
    assert {("legal play", True), ("rules", False), ("rules", None), ("luck", True), ("end", True)} <= found
    assert any("pit=both: not known" in check.found for check in rows)
    assert any("turn 9, ours " in check.found for check in rows)
    refused = check_engine(f"node {tmp_path / 'first.mjs'}", ("klaverjas", "skat"), games=1, positions=40)
    assert refused[-1].found.endswith("it said 'error first plays Klaverjas, not skat'")
    rows = check_engine(
        f"node {tmp_path / 'first.mjs'}", ("klaverjas",), games=1, rules="pit=both", positions=40
    )
    assert "first does not know pit=both" in rows[-1].found


def judged_tricks(name: str, rules: str, games: int) -> Iterator[tuple[Any, dict[str, str], dict[str, str]]]:
    """After every trick of random games: the position, and what the program's rules and ours say of it."""
    built, command, game, _ = PROGRAMS[name]
    if not built.exists():
        pytest.skip(f"{name} is not built: python engines/{name}/build.py SOURCES")
    about = get_game(game)
    engine = Engine(command, 5000, game=game)
    try:
        for seed in range(games):
            rng = np.random.default_rng(seed)
            state = about.state.random(rng, parse_rules(rules, about))
            while not state.is_over:
                state.apply(int(rng.choice(state.legal_actions())))
                if state.plays() and len(state.plays()) % 4 == 0:
                    yield state, engine.judge(state), facts(about, state)
    finally:
        engine.close()


@pytest.mark.slow
def test_tetsuji_counts_no_run_of_three_beside_a_fourth_card_of_the_suit() -> None:
    """Every trick whose roem differs is such a run, and 20 are missing."""
    before, differ = (0, 0), 0
    for state, theirs, ours in judged_tricks("tetsuji", FREE, 60):
        counts = tuple(sum(map(int, found["roem"].split(","))) for found in (theirs, ours))
        before = (0, 0) if len(state.plays()) == 4 else before
        missing = (counts[1] - before[1]) - (counts[0] - before[0])
        before = (counts[0], counts[1])
        if missing:
            cards = sorted(card for _, card in state.plays()[-4:])
            runs = [cards[i + 2] - cards[i] == 2 for i in range(2)]
            assert len({card >> 3 for card in cards}) == 1
            assert any(runs)
            assert not all(runs)
            assert missing == 20
            differ += 1
    assert differ


@pytest.mark.slow
def test_choogenboom_lets_the_first_of_cards_without_points_win() -> None:
    """The first trick of a game whose winner differs was won by a card without points."""
    lost, differ = False, 0
    for state, theirs, ours in judged_tricks("choogenboom", "four_jacks=100 tie=made", 60):
        lost = lost and len(state.plays()) > 4
        if lost or "turn" not in ours or theirs["turn"] == ours["turn"]:
            continue
        lost = True
        trick = dict(state.plays()[-4:])
        led = state.plays()[-4][1]
        winners = [trick[int(found["turn"])] for found in (theirs, ours)]
        assert winners[0] >> 3 == winners[1] >> 3
        assert winners[0] >> 3 in (led >> 3, state.trump)
        assert all(card & 7 in ((0, 1) if card >> 3 == state.trump else (0, 1, 2)) for card in winners)
        differ += 1
    assert differ
