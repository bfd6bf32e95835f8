"""Values of configs: whatever a key is given, the answer is a valid config or one sentence, and nothing is written."""

import importlib
import json
import math
import pickle
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import msgspec

from skat_env.agents.learners.config import LearnerConfig, check_config, find_config, read_config
from skat_env.agents.learners.experience.start_pool import StartMaker
from skat_env.agents.learners.run import TrainingFailed, TrainingRun
from skat_env.agents.learners.train import LEARNERS
from skat_env.cli import main
from skat_env.datasets.dataset import DatasetWriter
from skat_env.errors import IllegalAction, OptionError, ParseError, UnknownName
from tests.helpers.tiny_runs import generate_data, left, tiny_config, train

KINDS: Final = {name: importlib.import_module(module).Config for name, module in LEARNERS.items()}
KEYS: Final = [(name, key) for name, kind in KINDS.items() for key in kind.__struct_fields__]
DEEP: Final = "[" * 5000 + "]" * 5000
NUMBERS: Final = (
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "-0.5",
    "1.5",
    "0.5",
    "1",
    "2",
    "65536",
    "65537",
    "1e30",
    "-1e-300",
)
HUGE: Final = (str(2**31), str(2**63 - 1), str(2**63), str(2**64), "1" + "0" * 400, "-1" + "0" * 400)
OTHERS: Final = (
    "true",
    "''",
    "nix",
    "'nix('",
    "'rule(x=1)'",
    "random",
    "1979-05-27",
    "{a = 1}",
    "[]",
    "[[]]",
    "[nix]",
)
VALUES: Final = (
    *NUMBERS,
    *HUGE,
    *OTHERS,
    DEEP,
    "['random', 'random']",
    "[nan]",
    "[0]",
    "[-8]",
    "[1000000000]",
    "[8, 8.0]",
)


def sentence(error: BaseException) -> str:
    """What an error says, which is one line of reasonable length."""
    text = str(error)
    assert text
    assert "\n" not in text
    assert len(text) < 1000
    assert "object at 0x" not in text
    return text


