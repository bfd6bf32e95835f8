"""Games played in step: the loop in C against the same loop written plainly."""

from dataclasses import dataclass, field

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env.agents.learners.experience._actors import Actors, pack, unpack
from skat_env.agents.networks.card_values import CARDS, OUTPUTS, ValueLayout, value_layout
from skat_env.encoders import get_encoder
from skat_env.play.worth import side_weights
from skat_env.registry import get_game
from tests.helpers.actors import some_starts
from tests.helpers.plain_random import Stream
from tests.helpers.worth import declarer_worth


def fake_values(network: int, rows: np.ndarray) -> np.ndarray:
    """Values that depend on nothing but a row: sums of few decimals, the same however many rows there are."""
    weights = np.random.default_rng(network).integers(-50, 50, (rows.shape[1], OUTPUTS))
    return np.rint(rows.astype(np.float64) * 100).dot(weights).astype(np.float32)


def make_actors(layout: ValueLayout, lanes: int) -> Actors:
    game = get_game(layout.game)
    return Actors(
        game.state.random(np.random.default_rng(0)),
        lanes,
        [get_encoder(role.encoder) for role in layout.roles],
        lanes * 20,
        layout.route,
        side_weights(game),
        game.reward_units.index(game.match_unit),
        0.5,
    )


def play(
    actors: Actors,
    layout: ValueLayout,
    pool,
    chosen,
    streams,
    epsilon: float,
    temperature: float,
    trace: float,
) -> np.ndarray:
    actors.begin(pool, chosen, streams)
    while actors.advance():
        values = [
            fake_values(i, actors.waiting(i)) if len(actors.waiting(i)) else None
            for i in range(len(layout.roles))
        ]
        actors.choose(values, epsilon, temperature)
    return actors.finish(trace)


@dataclass
class PlainRow:
    lane: int
    seat: int
    features: np.ndarray
    output: int
    best: float = 0.0
    explored: bool = False
    target: float = 0.0


@dataclass
class PlainActors:
    """The slow twin: Python, States, a list of rows a network."""

    layout: ValueLayout
    temperature: float
    rows: list[list[PlainRow]] = field(default_factory=list)

    def network(self, state, seat: int) -> int:
        return self.layout.roles.index(self.layout.role_of(state, seat))

    def play(self, starts: list, streams: list[int], epsilon: float, trace: float) -> list[float]:
        self.rows = [[] for _ in self.layout.roles]
        self.streams = [Stream(seed) for seed in streams]
        states = [start.clone() for start in starts]
        for lane, state in enumerate(states):
            self.value_row(lane, state)
        while sum(self.step(lane, state, epsilon) for lane, state in enumerate(states)):
            pass
        worths = [self.worth(state) for state in states]
        for rows in self.rows:
            self.set_targets(rows, states, worths, trace)
        return worths

    def value_row(self, lane: int, state) -> None:
        declarer = state.soloist if self.layout.game == "skat" else state.declarer
        network = self.network(state, declarer)
        features = get_encoder(self.layout.roles[network].encoder).encode([state], [declarer])[0]
        self.rows[network].append(PlainRow(lane, declarer, features, CARDS))

    def step(self, lane: int, state, epsilon: float) -> bool:
        while not state.is_over and len(state.legal_actions()) == 1:
            state.apply(state.legal_actions()[0])
        if state.is_over:
            return False
        seat, legal = state.to_act, state.legal_actions()
        network = self.network(state, seat)
        role = self.layout.roles[network]
        encoder = get_encoder(role.encoder)
        features, label = encoder.encode([state])[0], encoder.labels([state.view(seat)])[0]
        values = fake_values(network, features[None])[0]
        card = max(legal, key=lambda card: values[label[card]])
        row = PlainRow(lane, seat, features, int(label[card]), float(values[label[card]] + values[CARDS]))
        if epsilon and self.streams[lane].next() < epsilon * 2.0**64:
            odds = [np.exp((values[label[c]] - values[label[card]]) / self.temperature) for c in legal]
            drawn = np.cumsum(odds) > sum(odds) * (self.streams[lane].next() >> 40) / 2**24
            row.explored = card != legal[int(drawn.argmax())]
            card = legal[int(drawn.argmax())]
            row.output = int(label[card])
        self.rows[network].append(row)
        state.apply(card)
        return True

    def worth(self, state) -> float:
        return 0.5 * declarer_worth(state)

    def set_targets(self, rows: list[PlainRow], states: list, worths: list[float], trace: float) -> None:
        for number, row in enumerate(rows):
            later = [
                other for other in rows[number + 1 :] if (other.lane, other.seat) == (row.lane, row.seat)
            ]
            target = worths[row.lane] * (1 if states[row.lane].side(row.seat) == 0 else -1)
            for other in reversed(later):
                if trace < 1:
                    target = other.best if other.explored else trace * target + (1 - trace) * other.best
            row.target = target


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize(
    ("epsilon", "temperature", "trace"),
    [(0.0, 1.0, 1.0), (0.3, np.inf, 1.0), (0.3, np.inf, 0.6), (0.8, 2000.0, 0.6)],
)
def test_a_wave_equals_the_plain_twin(game: str, epsilon: float, temperature: float, trace: float) -> None:
    layout, starts = value_layout(game), some_starts(game)
    rng = np.random.default_rng(1)
    chosen = rng.integers(len(starts), size=12)
    streams = rng.integers(2**64, size=12, dtype=np.uint64)
    actors = make_actors(layout, 12)
    for _ in range(2):  # a second wave starts anew
        worths = play(actors, layout, pack(starts), chosen, streams, epsilon, temperature, trace)
    plain = PlainActors(layout, temperature)
    expected = plain.play([starts[i] for i in chosen], streams.tolist(), epsilon, trace)
    assert worths.tolist() == expected
    for number, rows in enumerate(plain.rows):
        features, outputs, targets = actors.data(number)
        assert outputs.tolist() == [row.output for row in rows]
        assert all((mine == row.features).all() for mine, row in zip(features, rows, strict=True))
        assert targets == pytest.approx(np.array([row.target for row in rows]), rel=1e-4, abs=1e-3)
    assert sum(map(len, plain.rows)) > 100


def test_starts_there_and_back() -> None:
    for game in ("skat", "klaverjas"):
        states = some_starts(game)
        assert [unpack(states[0], row) for row in pack(states)] == states


def test_bad_input() -> None:
    layout, pool = value_layout("skat"), pack(some_starts("skat"))
    actors = make_actors(layout, 2)
    streams = np.zeros(2, np.uint64)
    with pytest.raises(ValueError, match="starts of 3 bytes"):
        actors.begin(pool[:, :3].copy(), np.zeros(2, np.int64), streams)
    with pytest.raises(IndexError, match="are starts 0 to 8 of 8"):
        actors.begin(pool, np.array([0, 8]), streams)
    actors.begin(pool, np.zeros(2, np.int64), streams)
    actors.advance()
    with pytest.raises(ValueError, match="has values"):
        actors.choose([np.zeros((0, OUTPUTS), np.float32)] * 9, 0.0, 1.0)
    with pytest.raises(ValueError, match="not a KlaverjasState"):
        Actors(some_starts("klaverjas")[0], 1, [get_encoder("skat.locations")], 1, [[0]], [1.0], 0, 1.0)
    with pytest.raises(ValueError, match="a start of 5 bytes"):
        unpack(some_starts("skat")[0], np.zeros(5, np.uint8))
