"""Runs of the benchmark: the same seed gives the same curve, also if it was stopped; scores and curves."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.bench import Plan, anchors, get_task, points, run, score
from skat_env.agents.bench.drawing import draw_report
from skat_env.agents.bench.learner import load_learner
from skat_env.agents.bench.report import (
    Report,
    interquartile_mean,
    performance_profile,
    read_runs,
)
from skat_env.agents.bench.run import FILE, RESULT, STATE, Course, read_curve, run_all
from skat_env.cli import main
from skat_env.errors import OptionError, ParseError, UnknownName
from skat_env.play.starts import RandomDeals
from skat_env.protocols import Decision
from skat_env.registry import make_agent

TINY = '''"""Learns how often to play the lowest legal card."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Options:
    """Options."""

    rate: float = 0.5


class Learner:
    """Moves a number by luck."""

    def __init__(self, task, options, seed):
        self.rate, self.low = options.rate, np.random.default_rng(seed).random(1)

    def learn(self, steps, seed):
        rng = np.random.default_rng(seed)
        self.low = self.low * (1 - self.rate) + self.rate * rng.random(1)
        return steps

    def act(self, observation, mask):
        lowest, highest = mask.argmax(1), mask.shape[1] - 1 - mask[:, ::-1].argmax(1)
        return np.where(observation.sum(1) % 10 < 10 * self.low, lowest, highest)

    def arrays(self):
        return {"low": self.low}

    def restore(self, arrays):
        self.low = arrays["low"]
'''

SPEND = '''

def spend(seconds):
    """Uses the processor."""
    import time

    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
