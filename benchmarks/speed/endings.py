"""Seconds of the exact solver of endings: best responses of one seat, and best pure strategies against open cards.

python -m benchmarks.speed.endings --tricks 3 --endings 1000 [--game skat] [--out FILE.json]

Games that `policy` bids and plays, until some tricks are left; the seat to act, with all worlds of its view.
"""

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.errors import OptionError
from skat_env.options import Count, Seed
from skat_env.protocols import State
from skat_env.registry import get_part, make_agent
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.played import played_endings
from skat_env.solvers.endings.policy import AgentPolicy, Policy, UniformPolicy
from skat_env.solvers.endings.pure import best_pure
from skat_env.solvers.endings.response import best_response


@dataclass
class Options(Kept):
    """Seconds of the exact solver of endings."""

    game: str = "skat"
    tricks: Count = 3
    endings: Count = 100
    seed: Seed = 1


@dataclass(frozen=True)
class Figure:
    """One question; times in seconds."""

    question: str
    mean: float
    max: float
    endings: int
    large: int
    """Endings that were too large for it."""


def main(options: Options) -> None:
    """Prints the mean and the largest time of each question."""
    states = played_endings(
        make_agent("policy", options.game), options.game, options.tricks, options.endings, options.seed
    )
    states = [state for state in states if not state.is_over]
    if not states:
        raise ValueError(
            f"no game of {options.endings} gets to the last {options.tricks} tricks: expected more of them"
        )
    policies: dict[str, Policy] = {"uniform": UniformPolicy()}
    policies |= {name: AgentPolicy(make_agent(name, options.game)) for name in ("rule", "policy")}
    figures = [
        report(f"best response to {name}", [response_time(options, state, policy) for state in states])
        for name, policy in policies.items()
    ]
    figures += [
        report(f"best pure, {outcome}", [pure_time(options, state, outcome) for state in states])
        for outcome in get_part(options.game, "endings")(states[0])
    ]
    keep(options, figures=figures)


def response_time(options: Options, state: State, policy: Policy) -> tuple[float, bool]:
    """Seconds of a best response, and True."""
    started = time.process_time()
    ending = Ending.of_view(state.view(state.to_act), game=options.game)
    best_response(ending, state.to_act, dict.fromkeys(range(len(state.places)), policy))
    return time.process_time() - started, True


def pure_time(options: Options, state: State, outcome: str) -> tuple[float, bool]:
    """Seconds of a best pure strategy, and whether the ending was small enough."""
    started, solved = time.process_time(), True
    try:
        best_pure(Ending.of_view(state.view(state.to_act), game=options.game, outcome=outcome), state.to_act)
    except OptionError:
        solved = False
    return time.process_time() - started, solved


def report(question: str, times: list[tuple[float, bool]]) -> Figure:
    """Prints one line."""
    seconds = np.array([each for each, _ in times])
    large = sum(not solved for _, solved in times)
    found = Figure(question, float(seconds.mean()), float(seconds.max()), len(times), large)
    print(
        f"{question:<28} {found.mean:8.4f} s mean {found.max:8.3f} s at most, "
        f"{found.endings} endings, {found.large} too large",
        flush=True,
    )
    return found


if __name__ == "__main__":
    run_benchmark(main, Options)
