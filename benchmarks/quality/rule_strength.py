"""Strength of the rule player in Skat: shares and wins in self-play and against `random` in every role; speed.

    python -m benchmarks.quality.rule_strength --deals 2000 --seed 20000

The cardplay is also compared with perfect play if the file of recorded open-card deals (`OPEN_CARD` below) exists.
All intervals are 95%.
"""

import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import SHARED, read_options
from skat_env.agents.random import RandomAgent
from skat_env.agents.skat.rule import RuleAgent
from skat_env.cards import mask_of, parse_card
from skat_env.deal import Deal
from skat_env.protocols import Agent
from skat_env.skat import Declaration, SkatState
from skat_env.skat.rules import PLACE_SIZES, Phase

OPEN_CARD = SHARED / "data" / "skat" / "open_card.jsonl"
RULE: Agent = RuleAgent()
RANDOM: Agent = RandomAgent()


@dataclass
class Options:
    """Strength of the rule player in Skat."""

    deals: int = 2000
    seed: int = 20000
    """Seed of the first deal."""


def interval(values: Sequence[float]) -> str:
    """`mean ± half the 95% interval`."""
    return f"{np.mean(values):8.3f} ± {1.96 * np.std(values) / max(len(values), 1) ** 0.5:.3f}"


def play(state: SkatState, agents: Sequence[Agent], seed: int) -> SkatState:
    """Plays a state to its end."""
    rng = np.random.default_rng(seed)
    while state.to_act >= 0:
        state.apply(agents[state.to_act].decide(state.view(state.to_act), rng).action)
    return state


def timed_play(state: SkatState, seconds: dict[str, list[float]]) -> SkatState:
    """Plays a state with the rule player at all seats; adds the time of each decision to `seconds` by phase."""
    rng = np.random.default_rng(0)
    while state.to_act >= 0:
        phase = state.phase.name.lower()
        view = state.view(state.to_act)
        start = time.perf_counter()
        action = RULE.decide(view, rng).action
        seconds[phase].append(time.perf_counter() - start)
        state.apply(action)
    return state


def self_play(deals: list[Deal]) -> list[SkatState]:
    """Prints the shares and wins of self-play, and the speed; returns the starts of the cardplay."""
    seconds: dict[str, list[float]] = defaultdict(list)
    by_game: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    starts = []
    for deal in deals:
        result = timed_play(SkatState.new(deal), seconds).result()
        if result.declarer < 0:
            continue
        entry = (result.won, result.tournament_points[result.declarer])
        kind = {"N": "null", "G": "grand"}.get(result.contract[0], "suit")
        for name in ("all", kind, kind + (" hand" if "H" in result.contract[1:] else " picked up")):
            by_game[name].append(entry)
    share = len(by_game["all"]) / len(deals) / 3
    error = 1.96 * (3 * share * (1 - 3 * share) / len(deals)) ** 0.5 / 3
    print(f"self-play, {len(deals)} deals: a seat is soloist in {share:.3f} ± {error:.3f} of its deals")
    for name, entries in by_game.items():
        wins, points = (interval(values) for values in zip(*entries, strict=True))
        print(f"  {name:16} {len(entries):5} games, won {wins}, soloist TP {points}")
    for phase, times in seconds.items():
        print(f"  {phase:8} {1000 * np.mean(times):.3f} ms per decision, slowest {1000 * max(times):.1f} ms")
    for deal in deals:
        state = SkatState.new(deal)
        while state.to_act >= 0 and state.phase != Phase.PLAY:
            state.apply(RULE.decide(state.view(state.to_act), np.random.default_rng(0)).action)
        if state.to_act >= 0:
            starts.append(state)
    return starts


def roles(starts: list[SkatState]) -> None:
    """Prints how often the soloist wins, by the agents in both roles, in games that the rule player declares."""
    print(f"the same {len(starts)} games from the cardplay on: the soloist wins")
    for solo in (RULE, RANDOM):
        for defender in (RULE, RANDOM):
            wins = []
            for seed, start in enumerate(starts):
                agents = [solo if seat == start.soloist else defender for seat in range(3)]
                wins.append(play(start.clone(), agents, seed).result().won)
            print(f"  soloist {solo.name:6} defenders {defender.name:6} {interval(wins)}")


def full_games(deals: list[Deal]) -> None:
    """Prints tournament points per game of both players in all mixed seatings."""
    points: dict[str, list[float]] = {"rule": [], "random": []}
    differences = []
    for seed, deal in enumerate(deals):
        of_deal: dict[str, list[int]] = {"rule": [], "random": []}
        for seating in range(1, 7):
            agents = [RULE if seating >> seat & 1 else RANDOM for seat in range(3)]
            for agent, value in zip(agents, play(SkatState.new(deal), agents, seed).returns(), strict=True):
                of_deal[agent.name].append(value)
        for name, values in of_deal.items():
            points[name].append(float(np.mean(values)))
        differences.append(points["rule"][-1] - points["random"][-1])
    print(f"full games in the six mixed seatings of {len(deals)} deals, tournament points per game:")
    print(
        f"  rule {interval(points['rule'])}, random {interval(points['random'])}, by {interval(differences)}"
    )


def open_card() -> None:
    """Prints how often the rule player wins as soloist where perfect play wins, and where it loses."""
    if not OPEN_CARD.exists():
        print(f"open-card deals: skipped, {OPEN_CARD} is missing")
        return
    table: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for line in OPEN_CARD.read_text().splitlines():
        record = json.loads(line)
        places = [mask_of(map(parse_card, hand.split())) for hand in [*record["hands"], record["skat"]]]
        declarer = record["declarer"]
        bids = (18 * (declarer == 0), 18 * (declarer == 1), 18 * (declarer == 2))
        declaration = Declaration.parse(record["contract"])
        state = SkatState.cardplay(Deal(tuple(places)), declarer, declaration, bids)
        points = record.get("soloist_points")
        perfect = points > 60 if points is not None else not record["soloist_takes_a_trick"]
        kind = {"N": "null", "G": "grand"}.get(record["contract"][0], "suit")
        table[kind].append((perfect, play(state, [RULE] * 3, 0).result().won))
    print("open-card deals, rule at all seats:")
    for kind, pairs in table.items():
        wins = [sum(pair == (a, b) for pair in pairs) for a in (True, False) for b in (True, False)]
        print(
            f"  {kind:6} perfect play wins {wins[0] + wins[1]} of {len(pairs)}, rule {wins[0] + wins[2]}: "
            f"{wins[1]} lost that were won, {wins[2]} won that were lost"
        )


def main() -> None:
    """Prints all tables."""
    options = read_options(Options, __doc__)
    rngs = map(np.random.default_rng, range(options.seed, options.seed + options.deals))
    deals = [Deal.random(rng, PLACE_SIZES) for rng in rngs]
    starts = self_play(deals)
    roles(starts)
    full_games(deals)
    open_card()


if __name__ == "__main__":
    main()
