"""Imitation: the rows of every network against a plain replay, and training that stops, goes on and fails as it says."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import expit

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env.agents.learners import imitation, network_learner
from skat_env.agents.learners.config import read_config
from skat_env.agents.learners.experience.held_out import part_of_game
from skat_env.agents.learners.network_learner import NetworkLearner
from skat_env.agents.learners.networks.network_module import ILLEGAL, NetworkModule
from skat_env.agents.learners.run import TrainingFailed, TrainingRun
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network
from skat_env.agents.networks.task import made_by
from skat_env.agents.skat.policy.networks import (
    CARDPLAY,
    DISCARDS,
    NULL_OUVERT_OUTPUT,
    PAIRS,
    hand_output,
    network_of,
    trick_game,
)
from skat_env.agents.skat.policy.policy import SkatPolicy
from skat_env.agents.skat.policy.tasks import NETWORKS, task
from skat_env.cli import main
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.decisions import Decisions
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.datasets.searches import Searches, found
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError, UnknownName
from skat_env.play.capabilities import decide
from skat_env.protocols import Decision
from skat_env.records import GameRecord
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.skat.rules import PASS, Announcement, Contract, Phase

OTHERS = ("bid_answer", "continue_answer", "pass_value", "soloist_value", "declared_value")
PIMC = "pimc(worlds=1, belief=cheating, ties=false)"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Games of the rule player and of random ones, marked by the open-card solver."""
    folder = tmp_path_factory.mktemp("games") / "skat"
    config = GenerationConfig(
        "skat", ("rule", "random"), 100, 4, mark="player(bidding=rule, cardplay=" + PIMC + ")"
    )
    return generate(config, folder)


def config(dataset: Dataset, **changes: Any) -> imitation.Config:
    options: dict[str, Any] = {"hidden": (16, 16), "epochs": 2, "valid": 0.2, "test": 0.2, "batch": 64}
    return imitation.Config(game="skat", data=str(dataset.folder), **{**options, **changes})


def expected_rows(dataset: Dataset, network: str) -> list[tuple[int, int, int]]:
    """(game, step, label) by replaying every game as a person would."""
    rows = []
    for number, record in enumerate(dataset):
        end, actions = record.state, record.state.history()
        state = end.clone()
        while state.history():
            state.undo()
        name = network.removesuffix("_value")
        for step, action in enumerate(actions):
            in_auction = state.phase in (Phase.BID, Phase.ANSWER)
            asked = not in_auction and network_of(state) == name
            if name == "hand_pickup":
                asked = asked and state.phase == Phase.PICK_UP
            if name == "declare":
                asked = asked and state.phase == Phase.CONTRACT
            if name in DISCARDS:
                asked = asked and int.bit_count(state.hands[state.to_act]) == 12
            if asked:
                ouvert = end.announcement == Announcement.OUVERT
                if name in CARDPLAY:
                    label = action
                elif name == "hand_pickup":
                    label = hand_output(end.contract, ouvert) if end.hand_game else 0
                elif name == "declare":
                    null_ouvert = end.contract == Contract.NULL and ouvert
                    label = NULL_OUVERT_OUTPUT if null_ouvert else int(end.contract)
                else:
                    label = PAIRS.index(tuple(sorted(actions[step : step + 2])))  # type: ignore[arg-type]
                rows.append((number, step, label))
            state.apply(action)
    return rows


@pytest.mark.parametrize("network", [name for name in NETWORKS if name not in OTHERS])
def test_rows_are_those_of_a_plain_replay(dataset: Dataset, network: str) -> None:
    found = task(Decisions(dataset), dataset, network, (8,))
    rows = list(zip(found.games.tolist(), found.steps.tolist(), found.labels.tolist(), strict=True))
    assert rows == expected_rows(dataset, network)
    legal = found.legal_outputs()
    if legal is not None:
        assert legal[np.arange(len(found)), found.labels].all()
        assert (legal.sum(axis=1) == (66 if network in DISCARDS else np.bitwise_count(found.legal))).all()  # type: ignore[arg-type]


def test_values_are_tournament_points_and_losses_less_forty(dataset: Dataset) -> None:
    found = task(Decisions(dataset), dataset, "declare_value", (8,))
    assert found.values is not None
    assert min(found.values) < 0 < max(found.values)
    for game, value in zip(found.games.tolist(), found.values.tolist(), strict=True):
        state = dataset[game].state
        points = state.returns("tournament_points")[state.soloist]
        assert value == (points if points > 0 else points - 40)


