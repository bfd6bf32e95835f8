"""Card-location inference: its targets, what it learns, and its posterior against plain enumeration of equation 1."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch

from skat_env.agents.beliefs.location_networks import network_name, network_names, network_spec
from skat_env.agents.beliefs.locations import MAX_HALVINGS, LocationSampler
from skat_env.agents.learners import locations as learner
from skat_env.agents.learners.experience.suit_shuffle import SuitShuffle
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.networks.checkpoint import MANIFEST, load_checkpoint, save_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec, weight_shapes
from skat_env.beliefs.belief import Belief
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.decisions import Decisions
from skat_env.deal import Deal
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError, UnknownName
from skat_env.play.lockstep import play_game
from skat_env.records import GameRecord
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.skat import Declaration, SkatState
from tests.conftest import random_games
from tests.helpers.networks import changed, random_network

GAMES = ("skat", "klaverjas")


def untrained(folder: Path, game: str, scale: float = 5, **changes: Any) -> Path:
    """Networks that nobody has trained, which still say something else of every position."""
    torch.manual_seed(3)
    networks = {
        name: random_network(network_spec(game, name, (16, 16), (8, 8)), scale)
        for name in network_names(game)
    }
    save_checkpoint(folder, game, networks)
    return folder


def constant(spec: NetworkSpec, outputs: np.ndarray) -> Network:
    """A network that says the same of every row."""
    arrays = {key: np.zeros(shape, np.float32) for key, shape in weight_shapes(spec).items()}
    return Network(spec, {**arrays, f"{len(spec.hidden)}.bias": outputs.ravel()})


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return {game: str(untrained(folder / game, game)) for game in GAMES}


def games_of(game: str, count: int, seed: int) -> list[Any]:
    """Random games that were played to the last tricks; in Skat of suit and grand, among them hand games."""
    found = [state for state in random_games(get_game(game), 20 * count, seed) if len(state.plays()) > 29]
    assert len(found) >= count
    return found[:count]


def written(folder: Path, states: list[Any], game: str) -> Dataset:
    with DatasetWriter(folder, game) as writer:
        for state in states:
            writer.add(GameRecord.of(game, state, tuple("abcd"[: len(get_game(game).seats)])))
    return Dataset(folder)


def before_cardplay(state: Any) -> Any:
    start = state.clone()
    while start.plays():
        start.undo()
    return start


def plain_targets(state: Any, seat: int) -> list[int]:
    """Where each card lay before the cardplay: the observer's hand, those after it in turn, the skat."""
    places, seats = before_cardplay(state).places, len(state.hands)
    seats = 3 if isinstance(state, SkatState) else seats
    order = [(seat + turn) % seats for turn in range(seats)] + [*range(seats, len(places))]
    return [next(i for i, place in enumerate(order) if places[place] >> card & 1) for card in range(32)]


@pytest.mark.parametrize("game", GAMES)
def test_rows_are_the_first_eight_tricks_and_their_targets_those_of_a_replay(
    game: str, tmp_path: Path
) -> None:
    states = games_of(game, 12, 5)
    dataset = written(tmp_path / "games", states, game)
    decisions = Decisions(dataset)
    rows = 0
    for name in network_names(game):
        spec = network_spec(game, name, (8,), (4,))
        found = learner.location_rows(decisions, dataset, name, spec)
        features = name.rpartition("_")[2].upper()
        expected = []
        for number, end in enumerate(states):
            contract = int(end.contract) if game == "skat" else int(end.trump)
            state = before_cardplay(end)
            for action in end.history()[len(state.history()) :]:
                tricks = len(state.plays()) // len(dataset.game.seats)
                if network_name(game, contract, features) == name and tricks < (
                    8 if features == "BDCI" else 1
                ):
                    expected.append((number, len(state.history()), plain_targets(state, state.to_act)))
                state.apply(action)
        assert [
            *zip(found.games.tolist(), found.steps.tolist(), found.targets.tolist(), strict=True)
        ] == expected
        rows += len(expected)
    assert rows > 12 * 24


