"""Networks row by row: as in torch, and to the last bit independent of everything but the row."""

import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.networks._rows import VECTORS, RowNetwork
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec
from tests.helpers.features import features
from tests.helpers.networks import random_network

SPEC = NetworkSpec("skat.bid_answer", 3, (8,))


def plain(network: Network, row: NDArray[np.float32]) -> NDArray[np.float32]:
    """The twin: every product added to its sum in turn, in higher precision, and then rounded."""
    weights, values = network.weights(), row
    layers = len(network.spec.hidden) + 1
    for number in range(layers):
        matrix, sums = weights[f"{number}.weight"], weights[f"{number}.bias"]
        for column, value in zip(matrix.T.astype(np.float64), values.tolist(), strict=True):
            sums = (sums.astype(np.float64) + column * value).astype(np.float32)
        if number == layers - 1:
            return sums
        rests = 0 if network.spec.activation == "relu" else np.expm1(sums.astype(np.float64))
        values = np.where(sums > 0, sums, rests).astype(np.float32)
    raise AssertionError


def by_torch(network: Network, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Outputs in game units, as the module has them whose weights are learnt."""
    with torch.inference_mode():
        outputs = NetworkModule(network.spec).set_weights(network.weights())(torch.from_numpy(rows)).numpy()
    return np.asarray(outputs * network.spec.scale)


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("skat-policy", "skat"),
        ("klaverjas-policy", "klaverjas"),
        ("skat-locations", "skat"),
        ("klaverjas-locations", "klaverjas"),
    ],
)
def test_shipped_networks_as_in_torch(name: str, game: str) -> None:
    rng = np.random.default_rng(0)
    for network in load_checkpoint(name, game).networks.values():
        rows = features(network.encoder.width, 200, rng)
        expected = by_torch(network, rows)
        assert np.abs(network.infer(rows) - expected).max() < 1e-5 * max(1, np.abs(expected).max())


@settings(max_examples=30, deadline=None)
@given(
    hidden=st.lists(st.integers(1, 150), max_size=4),
    outputs=st.integers(1, 100),
    rows=st.integers(1, 200),
    activation=st.sampled_from(["relu", "elu"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_row_depends_on_nothing_else(
    hidden: list[int], outputs: int, rows: int, activation: str, seed: int
) -> None:
    torch.manual_seed(seed)
    network = random_network(
        NetworkSpec("skat.bid_answer", outputs, tuple(hidden), activation=activation), 1.5
    )
    rng = np.random.default_rng(seed)
    given_rows = features(network.encoder.width, rows, rng)
    whole = RowNetwork(network)(given_rows)
    np.testing.assert_allclose(whole[0], plain(network, given_rows[0]), rtol=1e-5, atol=1e-6)
    order = rng.permutation(rows)
    assert (RowNetwork(network)(given_rows[order]) == whole[order]).all()
    assert (RowNetwork(network)(given_rows[-1:]) == whole[-1:]).all()
    for vector in VECTORS:
        assert (RowNetwork(network, vector)(given_rows) == whole).all()


@settings(max_examples=30, deadline=None)
@given(
    branch=st.sampled_from(["hand", "trick", "history", ""]),
    branch_hidden=st.lists(st.integers(1, 70), max_size=3),
    rows=st.integers(1, 100),
    activation=st.sampled_from(["relu", "elu"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_branch_as_in_torch(
    branch: str, branch_hidden: list[int], rows: int, activation: str, seed: int
) -> None:
    torch.manual_seed(seed)
    spec = NetworkSpec("skat.locations", 9, (40, 20), 3.0, activation, branch, tuple(branch_hidden))
    network = random_network(spec, 1.5)
    given_rows = features(network.encoder.width, rows, np.random.default_rng(seed))
    found = network.infer(given_rows)
    np.testing.assert_allclose(found, by_torch(network, given_rows), rtol=1e-4, atol=1e-5)
    assert (network.infer(given_rows[::-1]) == found[::-1]).all()
    assert (pickle.loads(pickle.dumps(network)).infer(given_rows) == found).all()


@settings(max_examples=40, deadline=None)
@given(
    hidden=st.lists(st.integers(1, 150), max_size=3),
    rows=st.integers(1, 150),
    share=st.floats(0, 1),
    activation=st.sampled_from(["relu", "elu"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_columns_in_which_rows_agree_are_folded(
    hidden: list[int], rows: int, share: float, activation: str, seed: int
) -> None:
    torch.manual_seed(seed)
    network = random_network(NetworkSpec("skat.bid_answer", 5, tuple(hidden), activation=activation))
    rng = np.random.default_rng(seed)
    width = network.encoder.width
    differ = rng.random(width) < share
    given_rows = np.where(differ, features(width, rows, rng), features(width, 1, rng))
    by_row = RowNetwork(network)
    found = by_row.folded(given_rows, differ)
    np.testing.assert_allclose(found, network.infer(given_rows), rtol=1e-5, atol=1e-6)
    assert (by_row.folded(given_rows[::-1].copy(), differ) == found[::-1]).all()
    for vector in VECTORS:
        assert (RowNetwork(network, vector).folded(given_rows, differ) == found).all()
    assert by_row.folded(given_rows[:0], differ).shape == (0, 5)


def test_what_cannot_be_evaluated_is_refused() -> None:
    network = RowNetwork(random_network(SPEC))
    assert network(np.empty((0, 35), np.float32)).shape == (0, 3)
    with pytest.raises(ValueError, match="rows have 34 features"):
        network(np.zeros((2, 34), np.float32))
    with pytest.raises(ValueError, match="34 of which may differ or not"):
        network.folded(np.zeros((2, 35), np.float32), np.zeros(34, np.bool_))
    with pytest.raises(ValueError, match="floats at a time"):
        RowNetwork(random_network(SPEC), 5)
