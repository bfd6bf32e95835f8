"""Learners of values and of policies with values: known answers, stopping and going on, bad input."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import msgspec
import torch

from skat_env.agents.klaverjas.suits import VALUE_NETWORK, shuffle_cards
from skat_env.agents.learners import expert, selfplay, value
from skat_env.agents.learners.experience.memory import Memory
from skat_env.agents.learners.experience.perspectives import Perspectives
from skat_env.agents.learners.experience.policy_value_rows import (
    RecordedCards,
    play_searched,
    searched_rows,
)
from skat_env.agents.learners.policy_value_learner import PolicyValueLearner
from skat_env.agents.learners.run import TrainingFailed, TrainingRun
from skat_env.agents.learners.value_learner import ValueLearner
from skat_env.agents.networks.card_networks import CARDS
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.search.evaluators.policy_value import PolicyValueEvaluator
from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError
from skat_env.klaverjas import KlaverjasState
from skat_env.play.worth import side_values
from skat_env.registry import get_game
from tests.helpers import minimax
from tests.helpers.searches import position

KLAVERJAS = get_game("klaverjas")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Games of each game with what searches found."""
    folders = {}
    for game in ("klaverjas", "skat"):
        folders[game] = tmp_path_factory.mktemp(game)
        config = GenerationConfig(
            game, ("ismcts(simulations=12, bidder=rule)",), 30, start="cardplay", bidder="rule"
        )
        generate(config, folders[game])
    return folders


def final_rows(games: int, seed: int) -> dict[str, Any]:
    """Finished random games as all seats see them: what they brought stands in the scores."""
    states = [KlaverjasState.random(rng) for rng in np.random.default_rng(seed).spawn(games)]
    rng = np.random.default_rng(seed)
    for state in states:
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
    seats = np.tile(np.arange(4), games)
    features = get_encoder(VALUE_NETWORK.encoder).encode([state for state in states for _ in range(4)], seats)
    values = np.array([state.returns("difference") for state in states], np.float32).reshape(-1)
    return {"features": features, "values": values}


@pytest.mark.slow
def test_the_value_of_a_finished_game_is_learnt() -> None:
    torch.manual_seed(0)
    learner, rng = ValueLearner("klaverjas", (32, 16), 100.0), np.random.default_rng(0)
    rows, others = final_rows(150, 0), final_rows(50, 1)
    before = learner.error(others)
    for _ in range(200):
        learner.step(rows, 3e-3, rng)
    assert learner.error(others) < 0.02 * before


def endings(count: int) -> list[Any]:
    """Positions before the last two tricks with something to choose, and something to lose."""
    found = []
    for seed in range(500):
        state = position("klaverjas", 24, seed)
        if len(state.legal_actions()) > 1 and len({after(state, card) for card in state.legal_actions()}) > 1:
            found.append(state)
        if len(found) == count:
            return found
    raise AssertionError("too few endings")


def after(state: Any, card: int) -> int:
    """What the declaring team gets under best play of all after a card."""
    state = state.clone()
    state.apply(card)
    return minimax.value(state, "final_difference")


@pytest.mark.slow
def test_expert_iteration_finds_the_best_card_of_open_endings() -> None:
    torch.manual_seed(0)
    learner = PolicyValueLearner("klaverjas", "cardplay", (64,), 1.0)
    buffer = Memory("buffer", 2000)
    starts, rng = endings(8), np.random.default_rng(0)
    for iteration in range(4):
        evaluator = PolicyValueEvaluator({"cardplay": learner.network.frozen()}, "klaverjas")
        agent = Ismcts(
            IsmctsOptions(
                simulations=400, c=1.0, evaluator=evaluator, belief="cheating", bidder="rule", reuse=False
            ),
            game="klaverjas",
        )
        rngs = [
            [np.random.default_rng([iteration, i, seat]) for seat in range(4)] for i in range(len(starts))
        ]
        played = play_searched(KLAVERJAS, agent, [state.clone() for state in starts], rngs)
        rows = searched_rows(KLAVERJAS, played, 0.5)
        buffer.add(rows["cardplay"])
        for _ in range(60):
            learner.step(buffer.draw(rng, 64), rng, 3e-3)
    best, network = 0, learner.network.frozen()
    for state in starts:
        row = network.infer(network.encoder.encode([state]))[0]
        cards = state.legal_actions()
        labels = network.encoder.labels([state.view(state.to_act)])[0]
        chosen = cards[int(row[labels[cards]].argmax())]
        worth = {card: after(state, card) * (-1 if state.side(state.to_act) else 1) for card in cards}
        best += worth[chosen] == max(worth.values())
    # The search knows all cards, the network its own: in one ending or another they ask for different ones.
    assert best >= len(starts) - 1


