"""PPO in self-play: it finds the best play of small problems, and goes on where it stopped."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import msgspec
import torch

from skat_env.agents.learners import ppo
from skat_env.agents.learners.config import read_config
from skat_env.agents.learners.experience._actors import pack
from skat_env.agents.learners.experience.start_pool import StartMaker, StartPool
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.networks.card_networks import card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.network import NetworkSpec
from skat_env.agents.networks.world_values import WorldValues
from skat_env.errors import ParseError
from skat_env.registry import make_agent
from tests.helpers.endings_with_mistakes import late_positions, side_value
from tests.helpers.networks import random_network


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Small untrained policies of both games, and a network besides that is not learnt."""
    folders = {}
    for game in ("skat", "klaverjas"):
        torch.manual_seed(1)
        layout = card_networks(game)
        specs = {name: layout.spec(name, (64, 64)) for name in layout.names}
        if game == "skat":
            specs = {
                name: NetworkSpec(f"skat.relabelled_{name.partition('_')[2]}", 32, (64, 64))
                for name in layout.names
            }
            specs["declare"] = NetworkSpec("skat.declare", 7, (8,))
        folder = tmp_path_factory.mktemp(game) / "begun"
        save_checkpoint(folder, game, {name: random_network(spec) for name, spec in specs.items()})
        folders[game] = str(folder)
    return folders


def small(game: str, begun: dict[str, str], **changes: Any) -> ppo.Config:
    values = {
        "games": 96,
        "critic_hidden": (16, 16),
        "lanes": 16,
        "batch": 64,
        "warm_up": 32,
        "starts": 8,
        "fresh": 2,
        "bidder": "random",
        "threads": 1,
        "report_every": 32,
        "deals": 0,
    }
    return ppo.Config(game=game, checkpoint=begun[game], **{**values, **changes})