@pytest.mark.parametrize("game", GAMES)
def test_the_posterior_is_equation_1(game: str, checkpoints: dict[str, str]) -> None:
    """The product over all 32 cards where they lay before the cardplay, for all worlds."""
    checked = hand_games = 0
    for features in ("BDCI", "BDI"):
        sampler = LocationSampler(features, checkpoint=checkpoints[game], game=game)
        for end in games_of(game, 6, 7):
            state = end.clone()
            for _ in range(7 if game == "skat" else 8):
                state.undo()
            for seat in range(len(get_game(game).seats)):
                view = state.view(seat)
                matrix = sampler.locations(view)
                np.testing.assert_allclose(matrix.sum(axis=1), 1)
                uniform, rng = Belief(view), np.random.default_rng(0)
                rows = np.concatenate([*uniform.enumerate()])
                odds = np.empty(len(rows))
                for number, row in enumerate(rows):
                    places = before_cardplay(uniform.state(row, rng)).places
                    odds[number] = np.prod(
                        [
                            matrix[card, place]
                            for card in range(32)
                            for place in range(4)
                            if places[place] >> card & 1
                        ]
                    )
                posterior = sampler.posterior(view, rng)
                np.testing.assert_allclose(
                    posterior.probability(rows), odds / odds.sum(), rtol=1e-6, atol=1e-12
                )
                checked += len(rows) > 1 and np.ptp(odds / odds.sum()) > 0.01
                hand_games += game == "skat" and bool(state.hand_game) and seat == state.soloist
    assert checked > 20
    assert hand_games or game != "skat"


@pytest.mark.parametrize("game", GAMES)
def test_places_are_absolute(game: str, tmp_path: Path) -> None:
    """A network that always says that the cards lie with the next seat."""
    torch.manual_seed(0)
    bias = np.zeros((32, 4), np.float32)
    bias[:, 1] = 4.0
    networks = {name: constant(network_spec(game, name, (4,), (4,)), bias) for name in network_names(game)}
    save_checkpoint(tmp_path / "c", game, networks)
    sampler = LocationSampler(checkpoint=str(tmp_path / "c"), game=game)
    state = before_cardplay(games_of(game, 1, 1)[0])
    for seat in range(len(get_game(game).seats)):
        assert (
            sampler.locations(state.view(seat)).argmax(axis=1) == (seat + 1) % len(get_game(game).seats)
        ).all()


def test_cards_of_klaverjas_are_those_of_the_game(tmp_path: Path) -> None:
    """A network that says of the jack of trumps alone, the fifth card of its encoder, that the partner has it."""
    bias = np.zeros((32, 4), np.float32)
    bias[4, 2] = 4.0
    networks = {name: constant(network_spec("klaverjas", name, (4,), (4,)), bias) for name in ("bdci", "bdi")}
    save_checkpoint(tmp_path / "c", "klaverjas", networks)
    sampler = LocationSampler(checkpoint=str(tmp_path / "c"), game="klaverjas")
    for end in games_of("klaverjas", 4, 3):
        matrix = sampler.locations(before_cardplay(end).view(3))
        assert (matrix[8 * end.trump + 4].argmax(), (matrix.max(axis=1) > 0.5).sum()) == (1, 1)


@pytest.mark.parametrize("game", GAMES)
def test_worlds_fit_at_every_position_of_random_games(game: str, checkpoints: dict[str, str]) -> None:
    sampler, rng = LocationSampler(checkpoint=checkpoints[game], game=game), np.random.default_rng(0)
    stages = set()
    for state in random_games(get_game(game), 4, 11):
        while True:
            for seat in range(len(get_game(game).seats)):
                view = state.view(seat)
                worlds = sampler.worlds(view, 3, rng)
                assert all(world.state.view(seat) == view and world.weight > 0 for world in worlds)
                stages.add(view.stage)
            if not state.history():
                break
            state.undo()
    assert stages >= {"cardplay", get_game(game).stages[0] if game == "skat" else "cardplay"}


def test_outside_the_cardplay_all_worlds_are_equal(checkpoints: dict[str, str]) -> None:
    sampler, rng = LocationSampler(checkpoint=checkpoints["skat"], game="skat"), np.random.default_rng(0)
    state = SkatState.random(rng)
    assert sampler.posterior(state.view(0), rng).is_uniform
    with pytest.raises(ValueError, match="are inferred during the cardplay"):
        sampler.locations(state.view(0))


