"""States, views, starts and environments refuse what no caller should give, in one sentence and without a crash."""

import importlib
from typing import Any

import numpy as np
import pytest

from skat_env._position import Position, StateMethods, ViewMethods
from skat_env.agents.search.tree._ismcts import Tree
from skat_env.agents.search.tree._selection import PUCT
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.agents.search.tree.tree_options import TreeOptions
from skat_env.beliefs.belief import Belief
from skat_env.deal import Deal
from skat_env.encoders import encoders_of
from skat_env.envs.aec import raw_env
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.errors import IllegalAction, OptionError, ParseError
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasState
from skat_env.skat import GAME as SKAT
from skat_env.skat import SkatState, SkatView
from skat_env.skat.rules import Announcement, Contract, Declaration

GAMES: dict[str, Any] = {"skat": SKAT, "klaverjas": KLAVERJAS}
NO_INTEGERS = (32.0, 32.5, "32", True, None, [32], np.float64(32), np.bool_(True), np.array([32]))
HUGE = (2**31, 2**63, -(2**63), 2**64 + 32, 10**5000, -(10**5000))

both_games = pytest.mark.parametrize("name", list(GAMES))


def new_state(name: str, seed: int = 0) -> Any:
    return GAMES[name].state.random(np.random.default_rng(seed))


def played(name: str, stop: int = 1000, seed: int = 0) -> Any:
    """A game with its first actions played at random."""
    rng = np.random.default_rng(seed)
    state = new_state(name, seed)
    for _ in range(stop):
        if state.is_over:
            break
        state.apply(rng.choice(state.legal_actions()))
    return state


def cardplay(contract: Contract = Contract.GRAND) -> SkatState:
    deal = Deal.random(np.random.default_rng(0), SKAT.place_sizes)
    return SkatState.cardplay(deal, 0, Declaration(contract), (18, 0, 0))


# --- actions and seats are integers ---


@both_games
@pytest.mark.parametrize("action", [*NO_INTEGERS, *HUGE], ids=lambda value: f"{type(value).__name__}")
def test_apply_takes_integers_only(name: str, action: Any) -> None:
    state = new_state(name)
    before = state.clone()
    with pytest.raises(IllegalAction, match="is not one of"):
        state.apply(action)
    assert state == before


@both_games
@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint64])
def test_apply_takes_integers_of_numpy(name: str, kind: Any) -> None:
    state, same = new_state(name), new_state(name)
    action = state.legal_actions()[0]
    state.apply(action)
    same.apply(kind(action))
    assert state == same


@both_games
@pytest.mark.parametrize("seat", [1.9, "1", True, None, -1, 7, 2**64, np.zeros((2, 2))], ids=repr)
def test_seats_are_integers(name: str, seat: Any) -> None:
    state = new_state(name)
    for call in (state.view, state.observe, state.side):
        with pytest.raises(ValueError, match=r"^[^\n]* is not one of 0[^\n]*$"):
            call(seat)


def test_seats_and_cards_of_the_games_queries() -> None:
    with pytest.raises(ValueError, match="out of range"):
        cardplay().is_void(1.5, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"a card 0..31"):
        cardplay().follow_mask(2**70)
    with pytest.raises(ValueError, match="is not one of 0"):
        new_state("klaverjas").excluded(2.0)
    with pytest.raises(ParseError, match="forehand"):
        KlaverjasState.new(new_state("klaverjas").deal, forehand=2**40)
    for declarer in (2**64, 1.0, True):
        with pytest.raises(ParseError, match="is not a seat"):
            SkatState.after_auction(new_state("skat").deal, declarer, (0, 18, 0))  # type: ignore[arg-type]


def test_a_declaration_has_a_contract_that_exists() -> None:
    with pytest.raises(OptionError, match="contract=6: expected one of 0"):
        Declaration(6, True)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="announcement=9: expected one of 0"):
        Declaration(Contract.GRAND, True, 9)  # type: ignore[arg-type]


# --- views ---


@both_games
def test_a_view_observes_for_its_own_seat_only(name: str) -> None:
    state = new_state(name)
    view = state.view(1)
    assert np.array_equal(view.observe(1), state.observe(1))
    with pytest.raises(ValueError, match="the view of seat 1 has no observation of seat 0"):
        view.observe(0)


