"""What agents' cards cost in the last tricks, by exact values: the figure of Long 2010 for PIMC, for any agent.

python -m benchmarks.quality.ending_loss --out results/ending_loss_skat.json --deals 1000
    [--game skat] [--agents "pimc(worlds=160)" policy] [--players policy] [--tricks 3] [--reference response]

`--players` bid and play random deals up to the last tricks. There every agent is asked for the card of the seat to act.
Its loss is what the best card is worth more, by the exact solution of the seat's information set, all worlds equally
likely. Decided endings, in which no card loses anything, and deals that were over before count as no loss.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from benchmarks.harness import Kept, keep, run_benchmark
from skat_env.match.statistics import estimate
from skat_env.options import Count, Seed
from skat_env.play.randomness import question_rng
from skat_env.protocols import Agent, State
from skat_env.registry import get_part, make_agent
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.played import played_endings
from skat_env.solvers.endings.policy import AgentPolicy
from skat_env.solvers.endings.pure import best_pure
from skat_env.solvers.endings.response import best_response
from skat_env.tools.progress import progress_bar

SAME = 1e-9
"""Losses below this are rounding."""


@dataclass
class Options(Kept):
    """What agents' cards cost in the last tricks, by exact values."""

    game: str = "skat"
    agents: tuple[str, ...] = (
        "pimc(worlds=160)",
        "alpha_mu(worlds=160, m=3)",
        "epimc(worlds=160, depth=3)",
        "ismcts(simulations=3200)",
        "policy",
        "iimc(worlds=40)",
        "rule",
        "random",
    )
    """The agents that are asked."""
    players: str = "policy"
    """The agent that bids and plays at every seat before."""
    opponents: str = "policy"
    """The agent that the other seats go on as, in the reference `response`."""
    reference: Literal["response", "pure"] = "response"
    """`response`: the seat plays its best response to the others after the card; `pure`: its best pure strategy against
    players who see all cards. Endings that are too large for it are left out and counted."""
    outcome: str | None = None
    """What is lost; None: the game's last outcome: `tournament_points` in Skat, `final_difference` in Klaverjas."""
    tricks: Count = 3
    """Tricks left."""
    deals: Count = 1000
    seed: Seed = 1


def card_values(options: Options, state: State, policy: AgentPolicy, outcome: str) -> dict[int, float] | None:
    """The exact value of each legal card for the side of the seat to act; None: too large."""
    seat = state.to_act
    ending = Ending.of_view(state.view(seat), game=options.game, outcome=outcome)
    if options.reference == "response":
        others = dict.fromkeys(range(len(state.places)), policy)
        return dict(best_response(ending, seat, others).cards)
    try:
        return dict(best_pure(ending, seat, every=True).cards)
    except ValueError:
        return None


def main(options: Options) -> None:
    """Asks the agents and writes the result."""
    agents: list[Agent] = [make_agent(name, options.game) for name in options.agents]
    policy = AgentPolicy(make_agent(options.opponents, options.game))
    player = make_agent(options.players, options.game)
    states = played_endings(player, options.game, options.tricks, options.deals, options.seed)
    outcome = options.outcome or list(get_part(options.game, "endings")(states[0]))[-1]
    losses = np.zeros((len(agents), len(states)))
    undecided = np.zeros(len(states), np.bool_)
    declaring = np.zeros(len(states), np.bool_)
    valued = np.ones(len(states), np.bool_)
    over = 0
    with progress_bar("endings", len(states)) as advance:
        for deal, state in enumerate(states):
            advance(deal)
            if state.is_over:
                over += 1
                continue
            values = card_values(options, state, policy, outcome)
            if values is None:
                valued[deal] = False
                continue
            best = max(values.values())
            undecided[deal] = best - min(values.values()) > SAME
            declaring[deal] = state.side(state.to_act) == 0
            if undecided[deal]:
                view = state.view(state.to_act)
                for row, agent in enumerate(agents):
                    card = agent.decide(view, question_rng(options.seed, deal, 0)).action
                    losses[row, deal] = best - values[card]
    losses, undecided, declaring = losses[:, valued], undecided[valued], declaring[valued]
    rows = [
        row_of(agent.name, loss, undecided, declaring) for agent, loss in zip(agents, losses, strict=True)
    ]
    for each in rows:
        low, high = each["interval"]
        print(
            f"{each['agent']:<40} {each['a deal']:.3f} [{low:.3f}, {high:.3f}] a deal, "
            f"{each['an undecided ending']:.2f} an undecided ending, {each['share lost']:.3f} of deals"
        )
    facts = {
        "deals": len(states),
        "over before": over,
        "too large": int(np.count_nonzero(~valued)),
        "undecided": float(undecided.mean()),
    }
    print(facts)
    keep(options, outcome=outcome, **facts, rows=rows)


def row_of(agent: str, loss: Any, undecided: Any, declaring: Any) -> dict[str, Any]:
    """The figures of an agent."""
    whole = estimate(loss)
    open_ones = estimate(loss[undecided]) if undecided.any() else whole
    return {
        "agent": agent,
        "a deal": whole.mean,
        "interval": [whole.low, whole.high],
        "an undecided ending": open_ones.mean,
        "interval of undecided": [open_ones.low, open_ones.high],
        "share lost": float((loss > SAME).mean()),
        "a deal, declaring": float(loss[declaring].sum() / len(loss)),
        "a deal, defending": float(loss[~declaring].sum() / len(loss)),
    }


if __name__ == "__main__":
    run_benchmark(main, Options)