def trained(config: ppo.Config, folder: Path) -> dict[str, np.ndarray]:
    """The weights of a run of its own, or of one that goes on."""
    with TrainingRun(folder, "ppo", config) as run:
        ppo.train(config, run)
    return {
        f"{part}/{name}/{key}": tensor
        for part in ("checkpoint", "critic")
        for name, network in load_checkpoint(folder / part, config.game).networks.items()
        for key, tensor in network.weights().items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_it_learns_the_best_play_of_the_last_tricks(game: str, begun: dict[str, str]) -> None:
    """With one deal to a start, every seat knows all cards after some games: the best play is the open cards'."""
    starts = late_positions(game, 3, 6)
    config = small(
        game,
        begun,
        games=20_000,
        critic_hidden=(64, 64),
        lanes=200,
        warm_up=0,
        fresh=0,
        learning_rate=0.003,
        final_learning_rate=0.0003,
        critic_learning_rate=0.005,
        averaging=0.9,
        entropy=0.03,
    )
    pool = StartPool(StartMaker(game, 0), len(starts), 0, 1)
    pool.restore(pack(starts), len(starts))
    play = ppo.SelfPlay(config, pool, ThreadPoolExecutor(1))
    while play.games < config.games:
        play.wave()
    networks, errors, lost = play.networks(), [], []
    for start in starts:
        state, best = start.clone(), side_value(start, 0)
        while not state.is_over:
            network = networks[card_networks(game).name_of(state, state.side(state.to_act))]
            logits = network.cards_of([state.view(state.to_act)])[0]
            state.apply(max(state.legal_actions(), key=lambda card: logits[card]))
        lost.append(abs(side_value(state, 0) - best))
        world = play.critic.average().infer(play.critic.encoder.encode([start]))
        errors.append(abs(float(world[0, 0]) - best))
    assert np.mean(lost) <= (3 if game == "skat" else 6)  # a point that one team loses the other wins
    assert np.mean(errors) < 25


@pytest.mark.slow
@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_stopped_run_goes_on_as_if_it_had_not(
    game: str, begun: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small(game, begun)
    whole, calls = trained(config, tmp_path / "whole"), []
    report = TrainingRun.report

    def stopping(self: TrainingRun, step: int, **metrics: float) -> None:
        calls.append(step)
        if len(calls) > 1:
            raise KeyboardInterrupt
        report(self, step, **metrics)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "report", stopping)
        with pytest.raises(KeyboardInterrupt):
            trained(config, tmp_path / "stopped")
    stopped = trained(config, tmp_path / "stopped")
    assert all((whole[key] == stopped[key]).all() for key in whole)
    before = load_checkpoint(begun[game], game).networks
    for name, network in before.items():
        learnt = any(
            (tensor != whole[f"checkpoint/{name}/{key}"]).any() for key, tensor in network.weights().items()
        )
        assert learnt == (name in card_networks(game).names), name


@pytest.mark.slow
def test_torch_learns_what_c_learns(begun: dict[str, str], tmp_path: Path) -> None:
    config = small("skat", begun, games=32, warm_up=0)
    wanted = trained(config, tmp_path / "c")
    found = trained(msgspec.structs.replace(config, device="cpu:0"), tmp_path / "torch")
    for key, tensor in wanted.items():
        np.testing.assert_allclose(found[key], tensor, atol=1e-3, rtol=1e-2)


@pytest.mark.slow
def test_while_it_warms_up_the_critic_alone_learns(begun: dict[str, str], tmp_path: Path) -> None:
    after = trained(small("skat", begun, warm_up=96), tmp_path / "run")
    for name, network in load_checkpoint(begun["skat"], "skat").networks.items():
        for key, tensor in network.weights().items():
            assert (after[f"checkpoint/{name}/{key}"] == tensor).all()
    values = WorldValues("skat", str(tmp_path / "run" / "critic"))
    worth, chance = values.values(late_positions("skat", 3, 2))
    assert worth.shape == chance.shape == (2,)
    assert ((chance > 0) & (chance < 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("side", ["declarers", "opponents"])
def test_one_side_learns_a_response_to_the_other(side: str, begun: dict[str, str], tmp_path: Path) -> None:
    after = trained(small("skat", begun, learns=side, frozen_temperature=1.0), tmp_path / "run")
    for name, network in load_checkpoint(begun["skat"], "skat").networks.items():
        learnt = any(
            (after[f"checkpoint/{name}/{key}"] != tensor).any() for key, tensor in network.weights().items()
        )
        assert learnt == (
            ("soloist" in name) == (side == "declarers") and name in card_networks("skat").names
        )


@pytest.mark.slow
def test_one_kind_of_game_is_learnt_alone(begun: dict[str, str], tmp_path: Path) -> None:
    after = trained(small("skat", begun, kind="null", bidder="random"), tmp_path / "run")
    for name, network in load_checkpoint(begun["skat"], "skat").networks.items():
        learnt = any(
            (after[f"checkpoint/{name}/{key}"] != tensor).any() for key, tensor in network.weights().items()
        )
        assert learnt == (name in {"null_soloist", "null_defender"})
    assert load_checkpoint(tmp_path / "run" / "checkpoint", "skat").details["learnt"] == [
        "null_soloist",
        "null_defender",
    ]


def test_the_side_that_does_not_learn_plays_its_most_probable_card(begun: dict[str, str]) -> None:
    """Both sides frozen at two temperatures: cold games of the same deals are all alike, others are not."""
    plays: dict[float | None, set[bytes]] = {}
    for temperature in (None, 1.0):
        config = small("skat", begun, learns="opponents", frozen_temperature=temperature)
        maker = StartMaker("skat", 0, "random", "", 0.0, 0.0)
        with StartPool(maker, 8, 2, 1) as pool, ThreadPoolExecutor(1) as workers:
            pool.fill()
            play = ppo.SelfPlay(config, pool, workers)
            play._learns = [False] * len(play.policies)
            [actors] = play._actors
            plays[temperature] = set()
            for seed in range(4):
                streams = np.random.default_rng(seed).integers(2**64, size=16, dtype=np.uint64)
                play._play(actors, np.zeros(16, np.int64), streams)
                plays[temperature].add(
                    actors.policy_data(0)[0].tobytes() + actors.policy_data(2)[0].tobytes()
                )
    assert len(plays[None]) == 1
    assert len(plays[1.0]) == 4


@pytest.mark.slow
def test_evaluation_is_reported(tmp_path: Path) -> None:
    config = small("klaverjas", {"klaverjas": "klaverjas-policy"}, games=16, deals=3, opponent="random")
    with TrainingRun(tmp_path / "bob's run", "ppo", config) as run:
        ppo.train(config, run)
        metrics = run.metrics()[-1]
    assert metrics["difference_low"] <= metrics["difference"] <= metrics["difference_high"]
    assert {"worth", "won", "world_error", "games_per_second"} <= metrics.keys()
    assert make_agent(f'policy(checkpoint="{tmp_path}/bob\'s run/checkpoint")', "klaverjas")


def test_bad_configs(begun: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 2"):
        small("skat", begun, deals=1)
    with pytest.raises(ValueError, match="pool of 8 starts"):
        small("skat", begun, fresh=9)
    with pytest.raises(ValueError, match="both sides play by the network"):
        trained(small("klaverjas", begun, learns="declarers"), tmp_path / "one_side")
    with pytest.raises(ParseError, match="expected some of suit_soloist"):
        trained(small("skat", {"skat": "skat-locations"}), tmp_path / "other")
    config = msgspec.structs.replace(small("skat", begun), critic=begun["skat"])
    with pytest.raises(ParseError, match="no network 'world'"):
        trained(config, tmp_path / "critic")
    config = msgspec.structs.replace(config, critic="skat-world")
    with pytest.raises(ParseError, match=r"has hidden \(256, 128, 64\), not \(16, 16\)"):
        trained(config, tmp_path / "smaller")


def test_the_shipped_configs_are_read() -> None:
    for path in (ROOT / "configs").glob("ppo-*.toml"):
        assert read_config(ppo.Config, path).game in path.name


def test_choices_as_good_as_certain_are_learnt_from_seldom_and_count_for_more(begun: dict[str, str]) -> None:
    rng = np.random.default_rng(0)
    policy = ppo.Policy(
        "suit_soloist",
        random_network(NetworkSpec("skat.relabelled_soloist", 32, (8,))),
        small("skat", begun),
        100.0,
    )
    count = 4000
    columns = [
        np.zeros(count, np.int64),
        np.log(np.where(np.arange(count) % 2, 0.999, 0.5)).astype(np.float32),
        np.full(count, 3, np.uint32),
        rng.normal(size=count).astype(np.float32),
        np.zeros(count, np.float32),
    ]
    rows, (_, chance, _, advantage, _, weight) = policy.chosen(columns, np.random.default_rng(1))
    certain = chance > np.log(0.99)
    assert len(rows) == len(chance) == len(weight)
    assert (chance == columns[1][rows]).all()
    assert (advantage == columns[3][rows] / columns[3].std()).all()
    assert int((~certain).sum()) == count // 2
    assert (weight[~certain] == 1).all()
    assert 200 < int(certain.sum()) < 300
    assert (weight[certain] == ppo.THINNED).all()
    assert (policy.chosen(columns, np.random.default_rng(1))[0] == rows).all()


def test_certain_1_learns_from_all(begun: dict[str, str]) -> None:
    network = random_network(NetworkSpec("skat.relabelled_soloist", 32, (8,)))
    policy = ppo.Policy("suit_soloist", network, small("skat", begun, certain=1), 100.0)
    columns = [np.zeros(100, np.float32)] * 5
    rows, learnt = policy.chosen(columns, np.random.default_rng(0))
    assert len(rows) == 100
    assert (learnt[-1] == 1).all()


def test_results_are_learnt_in_units_of_the_policy(begun: dict[str, str]) -> None:
    network = random_network(NetworkSpec("klaverjas.cardplay", 33, (8,), 50.0))
    policy = ppo.Policy("cardplay", network, small("klaverjas", begun, certain=1), 200.0)
    columns = [np.ones(10, np.float32)] * 5
    _, learnt = policy.chosen(columns, np.random.default_rng(0))
    assert (learnt[4] == 4).all()


@pytest.mark.parametrize(("share", "least", "most"), [(1.0, 1000, 1000), (0.5, 400, 600)])
def test_the_critic_learns_from_a_share_of_the_choices(
    begun: dict[str, str], share: float, least: int, most: int
) -> None:
    critic = ppo.Critic(
        "world", random_network(NetworkSpec("skat.world", 2, (8,))), small("skat", begun, critic_rows=share)
    )
    numbers = np.arange(1000)
    rows, columns = critic.chosen([numbers, numbers], np.random.default_rng(3))
    assert least <= len(rows) <= most
    assert all((column == rows).all() for column in columns[:-1])
    assert (columns[-1] == 1).all()
