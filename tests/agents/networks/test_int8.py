"""Networks of bytes: as a plain twin rounds them, on every processor, and near the same networks of floats."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch

from skat_env.agents.networks._int8 import BYTES, Int8Network
from skat_env.agents.networks._rows import RowNetwork
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.errors import NotFinite
from tests.helpers.features import features
from tests.helpers.networks import changed, random_network

ONE = np.float32(1)


def plain(network: Network, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The twin, from the first layer's values on: by products of integers, the largest unit of a row as 127."""
    weights = network.weights()
    for number in range(1, len(weights) // 2):
        matrix = weights[f"{number}.weight"]
        scale = np.abs(matrix).max(axis=1) / np.float32(127)
        whole = np.rint(matrix / np.where(scale > 0, scale, ONE)[:, None]).astype(np.int64)
        units = np.maximum(values, 0)
        largest = units.max(axis=1, keepdims=True)
        times = np.where(largest > 0, np.float32(127) / np.where(largest > 0, largest, ONE), np.float32(0))
        sums = np.rint(units * times).astype(np.int64) @ whole.T
        products = sums.astype(np.float32) * (scale * (largest / np.float32(127)))
        values = products + weights[f"{number}.bias"]
    return values


@settings(max_examples=40, deadline=None)
@given(
    hidden=st.lists(st.integers(1, 150), max_size=4),
    outputs=st.integers(1, 100),
    rows=st.integers(1, 200),
    share=st.floats(0, 1),
    shift=st.floats(-1, 1, width=32),
    seed=st.integers(0, 2**32 - 1),
)
def test_as_the_plain_twin_on_every_processor(
    hidden: list[int], outputs: int, rows: int, share: float, shift: float, seed: int
) -> None:
    torch.manual_seed(seed)
    network = changed(
        random_network(NetworkSpec("skat.bid_answer", outputs, tuple(hidden))),
        lambda arrays: [
            np.add(arrays[f"{layer}.bias"], shift, arrays[f"{layer}.bias"]) for layer in range(len(hidden))
        ],
    )
    rng = np.random.default_rng(seed)
    width = network.encoder.width
    differ = rng.random(width) < share
    given_rows = np.where(differ, features(width, rows, rng), features(width, 1, rng))
    first = RowNetwork(network, layers=1)
    folded, called = plain(network, first.folded(given_rows, differ)), plain(network, first(given_rows))
    order = rng.permutation(rows)
    for number in BYTES:
        found = Int8Network(network, number)
        assert (found.folded(given_rows, differ) == folded).all()
        assert (found(given_rows) == called).all()
        assert (found.folded(given_rows[order], differ) == folded[order]).all()
        assert (found(given_rows[order]) == called[order]).all()
        assert found(given_rows[:0]).shape == found.folded(given_rows[:0], differ).shape == (0, outputs)


def test_as_exact_as_bytes_are() -> None:
    rng = np.random.default_rng(0)
    networks = load_checkpoint("skat-imitation", "skat").networks
    for name in ("bid_answer", "discard_grand", "suit_soloist", "null_defender"):
        network = networks[name]
        width = network.encoder.width
        differ = rng.random(width) < 0.3
        rows = np.where(differ, features(width, 500, rng), features(width, 1, rng))
        exact = RowNetwork(network).folded(rows, differ)
        apart = Int8Network(network).folded(rows, differ) - exact
        assert apart.std() < 0.02 * exact.std(), name


def test_networks_of_a_checkpoint_by_name() -> None:
    floats = load_checkpoint("skat-policy", "skat")
    mixed = floats.in_int8(["grand_soloist"])
    for name, network in mixed.networks.items():
        rows = features(network.encoder.width, 50, np.random.default_rng(1))
        same = (network(rows) == floats.networks[name](rows)).all()
        assert same == (name != "grand_soloist"), name
        assert (pickle.loads(pickle.dumps(network))(rows) == network(rows)).all(), name


def test_other_units_stay_floats() -> None:
    network = random_network(NetworkSpec("skat.bid_answer", 3, (8,), activation="elu"))
    rows = features(network.encoder.width, 50, np.random.default_rng(1))
    assert (network.in_int8()(rows) == network(rows)).all()


def test_numbers_that_are_none_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of finite weights may be none: of the largest float, and of its negative."""
    network = random_network(NetworkSpec("klaverjas.cardplay", 33, (64, 32)))

    def spoil(arrays: dict[str, NDArray[np.float32]]) -> None:
        arrays["0.weight"][3, ::2], arrays["0.weight"][3, 1::2] = 3e38, -3e38

    spoilt = changed(network, spoil)
    rows = features(spoilt.encoder.width, 5, np.random.default_rng(0))
    for each in (spoilt, *(Int8Network(spoilt, count) for count in BYTES)):
        with pytest.raises(NotFinite):
            each(rows)


def test_what_cannot_be_evaluated_is_refused() -> None:
    with pytest.raises(ValueError, match="no branch"):
        Int8Network(random_network(NetworkSpec("skat.bid_answer", 3, (8,), activation="elu")))
    network = random_network(NetworkSpec("skat.bid_answer", 3, (8,)))
    with pytest.raises(ValueError, match="bytes at a time, not 5"):
        Int8Network(network, 5)
    with pytest.raises(ValueError, match="rows have 34 features"):
        Int8Network(network).folded(np.zeros((2, 34), np.float32), np.zeros(35, np.bool_))
    with pytest.raises(ValueError, match="34 of which may differ or not"):
        Int8Network(network).folded(np.zeros((2, 35), np.float32), np.zeros(34, np.bool_))
