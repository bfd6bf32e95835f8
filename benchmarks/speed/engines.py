"""Wall-clock time that an engine process adds to a decision.

python -m benchmarks.speed.engines [--agent rule] [--games skat klaverjas] [--deals 1000] [--out FILE.json]

Each deal is played twice in turn: by the agent at all seats, and by the same agent in a process of its own.
The games are compared too.
"""

import sys
import time
from dataclasses import dataclass

from benchmarks.harness import Kept, keep, read_options
from skat_env.agents.engine.agent import Engine
from skat_env.play.lockstep import play_game
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.registry import get_game, make_agent
from skat_env.tools.console import Console
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Time that an engine process adds to a decision."""

    agent: str = "rule"
    games: tuple[str, ...] = ("skat", "klaverjas")
    deals: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Figures:
    """A game played both ways."""

    game: str
    decisions: int
    here: float
    """Milliseconds per decision in this process, the rules' work included."""
    engine: float
    """Milliseconds per decision through the engine."""
    overhead: float
    """The difference."""
    alike: int
    """Number of deals that were played the same both ways."""


def measure(name: str, options: Options) -> Figures:
    """Plays the deals of a game both ways."""
    engine = Engine(f"{sys.executable} -m skat_env engine '{options.agent}'", trusted=True, game=name)
    engine.start()
    game, agents = get_game(name), (make_agent(options.agent, name), engine)
    seconds, decisions, alike = [0.0, 0.0], 0, 0
    with progress_bar(f"deals of {name}", options.deals) as advance:
        for deal in range(-1, options.deals):  # deal -1 loads what the first use needs
            played = []
            for number, agent in enumerate(agents):
                state = game.state.random(deal_rng(options.seed, max(deal, 0)))
                rngs = [agent_rng(options.seed, deal, seat) for seat in range(len(game.seats))]
                started = time.perf_counter()
                thinking = play_game(state, [agent] * len(rngs), rngs)
                if deal >= 0:
                    seconds[number] += time.perf_counter() - started
                played.append(state.text())
            if deal >= 0:
                decisions += sum(each.moves for each in thinking)
                alike += played[0] == played[1]
                advance(deal + 1)
    engine.quit()
    here, through = (1000 * each / decisions for each in seconds)
    return Figures(name, decisions, here, through, through - here, alike)


def main(options: Options) -> None:
    """Prints the figures, and writes them."""
    found = [measure(name, options) for name in options.games]
    for each in found:
        Console().print(
            f"{each.game}: {each.decisions} decisions, {each.alike} of {options.deals} deals alike; "
            f"{each.here:.3f} ms here, {each.engine:.3f} ms through the engine: {each.overhead:.3f} ms more",
            highlight=False,
            soft_wrap=True,
        )
    keep(options, games=found)


if __name__ == "__main__":
    main(read_options(Options, __doc__))
