"""Aaldering 2023, sections 4.1 to 4.3: tree searches in Klaverjas against the rule agent and each other."""

import time
from typing import Final

import numpy as np

from skat_env.agents.reproduce.bench import Bench, Played
from skat_env.agents.reproduce.reproduction import Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared
from skat_env.klaverjas import KlaverjasState
from skat_env.match.result import deal_points
from skat_env.match.statistics import estimate
from skat_env.play.casts import pair_casts
from skat_env.play.lockstep import play_games
from skat_env.protocols import Agent
from skat_env.registry import make_agent

EXPLORATIONS: Final = (3, 10, 50, 200, 800, 3_200, 12_800, 51_200, 204_800)
"""The exploration constants of figure 5, in points."""
FIGURE_5: Final = {
    (10, 50): "4",
    (50, 800): "29",
    (200, 200): "45.6",
    (800, 200): "54.5",
    (800, 800): "54.5",
    (800, 3_200): "54.5",
    (800, 12_800): "54.5",
    (3_200, 200): "61.5",
}
"""(simulations, exploration) -> points per round over the rule agent; the best results, as given in section 4.1."""
TABLE_5: Final = {10: 50, 50: 200, 200: 800, 800: 3_200, 3_200: 12_800}
"""The exploration constant of figure 6, by number of simulations."""
USUAL_C: Final = 200
"""An exploration constant that does well with any number of simulations (section 4.1)."""
TABLES_6_AND_7: Final = {
    ("rollout", "human-data"): {10: ("-3.5", "-1.3"), 200: ("3.9", "1.2")},
    ("rollout", "self-play"): {10: ("-2.9", "-4.9"), 200: ("13.1", "9.1")},
    ("human-data", "self-play"): {10: ("-0.2", "5.4"), 200: ("5.9", "7.9")},
}
"""By simulations: the head-to-head score difference, and the difference between the scores against the rule agent."""
ROLLOUTS: Final = (2, 5, 20)
"""Random rollouts a simulation, with ten simulations; figure 7 plots them without naming its points."""
SHARES: Final = {800: 0.5, 3_200: 0.25}
"""The share of the rounds that costly budgets play, about as in tables 3 and 4."""
GAMES_IN_STEP: Final = 128
"""Games played in step to measure time, as many as in a block of a match."""
MAX_IN_STEP: Final = 16_000
"""The maximum of games times simulations per move in a measurement of time."""
RULE: Final = "rule"
PANEL: Final = "simulations per move"
TIME_PANEL: Final = "CPU milliseconds per move"


def thesis(simulations: int, c: int, options: str = "") -> str:
    """The text of the thesis's search."""
    return f"ismcts(simulations={simulations}, c={c}, variant=thesis{options}, bidder=rule)"


def default(simulations: int, options: str = "") -> str:
    """The text of our search: UCB counts how often actions were available, and trees are kept from move to move."""
    return f"ismcts(simulations={simulations}{options}, bidder=rule)"


def exploration(bench: Bench) -> list[Row]:
    """Figure 5, with our search beside it."""
    rows = []
    for simulations in bench.effort:
        specs = {str(c): thesis(simulations, c) for c in EXPLORATIONS} | {"default": default(simulations)}
        for name, spec in specs.items():
            played = against_rule(bench, f"{simulations}-{name}", spec, simulations)
            found = played.comparison("agent", RULE).difference
            label = (f"{simulations} simulations", name)
            if name == "default":
                rows.append(compared(label, found))
            else:
                c = int(name)
                paper = FIGURE_5.get((simulations, c))
                rows.append(compared(label, found, paper, "C in points", c, label[0]))
    return rows


