"""Deep Monte-Carlo self-play: it finds the best play of small problems, goes on where it stopped, and plays in matches."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import msgspec

from skat_env.agents.dmc import Dmc
from skat_env.agents.learners import dmc
from skat_env.agents.learners.config import check_config, read_config
from skat_env.agents.learners.experience._actors import pack
from skat_env.agents.learners.experience.start_pool import StartMaker, StartPool
from skat_env.agents.learners.run import TrainingFailed, TrainingRun
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.random import RandomAgent
from skat_env.datasets.dataset import DatasetWriter
from skat_env.errors import ParseError, UnknownName
from skat_env.klaverjas import KlaverjasState
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.capabilities import cheats
from skat_env.play.lockstep import play_game
from skat_env.play.starts import PlayedTo, RandomDeals
from skat_env.protocols import Decision
from skat_env.records import GameRecord, Status
from skat_env.registry import get_game, make_agent
from skat_env.skat import SkatState
from tests.helpers.endings_with_mistakes import late_positions, side_value

SMALL = dmc.Config(
    game="skat",
    games=96,
    hidden=(16, 16),
    lanes=16,
    batch=64,
    starts=8,
    fresh=0,
    bidder="random",
    threads=1,
    report_every=32,
    deals=0,
)


def self_play(config: dmc.Config, starts: list[Any]) -> dmc.SelfPlay:
    pool = StartPool(StartMaker(config.game, 0), len(starts), 0, 1)
    pool.restore(pack(starts), len(starts))
    return dmc.SelfPlay(config, pool, ThreadPoolExecutor(1))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "trace"), [("skat", 1.0), ("skat", 0.7), ("klaverjas", 1.0)])
def test_it_learns_the_best_play_of_the_last_tricks(game: str, trace: float) -> None:
    """With one deal to a start, every seat knows all cards after some games: the best play is the open cards'."""
    starts = late_positions(game, 3, 6)
    config = msgspec.structs.replace(
        SMALL,
        game=game,
        games=20_000,
        lanes=200,
        hidden=(64, 64),
        learning_rate=0.005,
        final_learning_rate=0.0005,
        epsilon=0.5,
        temperature=100.0,
        final_epsilon=0.05,
        averaging=0.9,
        trace=trace,
        final_trace=1.0,
    )
    play = self_play(config, starts)
    while play.games < config.games:
        play.wave()
    agent, lost = Dmc(play.checkpoint(), game=game), []
    rng = np.random.default_rng(0)
    for start in starts:
        state, best = start.clone(), side_value(start, 0)
        told = agent.decide(start.view(start.to_act), rng).value
        assert told is not None
        assert abs(told - (best if start.side(start.to_act) == 0 else -best)) < 25
        while not state.is_over:
            state.apply(agent.decide(state.view(state.to_act), rng).action)
        lost.append(abs(side_value(state, 0) - best))
    assert np.mean(lost) <= (2 if game == "skat" else 4)  # a point that one team loses the other wins


def weights(folder: Path, game: str = "skat") -> dict[str, np.ndarray]:
    networks = load_checkpoint(folder / "checkpoint", game).networks
    return {
        f"{n}/{key}": tensor for n, network in networks.items() for key, tensor in network.weights().items()
    }