def test_values_of_the_auction_are_the_lead_over_the_others(dataset: Dataset) -> None:
    """Of passing, at every pass; of being the soloist, before he picks up the skat or plays hand."""
    expected: dict[str, list[Any]] = {"pass_value": [], "soloist_value": []}
    for number, record in enumerate(dataset):
        end, actions = record.state, record.state.history()
        state = end.clone()
        while state.history():
            state.undo()
        points = end.returns("tournament_points")
        for step, action in enumerate(actions):
            others = [points[other] for other in range(3) if other != state.to_act]
            row = (number, step, 0, points[state.to_act] - sum(others) / 2)
            in_auction = state.phase in (Phase.BID, Phase.ANSWER)
            if in_auction and action == PASS and len(state.legal_actions()) > 1:
                expected["pass_value"].append(row)
            if state.phase == Phase.PICK_UP:
                expected["soloist_value"].append(row)
            state.apply(action)
    for network, rows in expected.items():
        found = task(Decisions(dataset), dataset, network, (8,))
        assert found.values is not None
        assert list(zip(found.games, found.steps, found.labels, found.values, strict=True)) == rows
    assert {value > 0 for *_, value in expected["pass_value"]} == {False, True}


def test_values_of_declared_games(dataset: Dataset) -> None:
    """The lead over the others, the win and 90 card points, at the soloist's first card that he can choose."""
    expected = []
    for number, record in enumerate(dataset):
        end, actions = record.state, record.state.history()
        state = end.clone()
        while state.history():
            state.undo()
        points = end.returns("tournament_points")
        for step, action in enumerate(actions):
            if state.stage == "cardplay" and state.to_act == state.soloist:
                others = [points[other] for other in range(3) if other != state.to_act]
                won = end.returns("win")[state.soloist] > 0
                schneider = end.returns("card_points")[state.soloist] >= 90
                value = [points[state.to_act] - sum(others) / 2, 100 * won, 100 * schneider]
                expected.append((number, step, 0, value))
                break
            state.apply(action)
    found = task(Decisions(dataset), dataset, "declared_value", (8,))
    assert found.values is not None
    rows = zip(found.games, found.steps, found.labels, found.values.tolist(), strict=True)
    assert list(rows) == expected
    assert [set(column.tolist()) for column in found.values.T[1:]] == [{0, 100}, {0, 100}]


def test_values_of_several_outputs_are_all_learnt(dataset: Dataset) -> None:
    found = task(Decisions(dataset), dataset, "declared_value", (8,)).part(np.arange(20))
    outputs = torch.zeros(20, 3)
    lesson = imitation.ImitationLesson(Decisions(dataset), config(dataset))
    assert found.values is not None
    assert float(lesson.loss(found, outputs)) == pytest.approx(np.mean((found.values / 100) ** 2), rel=1e-5)


@pytest.mark.parametrize("network", ["soloist_value", "pass_value", "suit_defender"])
def test_the_decisions_of_some_players(network: str, tmp_path: Path) -> None:
    played = GenerationConfig("skat", ("policy", "rule"), 60, 5, against=("random",), searches=False)
    dataset = generate(played, tmp_path / "games")
    decisions = Decisions(dataset)
    moves = decisions.find()
    found = task(decisions, dataset, network, (8,))
    for players in (("policy",), ("rule", "random"), dataset.players):
        of_players = made_by(players, found, moves, dataset)
        for game, step, own in zip(found.games, found.steps, of_players, strict=True):
            record = dataset[int(game)]
            state = record.state
            while len(state.history()) > step:
                state.undo()
            assert own == (record.agents[state.to_act] in players)
    assert 0 < made_by(("policy",), found, moves, dataset).sum() < len(found)
    with pytest.raises(UnknownName, match="did you mean 'rule'"):
        made_by(("rul",), found, moves, dataset)


def test_searched_rows_are_those_with_a_preference(dataset: Dataset) -> None:
    found = task(Decisions(dataset), dataset, "suit_defender", (8,))
    searched = found.is_searched()
    assert 0 < searched.sum() < len(found)
    assert found.targets is not None
    for row in range(len(found)):
        weights = dataset.searches(int(found.games[row])).weights(int(found.steps[row]))  # type: ignore[union-attr]
        assert searched[row] == (weights is not None and weights.min() < weights.max())
        if weights is not None:
            np.testing.assert_allclose(
                np.sort(found.targets[row])[-len(weights) :], np.sort(weights), atol=1e-6
            )


