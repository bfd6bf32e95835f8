"""Information-set tree search: against its plain twin, against exhaustive search, and as an agent."""

import pickle
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions
from skat_env.agents.search.tree._ismcts import Tree
from skat_env.agents.search.tree._selection import UCB, UCB_AVAILABLE
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.agents.search.tree.root_edges import root_edges
from skat_env.agents.search.tree.tree_options import TreeOptions
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.errors import UnknownName
from skat_env.klaverjas import KlaverjasState
from skat_env.play.deadline import Deadline, under
from skat_env.play.lockstep import play_game
from skat_env.protocols import View, World
from skat_env.registry import get_game, make_agent
from tests.helpers import minimax, plain_ismcts
from tests.helpers.alarms import interrupts
from tests.helpers.searches import SIGNS, position, signs


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize(
    ("c", "relative", "by_availability", "private", "rollouts", "minimax"),
    [
        (1.41, True, True, False, 1, 0.0),
        (200.0, False, False, False, 1, 0.0),
        (50.0, False, True, False, 3, 0.0),
        (1.0, True, True, True, 1, 0.0),
        (1.41, True, True, False, 1, 0.4),
        (1.0, True, True, True, 1, 1.0),
    ],
)
def test_trees_are_those_of_the_plain_twin(
    game: str, c: float, relative: bool, by_availability: bool, private: bool, rollouts: int, minimax: float
) -> None:
    unit = get_game(game).match_unit
    for seed, plays in enumerate((2, 9, 16, 21)):
        state = position(game, plays, seed)
        if state.is_over:
            continue
        view = state.view(state.to_act)
        belief, rng = Belief(view), np.random.default_rng(seed)
        states = [belief.state(row, rng) for row in belief.sample(20, rng)]
        units = get_game(game).reward_units
        selection = UCB_AVAILABLE if by_availability else UCB
        options = TreeOptions(c=c, selection=selection, relative=relative, private=private, minimax=minimax)
        tree = Tree(signs(game, state), units.index(unit), options)
        done = tree.search(Worlds(view, view.seat, False, states), 150, 0.0, rollouts, 7)
        partners = round(1 / SIGNS[game])
        plain = plain_ismcts.search(
            view, states, 150, 7, unit, partners, c, relative, by_availability, private, rollouts, minimax
        )
        assert done == 150
        assert sum(edge[1] for edge in tree.root_edges()) == 150
        for ours, theirs in zip(tree.root_edges(), plain, strict=True):
            assert ours[:3] == theirs[:3]
            assert ours[3] == pytest.approx(theirs[3])


@pytest.mark.parametrize("seed", range(6))
def test_finds_the_best_play_when_nothing_is_hidden(seed: int) -> None:
    state = position("klaverjas", 20, seed)
    agent = make_agent("ismcts(simulations=6000, belief=cheating)", "klaverjas")
    decision = agent.decide_knowing(state.view(state.to_act), state, np.random.default_rng(0))  # type: ignore[attr-defined]
    best = minimax.value(state, "final_difference")
    state.apply(decision.action)
    assert minimax.value(state, "final_difference") == best


def test_decisions_tell_what_was_searched() -> None:
    state = position("klaverjas", 8, 3)
    view = state.view(state.to_act)
    decision = Ismcts(IsmctsOptions(simulations=300), game="klaverjas").decide(view, np.random.default_rng(1))
    assert decision.weights is not None
    assert decision.weights.sum() == pytest.approx(1)
    assert set(np.flatnonzero(decision.weights)) <= set(view.legal_actions())
    assert sum(decision.stats["visits"].values()) == decision.stats["simulations"] == 300
    assert decision.action == max(decision.stats["visits"], key=decision.stats["visits"].get)
    assert decision.value == decision.stats["means"][decision.action]


def test_same_generator_same_decision() -> None:
    view = (state := position("skat", 5, 1)).view(state.to_act)
    for spec in ("ismcts(simulations=100)", "ismcts(simulations=100, variant=thesis)"):
        decisions = [
            make_agent(spec, "skat").decide(view, np.random.default_rng(4)).weights for _ in range(2)
        ]
        assert np.array_equal(decisions[0], decisions[1])  # type: ignore[arg-type]


