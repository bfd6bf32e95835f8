"""Public classes whose methods are called in any order, with any values: an answer or one sentence, never a crash.

SKAT_ENV_FUZZ_SECONDS=60 shares a minute among the classes.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import pytest

from skat_env import klaverjas_v0, skat_v0
from skat_env.agents.search.tree._ismcts import Tree
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.agents.search.tree.tree_options import TreeOptions
from skat_env.beliefs.belief import Belief, CheatingSampler, ThesisSampler, UniformSampler
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import encoders_of
from skat_env.envs.aec import raw_env
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.skat import GAME as SKAT
from skat_env.skat.rules import Contract, Declaration
from skat_env.solvers import klaverjas as klaverjas_solver
from skat_env.solvers import skat as skat_solver
from tests.conftest import random_games
from tests.helpers.endings import KLAVERJAS_RULES, klaverjas_ending, skat_ending
from tests.helpers.fuzzing import require_sentence, rounds
from tests.helpers.records import make_records, write_dataset

QUICK: Final = 4
"""Objects of a class, unless there is time for more."""
CALLS: Final = 15
"""Calls of an object."""
GAMES: Final[dict[str, Any]] = {"skat": SKAT, "klaverjas": KLAVERJAS}
RULES: Final[dict[str, list[Any]]] = {"skat": [SKAT.rules()], "klaverjas": KLAVERJAS_RULES}
SOLVERS: Final[dict[str, Any]] = {"skat": skat_solver, "klaverjas": klaverjas_solver}
REFUSALS: Final = (ValueError, TypeError, AttributeError, IndexError, OverflowError, gymnasium.error.Error)
"""What may be raised; every class adds what libraries raise for it."""
HOSTILE: Final[list[Any]] = [
    None, True, -1, 0, 1, 2, 3, 7, 31, 32, 33, 64, 255, 2**31, 2**63, 2**64, -(2**63), 1.5, np.nan, np.inf, "", "1", "deal",
    [], [0], [32] * 4, (1, 2, 3), {}, {"seat": 7}, {"state": "?"}, b"", np.int64(-1), np.zeros(0), np.zeros((2, 2)),
    np.zeros(4, np.int64), np.full(4, 33), np.full(4, 2**63, np.uint64), np.full((2, 4), 0xFF, np.uint32), np.zeros(4, np.bool_),
]  # fmt: skip
SMALL: Final = (-1, 0, 1, 3)
BOUNDED: Final[dict[str, tuple[Any, ...]]] = {
    **dict.fromkeys(("n", "simulations", "rollouts", "chunk"), SMALL),
    "seconds": (0.0, 1e-3, -1.0, np.nan, np.inf),
}
"""Parameters whose large values would only take long."""


def positions(name: str, rng: np.random.Generator) -> Any:
    """A game of random play, broken off anywhere, or before its last cards."""
    if rng.random() < 0.4:
        if name == "skat":
            return skat_ending(rng, Contract(int(rng.integers(6))), 9)
        return klaverjas_ending(rng, KLAVERJAS_RULES[rng.integers(len(KLAVERJAS_RULES))], 8)
    (state,) = random_games(GAMES[name], 1, int(rng.integers(2**32)))
    for _ in range(int(rng.integers(len(state.history()) + 1))):
        state.undo()
    return state


class Values:
    """Draws arguments: of the kind that a parameter's name asks for, or anything."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self.name, self.rng, self.game = name, rng, GAMES[name]

    def argument(self, parameter: str) -> Any:
        """A value for a parameter."""
        if parameter in BOUNDED:
            return BOUNDED[parameter][self.rng.integers(len(BOUNDED[parameter]))]
        if self.rng.random() < 0.3 or (good := self.good(parameter)) is None:
            return self.anything()
        return good

    def anything(self) -> Any:
        """Any value, or something of either game."""
        kind = self.rng.integers(5)
        if kind > 1:
            return HOSTILE[self.rng.integers(len(HOSTILE))]
        state = positions(list(GAMES)[self.rng.integers(2)], self.rng)
        return state.view(int(self.rng.integers(3))) if kind else state

    def good(self, parameter: str) -> Any:
        """What a parameter of this name wants; None: unknown."""
        rng, game = self.rng, self.game
        state = positions(self.name, rng)
        seat = int(rng.integers(len(game.seats)))
        encoder = encoders_of(self.name)[rng.integers(len(encoders_of(self.name)))]
        values: dict[str, Callable[[], Any]] = {
            "action": lambda: int(rng.integers(len(game.actions))),
            "actions": lambda: rng.integers(len(game.actions), size=4),
            "seat": lambda: seat,
            "agent": lambda: f"player_{seat}",
            "declarer": lambda: seat,
            "forehand": lambda: seat,
            "trump": lambda: int(rng.integers(4)),
            "claim": lambda: [None, True, False][rng.integers(3)],
            "seed": lambda: [None, 0, 1][rng.integers(3)],
            "options": lambda: [None, {"state": state}, {"reset_mask": np.array([True, False, True, False])}][rng.integers(3)],
            "rng": lambda: rng,
            "index": lambda: int(rng.integers(4)),
            "unit": lambda: game.reward_units[0],
            "text": lambda: state.text(),
            "state": lambda: state,
            "position": lambda: state,
            "view": lambda: state.view(seat),
            "views": lambda: [state.view(seat)],
            "states": lambda: [game.state.random(rng)],
            "positions": lambda: [state, state.clone()],
            "seats": lambda: [0, 1],
            "deal": lambda: state.deal,
            "rules": lambda: RULES[self.name][rng.integers(len(RULES[self.name]))],
            "declaration": lambda: Declaration(Contract(int(rng.integers(6)))),
            "bids": lambda: (18, 20, 0),
            "question": lambda: SOLVERS[self.name].Question(),
            "threads": lambda: 1 + int(rng.integers(2)),
            "encoder": lambda: encoder,
            "games": lambda: rng.integers(6, size=3),
            "steps": lambda: rng.integers(4, size=3),
            "out": lambda: np.zeros((2, encoder.width), np.float32),
            "weights": lambda: np.ones((32, len(game.place_sizes))),
            "rows": lambda: np.array([[place & 0xFFFFFFFF for place in state.dealt]], np.uint32),
            "row": lambda: np.array(state.dealt, np.uint32),
            "stream": lambda: int(rng.integers(2**32)),
            "worlds": lambda: Worlds(state.view(seat), seat, False, []),
            "values": lambda: rng.random(int(rng.integers(4))),
        }  # fmt: skip
        return values[parameter]() if parameter in values else None


