"""What an agent's calls of Skat bring per decision over those of another, without a match.

python -m benchmarks.quality.call_gains --stage auction --decisions 4000
    --agents "search_calls(close=25, inner=policy(checkpoint=skat-champion), belief=policy)"

Games are called by the inner agent. At each of its decisions of a stage the other agents are asked too; a choice after
picking up is the game with both discards. Where they choose something else, the inner agent plays on from both choices,
in the true deal, and in worlds of the belief that no agent has seen. The gain is the seat's points less the mean of the
others'. Intervals are by deal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Final, Literal

import numpy as np

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from benchmarks.quality.search_settings import shown
from skat_env.agents.search.pimc import merged
from skat_env.agents.search.rollouts import Rollouts
from skat_env.agents.skat.bidding.search_calls import calls_played_out
from skat_env.agents.skat.champion import CALLERS
from skat_env.match.statistics import Ratio, mean_by_deal
from skat_env.options import Count, Seed
from skat_env.play.capabilities import drawn_worlds
from skat_env.play.randomness import agent_rng, deal_rng, question_rng, worlds_rng
from skat_env.protocols import Agent
from skat_env.registry import make_agent, make_belief
from skat_env.skat import GAME, SkatState
from skat_env.skat.rules import NUM_SEATS
from skat_env.tools.progress import progress_bar

INNER: Final = "policy(checkpoint=skat-champion)"
BELIEF: Final = f"policy(k=1000, model={CALLERS}, temper=0.5)"


@dataclass
class Options(Kept):
    """Compare calls."""

    agents: tuple[str, ...] = (
        f"search_calls(close=25, inner={INNER}, checkpoint=skat-champion, belief={BELIEF})",
    )
    """The agents that are asked."""
    inner: str = INNER
    """The agent that calls, and plays on."""
    belief: str = BELIEF
    """The belief whose worlds choices are compared in."""
    stage: Literal["auction", "declaration"] = "declaration"
    """The stage of the decisions; declarations are those after picking up."""
    decisions: Count = 2000
    """How many decisions."""
    worlds: Count = 160
    """Worlds in which choices are compared."""
    seed: Seed = 1
    """Seed of the deals and worlds."""


@dataclass(frozen=True)
class Row:
    """What an agent's choices bring per decision."""

    agent: str
    differ: float
    """The share of decisions in which it chooses something else."""
    in_deal: Ratio
    in_worlds: Ratio


def decisions(options: Options, inner: Agent) -> Iterator[tuple[int, SkatState]]:
    """Decisions of a stage in games that the inner agent calls, without end: the number of the deal, and the state."""
    declaring = options.stage != GAME.stages[0]
    for deal in count():
        state = SkatState.random(deal_rng(options.seed, deal))
        rngs = [agent_rng(options.seed, deal, seat) for seat in range(NUM_SEATS)]
        while not state.is_over and state.stage != GAME.stages[-1]:
            if state.stage == options.stage and (not declaring or state.picked_up):
                yield deal, state.clone()
                if declaring:
                    break
            state.apply(inner.decide(state.view(state.to_act), rngs[state.to_act]).action)


def choice(state: SkatState, agent: Agent, rng: np.random.Generator) -> tuple[int, ...]:
    """The actions of an agent's choice: one in the auction, else all up to the cardplay."""
    table, found = state.clone(), list[int]()
    while not found or (table.stage == state.stage != GAME.stages[0]):
        found.append(agent.decide(table.view(table.to_act), rng).action)
        table.apply(found[-1])
    return tuple(found)


def main(options: Options) -> None:
    """Prints the table."""
    inner, belief = make_agent(options.inner, GAME.name), make_belief(options.belief, GAME.name)
    agents = [make_agent(text, GAME.name) for text in options.agents]
    rollouts = Rollouts(inner, GAME.name)
    gains, differ, deals = np.zeros((2, len(agents), options.decisions)), np.zeros(len(agents)), []
    with progress_bar("decisions", options.decisions) as progress:
        for place, (deal, state) in enumerate(islice(decisions(options, inner), options.decisions)):
            deals.append(deal)
            own, *others = (
                choice(state, agent, question_rng(options.seed, deal, place)) for agent in (inner, *agents)
            )
            differ += [other != own for other in others]
            some = sorted({own, *others})
            if len(some) > 1:
                view = state.view(state.to_act)
                luck, seed = worlds_rng(options.seed, deal, place), [options.seed, place]
                worlds, weights = merged(drawn_worlds(belief, view, options.worlds, luck))
                found = (
                    calls_played_out(rollouts, [state], some, seed)[0],
                    weights @ calls_played_out(rollouts, worlds, some, seed),
                )
                of = [some.index(other) for other in others]
                gains[:, :, place] = [worth[of] - worth[some.index(own)] for worth in found]
            progress(place + 1)
    rows = [
        Row(name, float(share), mean_by_deal(in_deal, deals), mean_by_deal(in_worlds, deals))
        for name, share, in_deal, in_worlds in zip(
            options.agents, differ / options.decisions, *gains, strict=True
        )
    ]
    print(f"{options.decisions} decisions of {options.stage} by {options.inner}")
    print_table(
        ["agent", "another choice", "in the true deal", "in other worlds"],
        [[row.agent, f"{row.differ:.0%}", shown(row.in_deal), shown(row.in_worlds)] for row in rows],
    )
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
