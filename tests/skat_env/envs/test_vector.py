"""Many games at once: equal to single games, reproducible, reset as the metadata say."""

import multiprocessing
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import skat_env  # noqa: F401 (registers the environments)
from skat_env.envs._vector import LANES_PER_THREAD
from skat_env.envs.opponents import Pool
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.vector import GAMES_PER_START, POOL_BLOCK, POOL_SIZE, SelfPlayVector
from skat_env.errors import IllegalAction, OptionError, UnknownName
from skat_env.klaverjas import KlaverjasRules
from skat_env.play.starts import PlayedTo, Positions, RandomDeals
from skat_env.protocols import Decision
from skat_env.registry import get_game, make_agent
from skat_env.skat import SkatState
from skat_env.skat.starts import FixedAuction

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def choose(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action a row; 0 where there is none."""
    return (rng.random(mask.shape) * mask).argmax(axis=1)


@pytest.mark.parametrize(
    ("game", "reward", "rules"),
    [
        ("skat", "list_score", None),
        ("klaverjas", "score", None),
        ("klaverjas", "difference", KlaverjasRules("amsterdam", "free", "made", 100, "both")),
    ],
)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_self_play_equals_single_games(mode: AutoresetMode, game: str, reward: str, rules) -> None:
    games, rng = 7, np.random.default_rng(0)
    vector = SelfPlayVector(game, games, reward=reward, scale=0.5, autoreset_mode=mode, rules=rules)
    step = vector.reset(seed=3)
    mirror = [vector.state(i) for i in range(games)]
    finished = 0
    for _ in range(400):
        for i, state in enumerate(mirror):
            assert step.current_player[i] == state.to_act
            assert (step.action_mask[i] == state.action_mask()).all()
            assert (step.observation[i] == state.observe(max(state.to_act, 0))).all()
        actions = choose(step.action_mask, rng)
        step = vector.step(actions)
        for i, state in enumerate(mirror):
            if state.is_over:  # next-step autoreset: the action was ignored
                mirror[i] = vector.state(i)
                assert not step.terminations[i]
                continue
            state.apply(int(actions[i]))
            assert step.terminations[i] == state.is_over
            expected = [0.5 * value for value in state.returns(reward)]
            assert step.rewards[i].tolist() == expected
            if state.is_over:
                finished += 1
                if mode == AutoresetMode.SAME_STEP:
                    mirror[i] = vector.state(i)
                    assert len(mirror[i].history()) == 0
                    assert rules is None or mirror[i].rules == rules
    assert finished > 50


@both_games
def test_lanes_depend_on_the_seed_and_their_number_only(game: str) -> None:
    def trace(games: int, seed: int) -> list[str]:
        vector = SelfPlayVector(game, games)
        step = vector.reset(seed=seed)
        for _ in range(100):
            step = vector.step(step.action_mask.argmax(axis=1))
        return [vector.state(i).text() for i in range(3)]

    assert trace(3, 1) == trace(3, 1) == trace(50, 1)
    assert trace(3, 1) != trace(3, 2)


@both_games
def test_resets_without_a_seed_go_on(game: str) -> None:
    vector = SelfPlayVector(game, 4)
    vector.reset(seed=1)
    first = vector.state(0).text()
    vector.reset()
    assert vector.state(0).text() != first
    vector.reset(seed=1)
    assert vector.state(0).text() == first


def test_buffers_are_fresh_unless_asked_otherwise() -> None:
    for copy in (True, False):
        vector = SelfPlayVector("skat", 2, copy=copy)
        first = vector.reset(seed=0)
        second = vector.step(first.action_mask.argmax(axis=1))
        assert (first.observation is second.observation) != copy


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@both_games
def test_threads_change_nothing(game: str, mode: AutoresetMode) -> None:
    games = 3 * LANES_PER_THREAD + 7  # the third thread is the last that is worth making
    vectors = [SelfPlayVector(game, games, threads=n, autoreset_mode=mode, copy=n != 3) for n in (1, 2, 3)]
    rng = np.random.default_rng(4)
    steps = [vector.reset(seed=9) for vector in vectors]
    finished = 0
    for number in range(60):
        for step in steps[1:]:
            for name in step.__slots__:
                assert getattr(step, name).tobytes() == getattr(steps[0], name).tobytes()
        finished += int(steps[0].terminations.sum())
        actions = choose(steps[0].action_mask, rng)
        if number == 30:
            wrong = actions.copy()
            wrong[[LANES_PER_THREAD + 1, 3 * LANES_PER_THREAD + 2]] = -1
            for vector in vectors:
                with pytest.raises(IllegalAction, match=f"game {LANES_PER_THREAD + 1}:"):
                    vector.step(wrong)
        steps = [vector.step(actions) for vector in vectors]
    assert finished > games // 2


def test_threads_work_in_a_forked_process() -> None:
    context = multiprocessing.get_context("fork")
    expected = _stepped()
    with context.Pool(1) as pool:
        assert pool.apply(_stepped) == expected


def _stepped() -> bytes:
    vector = SelfPlayVector("skat", 2 * LANES_PER_THREAD, threads=2)
    step = vector.reset(seed=1)
    return vector.step(step.action_mask.argmax(axis=1)).observation.tobytes()


def test_arrays_are_those_of_the_caller() -> None:
    torch = pytest.importorskip("torch")
    made = []

    def allocate(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        tensor = torch.full(shape, 77).to(torch.from_numpy(np.empty(0, dtype)).dtype)
        made.append(tensor)
        return tensor.numpy()

    vector, plain = SelfPlayVector("skat", 3, copy=False, allocate=allocate), SelfPlayVector("skat", 3)
    step, expected = vector.reset(seed=1), plain.reset(seed=1)
    for _ in range(40):
        for tensor, name in zip(made, step.__slots__, strict=True):
            assert tensor.data_ptr() == getattr(step, name).ctypes.data  # no copy lies in between
            assert torch.from_dlpack(getattr(step, name)).data_ptr() == tensor.data_ptr()
            assert tensor.numpy().tobytes() == getattr(expected, name).tobytes()
        actions = expected.action_mask.argmax(axis=1)
        step, expected = vector.step(actions), plain.step(actions)
    assert len(made) == 5


def test_arrays_of_another_shape_are_refused() -> None:
    for allocate in (
        lambda shape, dtype: np.empty((1, *shape), dtype),
        lambda shape, dtype: np.empty(shape, np.float64),
        lambda shape, dtype: np.empty(shape, dtype, order="F"),
        lambda shape, dtype: None,
    ):
        with pytest.raises(ValueError, match="allocate made no writable"):
            SelfPlayVector("skat", 2, allocate=allocate)


@both_games
def test_illegal_actions_are_told_and_move_nothing(game: str) -> None:
    vector = SelfPlayVector(game, 3)
    step = vector.reset(seed=0)
    before = [vector.state(i) for i in range(3)]
    actions = step.action_mask.argmax(axis=1)
    actions[2] = step.action_mask[2].argmin()
    with pytest.raises(IllegalAction, match="game 2"):
        vector.step(actions)
    assert [vector.state(i) for i in range(3)] == before
    with pytest.raises(ValueError, match="one for each of 3 games"):
        vector.step(actions[:2])


def test_starts_come_from_the_source() -> None:
    vector = SelfPlayVector("skat", 5, start=FixedAuction(declarer=2, bid=20))
    vector.reset(seed=0)
    assert {vector.state(i).soloist for i in range(5)} == {2}


def test_starts_of_klaverjas() -> None:
    rules = KlaverjasRules(choice="free")
    vector = SelfPlayVector("klaverjas", 40, start="cardplay", bidder="random", rules=rules)
    vector.reset(seed=0)
    states = [vector.state(i) for i in range(40)]
    assert {state.stage for state in states} == {"cardplay"}
    assert len({state.declarer for state in states}) > 1
    given = SelfPlayVector("klaverjas", 400)
    given.reset(seed=0)
    chosen = [(given.state(i).declarer, given.state(i).trump) for i in range(400)]
    assert len(set(chosen)) == 16


@both_games
def test_dealing_is_uniform(game: str) -> None:
    vector = SelfPlayVector(game, 4096)
    vector.reset(seed=5)
    counts = np.zeros((4, 32))
    for i in range(4096):
        for place, mask in enumerate(vector.state(i).places):
            counts[place] += [mask >> card & 1 for card in range(32)]
    expected = 4096 * np.array(get_game(game).place_sizes)[:, None] / 32
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("seat", [None, 0, 2])
@both_games
def test_one_seat_against_random(game: str, mode: AutoresetMode, seat: int | None) -> None:
    games, rng = 16, np.random.default_rng(1)
    env = SeatVectorEnv(game, games, seat=seat, autoreset_mode=mode)
    observations, _ = env.reset(seed=2)
    over = np.zeros(games, bool)
    ends = 0
    for _ in range(150):
        assert env.observation_space.contains(observations)
        assert (observations["action_mask"].any(axis=1) | over).all()
        if seat is not None and game == "skat":
            assert observations["observation"][:, 8 + seat].all()  # the slice "seat"
        elif seat is not None:
            assert observations["observation"][:, 3 + -seat % 4].all()  # the slice "forehand"
        actions = choose(observations["action_mask"], rng)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert not truncations.any()
        assert not terminations[over].any()
        assert not rewards[~terminations].any()
        ends += terminations.sum()
        if mode == AutoresetMode.SAME_STEP:
            assert ("final_obs" in infos) == terminations.any()
            for i in np.flatnonzero(terminations):
                assert env.single_observation_space.contains(infos["final_obs"][i])
        elif mode == AutoresetMode.NEXT_STEP:
            over = terminations
        else:
            over = over | terminations
            if over.any():
                observations, _ = env.reset(options={"reset_mask": over})
                over[:] = False
    assert ends > games


@both_games
def test_one_seat_gets_its_own_rewards(game: str) -> None:
    """The rewards of the ended games are those of the seat, by replaying the vector's own games."""
    env = SeatVectorEnv(game, 64, autoreset_mode=AutoresetMode.DISABLED)
    observations, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    total = np.zeros(64)
    done = np.zeros(64, bool)
    while not done.all():
        observations, rewards, terminations, _, _ = env.step(choose(observations["action_mask"], rng))
        total += rewards
        done |= terminations
    batch = env._lanes.batch
    states = [batch.position(i) for i in range(64)]
    assert total.tolist() == [state.returns()[seat] for state, seat in zip(states, batch.seats, strict=True)]


@both_games
@pytest.mark.parametrize("opponents", ["random", "rule"])
def test_an_illegal_action_ends_the_game_of_its_lane(game: str, opponents: str) -> None:
    env = SeatVectorEnv(game, 3, opponents=opponents, illegal_reward=-2.0, scale=2.0)
    observations, _ = env.reset(seed=0)
    actions = observations["action_mask"].argmax(axis=1)
    actions[1] = 45
    observations, rewards, terminations, _, _ = env.step(actions)
    assert rewards[1] == -4.0
    assert terminations[1]
    assert not observations["action_mask"][1].any()
    observations, rewards, terminations, _, _ = env.step(np.full(3, 45))
    assert not terminations[1]  # reset by this step, whose action was ignored
    assert observations["action_mask"][1].any()


@both_games
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_infos_of_illegal_actions_are_those_of_gymnasium(game: str, mode: AutoresetMode) -> None:
    name = f"skat_env/{game.capitalize()}-v0"
    for wrong in ([], [1], [0, 2]):
        told = []
        for env in (
            gymnasium.make_vec(name, 3, "sync", {"autoreset_mode": mode}, opponents="rule"),
            gymnasium.make_vec(name, 3, "vector_entry_point", autoreset_mode=mode, opponents="rule"),
        ):
            observations, _ = env.reset(seed=0)
            actions = observations["action_mask"].argmax(axis=1)
            actions[wrong] = 36  # a declaration
            infos = env.step(actions)[4]
            told.append(infos.get("final_info", {}) if mode == AutoresetMode.SAME_STEP else infos)
            if wrong and mode == AutoresetMode.SAME_STEP:
                assert infos["_final_info"].tolist() == infos["_final_obs"].tolist()
                assert "illegal_action" not in infos
        for key in ("illegal_action", "_illegal_action"):
            one, many = (each.get(key) for each in told)
            assert (one is not None) == bool(wrong)
            np.testing.assert_array_equal(many, one)


@pytest.mark.parametrize(
    "options", [{"seat": 1}, {"state": "x"}, {"reset_mask": np.array([True]), "deal": 3}]
)
def test_other_options_of_a_reset_are_refused(options: dict[str, Any]) -> None:
    env = SeatVectorEnv("skat", 1)
    with pytest.raises(OptionError, match=r"reset with (seat|state|deal): the only option .* is reset_mask"):
        env.reset(seed=0, options=options)
    env.reset(seed=0, options={})


@pytest.mark.parametrize("made", [SeatVectorEnv, SelfPlayVector])
def test_autoreset_modes_have_names(made: type[Any]) -> None:
    modes = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    known = modes if made is SeatVectorEnv else modes[:2]
    for mode in known:
        for given in (mode, mode.name, mode.value):
            env = made("skat", 2, autoreset_mode=given)
            assert env.metadata["autoreset_mode"] is mode
            env.close()
    for wrong in ("SAMESTEP", *(set(modes) - set(known))):
        with pytest.raises(UnknownName, match=r"unknown autoreset mode .* known are .*NEXT_STEP, SAME_STEP$"):
            made("skat", 2, autoreset_mode=wrong)


@both_games
def test_nobody_acts_in_a_game_that_an_illegal_action_has_ended(game: str) -> None:
    env = SeatVectorEnv(game, 2, autoreset_mode=AutoresetMode.DISABLED)
    legal = env.reset(seed=0)[0]["action_mask"][0].argmax()
    for actions in ([legal, 45], [45, 45]):
        observations, *_ = env.step(np.array(actions))
        assert not observations["action_mask"][1].any()
        assert not env.action_masks()[1].any()
    observations, _ = env.reset(options={"reset_mask": np.array([False, True])})
    assert observations["action_mask"].any(axis=1).tolist() == [False, True]
    env = SeatVectorEnv(game, 2, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=0)
    observations, *_, infos = env.step(np.array([45, 45]))
    assert observations["action_mask"].any(axis=1).all()
    assert not any(final["action_mask"].any() for final in infos["final_obs"])


@both_games
def test_made_by_gymnasium(game: str) -> None:
    env = gymnasium.make_vec(
        f"skat_env/{game.capitalize()}-v0", num_envs=4, vectorization_mode="vector_entry_point"
    )
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    observations, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    seen = False
    for _ in range(60):
        observations, _, _, _, infos = env.step(choose(observations["action_mask"], rng))
        seen |= "episode" in infos
    assert seen
    with pytest.raises(UnknownName, match="did you mean 'rule'"):
        SeatVectorEnv(game, 4, opponents="rules")


@both_games
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_one_seat_against_agents(game: str, mode: AutoresetMode) -> None:
    """The rewards are the own seat's, whoever the others are, and agents that cheat are shown their states."""
    pool = Pool([make_agent("rule", game), make_agent("random", game)], [1.0, 1.0])
    others = [pool, *["pimc(worlds=1, belief=cheating, bidder=rule)"] * (len(get_game(game).seats) - 2)]
    env = SeatVectorEnv(game, 6, opponents=others, autoreset_mode=mode)
    observations, _ = env.reset(seed=3)
    rng = np.random.default_rng(0)
    finished = 0
    over = np.zeros(6, np.bool_)
    for _ in range(30):
        before = [env._lanes.batch.position(lane) for lane in range(6)]
        actions = choose(observations["action_mask"], rng)
        observations, rewards, terminations, _, infos = env.step(actions)
        for lane in np.flatnonzero(terminations):
            finished += 1
            if mode != AutoresetMode.SAME_STEP:
                seat = int(env._lanes.batch.seats[lane])
                assert rewards[lane] == env._lanes.batch.position(int(lane)).returns()[seat]
            else:
                assert infos["final_obs"][lane]["action_mask"].sum() == 0
                assert before[lane].text() != env._lanes.batch.position(int(lane)).text()
        assert not rewards[~terminations].any()
        if mode == AutoresetMode.DISABLED:
            over |= terminations
            if over.all():
                break
    assert finished >= 6
    again, _ = env.reset(seed=3)
    env.reset(seed=4)
    same, _ = env.reset(seed=3)
    np.testing.assert_array_equal(again["observation"], same["observation"])


def test_state_of_a_lane_is_a_copy() -> None:
    vector = SelfPlayVector("skat", 1)
    vector.reset(seed=0)
    state = vector.state(0)
    assert isinstance(state, SkatState)
    state.apply(32)
    assert vector.state(0) != state


OTHER = KlaverjasRules(legality="amsterdam", choice="free")


@pytest.mark.parametrize(
    ("source", "stage"),
    [
        (RandomDeals("klaverjas", OTHER), "choice"),
        (PlayedTo("klaverjas", "choice", "rule", OTHER), "choice"),
        (PlayedTo("klaverjas", "cardplay", "rule", OTHER), "cardplay"),
        (PlayedTo("klaverjas", "cardplay", "rule", KlaverjasRules("amsterdam")), "cardplay"),
    ],
)
def test_rules_are_those_of_the_source(source: Any, stage: str) -> None:
    for rules in (None, KlaverjasRules(tie="made")):
        vector = SelfPlayVector("klaverjas", 3, start=source, rules=rules)
        vector.reset(seed=1)
        for lane in range(3):
            state = vector.state(lane)
            assert (state.rules, state.stage) == (source.rules, stage)
        assert vector.state(0).dealt != vector.state(1).dealt


def test_a_kind_of_game_is_no_fresh_deal() -> None:
    vector = SelfPlayVector("klaverjas", 2, start=PlayedTo("klaverjas", "cardplay", "rule", kind="deal"))
    assert not vector._vector.fresh
    with pytest.raises(ValueError, match="a game of klaverjas with a start of skat"):
        SelfPlayVector("klaverjas", 2, start=RandomDeals("skat"))


class Counted:
    """A source that counts the starts it makes, which are no fresh deals."""

    def __init__(self, game: str) -> None:
        self.game, self.made = game, 0

    def __call__(self, rng: np.random.Generator) -> Any:
        self.made += 1
        state = get_game(self.game).state.random(rng)
        while not state.is_over and len(state.history()) < 2:
            state.apply(int(rng.choice(state.legal_actions())))
        return state


@both_games
def test_starts_are_drawn_as_games_begin(game: str) -> None:
    def deals(vector: SelfPlayVector) -> list[Any]:
        return [vector.state(lane).dealt for lane in range(vector.num_envs)]

    source = Counted(game)
    vector = SelfPlayVector(game, 64, start=source)
    seen = []
    for number in range(2 * POOL_SIZE // 64):
        vector.reset(seed=None if number else 5)
        seen.append(deals(vector))
        begun = 64 * (number + 1)
        if begun < POOL_SIZE - POOL_BLOCK:
            assert source.made == POOL_BLOCK * (1 + begun // POOL_BLOCK)
    assert source.made == POOL_SIZE
    again = SelfPlayVector(game, 64, start=Counted(game))
    again.reset(seed=5)
    assert deals(again) == seen[0]
    for expected in seen[1:10]:
        again.reset()
        assert deals(again) == expected
    vector._vector.count_games(POOL_BLOCK * GAMES_PER_START)
    before = vector._vector._pool.copy()
    vector.reset()
    assert source.made == POOL_SIZE + POOL_BLOCK
    assert list(vector._vector._pool)[:-POOL_BLOCK] == list(before)[POOL_BLOCK:]


@both_games
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_steps_draw_starts_for_the_games_that_they_begin(game: str, mode: AutoresetMode) -> None:
    own, one = Counted(game), Counted(game)
    games = SelfPlayVector(game, 50, start=own, autoreset_mode=mode)
    seat = SeatVectorEnv(game, 50, start=one, autoreset_mode=mode)
    step, (seen, _), ended = games.reset(seed=1), seat.reset(seed=1), np.zeros(2, int)
    for _ in range(250):
        step = games.step(step.action_mask.argmax(1))
        seen, _, over, _, _ = seat.step(seen["action_mask"].argmax(1))
        ended += int(step.terminations.sum()), int(over.sum())
    step, _ = games.step(step.action_mask.argmax(1)), seat.step(seen["action_mask"].argmax(1))
    assert [own.made, one.made] == (POOL_BLOCK * (1 + (50 + ended) // POOL_BLOCK)).tolist()
    assert min(own.made, one.made) > POOL_BLOCK


@both_games
def test_what_is_no_start_stops_a_step_before_it_plays(game: str) -> None:
    source = Counted(game)
    vector = SelfPlayVector(
        game, POOL_BLOCK - 1, start=lambda rng: source(rng) if source.made < 256 else None
    )
    step = vector.reset(seed=1)
    vector._vector.count_games(1)
    before = vector.state(0)
    with pytest.raises(ValueError, match="not None"):
        vector.step(step.action_mask.argmax(1))
    assert vector.state(0) == before


def test_positions_are_all_in_the_pool() -> None:
    rng = np.random.default_rng(1)
    states = [get_game("skat").state.random(rng) for _ in range(2 * POOL_SIZE)]
    vector = SelfPlayVector("skat", 2 * POOL_SIZE, start=Positions(states))
    vector.reset(seed=1)
    assert len({vector.state(lane).dealt for lane in range(2 * POOL_SIZE)}) > 1.2 * POOL_SIZE
    with pytest.raises(ValueError, match="a start is a KlaverjasState"):
        SelfPlayVector("klaverjas", 1, start=Positions(states))


@both_games
@pytest.mark.parametrize("opponents", ["random", "rule"])
def test_the_seats_of_a_caller(game: str, opponents: str) -> None:
    env = SeatVectorEnv(game, 8, opponents=opponents)
    seen, _ = env.reset(seed=1)
    for _ in range(5):
        seats = env.seats
        states = [env._lanes.batch.position(lane) for lane in range(8)]
        assert [state.to_act for state in states] == seats.tolist()
        assert all(
            (state.observe(seat) == row).all()
            for state, seat, row in zip(states, seats, seen["observation"], strict=True)
        )
        seats[:] = -1
        assert (env.seats >= 0).all()
        seen, _, over, _, _ = env.step(seen["action_mask"].argmax(1))
        if over.any():
            break


class Listener:
    """Notes the games whose ends it hears, and raises at one of its decisions."""

    name = "listener"

    def __init__(self, fails: int = 0) -> None:
        self.heard: list[tuple[Any, int, tuple[float, ...]]] = []
        self.left = fails

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        self.left -= 1
        if not self.left:
            raise ConnectionError("timeout")
        return Decision(view.legal_actions()[0])

    def hear_end(self, view: Any, returns: Any) -> None:
        assert view.to_act < 0
        self.heard.append((view, view.seat, tuple(returns)))


@both_games
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_opponents_hear_how_games_end(game: str, mode: AutoresetMode) -> None:
    listener, seats = Listener(), len(get_game(game).seats)
    others = [Pool([listener], [1.0]), "random", listener][: seats - 1]
    env = SeatVectorEnv(game, 4, opponents=others, autoreset_mode=mode)
    seen, _ = env.reset(seed=3)
    ended = 0
    for _ in range(60):
        before = env._lanes.batch.seats.copy()
        seen, _, over, _, _ = env.step(seen["action_mask"].argmax(1))
        for lane in np.flatnonzero(over):
            own = int(before[lane])
            told = [(own + after) % seats for after in (1, 3)[: seats - 2]]
            heard = [end for end in listener.heard if end[1] in told]
            assert heard
            if mode != AutoresetMode.SAME_STEP:
                state = env._lanes.batch.position(lane)
                for seat in told:
                    assert (state.view(seat), seat, state.returns()) in listener.heard
        ended += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            seen, _ = env.reset(options={"reset_mask": over})
    assert ended > 8
    assert len(listener.heard) >= ended * len((1, 3)[: seats - 2])
    assert len(set(listener.heard)) == len(listener.heard)


def play_on(env: SeatVectorEnv, seen: dict[str, np.ndarray], steps: int) -> None:
    for _ in range(steps):
        seen, *_ = env.step(seen["action_mask"].argmax(1))


def test_games_of_an_opponent_that_has_raised_need_a_reset() -> None:
    env = SeatVectorEnv("klaverjas", 3, opponents=Listener(30))
    seen, _ = env.reset(seed=1)
    with pytest.raises(ConnectionError):
        play_on(env, seen, 10)
    for method in (env.action_masks, lambda: env.step(np.zeros(3, int))):
        with pytest.raises(gymnasium.error.ResetNeeded):
            method()
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    play_on(env, env.reset()[0], 2)
