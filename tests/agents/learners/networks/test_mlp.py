"""Perceptrons that learn in C against torch's autograd, and the losses' gradients against it."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch
from torch import nn
from torch.nn import functional

from skat_env.agents.learners import dmc, ppo
from skat_env.agents.learners.config import PROCESSOR
from skat_env.agents.learners.networks._mlp import MLP, VECTORS
from skat_env.agents.learners.networks.averaged_network import AveragedNetwork
from skat_env.agents.learners.networks.network_module import ILLEGAL
from skat_env.agents.learners.networks.torch_mlp import TorchMLP
from skat_env.agents.learners.networks.training_steps import TrainingSteps
from skat_env.agents.networks.network import NetworkSpec
from tests.helpers.networks import random_network

SHAPES = [((5, 3), 1), ((64, 65, 2), 127), ((130, 64, 63, 33), 129), ((300, 129, 32), 300), ((7, 1, 1, 4), 9)]


def sparse(rng: np.random.Generator, rows: int, width: int, share: float) -> np.ndarray:
    kept = rng.random((rows, width)) < share
    return np.where(kept, rng.normal(size=(rows, width)), 0).astype(np.float32)


def twins(
    widths: tuple[int, ...], vector: int = VECTORS[0], averaging: float = 0.9
) -> tuple[MLP, nn.Sequential]:
    """The same random weights in C, and in torch in double precision."""
    rng = np.random.default_rng(list(widths))
    mlp, layers = MLP(widths, averaging, vector), []
    for number, (inputs, outputs) in enumerate(pairwise(widths)):
        matrix = rng.normal(size=(outputs, inputs + 1)).astype(np.float32) / np.float32(inputs**0.5)
        for kind in ("weights", "average"):
            mlp.set_matrix(number, matrix, kind)
        layer = nn.Linear(inputs, outputs, dtype=torch.float64)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(matrix[:, :-1]))
            layer.bias.copy_(torch.from_numpy(matrix[:, -1]))
        layers += [layer, nn.ReLU()]
    return mlp, nn.Sequential(*layers[:-1])


def flat(network: nn.Sequential, read: Any) -> np.ndarray:
    """A number for each weight, in the order of `joined`."""
    layers = [layer for layer in network if isinstance(layer, nn.Linear)]
    return np.concatenate(
        [np.concatenate((read(each.weight), read(each.bias)[:, None]), axis=1).ravel() for each in layers]
    )


def joined(mlp: MLP, kind: str) -> np.ndarray:
    """All matrices of a kind, one after another."""
    return np.concatenate([mlp.matrix(number, kind).ravel() for number in range(len(mlp.widths) - 1)])


def follow(network: nn.Sequential, mlp: MLP) -> None:
    """Takes the weights of the other, whose rounding Adam makes larger where a gradient is all but 0."""
    layers = [layer for layer in network if isinstance(layer, nn.Linear)]
    with torch.no_grad():
        for number, layer in enumerate(layers):
            matrix = torch.from_numpy(mlp.matrix(number))
            layer.weight.copy_(matrix[:, :-1])
            layer.bias.copy_(matrix[:, -1])


@pytest.mark.parametrize(("widths", "rows"), SHAPES)
def test_it_learns_as_torch_does(widths: tuple[int, ...], rows: int) -> None:
    mlp, network = twins(widths)
    adam = torch.optim.Adam(network.parameters(), lr=0.01)
    rng = np.random.default_rng(rows)
    first: Any = 0.0
    for step in range(1, 4):
        features = sparse(rng, rows, widths[0], 0.2)
        members = rng.permutation(rows)[: max(1, rows - 2)]
        outputs = mlp.forward([features[: rows // 3], features[rows // 3 :]], members)
        expected = network(torch.from_numpy(features[members]).double())
        np.testing.assert_allclose(outputs, expected.detach().numpy(), atol=1e-5, rtol=1e-4)
        gradient = sparse(rng, len(members), widths[-1], 0.5) / np.float32(rows)
        adam.zero_grad()
        expected.backward(torch.from_numpy(gradient).double())
        adam.step()
        averages = [mlp.matrix(number, "average") for number in range(len(widths) - 1)]
        mlp.step(gradient, 0.01)
        first = 0.9 * first + 0.1 * flat(network, lambda weight: weight.grad.numpy())
        np.testing.assert_allclose(joined(mlp, "first"), first, atol=1e-7, rtol=1e-3)
        sure = np.abs(first) > 1e-6
        wanted = flat(network, lambda weight: weight.detach().numpy())
        np.testing.assert_allclose(joined(mlp, "weights")[sure], wanted[sure], atol=1e-5, rtol=1e-3)
        kept = min(0.9, step / (step + 10))
        average = np.concatenate([each.ravel() for each in averages])
        average = kept * average + (1 - kept) * joined(mlp, "weights")
        np.testing.assert_allclose(joined(mlp, "average"), average, atol=1e-6)
        follow(network, mlp)
    assert mlp.steps == 3


@pytest.mark.parametrize(("widths", "rows"), SHAPES)
def test_torch_learns_as_c_does(widths: tuple[int, ...], rows: int) -> None:
    mlp, _ = twins(widths)
    twin = TorchMLP(widths, 0.9, PROCESSOR)
    for number in range(len(widths) - 1):
        for kind in ("weights", "average"):
            twin.set_matrix(number, mlp.matrix(number, kind), kind)
    rng = np.random.default_rng(rows)
    features = sparse(rng, rows, widths[0], 0.2)
    parts = [features[: rows // 3], features[rows // 3 :]]
    loaded = [twin.load(part) for part in parts]
    for step in range(3):
        members = rng.permutation(rows)[: max(1, rows - 2 * step)]
        slopes = sparse(rng, len(members), widths[-1], 0.5) / np.float32(rows)
        order = rng.permutation(len(members))
        wanted = mlp.forward(parts, members[order])
        mlp.step(slopes[order], 0.01)

        def loss(outputs: Any, slope: Any, weight: Any, wanted: np.ndarray = wanted) -> Any:
            np.testing.assert_allclose(outputs[: len(wanted)], wanted, atol=1e-5, rtol=1e-4)
            return slope, {"weight": weight.sum() / len(wanted)}

        ones = np.ones(len(members), np.float32)
        sums = twin.learn(TrainingSteps(loaded, members, (slopes, ones), [order], loss, 0.01))
        assert sums["weight"] == pytest.approx(len(members))
        for kind in ("first", "second"):
            np.testing.assert_allclose(joined(twin, kind), joined(mlp, kind), atol=1e-7, rtol=1e-3)
        # Adam makes rounding larger where a gradient is all but 0.
        sure = np.abs(joined(mlp, "first")) > 1e-6
        for kind in ("weights", "average"):
            np.testing.assert_allclose(
                joined(twin, kind)[sure], joined(mlp, kind)[sure], atol=1e-5, rtol=1e-3
            )
            for number in range(len(widths) - 1):
                twin.set_matrix(number, mlp.matrix(number, kind), kind)
    assert twin.steps == mlp.steps == 3
    for average in (False, True):
        np.testing.assert_allclose(
            twin.outputs(twin.load(features), average), mlp.outputs(features, average), atol=1e-5, rtol=1e-4
        )
    other = TorchMLP(widths, 0.9, PROCESSOR)
    other.set_arrays({kind: each.copy() for kind, each in twin.arrays().items()})
    assert (other.outputs(loaded[1]) == twin.outputs(loaded[1])).all()
    assert all((other.arrays()[kind] == each).all() for kind, each in twin.arrays().items())


@pytest.mark.parametrize(("widths", "rows"), SHAPES)
def test_every_processor_gives_the_same_bits(widths: tuple[int, ...], rows: int) -> None:
    rng = np.random.default_rng(rows)
    features = sparse(rng, rows, widths[0], 0.2)
    gradient = sparse(rng, rows, widths[-1], 0.5)
    learnt = []
    for vector in VECTORS:
        mlp, _ = twins(widths, vector)
        for _ in range(2):
            mlp.forward([features], np.arange(rows))
            mlp.step(gradient, 0.01)
        learnt.append(b"".join(each.tobytes() for each in (*mlp.arrays().values(), mlp.outputs(features))))
    assert len(set(learnt)) == 1


def test_outputs_depend_on_their_row_alone() -> None:
    mlp, _ = twins((70, 66, 5))
    features = sparse(np.random.default_rng(1), 200, 70, 0.3)
    outputs = mlp.outputs(features)
    assert all((mlp.outputs(features[i : i + 1]) == outputs[i]).all() for i in (0, 127, 128, 199))
    members = np.random.default_rng(2).permutation(200)
    parts = [features[:0], features[:50], features[50:]]
    assert (mlp.forward(parts, members) == outputs[members]).all()


def test_the_average_can_be_asked() -> None:
    mlp, _ = twins((6, 4, 2))
    features = sparse(np.random.default_rng(1), 3, 6, 0.8)
    before = mlp.outputs(features)
    assert (mlp.outputs(features, average=True) == before).all()
    for number in range(2):
        mlp.set_matrix(number, np.zeros_like(mlp.matrix(number)), "average")
    assert (mlp.outputs(features, average=True) == 0).all()
    assert (mlp.outputs(features) == before).all()


def test_what_is_not_a_number_stays_so() -> None:
    mlp, _ = twins((6, 4, 2))
    features = np.full((1, 6), np.nan, np.float32)
    assert np.isnan(mlp.outputs(features)).all()


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="expected 1 to 66"):
        MLP((3,), 0.9)
    with pytest.raises(ValueError, match="floats at a time, not 3"):
        MLP((3, 2), 0.9, 3)
    mlp, _ = twins((6, 4, 2))
    rows = np.zeros((2, 5), np.float32)
    twin = TorchMLP((6, 4, 2), 0.9, PROCESSOR)
    for call in (mlp.outputs, lambda rows: mlp.forward([rows], np.arange(1)), twin.load):
        with pytest.raises(ValueError, match="rows have 5 features, the network reads 6"):
            call(rows)
    with pytest.raises(IndexError, match="got rows 0 to 3 of 3"):
        mlp.forward([np.zeros((3, 6), np.float32)], np.arange(4))
    loaded, four = [twin.load(np.zeros((3, 6), np.float32))], np.arange(4)
    with pytest.raises(IndexError, match="got rows 0 to 3 of 3"):
        twin.learn(TrainingSteps(loaded, four, (np.ones(4, np.float32),), [four], lambda *_: (), 0.1))
    with pytest.raises(ValueError, match="after a forward pass of 0 rows"):
        mlp.step(np.zeros((1, 2), np.float32), 0.1)
    mlp.forward([np.zeros((3, 6), np.float32)], np.arange(2))
    with pytest.raises(ValueError, match=r"a gradient \[3, 2\] .* expected one or more, and \[2, 2\]"):
        mlp.step(np.zeros((3, 2), np.float32), 0.1)
    with pytest.raises(IndexError, match="layer 2 of 2"):
        mlp.matrix(2)
    network = random_network(NetworkSpec("skat.world", 2, (4,), activation="elu"))
    with pytest.raises(ValueError, match="expected rectified units and no branch"):
        AveragedNetwork("world", network, 0.9, PROCESSOR)


def test_networks_come_back() -> None:
    network = random_network(NetworkSpec("skat.world", 2, (9, 70)))
    learner = AveragedNetwork("world", network, 0.9, PROCESSOR)
    features = sparse(np.random.default_rng(3), 5, network.encoder.width, 0.2)
    np.testing.assert_allclose(
        learner.average().infer(features) / network.spec.scale, learner.mlp.outputs(features), atol=1e-6
    )
    assert all((learner.average().weights()[name] == each).all() for name, each in network.weights().items())
    learner.mlp.forward([features], np.arange(5))
    learner.mlp.step(np.ones((5, 2), np.float32), 0.1)
    other = AveragedNetwork("world", network, 0.9, PROCESSOR)
    other.restore(learner.mlp.steps, {name: each.clone() for name, each in learner.tensors().items()})
    pairs = zip(other.mlp.arrays().values(), learner.mlp.arrays().values(), strict=True)
    assert other.mlp.steps == 1
    assert all((a == b).all() for a, b in pairs)


def ppo_config(**changes: Any) -> ppo.Config:
    return ppo.Config(game="skat", games=1, checkpoint="skat-policy", **changes)


@pytest.mark.parametrize("outputs", [32, 33])
def test_the_gradient_of_the_clipped_surrogate(outputs: int) -> None:
    config = ppo_config(temperature=0.7, clip=0.1, entropy=0.2)
    policy = ppo.Policy(
        "suit_soloist", random_network(NetworkSpec("skat.relabelled_soloist", outputs, (4,))), config, 1.0
    )
    rng = np.random.default_rng(outputs)
    rows = 60
    raw = rng.normal(size=(rows, outputs)).astype(np.float32)
    legal = rng.integers(1, 2**32, size=rows, dtype=np.uint32)
    allowed = (legal[:, None] >> np.arange(32, dtype=np.uint32) & 1).astype(bool)
    chosen = np.array([rng.choice(np.flatnonzero(row)) for row in allowed])
    advantage, result = rng.normal(size=(2, rows)).astype(np.float32)
    weight = rng.choice([1, 8], size=rows).astype(np.float32)

    leaf = torch.tensor(raw, dtype=torch.float64, requires_grad=True)
    mask = torch.from_numpy(allowed)
    chances = functional.log_softmax((leaf[:, :32] / 0.7).masked_fill(~mask, ILLEGAL), 1)
    now = chances.gather(1, torch.from_numpy(chosen)[:, None])[:, 0]
    chance = (now.detach().numpy() + rng.normal(scale=0.2, size=rows)).astype(np.float32)
    ratio = (now - torch.from_numpy(chance).double()).exp()
    share = torch.from_numpy(weight / weight.sum()).double()
    gain = torch.minimum(
        ratio * torch.from_numpy(advantage), ratio.clamp(0.9, 1.1) * torch.from_numpy(advantage)
    )
    entropy = -(chances.exp() * chances.masked_fill(~mask, 0)).sum(1)
    loss = -(share @ gain) - 0.2 * (share @ entropy)
    if outputs > 32:
        loss = loss + 0.5 * (share @ (leaf[:, 32] - torch.from_numpy(result)).square())
    loss.backward()  # type: ignore[no-untyped-call]

    columns = (raw, chosen, chance, legal.astype(np.int64), advantage, result, weight)
    # A row of weight 0 changes nothing.
    gradient, measures = policy.loss(
        *(torch.from_numpy(np.append(each, each[:1] * 0, 0)) for each in columns)
    )
    assert leaf.grad is not None
    np.testing.assert_allclose(gradient[:-1], leaf.grad.numpy(), atol=1e-6, rtol=1e-4)
    assert (gradient[-1] == 0).all()
    assert measures["entropy"] == pytest.approx((share @ entropy).item(), rel=1e-5)
    assert measures["kl"] == pytest.approx((share @ (torch.from_numpy(chance) - now)).item(), rel=1e-4)


def test_the_gradient_of_the_critic() -> None:
    critic = ppo.Critic("world", random_network(NetworkSpec("skat.world", 2, (4,))), ppo_config())
    rng = np.random.default_rng(0)
    raw, target = rng.normal(size=(9, 2)).astype(np.float32), rng.normal(size=9).astype(np.float32)
    won = (rng.random(9) < 0.5).astype(np.float32)
    leaf = torch.tensor(raw, requires_grad=True)
    error = functional.mse_loss(leaf[:, 0], torch.from_numpy(target))
    loss = error + functional.binary_cross_entropy_with_logits(leaf[:, 1], torch.from_numpy(won))
    loss.backward()  # type: ignore[no-untyped-call]
    gradient, measures = critic.loss(*map(torch.from_numpy, (raw, target, won, np.ones(9, np.float32))))
    assert leaf.grad is not None
    np.testing.assert_allclose(gradient, leaf.grad.numpy(), atol=1e-7)
    assert measures["error"] == pytest.approx(error.item())


def test_the_gradient_of_chosen_values() -> None:
    rng = np.random.default_rng(0)
    raw, target = rng.normal(size=(9, 33)).astype(np.float32), rng.normal(size=9).astype(np.float32)
    chosen = np.array([32, 0, 5, 31, 32, 7, 8, 9, 5])
    leaf = torch.tensor(raw, requires_grad=True)
    added = torch.where(
        torch.from_numpy(chosen) < 32, leaf.gather(1, torch.from_numpy(chosen)[:, None])[:, 0], 0
    )
    loss = functional.mse_loss(leaf[:, 32] + added, torch.from_numpy(target))
    loss.backward()  # type: ignore[no-untyped-call]
    gradient, measures = dmc.loss(*map(torch.from_numpy, (raw, chosen, target, np.ones(9, np.float32))))
    assert leaf.grad is not None
    np.testing.assert_allclose(gradient, leaf.grad.numpy(), atol=1e-7)
    assert measures["error"] == pytest.approx(loss.item())