def test_every_seat_sees_every_position(datasets: dict[str, Path]) -> None:
    dataset = Dataset(datasets["klaverjas"])
    rows = Perspectives(
        dataset, Decisions(dataset), get_encoder(VALUE_NETWORK.encoder), np.ones(len(dataset), np.bool_)
    )
    assert len(rows) == len(dataset) * 33 * 4
    drawn = rows.rows(np.arange(len(rows)))
    state = dataset.state(7)
    differences = state.returns("difference")
    states = [state.clone()]
    while state.history():
        state.undo()
        states.append(state.clone())
    plain = {
        row.tobytes(): differences[seat]
        for each in states
        for seat, row in enumerate(get_encoder(VALUE_NETWORK.encoder).encode([each] * 4, range(4)))
    }
    found = [
        value for row, value in zip(drawn["features"], drawn["values"], strict=True) if row.tobytes() in plain
    ]
    assert len(found) >= len(plain)
    for row, worth in zip(drawn["features"], drawn["values"], strict=True):
        assert plain.get(row.tobytes(), worth) == worth


@pytest.mark.parametrize("game", ["klaverjas", "skat"])
def test_recorded_searches_are_what_was_found(game: str, datasets: dict[str, Path]) -> None:
    dataset = Dataset(datasets[game])
    decisions = Decisions(dataset)
    names = ("cardplay",) if game == "klaverjas" else ("suit_soloist", "suit_defender")
    for name in names:
        part = RecordedCards(dataset, decisions, name, None, 1.0)
        rows = part.rows(np.arange(len(part)))
        assert rows["targets"].astype(np.float32).sum(axis=1) == pytest.approx(1, abs=2e-3)
        assert not rows["targets"][~rows["legal"]].any()
        assert (rows["legal"].sum(axis=1) > 1).all()
        played = RecordedCards(dataset, decisions, name, None, 0.0).rows(np.arange(len(part)))["values"]
        worth = side_values(*_outcomes(decisions, game), get_game(game))
        assert set(np.round(np.abs(played) * 100).tolist()) <= set(np.round(np.abs(worth)).tolist())


def test_chosen_cards_need_no_searches(datasets: dict[str, Path]) -> None:
    dataset = Dataset(datasets["klaverjas"])
    decisions = Decisions(dataset)
    part = RecordedCards(dataset, decisions, "cardplay", None, 0.5, chosen=True)
    moves = decisions.find(part.encoder)
    moves = moves[np.bitwise_count(moves["legal"]) > 1]
    rows = part.rows(np.arange(len(part)))
    assert len(part) == len(moves) >= len(RecordedCards(dataset, decisions, "cardplay", None, 0.5)) > 0
    _, labels = decisions.labelled_rows(
        part.encoder, moves["game"].astype(np.int64), moves["step"].astype(np.int64)
    )
    assert (rows["targets"].argmax(axis=1) == labels[np.arange(len(moves)), moves["action"]]).all()
    assert (rows["targets"].sum(axis=1) == 1).all()
    worth = side_values(*_outcomes(decisions, "klaverjas"), get_game("klaverjas"))
    assert np.abs(rows["values"] * 100).tolist() == pytest.approx(
        np.abs(worth[moves["game"]]).tolist(), rel=1e-5
    )


def _outcomes(decisions: Decisions, game: str) -> tuple[Any, Any]:
    outcomes = decisions.outcomes(get_game(game).match_unit)
    return outcomes.returns, outcomes.declarer


def test_suits_are_shuffled_together(datasets: dict[str, Path]) -> None:
    dataset = Dataset(datasets["klaverjas"])
    part = RecordedCards(dataset, Decisions(dataset), "cardplay", None, 1.0)
    rows = part.rows(np.arange(50))
    shuffled = shuffle_cards(rows, np.random.default_rng(3))
    encoder = get_encoder("klaverjas.cardplay")
    hand, sets = encoder.slices["hand"], (CARDS,)
    assert (shuffled["features"][:, hand][shuffled["legal"]] == 1).all()
    assert shuffled["features"].sum(axis=1) == pytest.approx(rows["features"].sum(axis=1))
    assert (shuffled["features"][:, hand].reshape(-1, *sets)[:, :8] == rows["features"][:, hand][:, :8]).all()
    assert sorted(shuffled["targets"].ravel()) == sorted(rows["targets"].ravel())


SELFPLAY = selfplay.Config(
    game="klaverjas", cycles=3, rounds=2, simulations=6, hidden=(8,), evaluate_every=2, evaluation_deals=2,
    evaluation_simulations=2, opponent="random", buffer=100,
)  # fmt: skip
EXPERT = expert.Config(
    game="klaverjas", hidden=(8,), iterations=3, games=2, steps=2, batch=16, buffer=100, simulations=6,
    evaluate_every=2, evaluation_deals=2, evaluation_simulations=2, opponent="random", start="deal",
)  # fmt: skip


