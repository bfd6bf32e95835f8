"""Memories: the last rows or a fair sample of all, and the same after they were kept."""

from collections import deque

import numpy as np
import pytest

from skat_env.agents.learners.experience.memory import Memory
from skat_env.errors import OptionError


def rows(first: int, count: int) -> dict[str, np.ndarray]:
    number = np.arange(first, first + count)
    return {"number": number, "bits": (number[:, None] >> np.arange(11) & 1).astype(np.int8)}


def test_a_memory_keeps_the_last_rows() -> None:
    rng, memory = np.random.default_rng(1), Memory("recent", 50)
    for first in range(0, 210, 30):
        memory.add(rows(first, 30))
        drawn = memory.draw(rng, 500)
        last = first + 30
        assert set(drawn["number"].tolist()) <= set(range(max(0, last - 50), last))
        assert (drawn["bits"] == rows(0, 210)["bits"][drawn["number"]]).all()
    assert len(memory) == 50
    assert len(set(drawn["number"].tolist())) > 40


def test_a_reservoir_keeps_old_rows_as_often_as_new_ones() -> None:
    rng, kept = np.random.default_rng(1), np.zeros(200)
    for _ in range(400):
        memory = Memory("all", 20, reservoir=True)
        for first in range(0, 200, 10):
            memory.add(rows(first, 10), rng)
        kept[memory.arrays()["all/number"]] += 1
    assert kept.sum() == 400 * 20
    quarters = kept.reshape(4, 50).sum(1)
    assert quarters == pytest.approx([2000] * 4, rel=0.1)


@pytest.mark.parametrize("count", [5, 70])
@pytest.mark.parametrize("reservoir", [False, True])
def test_a_memory_that_was_kept_goes_on_as_it_would_have(count: int, reservoir: bool) -> None:
    memory, other = (Memory("some", 50, reservoir) for _ in range(2))
    memory.add(rows(0, count), np.random.default_rng(1))
    other.restore({name: array.copy() for name, array in memory.arrays().items()})
    for each in (memory, other):
        each.add(rows(count, 30), np.random.default_rng(2))
    drawn, again = (each.draw(np.random.default_rng(3), 40) for each in (memory, other))
    for name, column in drawn.items():
        np.testing.assert_array_equal(column, again[name])


def test_nothing_is_drawn_from_an_empty_memory() -> None:
    with pytest.raises(OptionError, match="8 rows of a memory without any"):
        Memory("some", 50).draw(np.random.default_rng(1), 8)


def test_rows_are_drawn_without_replacement() -> None:
    rng, memory, plain = np.random.default_rng(0), Memory("some", 10), deque[int](maxlen=10)
    for size in (3, 4, 5, 25, 2, 10):
        added = rng.integers(1000, size=size)
        memory.add({"x": added})
        plain.extend(added.tolist())
        assert sorted(memory.draw(rng, 20, replace=False)["x"].tolist()) == sorted(plain)