@both_games
@pytest.mark.parametrize("seed", range(30))
def test_a_view_returns_the_result_or_does_not_know_it(name: str, seed: int) -> None:
    state = played(name, seed=seed)
    for seat in range(len(GAMES[name].seats)):
        for unit in GAMES[name].reward_units:
            try:
                returns = state.view(seat).returns(unit)
            except ValueError as error:
                assert "does not know the result" in str(error)
                assert not state.view(seat).skat
            else:
                assert returns == state.returns(unit)


# --- classes ---


@both_games
def test_a_random_deal_needs_a_generator(name: str) -> None:
    for rng in (42, None):
        with pytest.raises(
            ValueError, match=f"a random deal with rng={rng}: expected an object of the type Generator"
        ):
            GAMES[name].state.random(rng)


def test_positions_are_made_by_games_only() -> None:
    with pytest.raises(TypeError, match="no game's struct"):
        Position()
    with pytest.raises(TypeError, match="no game's struct"):
        type("Mine", (Position,), {})()
    with pytest.raises(TypeError, match="no game's struct"):
        type("Mine", (SkatState.__mro__[1],), {})()


def test_methods_of_states_need_a_state() -> None:
    for call in (
        lambda: StateMethods().apply(1),
        lambda: StateMethods().clone(),
        lambda: StateMethods().view(0),
        lambda: StateMethods().undo(),
        lambda: ViewMethods().blank_state(),
        lambda: ViewMethods().seat,
    ):
        with pytest.raises(TypeError):
            call()


# --- starts ---


def bad_starts(name: str) -> list[Any]:
    other = "klaverjas" if name == "skat" else "skat"
    return [
        None,
        "deal",
        new_state(name).view(0),
        new_state(name).view(0).blank_state(),
        played(name),
        new_state(other),
    ]


@both_games
@pytest.mark.parametrize("number", range(6))
def test_environments_refuse_bad_starts(name: str, number: int) -> None:
    start = bad_starts(name)[number]
    with pytest.raises(ValueError, match="start"):
        raw_env(GAMES[name], start=lambda rng: start).reset(seed=0)
    with pytest.raises(ValueError, match="start"):
        SingleSeatEnv(name, start=lambda rng: start).reset(seed=0)
    with pytest.raises(ValueError, match="start"):
        SelfPlayVector(name, 2, start=lambda rng: start).reset(seed=0)
    with pytest.raises(ValueError, match="start"):
        SeatVectorEnv(name, 2, start=lambda rng: start).reset(seed=0)
    if start == "deal":  # as an option, a text is that of a state
        return
    with pytest.raises(ValueError, match="start"):
        raw_env(GAMES[name]).reset(seed=0, options={"state": start})


@both_games
@pytest.mark.parametrize("number", range(6))
def test_the_sb3_environment_refuses_bad_starts(name: str, number: int) -> None:
    sb3 = pytest.importorskip("skat_env.envs.sb3")
    start = bad_starts(name)[number]
    with pytest.raises(ValueError, match="start"):
        sb3.Sb3VecEnv(name, 2, start=lambda rng: start).reset()
    with pytest.raises(ValueError, match="start"):
        sb3.Sb3VecEnv(name, 2, start="deal").set_starts([start])


@both_games
@pytest.mark.parametrize("option", ["seat", "dealer"])
@pytest.mark.parametrize("value", [7, -1, "1", 1.5, True, 2**64], ids=repr)
def test_options_of_reset_are_checked(name: str, option: str, value: Any) -> None:
    environment = SingleSeatEnv(name) if option == "seat" else raw_env(GAMES[name])
    with pytest.raises(ValueError, match=option):
        environment.reset(seed=0, options={option: value})


# --- steps ---


@both_games
def test_the_sb3_environment_takes_one_integer_for_each_game(name: str) -> None:
    sb3 = pytest.importorskip("skat_env.envs.sb3")
    environment = sb3.Sb3VecEnv(name, 2, start="deal")
    environment.reset()
    for actions in (np.zeros(3, np.int64), np.zeros(2), np.int64(0)):
        with pytest.raises(IllegalAction):
            environment.step(actions)


BAD_ACTIONS = {
    "floats": [32.0, 32.0],
    "one": 32,
    "three": [32, 32, 32],
    "texts": ["32", "32"],
    "truth values": [True, True],
    "huge": [2**70, 2**70],
    "two rows": [[32, 32]],
    "none": None,
}