def configs(datasets: dict[str, Path]) -> list[tuple[Any, Any]]:
    return [
        (
            value,
            value.Config(data=str(datasets["klaverjas"]), hidden=(8,), epochs=3, batch=256, epoch_rows=512),
        ),
        (selfplay, SELFPLAY),
        (expert, EXPERT),
        (
            expert,
            msgspec.structs.replace(EXPERT, data=(str(datasets["klaverjas"]),), data_steps=3, iterations=1),
        ),
        (expert, msgspec.structs.replace(EXPERT, game="skat", start="cardplay", iterations=2)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_a_stopped_run_goes_on_as_if_it_had_not_been(
    number: int, datasets: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, config = configs(datasets)[number]
    monkeypatch.setattr(expert, "STEPS_PER_REPORT", 1)
    with TrainingRun(tmp_path / "whole", "x", config) as run:
        learner.train(config, run)
    save = TrainingRun.save_state

    def stop(run: TrainingRun, *state: Any) -> None:
        save(run, *state)
        raise KeyboardInterrupt

    monkeypatch.setattr(TrainingRun, "save_state", stop)
    with pytest.raises(KeyboardInterrupt), TrainingRun(tmp_path / "stopped", "x", config) as run:
        learner.train(config, run)
    monkeypatch.setattr(TrainingRun, "save_state", save)
    with TrainingRun(tmp_path / "stopped", "x", config) as run:
        learner.train(config, run)
    found = [
        load_checkpoint(tmp_path / name / "checkpoint", config_game(config)) for name in ("whole", "stopped")
    ]
    for name, network in found[0].networks.items():
        for key, weights in network.weights().items():
            assert (weights == found[1].networks[name].weights()[key]).all()
    lines = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("whole", "stopped")]
    assert lines[0] == lines[1]


def config_game(config: Any) -> str:
    return getattr(config, "game", "klaverjas")


def test_numbers_that_are_none_stop_a_learner() -> None:
    rows, rng = final_rows(4, 0), np.random.default_rng(0)
    rows["values"][3] = np.nan
    with pytest.raises(TrainingFailed, match="the value network is nan: training has diverged"):
        ValueLearner("klaverjas", (8,), 1.0).step(rows, 1e-3, rng)
    part = {
        "features": np.zeros((4, 387), np.float16),
        "legal": np.ones((4, 32), np.bool_),
        "targets": np.full((4, 32), 1 / 32, np.float16),
        "values": np.array([0, 1, np.inf, 2], np.float32),
    }
    with pytest.raises(TrainingFailed, match=r"cardplay is (inf|nan): training has diverged"):
        PolicyValueLearner("klaverjas", "cardplay", (8,), 1.0).step(part, rng, 1e-3)


def test_every_dataset_is_learnt_from(datasets: dict[str, Path], tmp_path: Path) -> None:
    """Also one of which no game is held out, beside one that has such games."""
    few = tmp_path / "few"
    generate(GenerationConfig("klaverjas", ("ismcts(simulations=6)",), 2, 5), few)
    whole, found = str(datasets["klaverjas"]), []
    for number, data in enumerate(((whole,), (whole, str(few)))):
        config = msgspec.structs.replace(EXPERT, data=data, data_steps=2, iterations=0)
        with TrainingRun(tmp_path / str(number), "expert", config) as run:
            expert.train(config, run)
        found.append((tmp_path / str(number) / "checkpoint" / "cardplay.safetensors").read_bytes())
    assert found[0] != found[1]
    config = msgspec.structs.replace(EXPERT, data=(str(few),), data_steps=1)
    with (
        TrainingRun(tmp_path / "alone", "expert", config) as run,
        pytest.raises(
            ParseError, match=r"too few games: of those held out, a share of 0\.02, none has rows of cardplay"
        ),
    ):
        expert.train(config, run)


def test_bad_input_is_told(datasets: dict[str, Path], tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    generate(GenerationConfig("klaverjas", ("random",), 20), silent)
    cases = [
        (value, value.Config(data=str(datasets["skat"])), "'skat' has no part 'value_network'"),
        (selfplay, msgspec.structs.replace(SELFPLAY, game="skat", positions=33), "no part 'value_network'"),
        (selfplay, msgspec.structs.replace(SELFPLAY, positions=35), "36 or 132"),
        (
            expert,
            msgspec.structs.replace(EXPERT, data=(str(datasets["skat"]),), data_steps=1),
            "games of skat",
        ),
        (expert, msgspec.structs.replace(EXPERT, data=(str(silent),), data_steps=1), "no searched decisions"),
    ]
    for number, (learner, config, told) in enumerate(cases):
        with (
            TrainingRun(tmp_path / str(number), "x", config) as run,
            pytest.raises((ValueError, ParseError), match=told),
        ):
            learner.train(config, run)
