"""Larger networks with the outputs of smaller ones."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.make import grow_networks
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.growth import grown
from skat_env.agents.networks.network import NetworkSpec
from skat_env.skat import SkatView
from tests.helpers.endings import skat_endings
from tests.helpers.networks import random_network

SMALL = NetworkSpec("skat.relabelled_soloist", 32, (24, 16), scale=3.0)


def views(count: int) -> list[SkatView]:
    """What soloists see with 1 to 9 tricks to go, at their turn."""
    states = [skat_endings(1, seed, cards_left=3 * (1 + seed % 9))[0] for seed in range(4 * count)]
    return [state.view(state.soloist) for state in states if state.to_act == state.soloist][:count]


@pytest.mark.parametrize("encoder", ["skat.relabelled_soloist", "skat.tactical_soloist"])
@pytest.mark.parametrize("hidden", [(24, 16), (40, 16), (24, 20), (64, 64)])
def test_outputs_are_those_of_the_smaller_one(encoder: str, hidden: tuple[int, ...]) -> None:
    small, seen = random_network(SMALL), views(50)
    large = grown(small, encoder, hidden, np.random.default_rng(0))
    assert (large.spec.encoder, large.spec.hidden, large.spec.scale) == (encoder, hidden, 3.0)
    assert np.allclose(large.outputs_of(seen), small.outputs_of(seen), rtol=0, atol=1e-5)


def test_new_units_differ_and_can_learn() -> None:
    """Units with the same weights would stay one; units that read nothing would rest for ever."""
    large = grown(random_network(SMALL), "skat.tactical_soloist", (30, 18), np.random.default_rng(0))
    first, second = large.weights()["0.weight"][24:], large.weights()["1.weight"]
    assert len(np.unique(first, axis=0)) == 6
    assert (first != 0).all()
    assert (second[:16, 24:] == 0).all()
    assert (second[16:] != 0).all()


@pytest.mark.parametrize(
    ("encoder", "hidden", "message"),
    [
        ("skat.tactical_defender", (24, 16), "lacks what a network of skat.relabelled_soloist reads: skat"),
        ("skat.tactical_soloist", (24,), r"hidden layers of \[24\] units: expected as many as \[24, 16\]"),
        ("skat.tactical_soloist", (23, 16), r"hidden layers of \[23, 16\] units"),
        ("skat.tactcal_soloist", (24, 16), "skat.tactical_soloist"),
    ],
)
def test_smaller_ones_are_refused(encoder: str, hidden: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grown(random_network(SMALL), encoder, hidden, np.random.default_rng(0))


def test_a_network_with_a_branch_is_refused() -> None:
    spec = NetworkSpec("skat.relabelled_soloist", 32, (8,), branch="hand", branch_hidden=(4,))
    with pytest.raises(ValueError, match="has a branch"):
        grown(random_network(spec), "skat.tactical_soloist", (8,), np.random.default_rng(0))


def test_networks_of_a_checkpoint_grow(tmp_path: Path) -> None:
    out = tmp_path / "grown"
    options = grow_networks.Options(
        "skat-imitation", encoders=("suit_soloist=skat.suit_soloist",), hidden=(256, 96, 64), out=out
    )
    grow_networks.main(options)
    before, after = load_checkpoint("skat-imitation", "skat"), load_checkpoint(out, "skat")
    assert after.networks.keys() == before.networks.keys()
    assert after.network("suit_soloist").spec.hidden == (256, 96, 64)
    assert after.network("grand_soloist").spec == before.network("grand_soloist").spec
    written = (out / "checkpoint.json").read_bytes()
    with pytest.raises(SystemExit, match="exists already"):
        grow_networks.main(options)
    assert (out / "checkpoint.json").read_bytes() == written
