"""PIMC: its objectives against plain minimax of the rules' own result, its votes, and what it is allowed to see."""

import numpy as np
import pytest

from agents.search.objectives import make_objective
from agents.search.pimc import Pimc, merged
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.errors import UnknownName
from skat_env.play.lockstep import play_game
from skat_env.protocols import World
from skat_env.registry import make_agent, make_belief
from skat_env.skat import GAME, Declaration, SkatState

DECLARATIONS = ("C", "D", "GH", "G", "N", "NO", "HHS", "SHZ", "GO")


def ending(rng: np.random.Generator, declaration: str, bid: int, cards_left: int) -> SkatState:
    """A game of random cards that some cards are missing to end; bids may ask for more than the contract is worth."""
    while True:
        seat = int(rng.integers(3))
        bids = [0, 0, 0]
        bids[seat] = bid
        state = SkatState.cardplay(GAME.random_deal(rng), seat, Declaration.parse(declaration), tuple(bids))
        while not state.is_over and 30 - len(state.plays()) > cards_left:
            legal = state.legal_actions()
            low = declaration[0] == "N" and state.to_act == seat
            state.apply(legal[0] if low else legal[int(rng.integers(len(legal)))])
        if not state.is_over and len(state.legal_actions()) > 1:
            return state


def best_outcome(state: SkatState, measure) -> float:
    """Plain minimax of a measure of the finished game, the soloist's to maximise."""
    if state.is_over:
        return measure(state)
    values = []
    for action in state.legal_actions():
        state.apply(action)
        values.append(best_outcome(state, measure))
        state.undo()
    return max(values) if state.to_act == state.soloist else min(values)


def after(state: SkatState, action: int) -> SkatState:
    child = state.clone()
    child.apply(action)
    return child


def difference(state: SkatState) -> float:
    """The soloist's tournament points less the defenders'."""
    points = state.returns()
    return points[state.soloist] - sum(p for seat, p in enumerate(points) if seat != state.soloist)


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_winning_is_what_the_rules_say(declaration: str) -> None:
    rng = np.random.default_rng(DECLARATIONS.index(declaration))
    objective = make_objective("win", "skat", 1)
    decided = []
    for bid in (18, 36, 48, 72, 96, 120) * 4:
        state = ending(rng, declaration, bid, 9)
        actions = state.legal_actions()
        expected = [
            best_outcome(after(state, action), lambda end: float(end.result().won)) for action in actions
        ]
        sign = 1 if state.to_act == state.soloist else -1
        assert (sign * objective.values([state], actions)[0]).tolist() == expected
        decided.append(sorted(set(expected)))
    print(declaration, decided)


@pytest.mark.parametrize("declaration", ["C", "G", "N", "HH"])
def test_tournament_points_are_what_the_rules_say(declaration: str) -> None:
    """But for schwarz, which the objective leaves out: endings in which both sides have a trick."""
    rng = np.random.default_rng(10 + DECLARATIONS.index(declaration) if declaration in DECLARATIONS else 3)
    objective = make_objective("tournament_points", "skat", 1)
    checked = 0
    while checked < 25:
        state = ending(rng, declaration, 18, 9)
        if declaration != "N" and 0 in state.tricks:
            continue
        actions = state.legal_actions()
        expected = [best_outcome(after(state, action), difference) for action in actions]
        sign = 1 if state.to_act == state.soloist else -1
        assert (sign * objective.values([state], actions)[0]).tolist() == expected
        checked += 1


def test_points_and_ties() -> None:
    rng = np.random.default_rng(5)

    def card_points(end: SkatState) -> float:
        return end.result().card_points

    for name, values in (("points", "values"), ("win", "tie_values")):
        objective = make_objective(name, "skat", 1)
        for _ in range(10):
            state = ending(rng, "G", 18, 9)
            actions = state.legal_actions()
            expected = [best_outcome(after(state, action), card_points) for action in actions]
            sign = 1 if state.to_act == state.soloist else -1
            assert (sign * getattr(objective, values)([state], actions)[0]).tolist() == expected


@pytest.mark.parametrize("objective", ["win", "points", "tournament_points"])
def test_knowing_the_cards_it_plays_perfectly(objective: str) -> None:
    """With the cheating belief no decision gives the game away."""
    rng = np.random.default_rng(1)
    agent = Pimc(belief="cheating", objective=objective, bidder="random", game="skat")
    for declaration in ("C", "G", "N") * 4:
        state = ending(rng, declaration, 18, 9)
        won = best_outcome(state, lambda end: float(end.result().won))
        decision = agent.decide_knowing(state.view(state.to_act), state, rng)
        if objective != "points":  # whoever wants points only may lose the game for them
            assert best_outcome(after(state, decision.action), lambda end: float(end.result().won)) == won


