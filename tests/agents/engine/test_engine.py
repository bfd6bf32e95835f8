"""Engines: matches through processes equal those without, examples play, and every failure is one clear sentence."""

import itertools
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.engine import process
from skat_env.agents.engine.agent import Engine
from skat_env.agents.engine.check import check_engine
from skat_env.agents.engine.question import question_lines, seed_text, set_seed
from skat_env.beliefs.belief import Belief
from skat_env.cli import main
from skat_env.errors import EngineError, OptionError, ParseError
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.run import kept_match
from skat_env.play.randomness import agent_rng, deal_rng, question_rng
from skat_env.protocols import View
from skat_env.registry import get_game, make_agent
from skat_env.skat.rules import PASS
from skat_env.tools.secret import SECRET
from tests.conftest import ROOT

GAMES = ("skat", "klaverjas")
OURS = f"{sys.executable} -m skat_env engine"
LOWEST = f"{sys.executable} {ROOT / 'engines' / 'lowest' / 'lowest.py'}"
HELLO = "import sys, time\ninput(); print('engine e', flush=True)\ninput(); print('ready', flush=True)\n"
QUESTION = "for line in sys.stdin:\n    if line == 'go\\n': break\n"


def engine_file(folder: Path, text: str) -> str:
    """The command of an engine with some Python."""
    path = folder / "engine.py"
    path.write_text(text)
    return f"{sys.executable} {path}"


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> bool:
    until = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_running(pid)


def first_view(game: str, seed: int = 0) -> View:
    state = get_game(game).state.random(np.random.default_rng(seed))
    return state.view(state.to_act)


def test_seed_comes_back() -> None:
    rng = np.random.default_rng(3)
    rng.integers(5, dtype=np.uint32)
    other = np.random.default_rng(4)
    set_seed(other, seed_text(rng))
    assert other.bit_generator.state == rng.bit_generator.state
    assert list(other.integers(9, size=9, dtype=np.uint32)) == list(rng.integers(9, size=9, dtype=np.uint32))
    digits = "f" * 64
    wrongs = (
        "",
        "x" * 73,
        "0" * 72,
        "+" + "0" * 72 + "0",
        digits + "9" + "0" * 8 + "1",
        digits + "f" + "0" * 8,
    )
    signed = ("-" + "f" * 72, "+" + "0" * 72, "0_0" + "0" * 70, digits + "0" + "-0000001")
    for wrong in (*wrongs, *signed):
        with pytest.raises(ParseError, match="is not a seed"):
            set_seed(other, wrong)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("agent", ["rule", "random", "exploring(agent=rule, share=0.5)"])
def test_match_through_engines_equals_match_without(game: str, agent: str) -> None:
    other = "random" if agent != "random" else "rule"
    plain = MatchConfig(game=game, agents=(agent, other), deals=3, seed=5)
    names = (
        f"engine(command=\"{OURS} '{agent}'\", trusted=true)",
        f'engine(command="{OURS} {other}", trusted=true)',
    )
    through = MatchConfig(game=game, agents=names, deals=3, seed=5)
    positions = [
        sorted((each.spec.deal, each.position, each.returns) for each in itertools.chain(*play_match(config)))
        for config in (plain, through)
    ]
    assert positions[0] == positions[1]


LISTENING = (
    HELLO
    + "noted, said = open(sys.argv[1], 'a'), {}\n"
    + "for line in sys.stdin:\n"
    + "    word, _, rest = line.strip().partition(' ')\n"
    + "    said[word] = rest\n"
    + "    if word == 'quit': break\n"
    + "    if word == 'go':\n"
    + "        noted.write(said['seed'] + '\\n'); noted.flush()\n"
    + "        legal = said['legal'].split()\n"
    + "        print('play', legal[int(said['seed'], 16) % len(legal)], flush=True)\n"
)
"""An engine that notes the seeds that it is given, and plays by them."""


