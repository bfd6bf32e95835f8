"""Methods whose last results are kept."""

import copy
import pickle

from skat_env.tools.method_cache import MethodCache


class Squares:
    """Counts what it computes."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.square = MethodCache(self._square, 2)

    def _square(self, number: int) -> int:
        self.asked.append(number)
        return number * number


def test_the_last_results_are_kept() -> None:
    squares = Squares()
    assert [squares.square(number) for number in (2, 3, 2, 4, 2, 3)] == [4, 9, 4, 16, 4, 9]
    assert squares.asked == [2, 3, 4, 3]


def test_a_stale_result_is_forgotten_alone() -> None:
    squares = Squares()
    for number in (2, 3):
        squares.square(number)
        squares.square.forget(lambda found: found == 4, number)
    assert (squares.square(3), squares.square(2)) == (9, 4)
    assert squares.asked == [2, 3, 2]


def test_a_copy_keeps_nothing() -> None:
    squares = Squares()
    squares.square(2)
    for again in (copy.deepcopy(squares), pickle.loads(pickle.dumps(squares))):
        assert again.square(2) == 4
        assert (again.asked, squares.asked) == ([2, 2], [2])
