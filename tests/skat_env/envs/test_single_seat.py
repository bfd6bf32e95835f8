"""One seat as a Gymnasium environment."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import skat_env  # noqa: F401 (registers the environments)
from skat_env.envs.single_seat import ILLEGAL_ACTIONS, SingleSeatEnv
from skat_env.errors import IllegalAction, OptionError, ParseError, UnknownName
from skat_env.klaverjas import KlaverjasRules
from skat_env.protocols import Decision
from skat_env.registry import get_game
from skat_env.skat import GAME, SkatState

IDS = ["skat_env/Skat-v0", "skat_env/Klaverjas-v0"]
both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


class Passer:
    """Passes where it can, and plays its lowest card."""

    name = "passer"

    def decide(self, view, rng):
        legal = view.legal_actions()
        return Decision(32 if 32 in legal else legal[0])


def play(env, rng: np.random.Generator) -> tuple[float, int]:
    """Plays random actions to the end; the sum of rewards, and the number of steps."""
    total, steps, terminated = 0.0, 0, False
    while not terminated:
        _, reward, terminated, truncated, _ = env.step(
            int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
        )
        assert not truncated
        total, steps = total + reward, steps + 1
    return total, steps


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        (IDS[0], {}),
        (IDS[0], {"seat": 1, "opponents": "random", "reward": "win"}),
        (IDS[1], {}),
        (IDS[1], {"seat": 3, "opponents": ["random"] * 3, "reward": "made"}),
        (IDS[1], {"rules": KlaverjasRules(choice="free"), "start": "cardplay", "bidder": "random"}),
    ],
)
def test_gymnasium_checker(name: str, options: dict) -> None:
    check_env(gymnasium.make(name, **options).unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_stable_baselines3_checker(name: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(name).unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_action_masks_are_what_sb3_contrib_asks_for(name: str) -> None:
    masking = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = gymnasium.make(name).unwrapped
    env.reset(seed=0)
    assert masking.is_masking_supported(env)
    assert masking.get_action_masks(env).dtype == bool


@both_games
def test_no_reward_is_lost(game: str) -> None:
    """The last move of a deal is often another's; the own seat's part of it still arrives."""
    rng = np.random.default_rng(0)
    seats = len(get_game(game).seats)
    env = SingleSeatEnv(game, opponents=["random"] * (seats - 2) + [Passer()])
    sums = dict.fromkeys(range(seats), 0.0)
    for _ in range(150):
        env.reset(seed=int(rng.integers(1000)))
        total, _ = play(env, rng)
        assert total == env.state.returns()[env.seat]
        sums[env.seat] += abs(total)
    assert all(sums.values())


@both_games
def test_seats_rotate_or_stay(game: str) -> None:
    env = SingleSeatEnv(game)
    seats = set()
    env.reset(seed=1)
    for _ in range(40):
        _, info = env.reset()
        seats.add(info["seat"])
        assert env.state.to_act == info["seat"]
    assert seats == set(range(len(get_game(game).seats)))
    env = SingleSeatEnv(game, seat=2)
    assert {env.reset()[1]["seat"] for _ in range(5)} == {2}
    assert env.reset(options={"seat": 0})[1]["seat"] == 0


@both_games
def test_opponents_sit_in_order_of_play(game: str) -> None:
    seen: list[tuple[str, int]] = []

    class Noter(Passer):
        def __init__(self, name: str) -> None:
            self.name = name

        def decide(self, view, rng):
            seen.append((self.name, view.seat))
            return super().decide(view, rng)

    seats = len(get_game(game).seats)
    names = ["next", "partner", "last"] if seats == 4 else ["next", "last"]
    env = SingleSeatEnv(game, seat=1, opponents=[Noter(name) for name in names])
    env.reset(seed=0)
    play(env, np.random.default_rng(0))
    assert set(seen) == {(name, (2 + i) % seats) for i, name in enumerate(names)}


@both_games
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    def games() -> list:
        env, rng = SingleSeatEnv(game), np.random.default_rng(2)
        env.reset(seed=11)
        played = []
        for _ in range(5):
            play(env, rng)
            played.append(env.state.text())
            env.reset()
        return played

    assert games() == games()


def test_illegal_actions() -> None:
    env = SingleSeatEnv("skat", illegal_reward=-3.0, scale=2.0)
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step(0 if 0 not in env.state.legal_actions() else 45)
    assert (reward, terminated, info["illegal_action"]) == (-6.0, True, True)
    assert not observation["action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(32)
    env = SingleSeatEnv("skat", illegal_action="raise")
    env.reset(seed=0)
    with pytest.raises(IllegalAction):
        env.step(45)
    env = SingleSeatEnv("skat", illegal_action="random_legal")
    env.reset(seed=0)
    assert env.step(45)[4]["illegal_action"] is True


@pytest.mark.parametrize("illegal_action", ILLEGAL_ACTIONS)
@pytest.mark.parametrize("action", [np.array([32]), 32.0, np.float32(32), True, None, "pass"], ids=repr)
def test_what_is_no_whole_number_is_no_action(illegal_action: str, action: Any) -> None:
    env = SingleSeatEnv("skat", seat=1, illegal_action=illegal_action)
    env.reset(seed=0)
    before = env.state.clone()
    with pytest.raises(IllegalAction, match=r"step with action=.*expected a whole number"):
        env.step(action)
    assert env.state == before
    for each in (np.int8(32), np.array(32)):
        env.reset(seed=0)
        assert "illegal_action" not in env.step(each)[4]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"opponents": "rnadom"}, UnknownName),
        ({"opponents": ["random"]}, ValueError),
        ({"seat": 3}, ValueError),
        ({"illegal_action": "ignore"}, UnknownName),
        ({"render_mode": "depth_array"}, UnknownName),
        ({"game": "bridge"}, UnknownName),
    ],
)
def test_wrong_options_raise(options: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        SingleSeatEnv(**{"game": "skat", **options})


def test_given_positions() -> None:
    deal = GAME.random_deal(np.random.default_rng(0))
    env = SingleSeatEnv("skat", seat=0, opponents=Passer())
    env.reset(options={"deal": deal})
    assert env.state.deal == deal
    state = SkatState.new(deal)
    for _ in range(2):
        state.apply(32)
    env.reset(options={"state": state.text()})
    assert env.state == state
    with pytest.raises(ParseError, match="has no turn"):
        SingleSeatEnv("skat", seat=2, opponents=Passer()).reset(options={"state": state})
    for seed in range(30):
        one = SingleSeatEnv("skat", opponents=Passer())
        assert one.reset(seed=seed, options={"state": state})[1] == {"seat": one.state.to_act}
    with pytest.raises(OptionError, match="begin at a later start"):
        SingleSeatEnv("skat", seat="declaring", start="cardplay").reset(options={"deal": deal})


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make("skat_env/Skat-v0", render_mode="ansi", seat=1)
    env.reset(seed=0)
    text = env.render()
    assert "middlehand" in text
    assert text.count("10 cards") == 2  # the other hands are hidden
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_opponents_may_cheat(game: str) -> None:
    env = SingleSeatEnv(game, seat=0, opponents="pimc(worlds=1, belief=cheating, bidder=rule)")
    env.reset(seed=2)
    terminated = False
    while not terminated:
        *_, terminated, _, _ = env.step(env.state.legal_actions()[0])
    assert env.state.is_over


class Flaky(Passer):
    """Raises at one of its decisions."""

    def __init__(self, fails: int) -> None:
        self.left = fails

    def decide(self, view, rng):
        self.left -= 1
        if not self.left:
            raise ConnectionError("timeout")
        return super().decide(view, rng)


def test_nobody_plays_on_where_an_opponent_has_raised() -> None:
    env = SingleSeatEnv("klaverjas", seat=0, opponents=Flaky(8))
    env.reset(seed=1)
    with pytest.raises(ConnectionError):
        play(env, np.random.default_rng(0))
    assert env.state.to_act != env.seat
    assert not env.action_masks().any()
    moves = env.state.history()
    for action in env.state.legal_actions():
        with pytest.raises(gymnasium.error.ResetNeeded, match="broken off"):
            env.step(action)
    assert env.state.history() == moves
    env.reset()
    play(env, np.random.default_rng(0))


@pytest.mark.parametrize("key", ["dealer", "deals"])
def test_a_reset_with_other_options_is_refused(key: str) -> None:
    env = SingleSeatEnv("skat")
    with pytest.raises(
        OptionError, match=f"reset with {key}: the options of one seat are deal, state and seat"
    ):
        env.reset(options={"seat": 1, key: 0})


@pytest.mark.parametrize("options", [{"seat": 2, "deal": "xx"}, {"seat": 9}, {"seat": "declaring"}])
def test_a_reset_that_fails_leaves_no_game(options: dict) -> None:
    env = SingleSeatEnv("skat", seat=0)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"expected|places"):
        env.reset(options=options)
    for method in (env.action_masks, env.view, lambda: env.step(0)):
        with pytest.raises(gymnasium.error.ResetNeeded):
            method()
    env.reset()
    assert env.seat == 0


def test_an_opponent_that_raises_in_a_reset_leaves_no_game() -> None:
    env = SingleSeatEnv("klaverjas", seat=3, opponents=Flaky(2))
    with pytest.raises(ConnectionError):
        env.reset(seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


class Listener(Passer):
    """Notes the ends that it hears of."""

    def __init__(self) -> None:
        self.heard: list[tuple] = []

    def hear_end(self, view, returns):
        assert view.to_act < 0
        self.heard.append((view.seat, tuple(returns)))


@both_games
def test_opponents_hear_how_their_games_end(game: str) -> None:
    listener, seats = Listener(), len(get_game(game).seats)
    env = SingleSeatEnv(game, opponents=[listener, *["random"] * (seats - 2)])
    expected = []
    for seed in range(6):
        env.reset(seed=seed)
        play(env, np.random.default_rng(seed))
        expected.append(((env.seat + 1) % seats, env.state.returns()))
        assert listener.heard == expected
    env.reset(seed=1)
    env.step(45)  # illegal: the game does not end, only the episode
    assert listener.heard == expected


def test_opponents_hear_of_deals_without_a_turn_of_the_caller() -> None:
    begin = get_game("skat").state.random(np.random.default_rng(0))
    for action in (32, 32):
        begin.apply(action)
    listener = Listener()
    env = SingleSeatEnv("skat", seat=1, opponents=listener, start=lambda rng: begin)
    with pytest.raises(ValueError, match="no turn"):
        env.reset(seed=1)
    assert {seat for seat, _ in listener.heard} == {0, 2}