def seeds_of(
    tmp_path: Path, name: str, workers: int, folder: Path | None = None
) -> tuple[list[str], list[Any]]:
    """The seeds that an engine was given in a match, in order, and the games."""
    program, noted = tmp_path / "listening.py", tmp_path / name
    program.write_text(LISTENING)
    engine = f"engine(command='{sys.executable} {program} {noted}')"
    config = MatchConfig("skat", (engine, "rule"), 4, 3)
    if folder is None:
        games = sorted(itertools.chain(*play_match(config, workers=workers)), key=lambda game: str(game.spec))
    else:
        _, games = kept_match(folder, config, workers=workers)
    return sorted(noted.read_text().split()), [game.position for game in games]


def test_the_deal_does_not_follow_from_what_an_engine_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever tabulates the generators of small seeds and deal numbers finds none of them."""
    table = {
        seed_text(make(seed, deal, seat))
        for seed in range(10)
        for deal in range(10)
        for seat in range(3)
        for make in (agent_rng, question_rng, lambda seed, deal, _: deal_rng(seed, deal))
    }
    monkeypatch.setenv(SECRET, "one")
    first, games = seeds_of(tmp_path, "first", 1)
    assert first
    assert not {*first} & table
    assert seeds_of(tmp_path, "workers", 2) == (first, games)
    monkeypatch.setenv(SECRET, "two")
    assert not {*seeds_of(tmp_path, "other", 1)[0]} & {*first}


def test_a_folder_keeps_the_secret_of_its_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "match"
    monkeypatch.setenv(SECRET, "one")
    first, games = seeds_of(tmp_path, "first", 1, folder)
    (folder / "result.json").unlink()
    for name in ("games.jsonl", "thinking.jsonl"):
        (folder / name).unlink()
    (tmp_path / "first").unlink()
    monkeypatch.setenv(SECRET, "two")
    assert seeds_of(tmp_path, "first", 1, folder) == (first, games)
    assert (folder / "secret").stat().st_mode & 0o077 == 0


def test_an_engine_is_not_told_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "one")
    program = tmp_path / "asking.py"
    program.write_text(f"import os\nassert {SECRET!r} not in os.environ\n{LISTENING}")
    engine = Engine(f"{sys.executable} {program} {tmp_path / 'seeds'}", game="skat")
    engine.start()
    engine.close()


SEEDS = ("5", "0xff", "x" * 100, "-" + "f" * 72, "5")


def test_a_seed_is_any_text() -> None:
    lines = "skat_env 1\ngame skat\n"
    state = get_game("skat").state.random(np.random.default_rng(1))
    view = state.view(state.to_act)
    asked = [question_lines(get_game("skat"), view, seed, 1000) for seed in SEEDS]
    run = subprocess.run(
        [*OURS.split(), "random"],
        input=lines + "".join(asked),
        capture_output=True,
        text=True,
        timeout=60,
    )
    played = run.stdout.splitlines()[2:]
    assert run.returncode == 0
    assert len(played) == len(SEEDS)
    assert all(line.startswith("play ") for line in played)
    assert played[0] == played[-1]


@pytest.mark.parametrize("what", ["over", "not to act"])
def test_a_view_with_nothing_to_decide_is_refused(what: str) -> None:
    state = get_game("skat").state.random(np.random.default_rng(1))
    asked = question_lines(get_game("skat"), state.view(state.to_act), "5", 1000)
    if what == "over":
        for _ in range(3):
            state.apply(PASS)
    view = state.view((state.to_act + 1) % 3 if what == "not to act" else 0)
    asked = f"position {view.text()}\n" + asked.partition("\n")[2]
    run = subprocess.run(
        [*OURS.split(), "rule"],
        input=f"skat_env 1\ngame skat\n{asked}",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout.splitlines()[-1].startswith("error view 0 is of seat ")
    assert "which is not to act" in run.stdout
    assert run.returncode == 1
    assert not run.stderr


@pytest.mark.parametrize("game", GAMES)
def test_question_holds_the_view_and_no_more(game: str) -> None:
    """The lines are the same whatever the other seats hold."""
    rng = np.random.default_rng(1)
    for seed in range(5):
        state = get_game(game).state.random(np.random.default_rng(seed))
        while not state.is_over:
            view = state.view(state.to_act)
            belief = Belief(view)
            other = belief.state(belief.sample(1, rng)[0], rng)
            lines = question_lines(get_game(game), view, "5eed", 10)
            assert lines == question_lines(get_game(game), other.view(other.to_act), "5eed", 10)
            assert type(view).parse(lines.splitlines()[0].partition(" ")[2]) == view
            state.apply(int(rng.choice(state.legal_actions())))


@pytest.mark.parametrize("game", GAMES)
def test_python_example_conforms(game: str) -> None:
    checks = check_engine(LOWEST, (game,), games=2)
    assert [check.what for check in checks] == ["handshake", "legal play", "time", "luck", "end", "honesty"]
    assert all(check.passed for check in checks), checks


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_example_conforms(tmp_path: Path) -> None:
    program = tmp_path / "seeded"
    source = ROOT / "engines" / "seeded" / "seeded.c"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program, source], check=True)
    checks = check_engine(str(program), GAMES, games=4)
    assert len(checks) == 12
    assert all(check.passed for check in checks), checks


FAILURES = {
    "silent": (HELLO + "time.sleep(60)", "gave no answer in 500 ms"),
    "dead": (HELLO + QUESTION + "sys.exit(3)", "ended with status 3"),
    "rubbish": (HELLO + QUESTION + "print('what?', flush=True); time.sleep(60)", "it said 'what\\?'"),
    "bytes": (HELLO + QUESTION + "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "no text"),
    "illegal": (
        HELLO + QUESTION + "print('play pick-up', flush=True); time.sleep(60)",
        "played what is not legal",
    ),
    "seed": (HELLO + QUESTION + "print('play pass seed 1', flush=True)", "is not a seed"),
    "signed seed": (
        HELLO + QUESTION + "print('play pass seed -' + 'f' * 72, flush=True)",
        "is not a seed: expected 73 hexadecimal digits",
    ),
    "long": (HELLO + QUESTION + "print('x' * 100000, end='', flush=True); time.sleep(60)", "65536 bytes"),
    "unasked": (HELLO + "print('play pass', flush=True); time.sleep(60)", "spoke unasked"),
    "value": (
        HELLO + QUESTION + "print('info value nan points\\nplay pass', flush=True)",
        "gave no decision .'info value nan",
    ),
    "weights": (
        HELLO + QUESTION + "print('info weights pass=inf\\nplay pass', flush=True)",
        "gave no decision .'info weights pass=inf",
    ),
    "large weights": (
        HELLO + QUESTION + "print('info weights pass=1e300\\nplay pass', flush=True)",
        "gave no decision .'info weights pass=1e300",
    ),
    "illegal weights": (
        HELLO + QUESTION + "print('info weights D7=1\\nplay pass', flush=True)",
        "of legal actions",
    ),
    "endless": (HELLO + QUESTION + "while True: print('info', flush=True)", "gave no answer in 500 ms"),
    "flooding": (
        HELLO + QUESTION + "while True: print('info\\n' * 10_000, end='', flush=True)",
        "gave no answer in 500 ms",
    ),
    "error": (HELLO + QUESTION + "print('error I am tired', flush=True)", "it said 'error I am tired'"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_are_one_sentence_and_leave_no_process(name: str, tmp_path: Path) -> None:
    text, words = FAILURES[name]
    command = engine_file(
        tmp_path, f"import os\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n{text}"
    )
    engine = Engine(command, 500, game="skat")
    if name == "unasked":
        engine.start()
        time.sleep(0.2)
    with pytest.raises(EngineError, match=words) as raised:
        engine.decide(first_view("skat"), np.random.default_rng(0))
    assert command in str(raised.value)
    assert "'?/" in str(raised.value)
    assert wait_until_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ended with status 0 at the handshake"),
        ("print('hello', flush=True); input()", "unasked|engine NAME"),
    ],
)
def test_failing_handshake(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=words):
        Engine(engine_file(tmp_path, text), game="skat").start()


@pytest.mark.parametrize("command", ["", "no-such-program-here", "'"])
def test_command_that_is_none(command: str) -> None:
    with pytest.raises(OptionError, match="command of an engine"):
        Engine(command, game="skat")


def test_agent_text_and_pickling() -> None:
    engine = make_agent(f'engine(command="{LOWEST}", time=900)', "klaverjas")
    again = pickle.loads(pickle.dumps(engine))
    try:
        view = first_view("klaverjas")
        decisions = [each.decide(view, np.random.default_rng(0)) for each in (engine, again)]
        assert decisions[0].action == decisions[1].action
    finally:
        engine.quit()
        assert again.quit() == 0


@pytest.mark.parametrize(
    "options",
    [
        {"command": "env 'a, b' c"},
        {"command": 'env "a, b" c', "time": 900, "instead": "random", "trusted": True},
        {"command": "env", "options": "worlds=40 threads=2", "instead": "pimc(worlds=4, bidder=rule)"},
        {"command": "env", "options": "a='x, y'"},
    ],
)
def test_names_read_back(options: dict[str, Any]) -> None:
    engine = Engine(**options, game="skat")
    again: Any = make_agent(engine.name, "skat")
    assert again.name == engine.name
    (command, time, _, *rest), others = again.__reduce__()[1], engine.__reduce__()[1]
    assert (command, time, *rest) == (*others[:2], *others[3:])


def test_a_command_that_no_name_can_hold_is_refused() -> None:
    with pytest.raises(OptionError, match="both kinds of quotes"):
        Engine('env "a\', b"', game="skat")


def test_what_matches_count_does_not_come_from_an_engine(tmp_path: Path) -> None:
    said = "info failure x\\ninfo tokens 7\\ninfo replies 2\\ninfo depth 3\\nplay pass"
    engine = Engine(engine_file(tmp_path, HELLO + QUESTION + f"print('{said}', flush=True)"), game="skat")
    try:
        assert engine.decide(first_view("skat"), np.random.default_rng(0)).stats == {"depth": "3"}
    finally:
        engine.close()


def test_match_reports_an_engine_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = engine_file(tmp_path, HELLO + QUESTION + "print('play XX', flush=True); time.sleep(60)")
    agents = ["--agents", f'engine(command="{command}")', "random"]
    assert main(["match", *agents, "--deals", "2", "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "played what is not legal" in error
    assert "play XX" in error
    assert "Traceback" not in error


DYING = (
    HELLO
    + """