def test_only_marked_agents_are_shown_the_state() -> None:
    cheat = Pimc(belief="cheating", bidder="random", game="skat")
    assert cheat.cheats
    assert not Pimc(bidder="random", game="skat").cheats
    rng = np.random.default_rng(2)
    state = ending(rng, "G", 18, 12)
    with pytest.raises(ValueError, match="true state"):
        cheat.decide(state.view(state.to_act), rng)
    play_game(state, [cheat] * 3, [rng] * 3)
    assert state.is_over
    mixed = make_agent("player(bidding=random, cardplay=pimc(belief=cheating, bidder=random))", "skat")
    assert mixed.cheats


def test_equal_worlds_are_solved_once() -> None:
    rng = np.random.default_rng(3)
    state = ending(rng, "G", 18, 15)
    worlds = UniformSampler().worlds(state.view(state.to_act), 3, rng)
    states, weights = merged([*worlds, worlds[0], World(worlds[0].state, 2.0)])
    assert len(states) == len(worlds)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(4 / (len(worlds) + 3))


def test_a_single_legal_card_is_played_at_once() -> None:
    class Refusing(UniformSampler):
        def worlds(self, view, n, rng):
            raise AssertionError("no world is needed")

    agent = Pimc(belief=Refusing(), bidder="random", game="skat")
    state = ending(np.random.default_rng(4), "C", 18, 12)
    while len(state.legal_actions()) > 1:
        state.apply(state.legal_actions()[0])
    assert agent.decide(state.view(state.to_act), np.random.default_rng(0)).action == state.legal_actions()[0]


def test_small_information_sets_are_enumerated() -> None:
    state = ending(np.random.default_rng(6), "C", 18, 6)
    view = state.view(state.to_act)
    decision = Pimc(worlds=100_000, bidder="random", game="skat").decide(view, np.random.default_rng(0))
    assert decision.stats["worlds"] == Belief(view).count


def test_decisions_repeat_and_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(7)
    for declaration in ("C", "N"):
        view = (state := ending(rng, declaration, 18, 21)).view(state.to_act)
        decisions = [
            Pimc(worlds=12, threads=threads, bidder="random", game="skat").decide(
                view, np.random.default_rng(1)
            )
            for threads in (1, 1, 2)
        ]
        for decision in decisions[1:]:
            assert decision.action == decisions[0].action
            assert decision.stats == decisions[0].stats
        weights = decisions[0].weights
        assert weights.dtype == np.float32
        assert weights.shape == (64,)
        assert weights.sum() == pytest.approx(1)
        assert set(np.flatnonzero(weights)) <= set(view.legal_actions())


@pytest.mark.parametrize(
    ("spec", "error", "reported"),
    [
        ("pimc(worlds=0)", ValueError, "whole number from 1"),
        ("pimc(threads=0)", ValueError, "whole number from 1"),
        ("pimc(belief=unifrom)", UnknownName, "did you mean 'uniform'"),
        ("pimc(objective=wins)", UnknownName, "did you mean 'win'"),
        ("pimc(bidder=rul)", UnknownName, "did you mean 'rule'"),
        ("pimc(world=3)", UnknownName, "did you mean 'worlds'"),
        ("search_bidding(threshold=2)", ValueError, "threshold"),
        ("player(bidding=rule)", ValueError, "needs its option 'cardplay'"),
    ],
)
def test_wrong_options_are_reported(spec: str, error: type[Exception], reported: str) -> None:
    with pytest.raises(error, match=reported):
        make_agent(spec, "skat")


def test_beliefs_by_name() -> None:
    assert make_belief("uniform", "skat").name == "uniform"
    sampler = UniformSampler()
    assert make_belief(sampler, "skat") is sampler


@pytest.mark.slow
def test_beats_random_in_both_roles() -> None:
    rng = np.random.default_rng(8)
    pimc, other = Pimc(worlds=5, bidder="rule", game="skat"), make_agent("random", "skat")
    rule = make_agent("rule", "skat")
    won = {"soloist": 0, "defenders": 0}
    for _ in range(25):
        state = SkatState.new(GAME.random_deal(rng))
        while not state.is_over and state.stage != "cardplay":
            state.apply(rule.decide(state.view(state.to_act), rng).action)
        if state.is_over:
            continue
        for role in won:
            end = state.clone()
            cast = [pimc if (seat == end.soloist) == (role == "soloist") else other for seat in range(3)]
            play_game(end, cast, [rng] * 3)
            won[role] += end.result().won == (role == "soloist")
    assert won["soloist"] >= 20
    assert won["defenders"] >= 12  # random defenders win 7
