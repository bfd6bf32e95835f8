"""αμ, its cheap relatives, and EPIMC, against plain recursion and against PIMC."""

import os
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from skat_env.agents.random import RandomAgent
from skat_env.agents.search.alpha_mu import AlphaMu
from skat_env.agents.search.epimc import Epimc
from skat_env.agents.search.pimc import Pimc
from skat_env.beliefs.belief import UniformSampler
from skat_env.errors import OptionError, UnknownName
from skat_env.protocols import World
from skat_env.registry import make_agent
from skat_env.skat.rules import Contract
from skat_env.solvers.klaverjas import Solver as KlaverjasSolver
from skat_env.solvers.skat import Solver as SkatSolver
from tests.helpers.alarms import interrupts
from tests.helpers.endings import klaverjas_choice, skat_choice
from tests.helpers.vectors import Plain, open_outcomes

POSITIONS = int(os.environ.get("SKAT_ENV_POSITIONS", 60))
"""Positions of each game in which one move is compared with PIMC."""
LEVELS = {"skat": "31+61+90", "klaverjas": "-40+20+100"}
both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def choice(game: str, rng: np.random.Generator, cards_a_hand: int) -> Any:
    """An ending in which the seat to act has a choice; in Skat of hand games too, and of bids that may be too high."""
    if game == "klaverjas":
        return klaverjas_choice(rng, 4 * cards_a_hand - int(rng.integers(4)))
    declaration = ("C", "G", "N", "CH", "GH")[int(rng.integers(5))]
    return skat_choice(
        rng, declaration, 3 * cards_a_hand - int(rng.integers(3)), (18, 18, 60)[int(rng.integers(3))]
    )


def sampled(state: Any, count: int, rng: np.random.Generator) -> list[World]:
    """Worlds of the seat to act, with weights of their own."""
    worlds = UniformSampler().worlds(state.view(state.to_act), count, rng)
    return [World(world.state, float(rng.integers(1, 5))) for world in worlds]


def close_levels(game: str, state: Any) -> str | None:
    """Thresholds around what the position is worth with open cards, so that they are worth a search; None in null."""
    if game == "skat" and state.contract == Contract.NULL:
        return None
    value = (SkatSolver if game == "skat" else KlaverjasSolver)().solve(state).value
    assert value is not None
    levels = {value - 10, value - 1, value + 1, value + 10}
    return "+".join(str(level) for level in sorted(levels) if game == "klaverjas" or 1 <= level <= 120)


def plain(game: str, worlds: list[World], thresholds: str | None = None) -> Plain:
    levels = [int(word) for word in thresholds.split("+")] if thresholds else []
    return Plain([w.state for w in worlds], [w.weight for w in worlds], open_outcomes(game, levels))


def alpha_mu(game: str, **options: Any) -> AlphaMu:
    return AlphaMu(**options, bidder=RandomAgent(), game=game)


def epimc(game: str, **options: Any) -> Epimc:
    return Epimc(**options, bidder=RandomAgent(), game=game)


def require_same(decision: Any, values: dict[int, float]) -> None:
    """Requires that a decision has the best of all values, and knows what it is worth."""
    best = max(values.values())
    assert decision.value == pytest.approx(best)
    assert values[decision.action] == pytest.approx(best)
    for action, found in decision.stats["means"].items():
        assert found == pytest.approx(values[action])


@both_games
@pytest.mark.parametrize(
    "text",
    ["alpha_mu(m=1)", "alpha_mu(m=1, backup=vector)", "alpha_mu(m=1, backup=reduced)", "epimc(depth=1)"],
)
def test_one_move_is_pimc_card_for_card(game: str, text: str) -> None:
    rng = np.random.default_rng(1)
    agent = make_agent(text.replace(")", ", worlds=8, bidder=random)"), game)
    pimc = Pimc(8, bidder=RandomAgent(), game=game)
    for number in range(POSITIONS):
        state = choice(game, rng, int(rng.integers(2, 6)))
        view = state.view(state.to_act)
        luck = np.random.default_rng(number), np.random.default_rng(number)
        assert agent.decide(view, luck[0]).action == pimc.decide(view, luck[1]).action, state.text()


@both_games
@pytest.mark.parametrize("m", [1, 2, 3, 9])
def test_alpha_mu_is_what_plain_recursion_finds(game: str, m: int) -> None:
    rng = np.random.default_rng(2)
    for number in range(20):
        state = choice(game, rng, 3 if m < 3 or number % 4 else 2)
        worlds = sampled(state, int(rng.integers(2, 6)), rng)
        levels = close_levels(game, state) if number % 3 else None
        require_same(
            alpha_mu(game, m=m, thresholds=levels).vote(worlds), plain(game, worlds, levels).alpha_mu(m)
        )