@both_games
@pytest.mark.parametrize("kind", BAD_ACTIONS)
def test_vectors_take_one_integer_for_each_game(name: str, kind: str) -> None:
    vector = SelfPlayVector(name, 2)
    before = vector.reset(seed=0).observation
    with pytest.raises(IllegalAction, match="expected"):
        vector.step(BAD_ACTIONS[kind])  # type: ignore[arg-type]
    assert vector.state(0).history() == []
    assert np.array_equal(vector._step().observation, before)
    lanes = SeatVectorEnv(name, 2)
    lanes.reset(seed=0)
    with pytest.raises(IllegalAction, match="expected"):
        lanes.step(BAD_ACTIONS[kind])  # type: ignore[arg-type]


@both_games
@pytest.mark.parametrize("mask", [[True], [True] * 3, [1, 1], [[True, True]], 1.0], ids=repr)
def test_a_reset_mask_has_one_truth_value_for_each_game(name: str, mask: Any) -> None:
    lanes = SeatVectorEnv(name, 2)
    lanes.reset(seed=0)
    with pytest.raises(ValueError, match="reset_mask"):
        lanes.reset(options={"reset_mask": mask})


@both_games
def test_the_first_reset_starts_all_games(name: str) -> None:
    with pytest.raises(ValueError, match="reset_mask"):
        SeatVectorEnv(name, 2).reset(options={"reset_mask": np.array([True, False])})


@both_games
@pytest.mark.parametrize("action", [33.5, "33", True, 2**70], ids=repr)
def test_single_games_take_integers_only(name: str, action: Any) -> None:
    environment = raw_env(GAMES[name])
    environment.reset(seed=0)
    with pytest.raises(IllegalAction):
        environment.step(action)
    single = SingleSeatEnv(name, illegal_action="raise")
    single.reset(seed=0)
    with pytest.raises(IllegalAction):
        single.step(action)
    ending = SingleSeatEnv(name)
    ending.reset(seed=0)
    if type(action) is int:
        assert ending.step(action)[2]
    else:
        with pytest.raises(IllegalAction):
            ending.step(action)


def test_render_without_a_mode_warns() -> None:
    environment = raw_env(SKAT)
    environment.reset(seed=0)
    single = SingleSeatEnv("skat")
    single.reset(seed=0)
    for each in (environment, single):
        with pytest.warns(UserWarning, match="render_mode"):
            assert each.render() is None


# --- beliefs ---


@both_games
def test_a_belief_makes_states_of_its_worlds_only(name: str) -> None:
    state = played(name, 12)
    belief, rng = Belief(state.view(0)), np.random.default_rng(0)
    row = belief.row(state)
    assert belief.state(row, rng).view(0) == state.view(0)
    known, swapped = row.copy(), row.copy()
    known[1] |= np.uint32(state.view(0).hand & -state.view(0).hand)
    swapped[1], swapped[2] = row[2], row[1] | row[2]
    for wrong in (row[:1], row[:0], np.zeros(4, np.uint32), np.full(4, 2**32 - 1, np.uint32), known, swapped):
        with pytest.raises(ValueError, match="is no world of the view"):
            belief.state(wrong, rng)


# --- kernels of packages above ---


@both_games
@pytest.mark.parametrize("threads", [0, 65, 100_000, 2**70, 1.5, True, "2", None], ids=repr)
def test_threads_of_solvers_are_few(name: str, threads: Any) -> None:
    solver = importlib.import_module(f"solvers.{name}").Solver()
    with pytest.raises(ValueError, match=r"is not in 1\.\.64"):
        solver.solve_many([], threads=threads)


@both_games
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=repr)
def test_trees_take_finite_numbers_only(name: str, value: float) -> None:
    state = played(name, 12, seed=3)
    view = state.view(state.to_act)
    with pytest.raises(ValueError, match="finite"):
        Tree([1.0] * len(GAMES[name].seats), 0, TreeOptions(c=value))
    tree = Tree([1.0] * len(GAMES[name].seats), 0, TreeOptions(c=1.0))
    worlds = Worlds(view, view.seat, False, [])
    tree.begin(worlds)
    tree.gather(worlds, 4, 1)
    with pytest.raises(ValueError, match="expected a finite number"):
        tree.settle(np.full(tree.waiting, value))
    tree.settle(np.zeros(tree.waiting))
    with pytest.raises(ValueError, match=r"infinite or not a number|weight"):
        Belief(view, np.full((32, 4), value))