def stop_after(reports: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Breaks the run off at some report, before anything of it is written."""
    whole, calls = TrainingRun.report, []

    def report(self: TrainingRun, step: int, **metrics: float) -> None:
        calls.append(step)
        if len(calls) > reports:
            raise KeyboardInterrupt
        whole(self, step, **metrics)

    monkeypatch.setattr(TrainingRun, "report", report)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"game": "skat", "fresh": 2, "random_declarations": 0.5, "trace": 0.5},
        {"game": "klaverjas"},
    ],
)
def test_a_stopped_run_goes_on_as_if_it_had_not(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = msgspec.structs.replace(SMALL, **changes)
    with TrainingRun(tmp_path / "whole", "dmc", config) as run:
        dmc.train(config, run)
    with monkeypatch.context() as patch:
        stop_after(1, patch)
        with pytest.raises(KeyboardInterrupt), TrainingRun(tmp_path / "stopped", "dmc", config) as run:
            dmc.train(config, run)
    with TrainingRun(tmp_path / "stopped", "dmc", config) as run:
        dmc.train(config, run)
    whole, stopped = weights(tmp_path / "whole", config.game), weights(tmp_path / "stopped", config.game)
    assert all((whole[key] == stopped[key]).all() for key in whole)
    steps = [
        [json.loads(line)["step"] for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()]
        for name in ("whole", "stopped")
    ]
    assert steps[0] == steps[1] == [32, 64, 96]


@pytest.mark.slow
def test_nan_keeps_the_last_good_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn, calls = dmc.Learner.learn, []

    def failing(self: dmc.Learner, parts: Any, learning_rate: float, seed: int) -> tuple[float, int]:
        error, rows = learn(self, parts, learning_rate, seed)
        calls.append(self.name)
        return (float("nan"), rows) if len(calls) > 30 else (error, rows)

    monkeypatch.setattr(dmc.Learner, "learn", failing)
    with pytest.raises(TrainingFailed, match="is nan"), TrainingRun(tmp_path / "run", "dmc", SMALL) as run:
        dmc.train(SMALL, run)
    kept = load_checkpoint(tmp_path / "run" / "checkpoint", "skat")
    assert kept.details["games"] == 32
    assert all(np.isfinite(tensor).all() for tensor in weights(tmp_path / "run").values())


@pytest.mark.slow
def test_evaluation_is_reported(tmp_path: Path) -> None:
    config = msgspec.structs.replace(SMALL, games=32, deals=3, opponent="random")
    with TrainingRun(tmp_path / "run", "dmc", config) as run:
        dmc.train(config, run)
        metrics = run.metrics()[-1]
    assert metrics["difference_low"] <= metrics["difference"] <= metrics["difference_high"]
    assert {"worth", "declaring", "defence", "games_per_second"} <= metrics.keys()


@pytest.mark.parametrize("kind", [None, "null"])
def test_an_evaluation_is_of_the_kind_that_is_played(kind: str | None) -> None:
    config = msgspec.structs.replace(SMALL, deals=4, kind=kind)
    match = config.evaluation("learner")
    assert (match.bidder, match.kinds) == ("random", kind if kind is None else (kind,))


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A checkpoint of each game, hardly trained."""
    folders = {}
    for game in ("skat", "klaverjas"):
        folders[game] = tmp_path_factory.mktemp(game) / "run"
        config = msgspec.structs.replace(SMALL, game=game, games=16)
        with TrainingRun(folders[game], "dmc", config) as run:
            dmc.train(config, run)
    return {game: folder / "checkpoint" for game, folder in folders.items()}


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_the_agent_plays_the_card_of_the_highest_value(game: str, checkpoints: dict[str, Path]) -> None:
    agent = make_agent(f"dmc(checkpoint='{checkpoints[game]}', bidder=random)", game)
    rng = np.random.default_rng(0)
    state: Any = PlayedTo(game, "cardplay", RandomAgent())(rng)
    views = []
    while not state.is_over:
        views.append(state.view(state.to_act))
        decision = agent.decide(views[-1], rng)
        values = decision.stats["values"]
        assert set(values) == set(state.legal_actions())
        assert decision.action == max(values, key=values.__getitem__)
        assert decision.value == values[decision.action]
        assert decision.weights is not None
        assert decision.weights[decision.action] == 1.0
        state.apply(decision.action)
    together = agent.decide_many(views, [rng] * len(views))
    assert [d.action for d in together] == [agent.decide(view, rng).action for view in views]
    assert [d.value for d in together] == pytest.approx(
        [agent.decide(view, rng).value for view in views], abs=1e-2
    )


def test_the_agent_bids_with_its_bidder(checkpoints: dict[str, Path]) -> None:
    agent = make_agent(f"dmc(checkpoint='{checkpoints['skat']}', bidder=rule)", "skat")
    match = MatchConfig("skat", (agent.name, "rule"), 1, mode="all-seats")
    assert len(next(play_match(match, agents={agent.name: agent}))) == 6


def test_a_bidder_that_cheats_is_shown_the_state(checkpoints: dict[str, Path]) -> None:
    class Seer(RandomAgent):
        cheats = True

        def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
            assert state.view(view.seat) == view
            stages.append(view.stage)
            return self.decide(view, rng)

    stages: list[str] = []
    agent = Dmc(str(checkpoints["skat"]), bidder=Seer(), game="skat")
    assert cheats(agent)
    state = RandomDeals("skat")(np.random.default_rng(5))
    thinking = play_game(state, [agent] * 3, [np.random.default_rng(seat) for seat in range(3)])
    assert stages
    assert "cardplay" not in stages
    assert sum(seat.moves for seat in thinking) == len(state.history()) > len(stages)


def test_starts_are_recorded_drawn_or_played(tmp_path: Path) -> None:
    state = PlayedTo("skat", "cardplay", "random")(np.random.default_rng(0))
    recorded = state.clone()
    while not recorded.is_over:
        recorded.apply(recorded.legal_actions()[0])
    with DatasetWriter(tmp_path / "games", "skat") as writer:
        writer.add(GameRecord("skat", recorded, ("a", "b", "c"), Status.COMPLETE, None, None, None, None))
    maker = StartMaker("skat", 1, "random", str(tmp_path / "games"), recorded=1.0)
    assert maker.starts([0]) == [state]
    kinds = get_game("skat").kinds
    assert StartMaker("skat", 1, "random", str(tmp_path / "games"), 1.0, kind=state.kind).starts([0]) == [
        state
    ]
    for kind in set(kinds) - {state.kind}:
        with pytest.raises(ValueError, match=f"has no {kind} game that reached the cardplay"):
            StartMaker("skat", 1, "random", str(tmp_path / "games"), 1.0, kind=kind).starts([0])
    assert {each.kind for each in StartMaker("skat", 1, "random", kind="null").starts(range(4))} == {"null"}
    drawn = StartMaker("skat", 1, random_declarations=1.0)
    states = drawn.starts(range(60))
    assert all(s.stage == "cardplay" and not s.plays() for s in states)
    assert drawn.starts([7]) == [states[7]]
    mixed = StartMaker("skat", 1, "rule", str(tmp_path / "games"), 0.3, 0.3)
    assert mixed.starts(range(9)) == [start for number in range(9) for start in mixed.starts([number])]
    assert {s.soloist for s in states} == {0, 1, 2}
    assert len({s.declaration.text() for s in states}) > 6
    assert isinstance(StartMaker("klaverjas", 0).starts([0])[0], KlaverjasState)
    assert isinstance(StartMaker("skat", 0, "random").starts([0])[0], SkatState)


def test_bad_configs(tmp_path: Path) -> None:
    path = tmp_path / "dmc.toml"
    path.write_text('game = "skat"\ngames = 10\n')
    assert read_config(dmc.Config, path).lanes == 4096
    with pytest.raises(UnknownName, match="did you mean 'epsilon'"):
        read_config(dmc.Config, path, ["epsilom=0.1"])
    with pytest.raises(ParseError, match="epsilon"):
        read_config(dmc.Config, path, ["epsilon=1.5"])
    with pytest.raises(ParseError, match="games"):
        read_config(dmc.Config, path, ["games=0"])
    with pytest.raises(ValueError, match="needs a dataset"):
        StartMaker("skat", 0, recorded=0.5)
    with pytest.raises(ValueError, match="at most 1 together"):
        StartMaker("skat", 0, dataset="x", recorded=0.5, random_declarations=0.6)
    with pytest.raises(ValueError, match="'klaverjas' has no part 'random_declaration'"):
        StartMaker("klaverjas", 0, random_declarations=0.5)
    with pytest.raises(ValueError, match=r"starts of null games with a share 0\.5"):
        StartMaker("skat", 0, random_declarations=0.5, kind="null")
    with pytest.raises(ParseError, match=r"kind = 'nul': .*did you mean 'null'"):
        check_config(read_config(dmc.Config, path, ["kind=nul"]))


def test_the_shipped_configs_are_read() -> None:
    folder = ROOT / "configs"
    for path in folder.glob("dmc-*.toml"):
        assert read_config(dmc.Config, path).game in path.name