def skat_position(seed: int, cards_left: int = 15) -> SkatState:
    state = games_of("skat", 1, seed)[0].clone()
    for _ in range(cards_left):
        state.undo()
    return state


def test_temper_and_floor(checkpoints: dict[str, str]) -> None:
    rng, where = np.random.default_rng(0), checkpoints["skat"]
    state = skat_position(4, 9)
    view = state.view(next(seat for seat in range(3) if 50 < Belief(state.view(seat)).count < 10_000))
    rows = np.concatenate([*Belief(view).enumerate()])
    plain = LocationSampler(checkpoint=where, game="skat")

    def odds(**options: float) -> np.ndarray:
        return (
            LocationSampler(checkpoint=where, **options, game="skat").posterior(view, rng).probability(rows)
        )

    np.testing.assert_allclose(odds(temper=0.0), 1 / len(rows))
    half = np.sqrt(odds())
    np.testing.assert_allclose(odds(temper=0.5), half / half.sum())
    floored = Belief(view, np.maximum(plain.locations(view), 0.2)).probability(rows)
    np.testing.assert_allclose(odds(floor=0.2), floored)
    assert np.abs(odds(floor=0.2) - odds()).max() > 1e-3
    np.testing.assert_allclose(odds(floor=0.999), 1 / len(rows))


def test_worlds_too_unlikely_to_count_are_tempered_then_equal(
    checkpoints: dict[str, str], tmp_path: Path
) -> None:
    rng, view = np.random.default_rng(0), skat_position(4).view(0)
    rows = Belief(view).sample(20, rng)
    for temper in (30.0, 100.0, 300.0, 1000.0):  # some of them lead to the smallest numbers there are
        posterior = LocationSampler(checkpoint=checkpoints["skat"], temper=temper, game="skat").posterior(
            view, rng
        )
        assert (posterior.probability(posterior.sample(20, rng)) > 0).all()
        np.testing.assert_allclose(posterior.marginals()[posterior.cards].sum(axis=1), 1)
    sampler = LocationSampler(checkpoint=checkpoints["skat"], temper=3e3, game="skat")
    posterior = sampler.posterior(view, rng)
    assert sampler.fallbacks == 1
    assert not posterior.is_uniform
    assert len(sampler.worlds(view, 20, rng)) == 20
    sampler = LocationSampler(checkpoint=checkpoints["skat"], temper=1e6 * 2.0**MAX_HALVINGS, game="skat")
    assert sampler.posterior(view, rng).is_uniform
    assert sampler.fallbacks == 1
    np.testing.assert_allclose(sampler.posterior(view, rng).probability(rows) * Belief(view).count, 1)
    networks = load_checkpoint(checkpoints["skat"], "skat").networks
    broken = {
        name: changed(network, lambda arrays: arrays["0.bias"].fill(np.nan))
        for name, network in networks.items()
    }
    save_checkpoint(tmp_path / "nan", "skat", broken)
    with pytest.raises(ParseError, match="finite"):
        LocationSampler(checkpoint=str(tmp_path / "nan"), game="skat")