def test_games_are_split_whole() -> None:
    games = np.repeat(np.arange(1000), 7)
    parts = part_of_game(games, 3, (0.1, 0.2))
    assert (parts.reshape(1000, 7) == parts[::7, None]).all()
    shares = np.bincount(parts[::7], minlength=3) / 1000
    np.testing.assert_allclose(shares, [0.7, 0.1, 0.2], atol=0.05)
    assert (part_of_game(games, 4, (0.1, 0.2)) != parts).any()


def weights_of(folder: Path) -> dict[str, list[Any]]:
    networks = load_checkpoint(folder / "checkpoint", "skat").networks
    return {name: [tensor.tolist() for tensor in net.weights().values()] for name, net in networks.items()}


@pytest.mark.slow
@pytest.mark.parametrize("decays", [0, 2])
def test_a_stopped_run_ends_as_an_unbroken_one(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decays: int
) -> None:
    options: dict[str, Any] = {"epochs": 3, "patience": 3}
    if decays:
        options = {"epochs": 30, "patience": 1, "learning_rate": 0.05, "decays": decays}
    about = config(dataset, networks=("declare", "suit_soloist"), dropout=0.3, **options)
    with TrainingRun(tmp_path / "unbroken", "imitation", about) as run:
        imitation.train(about, run)
    save = TrainingRun.save_state
    saved = 0

    def stop_after_some(self: TrainingRun, *state: Any) -> None:
        nonlocal saved
        save(self, *state)
        saved += 1
        if saved in ((6, 9) if decays else (2, 6)):
            raise KeyboardInterrupt

    monkeypatch.setattr(TrainingRun, "save_state", stop_after_some)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), TrainingRun(tmp_path / "stopped", "imitation", about) as run:
            imitation.train(about, run)
    with TrainingRun(tmp_path / "stopped", "imitation", about) as run:
        imitation.train(about, run)
    assert weights_of(tmp_path / "stopped") == weights_of(tmp_path / "unbroken")
    lines = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("stopped", "unbroken")]
    assert lines[0] == lines[1]


