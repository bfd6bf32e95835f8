"""Networks in training: what torch computes is what is evaluated in C, and weights go there and back."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("torch", reason="learning needs the extra 'learn'")

import torch

from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import NetworkSpec
from tests.helpers.features import features


@pytest.fixture(autouse=True)
def _same_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 4])
def test_it_is_traced_with_any_number_of_threads(count: int) -> None:
    """The product of the first layer is one that a tracer cannot see."""
    torch.set_num_threads(count)
    network = load_checkpoint("klaverjas-policy", "klaverjas").network("cardplay")
    module = NetworkModule(network.spec).set_weights(network.weights()).eval()
    rows = (torch.rand(5, network.encoder.width) < 0.1).float()
    exported = torch.export.export(module, (rows,))
    assert torch.allclose(exported.module()(rows), module(rows), atol=1e-5)
    assert torch.allclose(torch.jit.trace(module, (rows,))(rows), module(rows), atol=1e-5)


@pytest.mark.parametrize("branch", [(), (6, 4)])
def test_weights_go_there_and_back(branch: tuple[int, ...]) -> None:
    spec = NetworkSpec("skat.locations", 5, (7, 3), 2.0, "elu", "trick" if branch else "", branch)
    module = NetworkModule(spec, dropout=0.5)
    network = module.frozen("one")
    assert network.name == "one"
    again = NetworkModule(spec).set_weights(network.weights()).eval()
    rows = features(network.encoder.width, 20, np.random.default_rng(0))
    with torch.inference_mode():
        np.testing.assert_allclose(again(torch.from_numpy(rows)) * 2, network.infer(rows), atol=1e-5)
        for tensor in module.parameters():  # what is frozen stays
            tensor.zero_()
    assert (network.infer(rows) == again.frozen().infer(rows)).all()
    with pytest.raises(ValueError, match="read-only"):
        network.weights()["0.bias"][0] = 1