def test_names_and_what_is_refused(checkpoints: dict[str, str], tmp_path: Path) -> None:
    where = checkpoints["skat"]
    name = f"locations(features=BDI, checkpoint={where}, temper=0.5, floor=0.01)"
    assert make_belief(name, "skat").name == name
    with pytest.raises(UnknownName, match=r"unknown features of locations 'BDC': did you mean 'BDCI'|'BDI'"):
        LocationSampler("BDC", checkpoint=where, game="skat")
    with pytest.raises(ValueError, match="temper=-1: expected a finite number at least 0"):
        LocationSampler(checkpoint=where, temper=-1, game="skat")
    with pytest.raises(ValueError, match="floor=1: expected a finite number at least 0 and less than 1"):
        LocationSampler(checkpoint=where, floor=1, game="skat")
    with pytest.raises(ParseError, match="is of skat, expected one of klaverjas"):
        LocationSampler(checkpoint=where, game="klaverjas")
    with pytest.raises(UnknownName, match="unknown checkpoint"):
        LocationSampler(checkpoint="nowhere", game="skat")
    with pytest.raises(ParseError, match="has no network 'suit_bdci', only"):
        LocationSampler(checkpoint="skat-policy", game="skat")
    wrong = random_network(NetworkSpec("skat.locations", 32, (4,)))
    save_checkpoint(tmp_path / "wrong", "skat", {"suit_bdi": wrong})
    with pytest.raises(
        ParseError, match=r"has 32 outputs and reads skat.locations, expected 128 and skat.loc"
    ):
        LocationSampler("BDI", checkpoint=str(tmp_path / "wrong"), game="skat")
    grand = load_checkpoint(where, "skat").network("grand_bdci")
    save_checkpoint(tmp_path / "grand", "skat", {"grand_bdci": grand})
    only_grand = LocationSampler(checkpoint=str(tmp_path / "grand"), game="skat")
    rng = np.random.default_rng(0)
    for text in ("G", "N"):
        deal = get_game("skat").random_deal(rng)
        view = SkatState.cardplay(deal, 1, Declaration.parse(text), (18, 20, 0)).view(0)
        if text == "G":
            assert not only_grand.posterior(view, rng).is_uniform
        else:
            with pytest.raises(ParseError, match="has no network 'null_bdci', only grand_bdci"):
                only_grand.posterior(view, rng)
    manifest = Path(where) / MANIFEST
    other = tmp_path / "other"
    other.mkdir()
    text = manifest.read_text().replace('"encoder_version": 2', '"encoder_version": 1')
    (other / MANIFEST).write_text(text)
    with pytest.raises(ParseError, match=r"reads version 1 of the encoder skat.locations, .* train it anew"):
        LocationSampler(checkpoint=str(other), game="skat")


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("skat", "pimc(worlds=4, belief={}, bidder=rule)"),
        ("skat", "ismcts(simulations=20, belief={}, bidder=rule)"),
        ("skat", "hybrid(policy=rule, search=pimc(worlds=4, belief={}), trick=8)"),
        ("klaverjas", "pimc(worlds=2, belief={}, bidder=rule)"),
        ("klaverjas", "ismcts(simulations=20, belief={}, bidder=rule)"),
    ],
)
def test_searches_take_it(game: str, agent: str, checkpoints: dict[str, str]) -> None:
    player = make_agent(agent.format(f"locations(checkpoint={checkpoints[game]})"), game)
    assert "belief=locations(" in player.name
    state, seats = games_of(game, 1, 2)[0].clone(), len(get_game(game).seats)
    for _ in range(12):
        state.undo()
    play_game(state, [player] * seats, [np.random.default_rng(seat) for seat in range(seats)])
    assert state.is_over


def told_by_bids(folder: Path, games: int) -> Dataset:
    """Games of two hands that the neighbours hold in turn, where who of them bid tells which; deals differ by the skat."""
    rng = np.random.default_rng(0)
    first = get_game("skat").random_deal(rng).places
    twelve = [card for card in range(32) if (first[0] | first[3]) >> card & 1]
    states = []
    for number in range(games):
        skat = sum(1 << int(card) for card in rng.choice(twelve, 2, replace=False))
        neighbours = (first[1], first[2]) if number % 2 else (first[2], first[1])
        places = ((first[0] | first[3]) ^ skat, *neighbours, skat)
        bids = (24, 23, 0) if number % 2 else (24, 0, 23)
        state = SkatState.cardplay(Deal(places), 0, Declaration.parse("C"), bids)
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
        states.append(state)
    return written(folder, states, "skat")


def config(dataset: Dataset, **changes: Any) -> learner.Config:
    options: dict[str, Any] = {
        "hidden": (32,),
        "history": (8,),
        "dropout": 0.0,
        "learning_rate": 1e-2,
        "epochs": 6,
        "patience": 6,
        "valid": 0.2,
        "test": 0.2,
        "shuffle_suits": False,
    }
    return learner.Config(game=dataset.game.name, data=str(dataset.folder), **{**options, **changes})


