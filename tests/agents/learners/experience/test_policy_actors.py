"""Games of policies in step: the loop in C against the same loop written plainly."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env.agents.learners.experience._actors import pack
from skat_env.agents.learners.experience._policy_actors import PolicyActors
from skat_env.agents.networks.card_networks import CARDS, card_networks
from skat_env.agents.networks.world_values import world_layout
from skat_env.encoders import get_encoder
from skat_env.play.worth import side_weights
from skat_env.registry import get_game
from tests.helpers.actors import some_starts
from tests.helpers.plain_random import Stream
from tests.helpers.worth import declarer_worth

ENCODERS = {
    "skat": ["skat.relabelled_soloist", "skat.relabelled_defender"] * 3 + ["skat.world"],
    "klaverjas": ["klaverjas.cardplay", "klaverjas.world"],
}


def fake_logits(network: int, rows: np.ndarray) -> np.ndarray:
    weights = np.random.default_rng(network).integers(-3, 4, (rows.shape[1], CARDS))
    return (np.rint(rows.astype(np.float64) * 100).dot(weights) / 1000).astype(np.float32)


def fake_values(rows: np.ndarray) -> np.ndarray:
    weights = np.random.default_rng(99).integers(-5, 6, rows.shape[1])
    return (np.rint(rows.astype(np.float64) * 100).dot(weights) / 1000).astype(np.float32)


def make_actors(game_name: str, lanes: int) -> PolicyActors:
    game = get_game(game_name)
    weights = side_weights(game)
    return PolicyActors(
        game.state.random(np.random.default_rng(0)),
        lanes,
        [get_encoder(name) for name in ENCODERS[game_name]],
        lanes * 32,
        [[sides[weight < 0] for weight in weights] for sides in card_networks(game_name).route],
        weights,
        game.reward_units.index(game.match_unit),
        0.01,
    )


@dataclass
class PlainChoice:
    lane: int
    network: int
    side: int
    features: np.ndarray
    world: np.ndarray
    output: int
    chance: float
    legal: int
    advantage: float = 0.0
    target: float = 0.0


@dataclass
class PlainActors:
    """The slow twin: one list of all choices."""

    game: str
    streams: list[Stream]
    choices: list[PlainChoice] = field(default_factory=list)

    def step(self, lane: int, state: Any, temperature: float) -> bool:
        while not state.is_over and len(state.legal_actions()) == 1:
            state.apply(state.legal_actions()[0])
        if state.is_over:
            return False
        legal, side = state.legal_actions(), state.side(state.to_act)
        network = card_networks(self.game).route[state.contract][side]
        encoder = get_encoder(ENCODERS[self.game][network])
        features, label = encoder.encode([state])[0], encoder.labels([state.view(state.to_act)])[0]
        world = get_encoder(f"{self.game}.world").encode([state])[0]
        logits = fake_logits(network, features[None])[0].astype(np.float64)
        odds = np.exp(
            [(logits[label[card]] - max(logits[label[c]] for c in legal)) / temperature for card in legal]
        )
        number = int((np.cumsum(odds) > odds.sum() * (self.streams[lane].next() >> 40) / 2**24).argmax())
        allowed = sum(1 << int(label[card]) for card in legal)
        chance = float(np.log(odds[number] / odds.sum()))
        output = int(label[legal[number]])
        self.choices.append(PlainChoice(lane, network, side, features, world, output, chance, allowed))
        state.apply(legal[number])
        return True

    def finish(self, worths: list[float], trace: float) -> None:
        for lane, worth in enumerate(worths):
            mine = [choice for choice in self.choices if choice.lane == lane]
            values = [*(float(fake_values(choice.world[None])[0]) for choice in mine), worth]
            for i, choice in enumerate(mine):
                later = range(i, len(mine))
                choice.advantage = sum(trace ** (j - i) * (values[j + 1] - values[j]) for j in later)
                choice.target = values[i] + choice.advantage


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize(("temperature", "trace"), [(1.0, 1.0), (0.3, 0.7), (4.0, 0.0)])
def test_a_wave_equals_the_plain_twin(game: str, temperature: float, trace: float) -> None:
    starts, rng = some_starts(game), np.random.default_rng(1)
    chosen = rng.integers(len(starts), size=12)
    streams = rng.integers(2**64, size=12, dtype=np.uint64)
    actors, critic = make_actors(game, 12), len(ENCODERS[game]) - 1
    about = get_game(game)
    for _ in range(2):  # a second wave starts anew
        actors.begin(pack(starts), chosen, streams)
        while actors.advance():
            waiting = [actors.waiting(number) for number in range(critic)]
            actors.draw(
                [fake_logits(n, rows) if len(rows) else None for n, rows in enumerate(waiting)], temperature
            )
        win = about.reward_units.index(world_layout(game).win)
        worths, wins = actors.finish(fake_values(actors.worlds()), trace, win)
    plain = PlainActors(game, [Stream(seed) for seed in streams.tolist()])
    states = [starts[i].clone() for i in chosen]
    while sum([plain.step(lane, state, temperature) for lane, state in enumerate(states)]):
        pass
    expected = [0.01 * declarer_worth(state) for state in states]
    assert worths == pytest.approx(expected)
    assert wins.tolist() == [state.returns(world_layout(game).win)[state.declarer] > 0 for state in states]
    plain.finish(expected, trace)
    features, targets, lanes = actors.critic_data()
    assert lanes.tolist() == [choice.lane for choice in plain.choices]
    assert (features == np.array([choice.world for choice in plain.choices])).all()
    assert targets == pytest.approx(np.array([choice.target for choice in plain.choices]), abs=1e-3)
    for network in range(critic):
        mine = [choice for choice in plain.choices if choice.network == network]
        signs = np.array([1 if choice.side == 0 else -1 for choice in mine])
        features, outputs, chances, legal, advantages, results = actors.policy_data(network)
        assert outputs.tolist() == [choice.output for choice in mine]
        assert legal.tolist() == [choice.legal for choice in mine]
        assert all((row == choice.features).all() for row, choice in zip(features, mine, strict=True))
        assert chances == pytest.approx(np.array([choice.chance for choice in mine]), abs=1e-3)
        assert advantages == pytest.approx(signs * [choice.advantage for choice in mine], abs=1e-3)
        assert results == pytest.approx(signs * [expected[choice.lane] for choice in mine])
    assert len(plain.choices) > 100


def test_bad_input() -> None:
    actors, starts = make_actors("skat", 2), some_starts("skat")
    with pytest.raises(ValueError, match="got 1 encoders"):
        PolicyActors(starts[0], 1, [get_encoder("skat.world")], 1, [[0]], [1.0], 0, 1.0)
    actors.begin(pack(starts), np.zeros(2, np.int64), np.zeros(2, np.uint64))
    actors.advance()
    with pytest.raises(ValueError, match="has logits"):
        actors.draw([np.zeros((0, CARDS), np.float32)] * 6, 1.0)
    while actors.advance():
        rows = [actors.waiting(number) for number in range(6)]
        actors.draw([fake_logits(n, some) if len(some) else None for n, some in enumerate(rows)], 1.0)
    with pytest.raises(ValueError, match="got 0 values"):
        actors.finish(np.zeros(0, np.float32), 1.0, 2)