def evaluators(bench: Bench) -> list[Row]:
    """Figures 6 and 7, with networks that guide our search."""
    networks = {"human-data": bench.models["human-data"], "self-play": bench.models["self-play"]}
    lines = {"rollout": ""} | {name: f", evaluator={spec}" for name, spec in networks.items()}
    agents = {
        (line, simulations): thesis(simulations, TABLE_5.get(simulations, USUAL_C), evaluator)
        for line, evaluator in lines.items()
        for simulations in bench.effort
    }
    prior = f", evaluator={bench.models['priors']}"
    for line, options in (("priors", prior), ("priors, half rollout", f"{prior}, rollout_share=0.5")):
        agents |= {(line, simulations): default(simulations, options) for simulations in bench.effort}
    rows, timed = [], []
    for (line, simulations), spec in agents.items():
        name = f"{line.replace(', ', '-').replace(' ', '-')}-{simulations}"
        found = against_rule(bench, name, spec, simulations).comparison("agent", RULE).difference
        rows.append(compared((line, f"{simulations} simulations"), found, None, PANEL, simulations, line))
        games = max(4, min(GAMES_IN_STEP, MAX_IN_STEP // simulations))
        spent = milliseconds(make_agent(spec, "klaverjas"), games, bench.seed)
        timed.append(compared((line, f"{spent:.3f} ms"), found, None, TIME_PANEL, spent, line))
    for rollouts in ROLLOUTS:
        spec = thesis(10, TABLE_5[10], f", rollouts={rollouts}")
        found = against_rule(bench, f"rollouts-{rollouts}", spec, 10).comparison("agent", RULE).difference
        spent = milliseconds(make_agent(spec, "klaverjas"), GAMES_IN_STEP, bench.seed)
        label = (f"{rollouts} rollouts of 10", f"{spent:.3f} ms")
        timed.append(compared(label, found, None, TIME_PANEL, spent, "rollouts, 10 simulations"))
    return rows + timed


def head_to_head(bench: Bench) -> list[Row]:
    """Tables 6 and 7, from one match for each number of simulations."""
    rows = []
    for simulations in bench.effort:
        c = TABLE_5.get(simulations, USUAL_C)
        agents = {
            "rollout": thesis(simulations, c),
            **{
                name: thesis(simulations, c, f", evaluator={bench.models[name]}")
                for name in ("human-data", "self-play")
            },
            RULE: bench.models[RULE],
        }
        played = bench.match(f"all-{simulations}", agents, "all-seats")
        for (first, second), by_simulations in TABLES_6_AND_7.items():
            direct, indirect = by_simulations.get(simulations, (None, None))
            found = played.comparison(first, second).difference
            label = (f"{first} : {second}", f"{simulations} simulations")
            rows.append(compared((*label, "head to head"), found, direct, "points per round"))
            difference = _over_rule(played, first) - _over_rule(played, second)
            rows.append(
                compared((*label, "over the rule agent"), estimate(difference), indirect, "points per round")
            )
    return rows


def _over_rule(played: Played, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """An agent's points per round over the rule agent, float64 [deals] in their order."""
    pair = (played.agents[name], played.agents[RULE])
    casts = set(pair_casts("klaverjas", pair, "all-seats"))
    deals: dict[int, list[float]] = {}
    for game in sorted(played.games, key=lambda game: game.spec.deal):
        if game.spec.cast in casts:
            difference = deal_points([game], pair[0]) - deal_points([game], pair[1])
            deals.setdefault(game.spec.deal, []).append(difference)
    return np.array([np.mean(differences) for differences in deals.values()])


def against_rule(bench: Bench, name: str, spec: str, simulations: int) -> Played:
    """The match of an agent against the rule agent."""
    agents = {"agent": spec, RULE: bench.models[RULE]}
    return bench.match(name, agents, "all-seats", share=SHARES.get(simulations, 1.0))


def milliseconds(agent: Agent, games: int, seed: int) -> float:
    """The CPU time per move, forced ones included, of an agent that plays some games in step against itself."""
    states = [KlaverjasState.random(rng) for rng in np.random.default_rng(seed).spawn(games)]
    rngs = [[np.random.default_rng([seed, game, seat]) for seat in range(4)] for game in range(games)]
    started = time.process_time()
    thinking = play_games(states, [[agent] * 4] * games, rngs)
    seconds = time.process_time() - started
    return 1000 * seconds / sum(each.moves for seats in thinking for each in seats)


RULE_MODEL: Final = Model("agent", "rule(variant=thesis)")
NETWORKS: Final = {
    "human-data": Model("evaluator", "value(checkpoint=klaverjas-value)"),
    "self-play": Model("evaluator", "value(checkpoint=klaverjas-selfplay)"),
}
NOTES: Final = (
    "The thesis plays the deals and trump choices of people; --from reads such a table of recorded deals. Without it "
    "the deals are random and the rule agent chooses trumps.",
)
REPRODUCTIONS: Final = (
    Reproduction(
        "aaldering-figure-5",
        "Aaldering 2023, figure 5",
        "Tree search with random rollouts over the rule agent, points per round, by simulations and exploration; "
        "`default` is our search. Every deal is played twice, sides changed.",
        ("search", "C in points"),
        {
            "smoke": Size(4, 0.5, (10, 50)),
            "small": Size(5000, 18, tuple(TABLE_5)),
            "paper": Size(10_000, 36, tuple(TABLE_5)),
        },
        exploration,
        "points per round over the rule agent",
        "klaverjas",
        {RULE: RULE_MODEL},
        (*NOTES, "The thesis prints the best number of each curve only."),
    ),
    Reproduction(
        "aaldering-figures-6-7",
        "Aaldering 2023, figures 6 and 7",
        "Rollouts and value networks at the leaves, over the rule agent, points per round, by simulations and by time; "
        "and the policy-value network that ships as a guide of our search (`priors`). CPU time with many games in "
        "step.",
        ("evaluator", "budget"),
        {
            "smoke": Size(4, 0.7, (10, 50)),
            "small": Size(5000, 25, (10, 50, 200, 800)),
            "paper": Size(10_000, 100, tuple(TABLE_5)),
        },
        evaluators,
        "points per round over the rule agent",
        "klaverjas",
        {
            RULE: RULE_MODEL,
            **NETWORKS,
            "priors": Model("evaluator", "policy_value(checkpoint=klaverjas-policy)"),
        },
        (
            *NOTES,
            "The thesis prints no numbers of these figures. Its human data are games of people, ours of searches.",
        ),
    ),
    Reproduction(
        "aaldering-tables-6-7",
        "Aaldering 2023, tables 6 and 7",
        "Rollouts and value networks against each other, and by what they score over the rule agent, points per round.",
        ("match-up", "budget", "how"),
        {
            "smoke": Size(4, 0.5, (10, 50)),
            "small": Size(2500, 5, (10, 200)),
            "paper": Size(10_000, 17, (10, 200)),
        },
        head_to_head,
        "points per round over the rule agent",
        "klaverjas",
        {RULE: RULE_MODEL, **NETWORKS},
        (
            *NOTES,
            "At ten simulations table 7 does not add up: rollout : self-play (-4.9) less rollout : human-data (-1.3) "
            "is -3.6, where human-data : self-play has 5.4.",
        ),
    ),
)
