"""Seconds of the exact solver of endings: best responses of one seat, and best pure strategies against open cards.

python -m benchmarks.speed.endings --tricks 3 --endings 1000 [--game skat]

Games that `policy` bids and plays, until some tricks are left; the seat to act, with all worlds of its view.
"""

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import run_benchmark
from skat_env.errors import OptionError
from skat_env.protocols import State
from skat_env.registry import get_part, make_agent
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.played import played_endings
from skat_env.solvers.endings.policy import AgentPolicy, Policy, UniformPolicy
from skat_env.solvers.endings.pure import best_pure
from skat_env.solvers.endings.response import best_response


@dataclass
class Options:
    """Seconds of the exact solver of endings."""

    game: str = "skat"
    tricks: int = 3
    endings: int = 100
    seed: int = 1


def main(options: Options) -> None:
    """Prints the mean and the largest time of each question."""
    states = played_endings(
        make_agent("policy", options.game), options.game, options.tricks, options.endings, options.seed
    )
    states = [state for state in states if not state.is_over]
    policies: dict[str, Policy] = {"uniform": UniformPolicy()}
    policies |= {name: AgentPolicy(make_agent(name, options.game)) for name in ("rule", "policy")}
    for name, policy in policies.items():
        report(f"best response to {name}", [response_time(options, state, policy) for state in states])
    for outcome in get_part(options.game, "endings")(states[0]):
        report(f"best pure, {outcome}", [pure_time(options, state, outcome) for state in states])


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


def report(question: str, times: list[tuple[float, bool]]) -> None:
    """Prints one line."""
    seconds = np.array([each for each, _ in times])
    large = sum(not solved for _, solved in times)
    print(
        f"{question:<28} {seconds.mean():8.4f} s mean {seconds.max():8.3f} s at most, "
        f"{len(times)} endings, {large} too large",
        flush=True,
    )


if __name__ == "__main__":
    run_benchmark(main, Options)
