"""The search for options: on starts of training alone, the same draws each time, going on where it stopped."""

import json
from pathlib import Path

import pytest

from benchmarks.quality.learners import LEARNERS, tuned
from benchmarks.quality.sweep import VALUES, Options, Rehearsal, changes_of, search
from skat_env.agents.bench.task import get_task
from skat_env.errors import ParseError, UnknownName

pytest.importorskip("torch", reason="learners need the extra 'learn'")


@pytest.mark.parametrize("name", ["SkatDefence-v0", "SkatEnding-v0", "KlaverjasCards-v0"])
def test_a_rehearsal_has_no_deal_of_the_evaluation_and_learns_none_of_its_own(name: str) -> None:
    task = get_task(name)
    rehearsal = Rehearsal.of(task)
    starts = rehearsal.evaluation_starts()
    assert {state.kind for state in starts} == {state.kind for state in task.evaluation_starts()}
    measured = {state.dealt for state in starts}
    assert not measured & {state.dealt for state in task.evaluation_starts()}
    if task.starts:
        learnt = {state.dealt for state in rehearsal.start_source().states}  # type: ignore[attr-defined]
        assert not measured & learnt
        assert learnt <= {state.dealt for state in task.start_source().states}  # type: ignore[attr-defined]


def test_trials_differ_and_options_that_are_off_stay_off() -> None:
    drawn = [dict(change.split("=") for change in changes_of(LEARNERS["ppo"], trial)) for trial in range(6)]
    assert drawn[0] == {}
    assert len({json.dumps(each) for each in drawn}) == 6
    assert not any("magnet" in each or "recurrent" in each for each in drawn)
    assert all(float(each["clip"]) in VALUES["clip"] for each in drawn[1:])
    assert all("magnet=" in " ".join(changes_of(LEARNERS["mmd"], trial)) for trial in range(6))


@pytest.mark.slow
def test_a_search_goes_on_and_its_best_is_used(tmp_path: Path) -> None:
    small = {"learners": ("reinforce",), "tasks": ("SkatEnding-v0",), "steps": 500, "deals": 20}
    path = tmp_path / "sweep.json"
    assert search(Options(path, trials=1, **small)) == 0  # type: ignore[arg-type]
    first = json.loads(path.read_text())
    assert search(Options(path, trials=3, **small)) == 0  # type: ignore[arg-type]
    found = json.loads(path.read_text())
    assert found["trials"][0] == first["trials"][0]
    assert [each["trial"] for each in found["trials"]] == [0, 1, 2]
    top = max(found["trials"], key=lambda each: each["mean"])
    assert tuned(LEARNERS["reinforce"], path) == tuple(top["changes"])
    with pytest.raises(ValueError, match=r"has other steps: expected the same, or another file"):
        search(Options(path, trials=3, **{**small, "steps": 501}))  # type: ignore[arg-type]
    with pytest.raises(ParseError, match="has no search of dmc"):
        tuned(LEARNERS["dmc"], path)
    with pytest.raises(UnknownName, match="learner"):
        search(Options(path, learners=("none",)))
