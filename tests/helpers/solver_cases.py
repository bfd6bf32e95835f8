"""Questions to the solvers of both games."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pytest

from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasState
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, Declaration
from skat_env.solvers import klaverjas, skat
from tests.golden import make_klaverjas_solver_nodes, make_skat_solver_nodes
from tests.helpers.endings import KLAVERJAS_RULES, klaverjas_endings, skat_endings


def skat_deals() -> list[SkatState]:
    deals = [Deal.random(np.random.default_rng(seed), PLACE_SIZES) for seed in range(4)]
    return [SkatState.cardplay(deal, 0, Declaration(Contract.GRAND), (18, 0, 0)) for deal in deals]


def klaverjas_deals() -> list[KlaverjasState]:
    rng = np.random.default_rng(4)
    return [KlaverjasState.random(rng, KLAVERJAS_RULES[number]) for number in (0, 3, 9, 14)]


@dataclass(frozen=True)
class Case:
    """A game's solver, and what it is tested with."""

    package: Any
    golden: Any
    state: type[Any]
    endings: Callable[[int, int], list[Any]]
    deals: Callable[[], list[Any]]
    """Deals before the first card."""
    cards: int
    """The cards played in a deal."""
    exact: list[Any]
    """The questions for an exact value."""
    questions: list[Any]
    """Questions of every kind."""


CASES = [
    Case(
        skat, make_skat_solver_nodes, SkatState, skat_endings, skat_deals, 30,
        [skat.Question(aim) for aim in get_args(skat.Aim)],
        [skat.Question(), skat.Question(target=1, actions=True, line=True), skat.Question("tricks")],
    ),
    Case(
        klaverjas, make_klaverjas_solver_nodes, KlaverjasState, klaverjas_endings, klaverjas_deals, 32,
        [klaverjas.Question(aim) for aim in get_args(klaverjas.Aim)],
        [klaverjas.Question(aim, actions=aim == "made", line=True) for aim in get_args(klaverjas.Aim)],
    ),
]  # fmt: skip


both_games = pytest.mark.parametrize("case", CASES, ids=["skat", "klaverjas"])