def visits(agent: Any, state: Any, rng: np.random.Generator) -> int:
    """Of the root after a decision; 0 if there was nothing to search."""
    return sum(agent.decide(state.view(state.to_act), rng).stats.get("visits", {}).values())


def test_the_tree_goes_on_with_the_same_game_only() -> None:
    agent = Ismcts(IsmctsOptions(simulations=2000, bidder="rule"), game="klaverjas")
    thesis = Ismcts(IsmctsOptions(simulations=100, variant="thesis"), game="klaverjas")
    state, rng = position("klaverjas", 12, 4), np.random.default_rng(0)
    seat, counts = state.to_act, []
    while len(counts) < 3:
        if state.to_act == seat and len(state.legal_actions()) > 1:
            counts.append(visits(agent, state, rng))
            assert visits(thesis, state, rng) == 100
            assert visits(agent, state, np.random.default_rng(0)) == 2000
        state.apply(state.legal_actions()[-1])
    assert counts[0] == 2000
    assert max(counts) > 2000
    assert pickle.loads(pickle.dumps(agent)).name == agent.name


def test_games_do_not_depend_on_earlier_ones() -> None:
    def game(agent: Any) -> str:
        state = position("klaverjas", 0, 5)
        play_game(state, [agent] * 4, [np.random.default_rng(seat) for seat in range(4)])
        return state.text()  # type: ignore[no-any-return]

    agent = Ismcts(IsmctsOptions(simulations=50), game="klaverjas")
    first = game(agent)
    assert first == game(agent) == game(Ismcts(IsmctsOptions(simulations=50), game="klaverjas"))


class Rollouts:
    """An evaluator that plays the leaves out."""

    name = "rollouts"

    def __init__(self) -> None:
        self.batches: list[int] = []

    def values(self, states: list[Any]) -> NDArray[np.float64]:
        rng = np.random.default_rng(0)
        self.batches.append(len(states))
        values = []
        for state in states:
            end = state.clone()
            while not end.is_over:
                end.apply(int(rng.choice(end.legal_actions())))
            values.append(plain_ismcts.difference(end, "score", 2))
        return np.array(values)


def test_leaves_are_valued_in_batches() -> None:
    evaluator = Rollouts()
    agent = Ismcts(IsmctsOptions(simulations=100, evaluator=evaluator, batch=16), game="klaverjas")
    state = position("klaverjas", 3, 2)
    decision = agent.decide(state.view(state.to_act), np.random.default_rng(0))
    assert sum(decision.stats["visits"].values()) == 100
    assert evaluator.batches[:6] == [16] * 6
    assert sum(evaluator.batches) <= 100
    late = position("klaverjas", 27, 2)
    if len(late.legal_actions()) > 1:
        assert agent.decide(late.view(late.to_act), np.random.default_rng(0)).stats["simulations"] == 100


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_decisions_do_not_depend_on_the_number_of_threads(game: str) -> None:
    views = [(state := position(game, plays, 1)).view(state.to_act) for plays in (3, 9)]
    found = []
    for threads in (1, 2, 3):
        agent = make_agent(f"ismcts(simulations=200, trees=3, threads={threads})", game)
        decisions = agent.decide_many(views, [np.random.default_rng(seed) for seed in (4, 5)])  # type: ignore[attr-defined]
        found.append([(decision.action, decision.value, decision.stats) for decision in decisions])
    assert found[0] == found[1] == found[2]
    assert all(sum(stats["visits"].values()) == stats["simulations"] == 200 for _, _, stats in found[0])


