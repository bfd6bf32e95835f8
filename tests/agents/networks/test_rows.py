"""Networks row by row: as in torch, and to the last bit independent of everything but the row."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from skat_env.agents.networks._rows import VECTORS, RowNetwork
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.folded import FoldedNetwork
from skat_env.agents.networks.network import Network, NetworkSpec
from tests.helpers.features import features

CHECKPOINTS = {"skat": "skat-policy", "klaverjas": "klaverjas-policy"}


def plain(network: Network, row: NDArray[np.float32]) -> NDArray[np.float32]:
    """The twin: every product added to its sum in turn, in higher precision, and then rounded."""
    weights, values = network.weights(), row
    layers = len(weights) // 2
    for number in range(layers):
        matrix = weights[f"{number}.weight"].detach().numpy()
        sums = weights[f"{number}.bias"].detach().numpy().copy()
        for column, value in zip(matrix.T.astype(np.float64), values.tolist(), strict=True):
            sums = (sums.astype(np.float64) + column * value).astype(np.float32)
        values = np.maximum(sums, 0) if number < layers - 1 else sums
    return values


@pytest.mark.parametrize("game", CHECKPOINTS)
def test_shipped_networks_as_in_torch(game: str) -> None:
    rng = np.random.default_rng(0)
    for network in load_checkpoint(CHECKPOINTS[game], game).networks.values():
        rows = features(network.encoder.width, 200, rng)
        found = RowNetwork(network)(rows) * np.float32(network.spec.scale)
        expected = network.infer(rows)
        assert np.abs(found - expected).max() < 1e-5 * max(1, np.abs(expected).max())


@settings(max_examples=30, deadline=None)
@given(
    hidden=st.lists(st.integers(1, 150), max_size=4),
    outputs=st.integers(1, 100),
    rows=st.integers(1, 200),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_row_depends_on_nothing_else(hidden: list[int], outputs: int, rows: int, seed: int) -> None:
    torch.manual_seed(seed)
    network = Network(NetworkSpec("skat.bid_answer", outputs, tuple(hidden))).eval()
    rng = np.random.default_rng(seed)
    given_rows = features(network.encoder.width, rows, rng)
    whole = RowNetwork(network)(given_rows)
    np.testing.assert_allclose(whole[0], plain(network, given_rows[0]), rtol=1e-6, atol=1e-7)
    order = rng.permutation(rows)
    assert (RowNetwork(network)(given_rows[order]) == whole[order]).all()
    assert (RowNetwork(network)(given_rows[-1:]) == whole[-1:]).all()
    for vector in VECTORS:
        assert (RowNetwork(network, vector)(given_rows) == whole).all()


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
    network = Network(NetworkSpec("skat.bid_answer", 5, tuple(hidden), activation=activation)).eval()
    rng = np.random.default_rng(seed)
    width = network.encoder.width
    differ = rng.random(width) < share
    given_rows = np.where(differ, features(width, rows, rng), features(width, 1, rng))
    expected = network.infer(given_rows)
    with torch.inference_mode():
        folded = FoldedNetwork(network)(given_rows, differ)
    np.testing.assert_allclose(folded, expected, rtol=1e-5, atol=1e-6)
    if activation == "relu":
        by_row = RowNetwork(network)
        found = by_row.folded(given_rows, differ)
        assert (by_row.folded(given_rows[::-1].copy(), differ) == found[::-1]).all()
        for vector in VECTORS:
            assert (RowNetwork(network, vector).folded(given_rows, differ) == found).all()
        assert by_row.folded(given_rows[:0], differ).shape == (0, 5)


def test_what_cannot_be_evaluated_is_refused() -> None:
    with pytest.raises(ValueError, match="no branch"):
        RowNetwork(Network(NetworkSpec("skat.bid_answer", 3, (8,), activation="elu")))
    with pytest.raises(ValueError, match="no branch"):
        RowNetwork(Network(NetworkSpec("skat.bid_answer", 3, (8,), branch="hand", branch_hidden=(4,))))
    network = RowNetwork(Network(NetworkSpec("skat.bid_answer", 3, (8,))))
    assert network(np.empty((0, 35), np.float32)).shape == (0, 3)
    with pytest.raises(ValueError, match="rows have 34 features"):
        network(np.zeros((2, 34), np.float32))
    with pytest.raises(ValueError, match="34 of which may differ or not"):
        network.folded(np.zeros((2, 35), np.float32), np.zeros(34, np.bool_))
    with pytest.raises(ValueError, match="floats at a time"):
        RowNetwork(Network(NetworkSpec("skat.bid_answer", 3, (8,))), 5)