answers = 0
for line in sys.stdin:
    if line.startswith("legal"):
        legal = line.split()[1:]
    if line == "go\\n":
        answers += 1
        if answers == 8:
            sys.exit(3)
        print("play", legal[0], flush=True)
"""
)


def test_another_agent_plays_on_where_an_engine_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every eighth answer is missing: the engine is started anew, and the match has all its games."""
    name = f"engine(command='{engine_file(tmp_path, DYING)}', instead=rule)"
    assert main(["match", "--agents", name, "rule", "--deals", "2", "--seed", "1"]) == 0
    told = capsys.readouterr()
    assert "12 games" in told.out
    sentences = told.err.splitlines()
    assert len(sentences) > 2
    assert all("ended with status 3" in each and each.endswith("rule decides") for each in sentences)
    engine = make_agent(name, "skat")
    assert make_agent(engine.name, "skat").name == engine.name


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_when_the_host_ends(by: signal.Signals, tmp_path: Path) -> None:
    """The engine ignores the end of its input, and has a child."""
    text = (
        "import os, signal, subprocess\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '100'])\n"
        f"{HELLO}{QUESTION}open({str(tmp_path / 'pids')!r} + '.new', 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(tmp_path / 'pids')!r} + '.new', {str(tmp_path / 'pids')!r})\ntime.sleep(100)\n"
    )
    agents = ["--agents", f'engine(command="{engine_file(tmp_path, text)}")', "random"]
    host = subprocess.Popen(
        [sys.executable, "-m", "skat_env", "match", *agents, "--deals", "2"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not (tmp_path / "pids").exists() and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(host.pid, by)
    host.wait(30)
    for pid in (tmp_path / "pids").read_text().split():
        assert wait_until_gone(int(pid))


def test_what_an_engine_starts_in_a_session_of_its_own_ends_with_it(tmp_path: Path) -> None:
    text = (
        "import subprocess\nchild = subprocess.Popen(['setsid', 'sleep', '100'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n{HELLO}input()\n"
    )
    engine = Engine(engine_file(tmp_path, text), game="skat")
    engine.start()
    pid = int((tmp_path / "pid").read_text())
    assert is_running(pid)
    engine.close()
    assert wait_until_gone(pid)


@pytest.mark.parametrize("game", GAMES)
def test_an_engine_tells_its_mind(game: str) -> None:
    """Value, unit and weights come through the protocol as the agent gave them."""
    text = "pimc(worlds=5, bidder=rule)"
    engine = Engine(f"{OURS} '{text}'", trusted=True, game=game)
    state = get_game(game).state.random(np.random.default_rng(2))
    rng = np.random.default_rng(0)
    agent = make_agent(text, game)
    try:
        while not state.is_over:
            view = state.view(state.to_act)
            here, there = np.random.default_rng(1), np.random.default_rng(1)
            direct, through = agent.decide(view, here), engine.decide(view, there)
            assert (direct.action, direct.value, direct.unit) == (through.action, through.value, through.unit)
            assert here.bit_generator.state == there.bit_generator.state
            if direct.weights is None:
                assert through.weights is None
            else:
                np.testing.assert_array_equal(direct.weights, through.weights)
            state.apply(int(rng.choice(state.legal_actions())))
    finally:
        engine.close()


def test_options_reach_the_engine() -> None:
    view = first_view("klaverjas")
    engine = make_agent(
        f"engine(command=\"{OURS} 'exploring(random)'\", options='agent=rule share=0.5')", "klaverjas"
    )
    again = make_agent(engine.name, "klaverjas")
    assert again.name == engine.name
    assert again.decide(view, np.random.default_rng(0)).action in view.legal_actions()
    for options, words in (
        ("worlds=3", "has no option 'worlds': it has agent, share"),
        ("share=2", "share=2"),
    ):
        with pytest.raises(EngineError, match=words):
            Engine(f"{OURS} 'exploring(random)'", options=options, game="klaverjas").start()
    for options in ("worlds", "=3", "a='", "a=1\nquit"):
        with pytest.raises(OptionError, match="expected NAME=VALUE"):
            Engine(OURS, options=options, game="skat")


def test_an_engine_hears_how_games_end(tmp_path: Path) -> None:
    """Both of its seats, all games, with what the seats know."""
    heard = tmp_path / "heard"
    text = LISTENING.replace(
        "    said[word]",
        "    if word == 'result': time.sleep(0.02); noted.write(line); noted.flush()\n    said[word]",
    )
    program = tmp_path / "hearing.py"
    program.write_text(text.replace("noted.write(said['seed'] + '\\n'); noted.flush()", "pass"))
    config = MatchConfig("skat", (f"engine(command='{sys.executable} {program} {heard}')", "rule"), 2, 3)
    games = {game.position: game for game in itertools.chain(*play_match(config))}
    told = [line.split(maxsplit=2)[1:] for line in heard.read_text().splitlines()]
    expected = set()
    for game in games.values():
        state = get_game("skat").state.parse(game.position)
        expected |= {(",".join(map(str, state.returns())), state.view(seat).text()) for seat in range(3)}
    assert {(returns, view.strip()) for returns, view in told} <= expected
    assert len(told) == 2 * 6 * 3 / 2


def test_an_engine_need_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose pipe is full is ended in time: the host does not wait for ever."""
    monkeypatch.setattr(process, "END_SECONDS", 0.2)
    deaf = process.EngineProcess(f"{sys.executable} -c 'import time; time.sleep(60)'")
    with pytest.raises(EngineError, match="read nothing for 100 ms at a long question"):
        deaf.ask("x" * 1_000_000, 0.1, "a long question")
    deaf = process.EngineProcess(f"{sys.executable} -c 'import time; time.sleep(60)'")
    deaf.tell("x" * 1_000_000)
    with pytest.raises(EngineError, match="ended with status -9"):
        deaf.ask("go\n", 1.0)


CHEAT = """import sys, zlib
seen, said = "", {}
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    said[word] = rest
    if word == "quit": break
    if word == "skat_env": print("engine cheat", flush=True)
    if word == "game": print("ready", flush=True)
    if word == "go":
        seen += said["hand"]
        legal = said["legal"].split()
        print("play", legal[zlib.crc32(seen.encode()) % len(legal)], flush=True)
"""


def test_check_finds_an_engine_that_looks_into_other_hands(tmp_path: Path) -> None:
    checks = check_engine(engine_file(tmp_path, CHEAT), ("klaverjas",), games=3)
    assert checks[-1].what == "honesty"
    assert checks[-1].passed is False
    assert "with other hidden cards" in checks[-1].found


def test_check_finds_luck_that_is_not_the_seed(tmp_path: Path) -> None:
    # Each process plays by its own number.
    count = f"""import pathlib
path = pathlib.Path({str(tmp_path / "count")!r})
number = int(path.read_text()) + 1 if path.exists() else 0
path.write_text(str(number))
"""
    text = count + CHEAT.replace("zlib.crc32(seen.encode())", "number")
    checks = check_engine(engine_file(tmp_path, text), ("klaverjas",), games=3)
    assert "another time that it is asked" in checks[-1].found


def test_check_finds_what_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "END_SECONDS", 0.1)
    text = CHEAT.replace("seen +=", "seen =").replace("break", "__import__('time').sleep(60)")
    rows = {
        check.what: check.passed
        for check in check_engine(engine_file(tmp_path, text), ("klaverjas",), games=2)
    }
    assert rows.pop("end") is False
    assert rows == dict.fromkeys(("handshake", "legal play", "time", "luck", "honesty"), True)


def test_check_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "--check", LOWEST, "--games", "2"]) == 0
    assert capsys.readouterr().out.count("passed") == 12
    assert main(["engine", "--check", engine_file(tmp_path, "print('hello')")]) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--games", "5"], "engine with --games: it needs --check"),
        (["--count-failures"], "engine with --count-failures: it needs --check"),
        (["--check", "--instead", "random"], "it needs --count-failures"),
    ],
)
def test_options_without_effect_are_refused(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["engine", "rule", *options]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("skat_env 2\n", "this engine speaks 'skat_env 1'"),
        ("go\n", "'go' before 'game NAME'"),
        ("game chess\n", "unknown game 'chess'"),
        ("game skat\ngo\n", "'go' without a line 'position'"),
        ("game skat\nposition x\nseed 1\ngo\n", "error"),
    ],
)
def test_our_engine_refuses_in_one_line(lines: str, words: str) -> None:
    run = subprocess.run([*OURS.split(), "rule"], input=lines, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert run.stdout.splitlines()[-1].startswith("error ")
    assert words in run.stdout
    assert "Traceback" not in run.stderr


def test_agents_that_cheat_are_no_engines() -> None:
    run = subprocess.run(
        [*OURS.split(), "pimc(belief=cheating)"],
        input="game skat\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "true cards" in run.stdout