def test_trees_are_merged_at_the_root() -> None:
    state = position("klaverjas", 8, 3)
    view = state.view(state.to_act)
    trees = []
    for stream in range(3):
        tree = Tree(signs("klaverjas", state), 0, TreeOptions(c=1.41))
        tree.search(Worlds(view, view.seat, False, []), 40 + stream, 0.0, 1, stream)
        trees.append(tree)
    rows = [row for tree in trees for row in tree.root_edges()]
    merged = root_edges(trees)
    assert [action for action, *_ in merged] == sorted({row[0] for row in rows})
    for action, visits, available, mean, _ in merged:
        mine = [row for row in rows if row[0] == action]
        assert visits == sum(row[1] for row in mine)
        assert available == sum(row[2] for row in mine)
        assert mean * visits == pytest.approx(sum(row[1] * row[3] for row in mine))
    assert root_edges(trees[:1]) == trees[0].root_edges()


def test_every_tree_goes_on_with_the_same_game() -> None:
    agent = Ismcts(IsmctsOptions(simulations=900, trees=3, threads=2, bidder="rule"), game="klaverjas")
    state, rng = position("klaverjas", 12, 4), np.random.default_rng(0)
    seat, counts = state.to_act, []
    while len(counts) < 3:
        if state.to_act == seat and len(state.legal_actions()) > 1:
            counts.append(visits(agent, state, rng))
        state.apply(state.legal_actions()[-1])
    assert counts[0] == 900
    assert max(counts) > 900


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_search(threads: int) -> None:
    limit, began = 60.0, time.monotonic()
    options = IsmctsOptions(time=1000 * limit, trees=threads, threads=threads, bidder="random")
    agent = Ismcts(options, game="skat")
    state = position("skat", 0, 0)
    with pytest.raises(KeyboardInterrupt), interrupts(0.2):
        agent.decide(state.view(state.to_act), np.random.default_rng(0))
    assert time.monotonic() < began + limit


def test_a_time_is_kept() -> None:
    view = (state := position("klaverjas", 0, 0)).view(state.to_act)
    decision = Ismcts(IsmctsOptions(time=5), game="klaverjas").decide(view, np.random.default_rng(0))
    assert decision.stats["simulations"] >= 16


@pytest.mark.parametrize(
    ("trees", "threads", "views", "share"),
    [(1, 1, 1, 1), (4, 1, 1, 1 / 4), (4, 2, 1, 1 / 2), (3, 2, 1, 1 / 2), (5, 4, 1, 1 / 2), (3, 2, 2, 2 / 3)],
)
def test_the_trees_share_the_time(trees: int, threads: int, views: int, share: float) -> None:
    """Those of a thread are searched in turn."""
    agent = Ismcts(IsmctsOptions(time=300, trees=trees, threads=threads), game="klaverjas")
    seconds: list[float] = []

    class Clocked:
        def search(self, worlds: Any, limit: int, each: float, *rest: Any) -> int:
            seconds.append(each)
            return limit

    made: Any = [Search(None, Clocked(), None, 1, 10) for _ in range(trees * views)]  # type: ignore[arg-type]
    agent._search(made)
    assert seconds == pytest.approx([0.3 * share] * trees * views)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_time_is_for_decisions_that_need_a_search(game: str) -> None:
    """Bids, forced cards, and those of a host that gives little time, too."""
    agents = [make_agent("ismcts(time=1)", game), make_agent("ismcts(simulations=20)", game)]
    for agent in agents:
        state: Any = get_game(game).state.random(np.random.default_rng(2))
        seats = len(get_game(game).seats)
        with under(Deadline(0.01)):
            play_game(state, [agent] * seats, [np.random.default_rng(seat) for seat in range(seats)])
        assert state.is_over


class Unequal:
    """All worlds, of which the first has half the weight; or a sample of equal weights."""

    name, cheats = "unequal", False

    def worlds(self, view: View, n: int, rng: np.random.Generator) -> list[World]:
        worlds = UniformSampler().worlds(view, n, rng)
        if len(worlds) == n:
            return worlds
        return [World(world.state, 1.0 + (len(worlds) - 2) * (i == 0)) for i, world in enumerate(worlds)]