@dataclass(frozen=True)
class Misused:
    """A public class, and how to make an object of it."""

    name: str
    make: Callable[[Values, Path], Any]
    """From drawn values, and a folder."""
    also: tuple[type[Exception], ...] = ()
    """What else its calls may raise: errors of libraries."""


def agent_environment(values: Values, _: Path) -> Any:
    return {"skat": skat_v0, "klaverjas": klaverjas_v0}[values.name].env()


def sb3_environment(values: Values, _: Path) -> Any:
    sb3 = pytest.importorskip("skat_env.envs.sb3")
    return sb3.Sb3VecEnv(values.name, 4, start="deal", seed=0)


def tree(values: Values, _: Path) -> Any:
    return Tree([1.0] * len(values.game.seats), 0, TreeOptions(c=1.0))


def dataset(_: Values, folder: Path) -> Dataset:
    if not (folder / "games").exists():
        write_dataset(folder / "games", make_records()[:9])
    return Dataset(folder / "games")


LIBRARIES: Final = (KeyError, AssertionError, NotImplementedError)
CLASSES: Final = [
    Misused("State", lambda values, _: values.good("state")),
    Misused("View", lambda values, _: values.good("view")),
    Misused("raw_env", lambda values, _: raw_env(values.game), LIBRARIES),
    Misused("env", agent_environment, LIBRARIES),
    Misused("SingleSeatEnv", lambda values, _: SingleSeatEnv(values.name, opponents="random"), LIBRARIES),
    Misused("SelfPlayVector", lambda values, _: SelfPlayVector(values.name, 4)),
    Misused("SeatVectorEnv", lambda values, _: SeatVectorEnv(values.name, 4), LIBRARIES),
    Misused("Sb3VecEnv", sb3_environment, LIBRARIES),
    Misused("Belief", lambda values, _: Belief(values.good("view"))),
    Misused("UniformSampler", lambda values, _: UniformSampler()),
    Misused("ThesisSampler", lambda values, _: ThesisSampler()),
    Misused("CheatingSampler", lambda values, _: CheatingSampler()),
    Misused("Solver", lambda values, _: SOLVERS[values.name].Solver()),
    Misused("Encoder", lambda values, _: values.good("encoder"), (KeyError,)),
    Misused("Tree", tree, (BufferError,)),
    Misused("Dataset", dataset, (KeyError,)),
    Misused("Decisions", lambda values, folder: Decisions(dataset(values, folder)), (KeyError,)),
]


def call(thing: Any, method: str, values: Values) -> Any:
    """Reads a public attribute, and calls it if it is a method."""
    found = getattr(thing, method)
    if not callable(found) or inspect.isclass(found):
        return found
    parameters = [
        parameter
        for parameter in inspect.signature(found).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    needed = sum(parameter.default is parameter.empty for parameter in parameters)
    given = parameters[: int(values.rng.integers(needed, len(parameters) + 1))]
    result = found(*[values.argument(parameter.name) for parameter in given])
    if inspect.isgenerator(result):
        next(result, None)
    return result


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("misused", CLASSES, ids=lambda misused: misused.name)
def test_calls_in_any_order_are_answered_or_refused(misused: Misused, game: str, tmp_path: Path) -> None:
    warnings.simplefilter("ignore")
    answered = refused = 0
    for rng in rounds(QUICK, 1 / len(CLASSES) / len(GAMES)):
        values = Values(game, rng)
        thing = misused.make(values, tmp_path)
        methods = [name for name in dir(thing) if not name.startswith("_")]
        for _ in range(CALLS):
            method = methods[rng.integers(len(methods))]
            try:
                call(thing, method, values)
                answered += 1
            except (*REFUSALS, *misused.also) as error:
                if isinstance(error, ValueError) and error.args:
                    require_sentence(error)
                refused += 1
            except Exception as error:
                raise AssertionError(f"{misused.name}.{method}: {error!r}") from error
    print(f"{misused.name}, {game}: {answered + refused} calls, {answered} answered, {refused} refused")
