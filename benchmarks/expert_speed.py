"""How long `expert` takes for a card: CPU microseconds a decision, with views made before.

python benchmarks/expert_speed.py [--games 300] [--agents rule expert ...] [--out results/expert_speed.json]

The positions are all decisions of the cardplay of games that `rule` plays.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import tyro

from skat_env.play.starts import draw_starts, start_source
from skat_env.registry import get_game, make_agent
from skat_env.skat import SkatView
from skat_env.tools.provenance import write_result


@dataclass
class Options:
    """How long `expert` takes for a card."""

    agents: tuple[str, ...] = ("rule", "expert(endgame=none)", "expert", "expert(start=4, threshold=0.4)")
    """Agents to time."""
    games: int = 300
    """Number of games."""
    kind: str = "suit"
    """The kind of game."""
    seed: int = 1
    """Seed of the deals and of the agents."""
    out: Path | None = None
    """JSON file for the figures."""


def main(options: Options) -> None:
    """Times and prints."""
    views = decisions(options)
    found: dict[str, float] = {}
    for text in options.agents:
        agent, rng = make_agent(text, "skat"), np.random.default_rng(options.seed)
        begun = process_time()
        for view in views:
            agent.decide(view, rng)
        found[text] = 1e6 * (process_time() - begun) / len(views)
        print(f"{text:40} {found[text]:10,.1f} us a decision, {30 * found[text] / 1e3:8,.2f} ms a game")
    if options.out is not None:
        config = {name: value for name, value in asdict(options).items() if name != "out"}
        write_result(options.out, {"config": config, "microseconds": found})


def decisions(options: Options) -> list[SkatView]:
    """The views of all decisions in the cardplay of some games."""
    source = start_source(get_game("skat"), "cardplay", "rule", kind=options.kind)
    player, rng, views = make_agent("rule", "skat"), np.random.default_rng(options.seed), []
    states: list[Any] = draw_starts("skat", source, options.games, options.seed)
    for state in states:
        while not state.is_over:
            views.append(state.view(state.to_act))
            state.apply(player.decide(views[-1], rng).action)
    return views


if __name__ == "__main__":
    main(tyro.cli(Options))
