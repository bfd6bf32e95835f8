"""Writes skat_solver_nodes.json: positions with the solver's answers and its nodes, the search's signature.

python tests/golden/make_skat_solver_nodes.py

A speed-up keeps the nodes; where a change of the search alters them, the file is made again and the change says so.
The values may never change.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from skat_env.deal import Deal
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, Declaration, SkatRules
from skat_env.solvers.skat import Question, Solver

FILE = Path(__file__).with_name("skat_solver_nodes.json")


def positions() -> list[SkatState]:
    """Random games after 0 to 12 random cards, of every contract."""
    rng = np.random.default_rng(2026)
    states = []
    for number in range(60):
        soloist = number % 3
        bids = (18 * (soloist == 0), 18 * (soloist == 1), 18 * (soloist == 2))
        deal = Deal.random(rng, PLACE_SIZES)
        declaration = Declaration(Contract(number // 10))
        state = SkatState.cardplay(deal, soloist, declaration, bids, SkatRules(play_out=True))
        for _ in range(number % 5 * 3 + number % 2):
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        states.append(state)
    return states


def answers(state: SkatState) -> dict[str, Any]:
    """The values and nodes of a position."""
    solver = Solver()
    target = 1 if state.contract == Contract.NULL else 61
    decision = solver.solve(state, Question(target=target))
    exact = solver.solve(state, Question())
    actions = solver.solve(state, Question(target=target, actions=True))
    return {
        "position": state.text(),
        "value": exact.value,
        "nodes": {"decision": decision.nodes, "exact": exact.nodes, "actions": actions.nodes},
    }


def main() -> None:
    """Writes the file."""
    FILE.write_text(json.dumps([answers(state) for state in positions()], indent=1) + "\n")


if __name__ == "__main__":
    main()
