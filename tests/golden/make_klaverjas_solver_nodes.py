"""Writes klaverjas_solver_nodes.json: positions with the solver's answers and its nodes, the search's signature.

python tests/golden/make_klaverjas_solver_nodes.py

A speed-up keeps the nodes; where a change of the search alters them, the file is made again and the change says so.
The values may never change.
"""

import json
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.solvers.klaverjas import Aim, Question, Solver

FILE = Path(__file__).with_name("klaverjas_solver_nodes.json")
LEGALITIES: tuple[Literal["rotterdam", "amsterdam"], ...] = ("rotterdam", "amsterdam")


def positions() -> list[KlaverjasState]:
    """Random deals after 0 to 14 random cards, under both rule sets."""
    rng = np.random.default_rng(2026)
    states = []
    for number in range(40):
        state = KlaverjasState.random(rng, KlaverjasRules(LEGALITIES[number % 2]))
        for _ in range(number % 5 * 3 + number % 3):
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        states.append(state)
    return states


def answers(state: KlaverjasState) -> dict[str, Any]:
    """The values and nodes of every question about a position."""
    solver = Solver()
    row: dict[str, Any] = {"position": state.text()}
    for aim in get_args(Aim):
        solution = solver.solve(state, Question(aim))
        row[aim] = [solution.value, solution.nodes]
    solution = solver.solve(state, Question("made", actions=True))
    row["made_actions"] = [sum(bounds.lower for bounds in solution.actions.values()), solution.nodes]
    return row


if __name__ == "__main__":
    FILE.write_text("[\n" + ",\n".join(json.dumps(answers(state)) for state in positions()) + "\n]\n")
