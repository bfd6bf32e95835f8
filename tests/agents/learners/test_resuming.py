"""Trainings that are killed, twice and more in a row, end as unbroken ones; damaged files are one sentence."""

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch
from safetensors.torch import load_file, save_file

from skat_env.agents.learners.metrics import curve
from skat_env.agents.learners.run import METRICS, RUN, STATE, TrainingFailed, TrainingRun
from skat_env.agents.networks.network import NetworkSpec
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.errors import ParseError
from tests.helpers.kills import KILLS, NEVER, RENAMES, Killed, exit_code, kill, kill_after, killed_at, stop
from tests.helpers.networks import changed, random_network
from tests.helpers.tiny_runs import CHANGES, generate_data, left, tiny_config, train

WRITES = (*RENAMES, (TrainingRun, "report"))
"""What writes: the renames of files and folders, and lines of metrics."""
LEARNERS = [
    pytest.param(name, marks=() if name in ("imitation", "tables", "value") else pytest.mark.slow)
    for name in CHANGES
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    generate_data(folder)
    return folder


@pytest.fixture(scope="module")
def unbroken(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a learner's unbroken run, made once."""
    folders: dict[str, Path] = {}

    def run(learner: str) -> Path:
        if learner not in folders:
            folders[learner] = tmp_path_factory.mktemp(learner) / "run"
            train(learner, tiny_config(learner, data), folders[learner])
        return folders[learner]

    return run


def survives(learner: str, data: Path, folder: Path, number: int) -> int | None:
    """Trains until a write; the number of writes if the training came to its end before."""
    with killed_at(number, stop, WRITES) as writes:
        try:
            train(learner, tiny_config(learner, data), folder)
        except Killed:
            return None
    return len(writes)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_killed_again_and_again_ends_as_an_unbroken_one(
    learner: str, data: Path, unbroken: Callable[[str], Path], tmp_path: Path
) -> None:
    """Tries die in place of a later write each, and every second one soon after it went on: in place of its third."""
    tries = 0
    while survives(learner, data, tmp_path / "run", 2 if tries % 2 else tries // 2) is None:
        tries += 1
    assert tries >= 2
    assert left(tmp_path / "run") == left(unbroken(learner))


@pytest.mark.slow
@pytest.mark.parametrize("learner", CHANGES)
def test_two_kills_at_any_writes(
    learner: str, data: Path, unbroken: Callable[[str], Path], tmp_path: Path
) -> None:
    """Killed in place of a write (which is right after the one before), and again soon after it goes on.

    SKAT_ENV_KILLS is the number of writes tried; the default is 2.
    """
    writes = survives(learner, data, tmp_path / "run", NEVER)
    assert writes is not None
    rng = np.random.default_rng(list(learner.encode()))
    for first in sorted(rng.permutation(writes)[:KILLS].tolist()):
        folder = tmp_path / str(first)
        assert survives(learner, data, folder, first) is None
        for second in (1, 2):
            shutil.rmtree(tmp_path / "again", ignore_errors=True)
            shutil.copytree(folder, tmp_path / "again")
            survives(learner, data, tmp_path / "again", second)
            train(learner, tiny_config(learner, data), tmp_path / "again")
            assert left(tmp_path / "again") == left(unbroken(learner)), (first, second)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_finished_run_is_left_as_it_is(learner: str, data: Path, unbroken: Callable[[str], Path]) -> None:
    def files() -> dict[Path, tuple[bytes, int]]:
        found = (path for path in unbroken(learner).rglob("*") if path.is_file())
        # Metrics are written again as they are, all else is not touched.
        return {path: (path.read_bytes(), path.name == METRICS or path.stat().st_mtime_ns) for path in found}

    before = files()
    train(learner, tiny_config(learner, data), unbroken(learner))
    assert files() == before


@pytest.mark.parametrize(
    "learner",
    [
        "imitation",
        "value",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("locations", "expert", "dmc")),
    ],
)
def test_a_run_goes_on_with_its_games_alone(learner: str, data: Path, tmp_path: Path) -> None:
    config = tiny_config(learner, tmp_path)
    if learner == "dmc":
        config = msgspec.structs.replace(config, dataset=str(tmp_path / "klaverjas"), recorded=0.5)
    shutil.copytree(data, tmp_path, dirs_exist_ok=True)
    with killed_at(3, stop, WRITES), pytest.raises(Killed):
        train(learner, config, tmp_path / "run")
    for game in ("skat", "klaverjas"):
        # The same number of games, of other seeds.
        shutil.rmtree(tmp_path / game)
        count = len(Dataset(data / game))
        generate(GenerationConfig(game, ("random",), count, 9, start="deal"), tmp_path / game)
    before = (tmp_path / "run" / RUN).read_bytes()
    with pytest.raises(FileExistsError, match=r"run was begun with other games in .*; name another folder"):
        train(learner, config, tmp_path / "run")
    assert (tmp_path / "run" / RUN).read_bytes() == before
    for game in ("skat", "klaverjas"):
        shutil.rmtree(tmp_path / game)
        shutil.copytree(data / game, tmp_path / game)
    # As runs were begun before they noted their games.
    head = json.loads((tmp_path / "run" / RUN).read_text())
    del head["datasets"]
    (tmp_path / "run" / RUN).write_text(json.dumps(head))
    train(learner, config, tmp_path / "run")
    assert "datasets" in json.loads((tmp_path / "run" / RUN).read_text())


def test_tensorboard_shows_the_metrics(stopped: Path, data: Path) -> None:
    """As they are, also where the killed process had reported what it did not save."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    train("imitation", tiny_config("imitation", data), stopped)
    shown = [
        (event.step, value.tag, np.float32(value.tensor.float_val[0]))
        for file in (stopped / "tensorboard").iterdir()
        for event in EventFileLoader(str(file)).Load()
        for value in event.summary.value
    ]
    lines = [json.loads(line) for line in (stopped / METRICS).read_text().splitlines()]
    assert shown == [
        (line["step"], name, np.float32(value))
        for line in lines
        for name, value in line.items()
        if name != "step"
    ]


def train_to_death(learner: str, data: Path, folder: Path, write: int, seconds: float) -> None:
    """What a process does: it trains and kills itself at a write or after some seconds."""
    kill_after(seconds)
    with killed_at(write, kill, WRITES):
        train(learner, tiny_config(learner, data), folder)


@pytest.mark.slow
@pytest.mark.parametrize("learner", CHANGES)
def test_runs_that_are_really_killed(
    learner: str, data: Path, unbroken: Callable[[str], Path], tmp_path: Path
) -> None:
    """By SIGKILL at a random moment or write, each kill twice in a row.

    SKAT_ENV_KILLS=20 makes it 20 kills a learner; the default is 2.
    """
    expected = left(unbroken(learner))
    rng = np.random.default_rng(list(learner.encode()))

    def run(write: int, seconds: float) -> int | None:
        return exit_code(train_to_death, learner, data, tmp_path / "run", write, seconds)

    for number in range(KILLS):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        for _ in range(2):
            at = (NEVER, float(rng.uniform(0, 0.6))) if number % 2 else (int(rng.integers(6)), NEVER)
            assert run(*at) in (0, -signal.SIGKILL)
        assert run(NEVER, NEVER) == 0
        assert left(tmp_path / "run") == expected


@pytest.fixture
def stopped(data: Path, tmp_path: Path) -> Path:
    """The folder of a run that was killed when it had a state and lines of metrics."""
    assert survives("imitation", data, tmp_path / "run", 9) is None
    assert {RUN, METRICS, STATE} <= {path.name for path in (tmp_path / "run").iterdir()}
    return tmp_path / "run"


def spoilt_header(content: bytes) -> bytes:
    return content[:8] + content[8:].replace(b'"numbers"', b'"numbres"', 1)


def with_nan(content: bytes) -> bytes:
    return content[:-4] + np.float32(np.nan).tobytes()


@pytest.mark.parametrize(
    ("name", "damage", "told"),
    [
        (
            STATE,
            lambda content: content[: len(content) // 2],
            "is damaged .* remove it to train this run from",
        ),
        (STATE, lambda content: b"", "is damaged .* name another folder"),
        (STATE, lambda content: b"\xff" * len(content), "is damaged"),
        (STATE, spoilt_header, "is damaged .it lacks 'numbers'"),
        (
            STATE,
            lambda content: content.replace(rb"\"lines\":", rb"\"lined\":", 1),
            "is damaged .it lacks 'lines'",
        ),
        (
            STATE,
            lambda content: content.replace(rb"\"epoch\":", rb"\"epohc\":", 1),
            "is damaged .it lacks 'epoch'",
        ),
        (
            STATE,
            lambda content: content.replace(b"PCG64", b"PCG65"),
            "state of a random generator is damaged",
        ),
        (
            RUN,
            lambda content: b"{}",
            "does not say which run was begun here; nothing is changed; name another",
        ),
        (RUN, lambda content: content[:-9], "expected a JSON object; nothing is changed; name another"),
        (RUN, lambda content: b"[" * 100_000, "expected a JSON object"),
        (RUN, lambda content: b'{"learner": 1, "config": []}', "its 'learner' is missing or of another kind"),
        (RUN, lambda content: b"\xff", "expected a JSON object"),
        (METRICS, lambda content: b"{\n" + content, "line 1 is damaged; nothing is changed: remove the file"),
        (METRICS, lambda content: b"[]\n" + content, "line 1 is damaged"),
        (METRICS, lambda content: b"\xff\n" + content, "line 1 is damaged"),
        (METRICS, lambda content: content[:10], "line 1 is damaged"),
        (METRICS, lambda content: b"", "has 0 of the . lines that were written before the state was saved"),
    ],
)
def test_a_damaged_file_is_one_sentence_and_nothing_is_changed(
    name: str, damage: Callable[[bytes], bytes], told: str, stopped: Path, data: Path
) -> None:
    content = (stopped / name).read_bytes()
    (stopped / name).write_bytes(damage(content))
    assert (stopped / name).read_bytes() != content
    before = {path.name: path.read_bytes() for path in stopped.iterdir() if path.is_file()}
    with pytest.raises(ParseError, match=told) as raised:
        train("imitation", tiny_config("imitation", data), stopped)
    assert str(stopped / name) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert {path.name: path.read_bytes() for path in stopped.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("name", [STATE, METRICS])
def test_the_advice_of_the_sentence_helps(
    name: str, stopped: Path, data: Path, unbroken: Callable[[str], Path]
) -> None:
    (stopped / name).unlink()
    train("imitation", tiny_config("imitation", data), stopped)
    found, expected = left(stopped), left(unbroken("imitation"))
    if name == METRICS:
        assert found.pop(METRICS) in expected.pop(METRICS)
        assert found.pop(STATE) != expected.pop(STATE)  # it counts the lines
    assert found == expected


@pytest.mark.parametrize("learner", ["value", pytest.param("sb3", marks=pytest.mark.slow)])
def test_states_with_numbers_that_are_not_finite_are_refused(
    learner: str, data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    train(learner, tiny_config(learner, data), folder)
    tensors = load_file(folder / STATE)
    name = next(name for name in tensors if name.endswith("weight"))
    tensors[name].view(-1)[0] = np.nan
    header = (folder / STATE).read_bytes()
    size = int.from_bytes(header[:8], "little")
    save_file(tensors, folder / STATE, json.loads(header[8 : 8 + size])["__metadata__"])
    with pytest.raises(ParseError, match=f"tensor '{name}' has numbers that are not finite"):
        train(learner, tiny_config(learner, data), folder)


def test_what_is_not_finite_is_never_saved(data: Path, tmp_path: Path) -> None:
    config = tiny_config("value", data)
    good = random_network(NetworkSpec("klaverjas.perspective", 1, (4,)))
    bad = changed(good, lambda arrays: arrays["0.bias"].fill(np.inf))
    with TrainingRun(tmp_path / "run", "value", config) as run:
        run.save_state({}, {"x": torch.ones(3)})
        run.save_checkpoint("klaverjas", {"value": good})
        before = left(tmp_path / "run")
        with pytest.raises(TrainingFailed, match=r"tensor 'x' of the state is nan: training has diverged"):
            run.save_state({}, {"x": np.array([1, np.nan])})
        with pytest.raises(TrainingFailed, match=r"tensor '0.bias' of the network 'value' is inf"):
            run.save_checkpoint("klaverjas", {"value": bad})
    assert left(tmp_path / "run") == before


def test_curves_of_damaged_metrics(tmp_path: Path) -> None:
    (tmp_path / METRICS).write_text('{"step": 1, "loss": 2}\n{"step":\n')
    with pytest.raises(ParseError, match=r"metrics.jsonl, line 2 is damaged"):
        curve(tmp_path, "loss")
    # Half of a last line is what a killed run may leave.
    (tmp_path / METRICS).write_text('{"step": 1, "loss": 2}\n{"step":')
    assert [point.mean for point in curve(tmp_path, "loss")] == [2]
    (tmp_path / METRICS).write_text('{"step": 1, "loss": 2}\n{"step": 2, "loss": 1}')
    assert [point.mean for point in curve(tmp_path, "loss")] == [2, 1]