@pytest.fixture(scope="module")
def configs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By learner, a file with the keys that its config needs."""
    folder = tmp_path_factory.mktemp("configs")
    needed = {"game": '"klaverjas"', "data": '"nowhere"', "games": "3", "cycles": "3", "checkpoint": '"x"'}
    files = {}
    for learner, kind in KINDS.items():
        required = [field.name for field in msgspec.structs.fields(kind) if field.required]
        files[learner] = folder / f"{learner}.toml"
        files[learner].write_text("".join(f"{key} = {needed[key]}\n" for key in required))
        assert read_config(kind, files[learner])
    return files


def accepted(learner: str, file: Path, change: str) -> LearnerConfig | None:
    """The config with a change, if it is valid; None: it was refused in a sentence that names the file."""
    try:
        config: LearnerConfig = read_config(KINDS[learner], file, [change])
    except ParseError as error:
        assert str(file) in sentence(error) or sentence(error).startswith("--set ")
        return None
    try:
        check_config(config)
    except ParseError as error:
        sentence(error)
        return None
    return config


def require_valid(value: Any) -> None:
    """What no key may be: a number that is negative, not finite, or beyond a 64-bit integer."""
    if isinstance(value, tuple):
        for inner in value:
            require_valid(inner)
    elif isinstance(value, float):
        assert math.isfinite(value)
        assert value >= 0
    elif isinstance(value, int):
        assert 0 <= value < 2**63
    else:
        assert value is None or isinstance(value, str)


@pytest.mark.parametrize("learner", KINDS)
def test_any_value_is_valid_or_one_sentence(learner: str, configs: dict[str, Path]) -> None:
    for key in KINDS[learner].__struct_fields__:
        for value in VALUES:
            config = accepted(learner, configs[learner], f"{key}={value}")
            if config is not None:
                require_valid(getattr(config, key))


@pytest.mark.slow
@settings(max_examples=1500, deadline=timedelta(seconds=5))
@given(
    st.sampled_from(KEYS),
    st.recursive(
        st.one_of(
            st.integers().map(str),
            st.floats().map(lambda number: str(number)),
            st.booleans().map(lambda truth: str(truth).lower()),
            st.text().map(repr),
            st.text(),
            st.sampled_from(VALUES),
        ),
        lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        max_leaves=4,
    ),
)
def test_random_values_are_valid_or_one_sentence(
    configs: dict[str, Path], place: tuple[str, str], value: str
) -> None:
    learner, key = place
    config = accepted(learner, configs[learner], f"{key}={value}")
    if config is not None:
        require_valid(getattr(config, key))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    generate_data(folder)
    return folder


SMALL: Final = ("0", "1", "1e-3", "[1]", "random")


@pytest.mark.slow
@pytest.mark.parametrize("learner", KINDS)
def test_what_is_accepted_is_trained(learner: str, data: Path, tmp_path: Path) -> None:
    """A small value at every key: the training comes to its end, or ends in one sentence."""
    config = tiny_config(learner, data)
    file, number = tmp_path / "config.toml", 0
    # Lists, texts, numbers and truth values look the same in JSON and in TOML.
    values = {
        key: json.dumps(value) for key, value in msgspec.to_builtins(config).items() if value is not None
    }
    file.write_text("".join(f"{key} = {value}\n" for key, value in values.items()))
    trained: set[LearnerConfig] = {config}
    for key in config.__struct_fields__:
        for value in SMALL:
            changed = accepted(learner, file, f"{key}={value}")
            if changed is None or changed in trained or max(numbers(getattr(changed, key)), default=0) > 2:
                continue
            trained.add(changed)
            number += 1
            try:
                train(learner, changed, tmp_path / str(number))
            except (ValueError, OSError) as error:
                sentence(error)
                assert isinstance(error, TrainingFailed) or not list((tmp_path / str(number)).glob("*"))
    assert number > 5


def numbers(value: Any) -> list[float]:
    """The numbers in a value."""
    return [
        each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, int | float)
    ]


@pytest.mark.parametrize(
    ("learner", "change", "told"),
    [
        ("imitation", "batch=0", r"batch = 0: expected `int` >= 1"),
        ("imitation", "epochs=-1", r"epochs = -1: expected `int` >= 1"),
        ("imitation", "patience=-3", r"patience = -3: expected `int` >= 1"),
        ("imitation", "decays=1000", r"decays = 1000: expected `int` <= 100"),
        ("imitation", "dropout=1.5", r"dropout = 1.5: expected `float` < 1.0"),
        ("imitation", "dropout=nan", r"dropout = nan: expected a finite number"),
        ("imitation", "valid=-1", r"valid = -1: expected `float` > 0.0"),
        ("imitation", "valid=0.99", r"valid = 0.99 and test = 0.05 leave nothing to train on"),
        ("imitation", "learning_rate=inf", r"learning_rate = inf: expected a finite number"),
        ("imitation", "learning_rate=0", r"learning_rate = 0: expected `float` > 0.0"),
        ("imitation", "hidden=[8, -8]", r"hidden\[1\] = -8: expected `int` >= 1"),
        ("imitation", "hidden=[1000000000]", r"hidden\[0\] = 1000000000: expected `int` <= 65536"),
        ("imitation", f"hidden={[1] * 65}", r"hidden = .*: expected `array` of length <= 64"),
        ("imitation", "hidden=smal", r"unknown preset of hidden widths 'smal': did you mean 'small'"),
        ("imitation", "threads=0", r"threads = 0: expected `int` >= 1"),
        ("imitation", "threads=100000", r"threads = 100000: expected `int` <= 64"),
        ("imitation", "seed=-1", r"seed = -1: expected `int` >= 0"),
        ("imitation", "networks=['declare', 'declare']", r"networks name 'declare' twice"),
        ("imitation", f"hidden={DEEP}", r"nested too deeply"),
        ("imitation", f"data={DEEP}", r"nested too deeply"),
        ("locations", "share=0.0", r"share = 0.0: expected `float` > 0.0"),
        ("locations", "history=[0]", r"history\[0\] = 0: expected `int` >= 1"),
        ("selfplay", "buffer=0", r"buffer = 0: expected `int` >= 1"),
        ("selfplay", "rounds=-1", r"rounds = -1: expected `int` >= 1"),
        ("selfplay", "c=nan", r"c = nan: expected a finite number"),
        ("selfplay", "evaluation_deals=1", r"evaluation_deals = 1: expected `int` >= 2"),
        ("expert", "simulations=0", r"simulations = 0: expected `int` >= 1"),
        ("expert", "games=1.0", r"games = 1.0: expected `int`, got `float`"),
        ("dmc", "deals=1", r"deals = 1: expected 0, or at least 2"),
        ("dmc", "hidden=[0]", r"hidden\[0\] = 0: expected `int` >= 1"),
        ("dmc", "lanes=true", r"lanes = True: expected `int`, got `bool`"),
        ("dmc", "fresh=30000", r"a pool of 20000 starts cannot take 30000 fresh ones"),
        ("ppo", "dataset=games", r"dataset = 'games' with recorded = 0: expected the share of the starts"),
        ("ppo", "frozen_temperature=1", r"frozen_temperature = 1 where both sides learn: expected learns"),
        ("expert", "data=['games']", r"data = \['games'\] with data_steps = 0: expected both, or neither"),
        ("expert", "data_steps=5", r"data = \[\] with data_steps = 5: expected both, or neither"),
        ("sb3", "batch_size=1", r"batch_size = 1: expected `int` >= 2"),
        ("sb3", "horizon=65537", r"batch_size = 1024: of .* rows .* a last batch of one is left"),
        ("sb3", "seed=4294967296", r"seed = 4294967296: expected `int` <= 4294967295"),
        ("sb3", "scale=-1", r"scale = -1: expected `float` > 0.0"),
    ],
)
def test_the_sentence_names_key_value_and_what_is_allowed(
    learner: str, change: str, told: str, configs: dict[str, Path]
) -> None:
    if change.startswith("horizon"):
        configs[learner].write_text("games = 1\n")
    with pytest.raises(ParseError, match=told):
        read_config(KINDS[learner], configs[learner], [change])


@pytest.mark.parametrize(
    ("learner", "changes", "told"),
    [
        ("dmc", {"opponent": "rul"}, r"opponent = 'rul': .*did you mean 'rule'"),
        ("dmc", {"bidder": "nix"}, r"bidder = 'nix': unknown agent"),
        ("dmc", {"device": "warp"}, r"device = 'warp': torch has no such device here: Expected one of cpu"),
        ("ppo", {"device": "meta"}, r"device = 'meta': torch has no such device here"),
        ("dmc", {"game": "bridge"}, r"game = 'bridge': unknown game"),
        ("dmc", {"hidden": (0,)}, r"hidden\[0\] = 0: expected `int` >= 1"),
        ("selfplay", {"opponent": "rule(varian=thesis)"}, r"opponent = .*did you mean 'variant'"),
        ("selfplay", {"c": float("inf")}, r"c = inf: expected a finite number"),
        ("expert", {"start": "auction"}, r"start = 'auction': unknown start"),
        ("expert", {"bidder": "random("}, r"bidder = 'random\('"),
        ("expert", {"rules": "choice=fre"}, r"rules = 'choice=fre': .*did you mean 'free'"),
        ("expert", {"opponent": ""}, r"opponent = ''"),
        ("sb3", {"opponents": ("random", "nix")}, r"opponents\[1\] = 'nix': unknown agent"),
        ("sb3", {"evaluate_against": ("nix",)}, r"evaluate_against\[0\] = 'nix': unknown agent"),
        ("sb3", {"rules": "x"}, r"rules = 'x'"),
    ],
)
def test_names_are_made_before_anything_is_written(
    learner: str, changes: dict[str, Any], told: str, data: Path, tmp_path: Path
) -> None:
    config = msgspec.structs.replace(tiny_config(learner, data), **changes)
    with pytest.raises(ParseError, match=told):
        train(learner, config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_refused_config_leaves_a_run_as_it_is(data: Path, tmp_path: Path) -> None:
    config = tiny_config("tables", data)
    train("tables", config, tmp_path / "run")
    before = left(tmp_path / "run")
    with pytest.raises(ParseError, match="pseudo = nan"):
        TrainingRun(tmp_path / "run", "tables", msgspec.structs.replace(config, pseudo=math.nan))
    assert left(tmp_path / "run") == before


def test_files_that_are_no_configs(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    for content, told in (
        (f"data = {DEEP}".encode(), "nested too deeply"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"data = ", "is not TOML"),
        (b"[data]\nx = 1", "data = .*: expected `str`, got `object`"),
    ):
        path.write_bytes(content)
        with pytest.raises(ParseError, match=told) as raised:
            read_config(KINDS["tables"], path)
        assert str(path) in sentence(raised.value)


def test_the_command_answers_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for change in (
        "bidder=nix",
        "opponent=nix",
        "hidden=[0]",
        "learning_rate=nan",
        f"bidder={DEEP}",
        "deals=1",
    ):
        words = ["train", "dmc", "--config", "dmc-skat", "--out", str(tmp_path / "run"), "--set", change]
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1
        assert not (tmp_path / "run").exists()


def test_the_shipped_configs_are_valid() -> None:
    for path in (Path(find_config(Path("dmc-skat"))).parent).glob("*.toml"):
        check_config(read_config(KINDS[path.stem.partition("-")[0]], path))


def test_errors_come_back_from_worker_processes() -> None:
    """An error that cannot be pickled breaks the pool of workers, and its sentence is lost."""
    for error in (
        UnknownName("agent", "rul", ["rule"]),
        TrainingFailed("the loss", math.inf),
        ParseError("x"),
        IllegalAction("x"),
        OptionError("x"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))


@pytest.mark.slow
def test_recorded_starts_of_nothing_end_in_one_sentence(data: Path, tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "empty", "skat"):
        pass
    with pytest.raises(ValueError, match="has no game that reached the cardplay"):
        StartMaker("skat", 0, dataset=str(tmp_path / "empty"), recorded=1.0).starts([0])
    config = msgspec.structs.replace(tiny_config("dmc", data), dataset=str(data / "skat"), recorded=0.5)
    with pytest.raises(ParseError, match="holds games of skat, the config is of klaverjas"):
        train("dmc", config, tmp_path / "run")
    assert list((tmp_path / "run").iterdir()) == []