@pytest.mark.parametrize("plays", [4, 26])
def test_worlds_come_as_often_as_their_weights_say(plays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "skat_env.agents.search.ismcts.Worlds", lambda view, seat, backtracking, states: states
    )
    view = (state := position("klaverjas", plays, 1)).view(state.to_act)
    count = Belief(view).count
    agent = Ismcts(IsmctsOptions(simulations=600, belief=Unequal()), game="klaverjas")
    worlds: Any = agent._worlds(view, None, np.random.default_rng(0))
    places = Counter(world.places for world in worlds)
    assert len(worlds) == 600
    if plays == 4:
        assert max(places.values()) < 5
        return
    assert 2 <= count == len(places) < 60
    first, *others = sorted(places.values(), reverse=True)
    assert first == 300
    assert max(others) - min(others) <= 1


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ("simulations=0", "simulations"),
        ("simulations=10, time=5", "not both"),
        ("simulations=1.5", "whole number"),
        ("c=-1", "c=-1"),
        ("variant=best", "variant"),
        ("observers=two", "observers"),
        ("evaluator=oracle", "evaluator"),
        ("reward=money", "reward unit"),
        ("belief=hunch", "belief"),
        ("trees=0", "trees"),
        ("trees=257", "at most 256 trees"),
        ("simulations=3, trees=4", "at most 3 trees"),
        ("threads=2", "threads=2 needs as many trees"),
        ("trees=4, threads=0", "threads"),
    ],
)
def test_wrong_options_are_reported(options: str, reported: str) -> None:
    with pytest.raises((ValueError, UnknownName), match=reported):
        make_agent(f"ismcts({options})", "klaverjas")


def test_names_make_the_agent_again() -> None:
    specs = (
        "ismcts(simulations=10, c=50, variant=thesis)",
        "ismcts(time=5, c=1.41)",
        "ismcts(simulations=800, c=1.41, trees=4)",
        "ismcts(simulations=800, c=1.41, rollouts=4, belief=thesis, observers=many, reuse=false, reward=made)",
    )
    for spec in specs:
        assert make_agent(spec, "klaverjas").name == spec


@pytest.mark.slow
def test_more_simulations_beat_fewer() -> None:
    few, many = (
        Ismcts(IsmctsOptions(simulations=8), game="klaverjas"),
        Ismcts(IsmctsOptions(simulations=400), game="klaverjas"),
    )
    points = 0
    for number in range(60):
        for cast in ((few, many) * 2, (many, few) * 2):
            state = KlaverjasState.random(np.random.default_rng(number))
            play_game(state, list(cast), [np.random.default_rng(seat) for seat in range(4)])
            points += state.result().difference * (1 if cast[0] is many else -1)
    assert points / 120 > 10


def test_the_thesis_sampler_is_not_uniform() -> None:
    """Aaldering 2023, algorithm 2, said to be uniform: three seats, a card each, of {a, b}, {a, b, c}, {b, c}."""
    # Trumps are spades; each seat has one card, and what it has played excludes one for seats 1 and 3.
    state, view = three_worlds()
    belief = Belief(view)
    assert belief.count == 3
    rng = np.random.default_rng(0)
    rows, counts = np.unique(belief.sample_backtracking(60_000, rng), axis=0, return_counts=True)
    assert len(rows) == 3
    shares = sorted(counts / 60_000)
    assert shares[0] == pytest.approx(0.278, abs=0.01)
    assert shares[2] == pytest.approx(0.361, abs=0.01)
    exact = np.unique(belief.sample(60_000, rng), axis=0, return_counts=True)[1] / 60_000
    assert exact == pytest.approx([1 / 3] * 3, abs=0.01)
    assert all(np.diff(sorted(state.places)) != 0)


def three_worlds() -> tuple[Any, Any]:
    """A deal before its last trick, and the view of the seat to lead, for which three worlds are left."""
    for seed in range(5000):
        state = position("klaverjas", 28, 2 * seed)
        view = state.view(state.to_act)
        belief = Belief(view)
        possible = belief.possible()
        others = [seat for seat in range(4) if seat != view.seat]
        sizes = sorted(int(possible[belief.cards, seat].sum()) for seat in others)
        if belief.count == 3 and sizes == [2, 2, 3]:
            return state, view
    raise AssertionError("no such deal found")