'''


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.py"
    path.write_text(TINY)
    return path


def plan(path: Path, **options: object) -> Plan:
    given = {"steps": 100, "points": 4, "deals": 24, **options}
    return Plan(load_learner(path), get_task("SkatSuit-v0"), **given)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_curve_and_another_another(tiny: Path, tmp_path: Path) -> None:
    first = run(plan(tiny), tmp_path / "a")
    assert first == run(plan(tiny), tmp_path / "b")
    assert first != run(plan(tiny, seed=1), tmp_path / "c")
    assert [point.steps for point in first] == [0, 25, 50, 75, 100]
    assert first == run(plan(tiny), tmp_path / "a")


def test_workers_change_nothing(tiny: Path, tmp_path: Path) -> None:
    plans = [plan(tiny, seed=seed) for seed in range(3)]
    for workers in (1, 2):
        run_all(plans, tmp_path / str(workers), workers)
    one, two = (
        [read_curve(tmp_path / str(workers) / str(seed) / RESULT) for seed in range(3)] for workers in (1, 2)
    )
    assert one == two
    assert len(set(map(str, one))) == 3
    with pytest.raises(FileExistsError, match="another run"):
        run_all([plan(tiny, seed=0, points=5), plan(tiny, seed=1, points=5)], tmp_path / "2", 2)


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(plan(tiny), tmp_path / "whole")
    save = Course.save
    for stop in range(1, 5):
        folder = tmp_path / str(stop)

        def save_and_stop(self: Course, path: Path, learner: object, stop: int = stop) -> None:
            save(self, path, learner)  # type: ignore[arg-type]
            if len(self.curve) == stop:
                raise KeyboardInterrupt

        monkeypatch.setattr(Course, "save", save_and_stop)
        with pytest.raises(KeyboardInterrupt):
            run(plan(tiny), folder)
        monkeypatch.setattr(Course, "save", save)
        kept = (folder / STATE).read_bytes()
        for damaged in (b"", kept[:-9], b"PK" + kept[2:100]):
            (folder / STATE).write_bytes(damaged)
            with pytest.raises(ParseError, match=r"is damaged: .*name another folder"):
                run(plan(tiny), folder)
        (folder / STATE).write_bytes(kept)
        assert run(plan(tiny), folder, keep=False) == whole
        assert sorted(path.name for path in folder.iterdir()) == [RESULT]


def test_a_run_ends_with_the_budget_that_is_spent_first(tiny: Path, tmp_path: Path) -> None:
    whole = run(plan(tiny), tmp_path / "tiny" / "0")
    tiny.write_text(TINY.replace("return steps", "spend(0.4); return steps") + SPEND)
    slow = plan(tiny, name="slow", seconds=1)
    # 0.4 seconds a point: one second is over at the third.
    assert run(slow, tmp_path / "slow" / "0") == whole[:4]
    assert json.loads((tmp_path / "slow" / "0" / RESULT).read_text())["seconds"] == 1
    assert get_task("SkatSuit-v0").seconds == plan(tiny).budget_seconds == 1800
    report = Report(read_runs([tmp_path]))
    assert report.of("slow", "SkatSuit-v0").scores.shape == (1, 4)  # type: ignore[union-attr]


def test_seeds_of_a_report_are_compared_at_points_that_all_have(tiny: Path, tmp_path: Path) -> None:
    for seed in range(2):
        run(plan(tiny, seed=seed), tmp_path / str(seed))
    path = tmp_path / "1" / RESULT
    result = json.loads(path.read_text())
    path.write_text(
        json.dumps(result | {"curve": result["curve"][:3], "cpu_seconds": result["cpu_seconds"][:3]})
    )
    [runs] = read_runs([tmp_path])
    assert runs.scores.shape == (2, 3)
    assert runs.steps.tolist() == [0, 25, 50]


def test_a_finished_run_is_an_agent(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    text = f"learner({folder})"
    with pytest.raises(ParseError, match=r"has no result\.json: expected a finished run"):
        make_agent(text, "skat")
    curve = run(plan(tiny, changes=("rate=0.25",)), folder)
    tiny.unlink()
    agent = make_agent(text, "skat")
    assert agent.name == f"learner(path={folder})"
    assert make_agent(agent.name, "skat").name == agent.name
    assert points(get_task("SkatSuit-v0"), agent, 24).mean() == curve[-1].mean
    other = make_agent(f"learner({folder}, bidder=random)", "skat")
    assert other.name == f"learner(path={folder}, bidder=random)"
    fresh = RandomDeals("skat")(np.random.default_rng(1))
    assert agent.decide(fresh.view(fresh.to_act), np.random.default_rng(1)).action in fresh.legal_actions()
    with pytest.raises(ParseError, match="learnt SkatSuit-v0, which is skat, not klaverjas"):
        make_agent(text, "klaverjas")
    with np.load(folder / STATE) as whole:
        arrays = dict(whole)
    for bad in (np.nan, np.inf):
        np.savez(folder / STATE, **{**arrays, "low": np.array([bad])})
        with pytest.raises(ParseError, match="has numbers in 'low' that are not finite: train it again"):
            make_agent(text, "skat")
    np.savez(folder / STATE, **arrays)
    (folder / FILE).write_text(TINY + "\n")
    with pytest.raises(ParseError, match="is not the file that learnt"):
        make_agent(text, "skat")
    kept = json.loads((folder / RESULT).read_text())
    for key in ("task", "learner_digest", "options", "seed"):
        (folder / RESULT).write_text(json.dumps({name: kept[name] for name in kept if name != key}))
        with pytest.raises(ParseError, match=f"is no run of the benchmark, it has no '{key}'"):
            make_agent(text, "skat")
    (folder / STATE).unlink()
    with pytest.raises(ParseError, match=r"has no state\.npz"):
        make_agent(text, "skat")


def test_options_with_the_name_of_something_else_tell_runs_apart(tiny: Path, tmp_path: Path) -> None:
    tiny.write_text(TINY.replace("    rate: float = 0.5\n", "    rate: float = 0.5\n    steps: int = 1\n"))
    run(plan(tiny, changes=("steps=5",)), tmp_path / "a")
    with pytest.raises(FileExistsError, match=r"options\.steps 5 there, 1 here"):
        run(plan(tiny), tmp_path / "a")


def test_a_folder_of_another_run_is_refused(tiny: Path, tmp_path: Path) -> None:
    run(plan(tiny), tmp_path / "a")
    with pytest.raises(FileExistsError, match="seed"):
        run(plan(tiny, seed=3), tmp_path / "a")


def test_a_result_says_what_made_it(tiny: Path, tmp_path: Path) -> None:
    run(plan(tiny, changes=("rate=0.25",)), tmp_path / "a")
    result = json.loads((tmp_path / "a" / RESULT).read_text())
    assert result["options"] == {"rate": 0.25}
    assert result["task_digest"] == get_task("SkatSuit-v0").digest
    assert {
        "command",
        "versions",
        "commit",
        "learner_digest",
        "yardstick_seconds",
        "cpu_seconds",
    } <= result.keys()


@pytest.mark.parametrize("name", ["SkatSuit-v0", "KlaverjasCards-v0"])
def test_the_scale_is_between_random_and_champion(name: str) -> None:
    task = get_task(name)
    fixed = anchors(task)
    assert score(task, fixed["random"]) == 0
    assert score(task, fixed["champion(quick=true)"]) == 1
    assert 0 < score(task, fixed["rule"]) < 1
    assert points(task, "rule").mean() == pytest.approx(fixed["rule"], abs=0.01)


def test_some_deals_are_of_all_kinds() -> None:
    task = get_task("SkatDefence-v0")
    whole = [state.kind for state in task.evaluation_starts()]
    met: list[str] = []

    class Watching:
        """Notes the kinds that it meets."""

        name = "watching"

        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            if len(view.plays()) < 3:
                met.append(view.kind)
            return Decision(view.legal_actions()[0])

    found = points(task, Watching(), 64)
    assert len(found) == len(met) == 64
    assert set(met) == set(whole)
    assert (points(task, "random", 64) == points(task, "random", 64)).all()
    assert (points(task, "random", 1024) == points(task, "random")).all()


def test_bad_input_is_one_sentence(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"there is no learner .*nothing\.py"):
        load_learner(tmp_path / "nothing.py")
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(OptionError, match="has no class Learner"):
        load_learner(tmp_path / "empty.py")
    with pytest.raises(UnknownName, match="rate"):
        plan(tiny, changes=("rat=1",)).head()
    with pytest.raises(OptionError, match="rate=much: expected a finite number"):
        plan(tiny, changes=("rate=much",)).head()
    with pytest.raises(OptionError, match="steps=0"):
        plan(tiny, steps=0)


def test_reports_compare_runs_of_one_kind(tiny: Path, tmp_path: Path) -> None:
    for seed in range(3):
        run(plan(tiny, seed=seed), tmp_path / "tiny" / str(seed))
        run(plan(tiny, seed=seed, changes=("rate=0.1",), name="slow"), tmp_path / "slow" / str(seed))
    report = Report(read_runs([tmp_path]))
    assert report.learners == ["slow", "tiny"]
    assert report.of("tiny", "SkatSuit-v0").scores.shape == (3, 5)  # type: ignore[union-attr]
    last = report.final("tiny", ["SkatSuit-v0"])
    assert last is not None
    assert last.low <= last.value <= last.high
    path = tmp_path / "tiny" / "1" / RESULT
    result = json.loads(path.read_text())
    for change, message in (
        ({"task_digest": "0"}, "another version of the task"),
        ({"steps": 7}, "differs from other runs of tiny on SkatSuit-v0 in steps"),
        ({"seed": 0}, "same learner, task and seed"),
    ):
        path.write_text(json.dumps(result | change))
        with pytest.raises(ParseError, match=message):
            read_runs([tmp_path])
    curve = result["curve"]
    for damage in (
        {"curve": [{}]},
        {"curve": []},
        {"curve": None},
        {"curve": curve[:-1]},
        {"curve": [*curve[:-1], curve[-1] | {"score": None}]},
        {"curve": [*curve[:-1], curve[-1] | {"mean": "x"}]},
        {"yardstick_seconds": "x"},
        {"yardstick_seconds": 0},
        {"cpu_seconds": []},
        {"cpu_seconds": None},
        {"seed": "x"},
    ):
        path.write_text(json.dumps(result | damage))
        with pytest.raises(ParseError, match=f"{path} is damaged: "):
            read_runs([tmp_path])
    path.write_text(json.dumps({"agents": ["rule", "random"]}))
    with pytest.raises(ParseError, match="is no run of the benchmark, it has no 'learner'"):
        read_runs([tmp_path])
    with pytest.raises(ParseError, match="no finished run"):
        read_runs([tmp_path / "nowhere"])


def test_interquartile_mean_leaves_out_the_ends() -> None:
    scores = np.array([0.0, 1.0, 2.0, 100.0])
    assert interquartile_mean([scores]).value == 1.5
    drawn = interquartile_mean([scores, scores + 1])
    assert drawn.low < drawn.value < drawn.high
    assert np.isnan(interquartile_mean([np.array([1.0])]).low)


def test_a_profile_is_the_share_of_runs_above_each_score() -> None:
    scores = [np.array([0.1, 0.3]), np.array([0.5, 0.9])]
    share, low, high = performance_profile(scores, np.array([0.0, 0.1, 0.4, 0.6, 1.0]))
    assert share.tolist() == [1, 0.75, 0.5, 0.25, 0]
    # Seeds are drawn within their task, so that half of the runs are always above 0.4.
    assert low.tolist() == [1, 0.5, 0.5, 0, 0]
    assert high.tolist() == [1, 1, 0.5, 0.5, 0]


def test_reports_have_exploitability_where_runs_have_it(tiny: Path, tmp_path: Path) -> None:
    for seed in range(2):
        run(plan(tiny, seed=seed), tmp_path / "suit" / str(seed))
        ending = get_task("SkatEnding-v0")
        path = tmp_path / "ending" / str(seed) / RESULT
        result = json.loads((tmp_path / "suit" / str(seed) / RESULT).read_text())
        for number, point in enumerate(result["curve"]):
            point["exploitability"] = 10.0 - number + seed
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(result | {"task": ending.id, "task_digest": ending.digest}))
    report = Report(read_runs([tmp_path]))
    assert report.exploited("tiny", "SkatSuit-v0") is None
    last = report.exploited("tiny", "SkatEnding-v0")
    assert last is not None
    assert (last.low, last.value, last.high) == (6, 6.5, 7)
    kept = {each["task"]: each.get("exploitability") for each in report.as_json()["runs"]}
    assert kept == {"SkatSuit-v0": None, "SkatEnding-v0": [[10, 9, 8, 7, 6], [11, 10, 9, 8, 7]]}
    pytest.importorskip("matplotlib", reason="figures need the extra 'plot'")
    draw_report(report, tmp_path / "report.png")
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")
    reports = tmp_path / "reports"
    assert main(["bench", "report", str(tmp_path / "suit"), "--out", str(reports / "v0.1")]) == 0
    assert {path.name for path in reports.iterdir()} == {"v0.1.json", "v0.1.png"}