@pytest.mark.slow
@pytest.mark.parametrize(("features", "shuffle_suits"), [("BDI", False), ("BDI", True), ("BDCI", False)])
def test_what_bids_tell_is_learnt(features: str, shuffle_suits: bool, tmp_path: Path) -> None:
    dataset = told_by_bids(tmp_path / "games", 400)
    few: dict[str, Any] = {"share": 0.3} if features == "BDCI" else {"epochs": 40, "patience": 40}
    about = config(dataset, networks=(f"suit_{features.lower()}",), shuffle_suits=shuffle_suits, **few)
    with TrainingRun(tmp_path / "run", "locations", about) as run:
        learner.train(about, run)
    sampler = LocationSampler(features, checkpoint=str(tmp_path / "run" / "checkpoint"), game="skat")
    for number in (0, 1):
        state = before_cardplay(dataset[number].state)
        posterior = sampler.posterior(state.view(0), np.random.default_rng(0))
        truth = posterior.row(state)
        assert posterior.probability(truth[None])[0] > 0.2, "of 184,756 worlds"


@pytest.mark.slow
def test_a_stopped_run_ends_as_an_unbroken_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = written(tmp_path / "games", games_of("klaverjas", 20, 8), "klaverjas")
    about = config(dataset, epochs=2, dropout=0.3, shuffle_suits=True, hidden=(8, 8, 8))
    with TrainingRun(tmp_path / "unbroken", "locations", about) as run:
        learner.train(about, run)
    save, saved = TrainingRun.save_state, 0

    def stop_after_some(self: TrainingRun, *state: Any) -> None:
        nonlocal saved
        save(self, *state)
        saved += 1
        if saved in (1, 5):
            raise KeyboardInterrupt

    monkeypatch.setattr(TrainingRun, "save_state", stop_after_some)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), TrainingRun(tmp_path / "stopped", "locations", about) as run:
            learner.train(about, run)
    with TrainingRun(tmp_path / "stopped", "locations", about) as run:
        learner.train(about, run)
    weights = [
        {
            (name, key): tensor.tolist()
            for name, network in load_checkpoint(tmp_path / run / "checkpoint", "klaverjas").networks.items()
            for key, tensor in network.weights().items()
        }
        for run in ("stopped", "unbroken")
    ]
    assert weights[0] == weights[1]
    assert len(weights[0]) == 2 * (3 + 1) * 2 + 2


def test_what_cannot_be_trained_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = told_by_bids(tmp_path / "games", 4)

    def train(folder: Path, changes: dict[str, Any]) -> None:
        about = config(dataset, **changes)
        with TrainingRun(folder, "locations", about) as run:
            learner.train(about, run)

    for number, (changes, error) in enumerate(
        [
            ({"networks": ("suit_bdi", "suit_bcdi")}, "unknown network 'suit_bcdi'"),
            ({"share": 0.0}, "share = 0.0: expected `float` > 0.0"),
            ({"hidden": "huge"}, "unknown preset of hidden widths 'huge'"),
            ({"networks": ("null_bdi",)}, "has no position to learn locations from"),
        ]
    ):
        with pytest.raises(ValueError, match=error):
            train(tmp_path / str(number), changes)
    assert "has no position for the network null_bdi: it is left out" in capsys.readouterr().err


@pytest.mark.parametrize("declaration", ["G", "N"])
def test_shuffled_suits_are_those_of_a_game_with_other_suits(declaration: str) -> None:
    """Bids aside, whose worth depends on the suit, a row with exchanged suits is that of such a game."""
    rng = np.random.default_rng(5)
    encoder = get_encoder("skat.locations")
    shuffle = SuitShuffle(encoder, (0, 1, 2, 3), declaration == "N")
    deal = get_game("skat").random_deal(rng)
    states = {}
    for order in ([0, 1, 2, 3], [2, 0, 3, 1], [1, 0, 2, 3]):
        new = [c if declaration == "G" and c % 8 == 4 else 8 * order[c // 8] + c % 8 for c in range(32)]
        places = tuple(sum(1 << new[c] for c in range(32) if mask >> c & 1) for mask in deal.places)
        state = SkatState.cardplay(Deal(places), 1, Declaration.parse(declaration), (0, 18, 0))
        states[tuple(new)] = state
    first = next(iter(states.values()))
    for _ in range(14):
        card = int(rng.choice(first.legal_actions()))
        for new, state in states.items():
            state.apply(new[card])
    rows = np.repeat(encoder.encode([first], [1]), 400, axis=0)
    shuffled, numbers = shuffle(torch.from_numpy(rows))
    for new, state in states.items():
        mine = (numbers == new).all(axis=1)
        assert mine.any()
        assert (shuffled[mine] == encoder.encode([state], [1])).all()