@both_games
def test_thresholds_are_counted_together(game: str) -> None:
    rng = np.random.default_rng(3)
    agent = alpha_mu(game, m=2, thresholds=LEVELS[game])
    counted = set()
    for _ in range(30):
        state = choice(game, rng, 3)
        worlds = sampled(state, 4, rng)
        values = plain(game, worlds, LEVELS[game]).alpha_mu(2)
        require_same(agent.vote(worlds), values)
        counted.add(round(max(values.values()), 6))
    assert len(counted) > 5
    assert max(counted) > 1


@both_games
@pytest.mark.parametrize("rule", ["vector", "reduced"])
def test_single_vectors_are_what_plain_recursion_finds(game: str, rule: str) -> None:
    rng = np.random.default_rng(4)
    for m in (2, 3):
        for _ in range(10):
            state = choice(game, rng, 3)
            worlds = sampled(state, 5, rng)
            levels = close_levels(game, state)
            agent = alpha_mu(game, m=m, backup=rule, thresholds=levels)
            require_same(agent.vote(worlds), plain(game, worlds, levels).backed_up(m, rule))


@both_games
@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_epimc_is_what_plain_recursion_finds(game: str, depth: int) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        state = choice(game, rng, 3)
        worlds = sampled(state, 6, rng)
        levels = close_levels(game, state)
        agent = epimc(game, depth=depth, thresholds=levels)
        require_same(agent.vote(worlds), plain(game, worlds, levels).backed_up(depth, "postponed"))


@both_games
@pytest.mark.parametrize("cards", [2, 3])
def test_with_all_moves_it_is_the_best_pure_strategy(game: str, cards: int) -> None:
    """Of all strategies, against opponents who see all cards and know it, tried one by one."""
    rng = np.random.default_rng(6)
    checked = 0
    while checked < 10:
        state = choice(game, rng, cards)
        # All worlds of the smaller endings; of the larger ones as many as their strategies can be tried.
        worlds = sampled(state, 10_000 if cards == 2 else 3, rng)
        if len(worlds) == 1:
            continue
        levels = close_levels(game, state)
        oracle = plain(game, worlds, levels)
        values = {action: oracle.best_strategy(action, 200) for action in state.legal_actions()}
        if None in values.values():
            continue
        checked += 1
        decision = alpha_mu(game, m=10, thresholds=levels).vote(worlds)
        require_same(decision, {a: v for a, v in values.items() if v is not None})


@both_games
def test_more_moves_promise_less(game: str) -> None:
    """Each own move that does not know the world costs something, or nothing; and the relatives are no better."""
    rng = np.random.default_rng(7)
    fell = lost = 0
    for _ in range(40):
        state = choice(game, rng, 5)
        worlds = sampled(state, 20, rng)
        options = {"thresholds": close_levels(game, state)}
        values = [alpha_mu(game, m=m, **options).vote(worlds).value or 0 for m in (1, 2, 3, 4)]
        assert all(later <= earlier + 1e-9 for earlier, later in pairwise(values))
        fell += values[-1] < values[0] - 1e-9
        single = alpha_mu(game, m=4, backup="reduced", **options).vote(worlds).value or 0
        assert single <= values[-1] + 1e-9
        lost += single < values[-1] - 1e-9
    assert fell
    assert lost


@both_games
@pytest.mark.parametrize("name", ["alpha_mu(m=3)", "epimc(depth=4)"])
def test_threads_do_not_change_decisions(game: str, name: str) -> None:
    rng = np.random.default_rng(8)
    for number in range(5):
        state = choice(game, rng, 6)
        view = state.view(state.to_act)
        decisions = [
            make_agent(name.replace(")", f", threads={threads}, bidder=random)"), game).decide(
                view, np.random.default_rng(number)
            )
            for threads in (1, 2, 5)
        ]
        assert len({(d.action, d.value) for d in decisions}) == 1
        assert decisions[0].stats == decisions[1].stats == decisions[2].stats


@both_games
def test_an_interrupt_leaves_nothing_behind(game: str) -> None:
    """No thread goes on with the worlds that the next decision follows."""
    rng = np.random.default_rng(10)
    state = choice(game, rng, 5)
    worlds, many = sampled(state, 10, rng), sampled(choice(game, rng, 8), 200, rng)
    expected, agent = alpha_mu(game).vote(worlds), alpha_mu(game, threads=3)

    def vote_on() -> None:
        while True:
            agent.vote(many)

    for _ in range(5):
        with pytest.raises(KeyboardInterrupt), interrupts(0.05):
            vote_on()
        again = agent.vote(worlds)
        assert (again.action, again.value, again.stats) == (expected.action, expected.value, expected.stats)


