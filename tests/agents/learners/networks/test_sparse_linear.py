"""A first layer that skips inputs that are 0, beside the dense one, its plain twin."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from skat_env.agents.learners.networks._sparse import SparseRows
from skat_env.agents.learners.networks.network_module import one_thread
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


def inputs(rows: int, columns: int, share: float, seed: int) -> torch.Tensor:
    """Numbers of which a share is not 0."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < share)
    return torch.from_numpy(numbers.astype(np.float32))


@given(st.integers(0, 9), st.integers(1, 70), st.integers(1, 150), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_products_are_those_of_the_dense_matrix(
    rows: int, columns: int, width: int, share: float, seed: int
) -> None:
    x = inputs(rows, columns, share, seed).numpy()
    rng = np.random.default_rng(seed + 1)
    matrix, start = rng.normal(size=(columns, width)), rng.normal(size=width)
    grad = rng.normal(size=(rows, width))
    sparse = SparseRows(x)
    out, turned = np.empty((rows, width), np.float32), np.empty((columns, width), np.float32)
    sparse.times(matrix.astype(np.float32), start.astype(np.float32), out)
    np.testing.assert_allclose(out, x.astype(np.float64) @ matrix + start, rtol=1e-4, atol=1e-4)
    for _ in range(2):  # the second time the entries are sorted already
        sparse.transposed_times(grad.astype(np.float32), turned)
        np.testing.assert_allclose(turned, x.T.astype(np.float64) @ grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("matrix", "start", "out"), [((4, 2), 2, (5, 2)), ((3, 2), 3, (5, 2)), ((3, 2), 2, (4, 2))]
)
def test_other_shapes_are_refused(matrix: tuple[int, int], start: int, out: tuple[int, int]) -> None:
    sparse = SparseRows(np.eye(5, 3, dtype=np.float32))
    with pytest.raises(ValueError, match="expected"):
        sparse.times(np.zeros(matrix, np.float32), np.zeros(start, np.float32), np.zeros(out, np.float32))
    with pytest.raises(ValueError, match="expected"):
        sparse.transposed_times(np.zeros((4, 2), np.float32), np.zeros((3, 2), np.float32))


def test_numbers_that_are_not_finite_are_kept() -> None:
    x = torch.tensor([[0.0, float("nan")], [float("inf"), 0.0]])
    layer = SparseLinear.of(nn.Linear(2, 3))
    assert layer(x)[0].isnan().all()
    assert layer(x)[1].isinf().all()


def test_a_sparse_layer_learns_as_the_dense_one() -> None:
    torch.manual_seed(0)
    dense = nn.Sequential(nn.Linear(90, 72), nn.ReLU(), nn.Linear(72, 1))
    sparse = copy.deepcopy(dense)
    first = sparse[0]
    optimizers = [torch.optim.Adam(net.parameters()) for net in (dense, sparse)]
    sparse[0] = SparseLinear.of(first)
    assert sparse[0].weight is first.weight  # so the optimizer, which was made before, moves it
    with one_thread():
        for step in range(20):
            x = inputs(33, 90, 0.1, step)
            for net, optimizer in zip((dense, sparse), optimizers, strict=True):
                optimizer.zero_grad()
                (net(x) - x.sum(1, keepdim=True)).square().mean().backward()
                optimizer.step()
    for one, other in zip(dense.parameters(), sparse.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)
    again = copy.deepcopy(dense)
    again.load_state_dict(sparse.state_dict())
    torch.testing.assert_close(again(x), sparse(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", ["float64", "gradient", "autocast", "threads", "sequence"])
def test_elsewhere_it_is_a_dense_layer(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("the sparse product is for other inputs")

    dense = nn.Linear(5, 3)
    x = inputs(4, 5, 0.5, 1)
    if case == "float64":
        dense, x = dense.double(), x.double()
    if case == "gradient":
        x.requires_grad_()
    if case == "sequence":
        x = x[None]
    if case == "threads":
        monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    layer = SparseLinear.of(copy.deepcopy(dense))
    monkeypatch.setattr("skat_env.agents.learners.networks.sparse_linear.SparseRows", refuse)
    with torch.autocast("cpu", torch.bfloat16, enabled=case == "autocast"):
        torch.testing.assert_close(layer(x), dense(x))


@pytest.mark.parametrize("layer", [nn.Linear(5, 3, bias=False), nn.ReLU()])
def test_other_layers_are_refused(layer: nn.Module) -> None:
    with pytest.raises(ValueError, match="expected a linear layer with a bias"):
        SparseLinear.of(layer)