def test_the_rate_decays_where_patience_ends(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    about = config(dataset, learning_rate=0.01, epochs=30, patience=2, decays=2)
    decisions = Decisions(dataset)
    rows = task(decisions, dataset, "suit_soloist", (8,))
    learner = NetworkLearner(rows, about, imitation.ImitationLesson(decisions, about))
    losses = iter([0.5, 0.55, 0.55, 0.3, 0.35, 0.35, 0.35, 0.35])
    monkeypatch.setattr(learner, "_measure", lambda rows: {"loss": next(losses)})
    rates, starts = [], []
    train_epoch = learner._train_epoch

    def observed() -> float:
        rates.append(learner._learning_rate)
        starts.append(next(iter(learner.network.parameters())).detach().clone())
        return train_epoch()

    monkeypatch.setattr(learner, "_train_epoch", observed)
    ends = [next(iter(learner.network.parameters())).detach().clone() for _ in learner.epochs()]
    assert rates == pytest.approx([0.01] * 3 + [0.002] * 3 + [0.0004] * 2)
    # After a decay learning goes on from the best epoch: the first, then the fourth.
    assert (starts[3] == ends[0]).all()
    assert (starts[6] == ends[3]).all()
    assert not (starts[4] == ends[0]).all()
    assert (next(iter(learner.network.parameters())) == ends[3]).all()


def test_training_begins_with_the_networks_of_a_checkpoint(dataset: Dataset, tmp_path: Path) -> None:
    first = config(dataset, networks=("declare", "hand_pickup"), learning_rate=0.01)
    with TrainingRun(tmp_path / "first", "imitation", first) as run:
        imitation.train(first, run)
    begun = tmp_path / "first" / "checkpoint"
    networks = load_checkpoint(begun, "skat").networks

    def goes_on(name: str, **changes: Any) -> dict[str, Network]:
        changes = {"networks": ("declare",), "checkpoint": str(begun), "seed": 1, **changes}
        about = config(dataset, **changes)
        with TrainingRun(tmp_path / name, "imitation", about) as run:
            imitation.train(about, run)
        return load_checkpoint(tmp_path / name / "checkpoint", "skat").networks

    slow = goes_on("slow", learning_rate=1e-7)["declare"].weights()
    for key, weights in networks["declare"].weights().items():
        assert np.allclose(slow[key], weights, atol=1e-4)
    # What never gets better ends as it began.
    worse = goes_on("worse", learning_rate=1e4)["declare"].weights()
    assert all((worse[key] == weights).all() for key, weights in networks["declare"].weights().items())
    with pytest.raises(ParseError, match=r"network 'declare' of .* has hidden \(16, 16\), not \(8,\)"):
        goes_on("narrow", hidden=(8,))
    with pytest.raises(ParseError, match="has no network 'suit_soloist'"):
        goes_on("missing", networks=("suit_soloist",))
    with pytest.raises(UnknownName, match="did you mean 'skat-policy'"):
        goes_on("unknown", checkpoint="skat-polcy")


@pytest.mark.slow
def test_training_learns(dataset: Dataset, tmp_path: Path) -> None:
    about = config(
        dataset,
        networks=("null_soloist", "suit_soloist"),
        epochs=12,
        patience=12,
        learning_rate=3e-3,
        dropout=0.0,
    )
    with TrainingRun(tmp_path / "run", "imitation", about) as run:
        imitation.train(about, run)
        losses = [
            line["suit_soloist/train_loss"] for line in run.metrics() if "suit_soloist/train_loss" in line
        ]
    assert losses[-1] < 0.8 * losses[0]
    figures = load_checkpoint(tmp_path / "run" / "checkpoint", "skat").details["figures"]
    assert figures["suit_soloist"]["train_accuracy"] > 0.5


def test_a_failed_training_keeps_the_last_good_state(dataset: Dataset, tmp_path: Path) -> None:
    about = config(dataset, networks=("declare",))
    with TrainingRun(tmp_path / "run", "imitation", about) as run:
        imitation.train(about, run)
    before = weights_of(tmp_path / "run")
    wild = config(dataset, networks=("declare",), learning_rate=1e30, epochs=5, patience=5)
    with (
        TrainingRun(tmp_path / "wild", "imitation", wild) as run,
        pytest.raises(TrainingFailed, match=r"loss of declare in epoch \d is (inf|nan)"),
    ):
        imitation.train(wild, run)
    assert not (tmp_path / "wild" / "checkpoint").exists()
    assert weights_of(tmp_path / "run") == before


def test_what_cannot_be_trained_is_told(
    dataset: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(UnknownName, match="did you mean 'declare'"),
        TrainingRun(tmp_path / "a", "imitation", about := config(dataset, networks=("declares",))) as run,
    ):
        imitation.train(about, run)
    assert list((tmp_path / "a").iterdir()) == []
    kind = imitation.Config(game="klaverjas", data=str(dataset.folder))
    with (
        pytest.raises(ParseError, match="holds games of skat, the config is of klaverjas"),
        TrainingRun(tmp_path / "b", "imitation", kind) as run,
    ):
        imitation.train(kind, run)
    other = generate(GenerationConfig("klaverjas", ("rule",), 1, 1), tmp_path / "other")
    other_config = imitation.Config(game="klaverjas", data=str(other.folder))
    with (
        pytest.raises(ValueError, match="the game 'klaverjas' has no part 'tasks'"),
        TrainingRun(tmp_path / "d", "imitation", other_config) as run,
    ):
        imitation.train(other_config, run)
    one = generate(GenerationConfig("skat", ("rule",), 1, 1), tmp_path / "one")
    missing = next(name for name in CARDPLAY if not len(task(Decisions(one), one, name, (8,))))
    empty = config(one, networks=(missing, "hand_pickup"))
    with (
        TrainingRun(tmp_path / "c", "imitation", empty) as run,
        pytest.raises(ParseError, match=r"hand_pickup has .* too few"),
    ):
        imitation.train(empty, run)
    assert f"no decision for the network {missing}: it is left out" in capsys.readouterr().err


def test_the_command_and_its_configs(
    dataset: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(out: str, *changes: str) -> tuple[int, str]:
        base = ["train", "imitation", "--config", "configs/imitation-skat.toml", "--out", str(tmp_path / out)]
        sets = [
            f"data={dataset.folder}",
            "hidden=[8]",
            "epochs=1",
            'networks=["declare"]',
            "valid=0.2",
            "test=0.2",
            *changes,
        ]
        status = main([*base, "--set", *sets[:2], "--set", *sets[2:]])
        return status, capsys.readouterr().err

    assert command("run") == (0, "")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["config"]["hidden"] == [8]
    assert (tmp_path / "run" / "tensorboard").exists()
    status, told = command("run", "seed=9")
    assert status == 2
    assert "holds another run (seed 0 there, 9 here)" in told
    status, told = command("other", "epoch=3")
    assert (status, "did you mean 'epochs'" in told) == (2, True)
    status, told = command("other", "epochs=many")
    assert (status, "epochs = 'many': expected `int`, got `str`" in told) == (2, True)
    status, told = command("other", "epochs")
    assert (status, "expected key=value" in told) == (2, True)
    bad = tmp_path / "bad.toml"
    bad.write_text("game = \n")
    with pytest.raises(ParseError, match=r"bad.toml is not TOML"):
        read_config(imitation.Config, bad)


def test_best_cards_learn_to_stand_above_the_others(dataset: Dataset) -> None:
    """The ranking loss of a decision is the mean over its pairs, whatever the encoder calls its cards."""
    about = config(dataset, search_share=1.0, ranking=True)
    decisions = Decisions(dataset)
    rows = task(decisions, dataset, "suit_defender", (8,)).part(np.arange(40))
    legal = rows.legal_outputs()
    assert legal is not None
    best = legal & (np.random.default_rng(0).random(legal.shape) < 0.5)
    best[best.sum(axis=1) == 0] = legal[best.sum(axis=1) == 0]
    rows = replace(rows, targets=(best / best.sum(axis=1, keepdims=True)).astype(np.float32))
    lesson = imitation.ImitationLesson(decisions, about)
    for bfloat16 in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            batch, outputs = lesson.outputs(NetworkModule(rows.spec).eval(), rows)
        logits, losses = outputs.detach().double().numpy(), []
        for row in range(len(rows)):
            worse = np.flatnonzero(legal[row] & ~best[row])
            pairs = [logits[row, i] - logits[row, j] for i in np.flatnonzero(best[row]) for j in worse]
            losses.append(np.mean([-np.log(expit(each)) for each in pairs]) if pairs else 0.0)
        assert lesson.loss(batch, outputs.float()).item() == pytest.approx(np.mean(losses), rel=1e-4)
    with pytest.raises(ValueError, match=r"search_share = 0\.5: expected 1, marks alone"):
        config(dataset, ranking=True, search_share=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("ranking", [False, True])
def test_the_last_three_tricks_are_learnt_by_heart(
    tmp_path: Path, ranking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the open-card solver says of every position of one ending is what the networks then play."""
    # All games are of one deal; held out are some of them.
    monkeypatch.setattr(network_learner, "first_games", lambda dataset: np.arange(len(dataset)))
    solver = make_agent(PIMC, "skat")
    rng = np.random.default_rng(2)
    base = SkatState.random(np.random.default_rng(37))
    while len(base.plays()) < 21:
        base.apply(make_agent("rule", "skat").decide(base.view(base.to_act), rng).action)
    assert base.contract != Contract.NULL
    with DatasetWriter(tmp_path / "games", "skat") as writer:
        for _ in range(200):
            state, steps = base.clone(), [(None, None)] * len(base.history())
            while not state.is_over:
                legal = state.legal_actions()
                marked = decide(solver, state.view(state.to_act), state, rng)
                marked = marked if len(legal) > 1 else Decision(legal[0])
                steps.append(found(legal, marked, "tournament_points"))  # type: ignore[arg-type]
                state.apply(int(rng.choice(legal)))
            writer.add(GameRecord.of("skat", state, ("random",) * 3), Searches.of(steps))
    dataset = Dataset(tmp_path / "games")
    kind = trick_game(int(base.contract))
    networks = tuple(name for name in CARDPLAY if name.startswith(kind))
    options: dict[str, Any] = {"search_share": 1.0, "learning_rate": 3e-3, "dropout": 0.0, "hidden": (64, 64)}
    options["ranking"] = ranking
    about = config(dataset, networks=networks, epochs=40, patience=40, batch=16, **options)
    with TrainingRun(tmp_path / "run", "imitation", about) as run:
        imitation.train(about, run)
    trained = load_checkpoint(tmp_path / "run" / "checkpoint", "skat")
    right = rows = 0
    for name in networks:
        task_rows = task(Decisions(dataset), dataset, name, (8,))
        task_rows = task_rows.part(task_rows.is_searched())
        assert len(task_rows)
        network = trained.network(name)
        outputs = network.infer(Decisions(dataset).rows(network.encoder, task_rows.games, task_rows.steps))
        chosen = np.where(task_rows.legal_outputs(), outputs, -np.inf).argmax(axis=1)
        best = task_rows.targets.max(axis=1)  # type: ignore[union-attr]
        right += int((task_rows.targets[np.arange(len(chosen)), chosen] == best).sum())  # type: ignore[index]
        rows += len(chosen)
    assert right >= 0.97 * rows
    figures = trained.details["figures"]
    assert min(figures[name]["test_accuracy"] for name in networks) >= 0.9


def test_relabelled_rows_are_the_same_cards(dataset: Dataset) -> None:
    decisions = Decisions(dataset)
    for network in CARDPLAY:
        plain, other = (task(decisions, dataset, network, (8,), relabelled) for relabelled in (False, True))
        assert other.relabelled
        encoder = get_encoder(other.spec.encoder)
        rows, numbers = decisions.labelled_rows(encoder, other.games, other.steps)
        moved = other.renumbered(numbers)
        views = []
        for game, step in zip(plain.games.tolist(), plain.steps.tolist(), strict=True):
            state = dataset[game].state.clone()
            while len(state.history()) > step:
                state.undo()
            views.append(state.view(state.to_act))
        assert (encoder.encode(views) == rows).all()
        assert (encoder.labels(views) == numbers).all()
        for row in range(len(plain)):
            assert moved.labels[row] == numbers[row, plain.labels[row]]
            assert (moved.targets[row][numbers[row]] == plain.targets[row]).all()  # type: ignore[index]


@pytest.mark.parametrize("network", [*CARDPLAY, *DISCARDS])
def test_shuffled_suits_take_choices_along(
    dataset: Dataset, network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = Decisions(dataset)
    rows = task(decisions, dataset, network, (8,))
    asked = NetworkModule(rows.spec)
    plain = decisions.rows(asked.encoder, rows.games, rows.steps)
    seen: list[torch.Tensor] = []
    forward = NetworkModule.forward
    monkeypatch.setattr(NetworkModule, "forward", lambda self, x: seen.append(x) or forward(self, x))  # type: ignore[func-returns-value]
    lesson = imitation.ImitationLesson(decisions, config(dataset, shuffle_suits=True))
    torch.manual_seed(3)
    batch, outputs = lesson.outputs(asked.train(), rows)
    shuffled, legal = seen[0].numpy(), outputs.detach().numpy() > ILLEGAL
    assert (shuffled != plain).any()
    assert legal[np.arange(len(rows)), batch.labels].all()
    held = asked.encoder.slices["hand_and_skat" if network in DISCARDS else "hand"]
    before, after = (features[:, held].reshape(-1, 4, 8) for features in (plain, shuffled))
    if network in DISCARDS:
        assert (
            legal
            == (after.reshape(-1, 32) @ np.array([[c in pair for c in range(32)] for pair in PAIRS]).T == 2)
        ).all()
        own = DISCARDS.index(network)
        if own < 4:
            assert (before[:, own] == after[:, own]).all()
    else:
        assert (legal <= (after.reshape(-1, 32) > 0)).all()
    if "null" not in network:
        assert (before[:, :, 4] == after[:, :, 4]).all()
    # Suits lose and win nothing but their names: what each holds, jacks aside, is there again.
    aside = [rank for rank in range(8) if rank != 4]
    kinds = [np.sort(hands[:, :, aside] @ (1 << np.arange(7)), axis=1) for hands in (before, after)]
    assert (kinds[0] == kinds[1]).all()
    seen.clear()
    lesson.outputs(asked.eval(), rows)
    assert (seen[0].numpy() == plain).all()


@pytest.mark.slow
def test_policies_read_relabelled_networks(dataset: Dataset, tmp_path: Path) -> None:
    about = config(
        dataset,
        networks=("suit_soloist", "suit_defender"),
        relabelled=True,
        epochs=10,
        patience=10,
        learning_rate=3e-3,
    )
    with TrainingRun(tmp_path / "run", "imitation", about) as run:
        imitation.train(about, run)
    folder = tmp_path / "run" / "checkpoint"
    figures = load_checkpoint(folder, "skat").details["figures"]
    assert figures["suit_soloist"]["train_accuracy"] > 0.45
    policy = SkatPolicy(checkpoint=str(folder))
    hits = rows = 0
    for record in dataset:
        if record.state.contract is None or record.state.contract > Contract.CLUBS:
            continue
        state, actions = record.state.clone(), record.state.history()
        while state.stage == "cardplay" and len(state.history()) > len(actions) - 30:
            state.undo()
        for action in actions[len(state.history()) :]:
            if state.stage == "cardplay" and len(state.legal_actions()) > 1:
                chosen = policy.decide(state.view(state.to_act), np.random.default_rng(0)).action
                hits, rows = hits + (chosen == action), rows + 1
            state.apply(action)
    assert hits > 0.35 * rows