@both_games
def test_the_worlds_stay_as_they_are(game: str) -> None:
    rng = np.random.default_rng(9)
    state = choice(game, rng, 5)
    worlds = sampled(state, 10, rng)
    texts = [world.state.text() for world in worlds]
    first = alpha_mu(game, m=3).vote(worlds)
    agent = alpha_mu(game, m=3)
    agent.vote(sampled(choice(game, rng, 4), 30, rng))
    again = agent.vote(worlds)
    assert [world.state.text() for world in worlds] == texts
    assert (first.action, first.value, first.stats) == (again.action, again.value, again.stats)


@both_games
@pytest.mark.parametrize("name", ["alpha_mu(worlds=60, m=7)", "epimc(worlds=60, depth=9)"])
def test_a_time_ends_a_search(game: str, name: str) -> None:
    """What is complete by then counts, at least what PIMC knows."""
    rng = np.random.default_rng(12)
    state = choice(game, rng, 8)
    view = state.view(state.to_act)
    agent = make_agent(name.replace(")", ", time=0.001, bidder=random)"), game)
    decision = agent.decide(view, np.random.default_rng(0))
    pimc = Pimc(60, bidder=RandomAgent(), game=game).decide(view, np.random.default_rng(0))
    assert decision.stats["m" if "alpha" in name else "depth"] == 1
    assert decision.action == pimc.action
    assert "time=0.001" in agent.name


@both_games
def test_the_true_world_alone_is_open_cards(game: str) -> None:
    rng = np.random.default_rng(11)
    for name in ("alpha_mu(belief=cheating, m=3, bidder=random)", "epimc(belief=cheating, bidder=random)"):
        agent = make_agent(name, game)
        assert agent.cheats
        for _ in range(10):
            state = choice(game, rng, 4)
            view = state.view(state.to_act)
            pimc = Pimc(1, belief="cheating", bidder=RandomAgent(), game=game)
            assert (
                agent.decide_knowing(view, state, rng).action == pimc.decide_knowing(view, state, rng).action
            )


@both_games
def test_names_make_the_same_agent(game: str) -> None:
    for text in (
        "alpha_mu(worlds=5, m=3, backup=vector, belief=thesis, thresholds=61, time=50, ties=false)",
        "epimc(worlds=5, depth=2, belief=uniform, thresholds=20+61)",
    ):
        if game == "skat" or "thesis" in text:
            name = make_agent(text.replace("thesis", "uniform"), game).name
            assert make_agent(name, game).name == name
            for word in ("worlds=5", "thresholds="):
                assert word in name


@both_games
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("alpha_mu(m=0)", "alpha_mu with m=0: expected a whole number from 1"),
        ("alpha_mu(worlds=0)", "alpha_mu with worlds=0"),
        ("alpha_mu(time=0)", "alpha_mu with time=0"),
        ("epimc(depth=0)", "epimc with depth=0"),
        ("alpha_mu(thresholds=61+61)", "thresholds='61[+]61': expected 1 to 8 different numbers"),
        ("alpha_mu(thresholds=10000)", "thresholds=10000: expected 1 to 8 different numbers of"),
        ("epimc(thresholds=many)", "thresholds='many': expected"),
    ],
)
def test_bad_options(game: str, text: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make_agent(text, game)


@both_games
@pytest.mark.parametrize("make", [alpha_mu, epimc])
def test_votes_are_of_worlds_and_legal_actions(game: str, make: Any) -> None:
    rng = np.random.default_rng(13)
    state, other = choice(game, rng, 4), choice(game, rng, 3)
    agent, [world] = make(game), sampled(state, 1, rng)
    legal = state.legal_actions()
    played, over = state.plays()[0][1], state.clone()
    while not over.is_over:
        over.apply(over.legal_actions()[0])
    for actions in ([-1], [40], [64], [played], [*legal, played], []):
        with pytest.raises(OptionError, match=rf"actions=.*: expected some of \[{legal[0]}"):
            agent.vote([world], actions)
    for worlds, said in (
        ([], "some that have a weight"),
        ([World(state, 0.0)], "some that have a weight"),
        ([World(state, -1.0)], "weight -1.0: expected one from 0"),
        ([world, World(other, 1.0)], "world 1 of another information set"),
        ([state], "expected a World of"),
        ([World(over, 1.0)], "not in the cardplay"),
        (world, "expected a list"),
    ):
        with pytest.raises(OptionError, match=said):
            agent.vote(worlds)
    assert agent.vote([world], [legal[-1]]).action == legal[-1]


@both_games
def test_unknown_rules_are_named(game: str) -> None:
    with pytest.raises(UnknownName, match="fronts, reduced, vector"):
        make_agent("alpha_mu(backup=nix)", game)