@both_games
def test_trees_take_the_worlds_that_they_began_with(name: str) -> None:
    state, other = played(name, 12, seed=3), played("klaverjas" if name == "skat" else "skat", 12, seed=3)
    view, foreign = state.view(state.to_act), other.view(other.to_act)
    tree = Tree([1.0] * len(GAMES[name].seats), 0, TreeOptions(c=1.0))
    worlds, wrong = (Worlds(each, each.seat, False, []) for each in (view, foreign))
    with pytest.raises(ValueError, match="call begin first"):
        tree.gather(worlds, 4, 1)
    with pytest.raises(ValueError, match="is not one of the game"):
        tree.begin(wrong)
    tree.begin(worlds)
    tree.gather(worlds, 4, 1)
    assert tree.waiting
    with pytest.raises(ValueError, match="call begin first"):
        tree.leaves(wrong)
    for call in (lambda: tree.begin(worlds), lambda: tree.search(worlds, 1, 0.0, 1, 0)):
        with pytest.raises(ValueError, match="call settle first"):
            call()
    for encoder in encoders_of(foreign.__class__.__name__.removesuffix("View").lower()):
        with pytest.raises(ValueError, match="not the leaves"):
            tree.encode(encoder, True, np.zeros((tree.waiting, encoder.width), np.float32))
    tree.settle(np.zeros(tree.waiting))
    for seconds, rollouts in ((np.nan, 1), (np.inf, 1), (0.0, 0), (0.0, -1)):
        with pytest.raises(ValueError, match="expected few seconds"):
            tree.search(worlds, 1, seconds, rollouts, 0)
    with pytest.raises(ValueError, match="not the view of seat"):
        Worlds(view, (view.seat + 1) % 3, False, [])
    with pytest.raises(ValueError, match="no state of the view's game"):
        Worlds(view, view.seat, False, [other])
    with pytest.raises(ValueError, match="9 signs"):
        Tree([1.0] * 9, 0, TreeOptions(c=1.0))
    with pytest.raises(ValueError, match="is not one of the game"):
        Tree([1.0] * len(GAMES[name].seats), 99, TreeOptions(c=1.0)).begin(worlds)


@pytest.mark.parametrize("outputs", [np.zeros(2), np.full(64, 9)], ids=["few", "beyond"])
def test_trees_with_priors_need_a_logit_for_each_action(outputs: Any) -> None:
    state = played("klaverjas", 12, seed=3)
    tree = Tree([1.0] * 4, 0, TreeOptions(c=1.0, selection=PUCT))
    worlds = Worlds(state.view(state.to_act), state.to_act, False, [])
    tree.begin(worlds)
    tree.gather(worlds, 4, 1)
    with pytest.raises(ValueError, match="outputs do not give action"):
        tree.settle(np.zeros(tree.waiting), np.zeros((tree.waiting, 9), np.float32), outputs.astype(np.uint8))


# --- texts ---


@both_games
@pytest.mark.parametrize("number", [str(2**32), str(2**64), "9" * 5000, "-1"], ids=len)
def test_numbers_in_texts_fit(name: str, number: str) -> None:
    state = new_state(name)
    for field in ("declarer", "forehand", "seat"):
        words = {"declarer": f"declarer={number} bids=18,20,0"}.get(field, f"{field}={number}")
        for position in (state, state.view(0)):
            with pytest.raises(ParseError):
                type(position).parse(f"{position.deal.text() if position is state else '?'} {words} :")
    with pytest.raises(ParseError):
        SkatState.parse(f"{new_state('skat').deal.text()} declarer=0 bids={number},0,0 :")


@pytest.mark.parametrize(
    "auction", ["0 bids=1_8,0,0", "0 bids=18,0,+0", "+0 bids=18,0,0", "0 bids=１８,0,0", "0 bids=18,0,", "0"]
)
def test_numbers_of_auctions_are_plain_digits(auction: str) -> None:
    with pytest.raises(ParseError, match="needs a seat, and with it 'bids=' of three numbers"):
        SkatState.parse(f"{new_state('skat').deal.text()} declarer={auction} :")


def test_an_open_hand_has_the_cards_that_are_left() -> None:
    deal = Deal.random(np.random.default_rng(0), SKAT.place_sizes)
    game = Declaration(Contract.NULL, False, Announcement.OUVERT)
    view = SkatState.cardplay(deal, 0, game, (18, 0, 0)).view(1)
    text = view.text()
    assert SkatView.parse(text) == view
    shown = next(word for word in text.split() if word.startswith("open="))
    for cards in (shown[: shown.rindex(".")], "open=-"):
        with pytest.raises(ParseError, match="open="):
            SkatView.parse(text.replace(shown, cards))
    with pytest.raises(ParseError, match="open="):
        SkatView.parse(text.replace(f"{shown} ", ""))
