"""Many games stepped at once, in which the caller plays every seat.

One call into C steps all games. The games of a lane depend only on the seed and the lane's number; those that begin at
starts of a source also on how many games the other lanes have begun.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from skat_env.envs._vector import Batch
from skat_env.envs.aec import fresh_deal, observation_space, reset_needed
from skat_env.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from skat_env.errors import IllegalAction, OptionError, UnknownName
from skat_env.options import Range, Seed, Threads, check_list, checked_options
from skat_env.play.starts import Positions, StartSource, require_start, start_source, starts_of
from skat_env.protocols import Agent, Game
from skat_env.registry import get_game

Allocate = Callable[[tuple[int, ...], np.dtype[Any]], NDArray[Any]]
"""What makes an array of a shape and a type; the array's contents do not matter."""
Games = Annotated[int, Range(ge=1, le=2**18)]
"""The number of games of a vector environment; the buffers of more would take gigabytes."""
POOL_SIZE = 4096
"""The most starts of a source that are kept at a time; each game begins at a random one of them.

The pool saves a call of the source, which is Python, for every game. Fresh deals and lists of positions need none.
"""
POOL_BLOCK = 256
"""The starts drawn at a time: at first as many as games begin, and when the pool is full in place of the oldest."""
GAMES_PER_START = 64
"""The games that begin for each start drawn into a full pool. `rule` needs 1.5 ms to bring a deal of Skat to the
cardplay: 24 us per game, where PPO learns from one for 1.7 ms.
"""


@dataclass(frozen=True, slots=True)
class VectorStep:
    """What a call of `SelfPlayVector` returns: arrays with one row per game."""

    observation: NDArray[np.int8]
    """[games, features], from the seat to act."""
    action_mask: NDArray[np.int8]
    """[games, actions], of the seat to act."""
    current_player: NDArray[np.int32]
    """[games]: the seat to act; -1: the game is over (only with NEXT_STEP)."""
    rewards: NDArray[np.float32]
    """[games, seats]: the rewards of games that this call finished; else 0."""
    terminations: NDArray[np.bool_]
    """[games]: whether this call finished a game."""


def require_autoreset_mode(mode: AutoresetMode | str, known: Sequence[AutoresetMode]) -> AutoresetMode:
    """A mode, which may be given by its name or its value.

    Raises:
        UnknownName: if it is none of those that are known.
    """
    for each in known:
        if mode in (each, each.name, each.value):
            return each
    given = mode.name if isinstance(mode, AutoresetMode) else mode
    raise UnknownName("autoreset mode", given, [each.name for each in known])


class Lanes:
    """The part that all vector environments share: the batch, its seeds and its starts."""

    def __init__(
        self,
        game: Game,
        num_envs: int,
        reward: str | None,
        scale: float,
        start: str | StartSource,
        bidder: str | Agent,
        rules: Any,
    ) -> None:
        self.game = game
        source = self.source = start_source(game, start, bidder, rules)
        prototype, self.fresh = fresh_deal(game, source, rules, np.random.default_rng(0))
        """Whether games begin with fresh deals, under the rules of the source."""
        unit = game.reward_units.index(game.reward_unit(reward))
        self.batch = Batch(prototype, num_envs, unit, scale)
        self.seeded = False
        self.started = False
        """Whether every lane has a game."""
        self._draws = not (self.fresh or isinstance(source, Positions))
        self._pool: deque[Any] = deque(maxlen=POOL_SIZE)
        self._starts_rng = np.random.default_rng()
        self._games_left = 0
        """The number of games that may begin before starts are drawn."""
        if isinstance(source, Positions):
            self.set_starts(source.states)

    def seed(self, seed: int | None) -> np.random.SeedSequence | None:
        """Seeds every lane and returns the sequence; without a seed, streams continue (None) or begin at random."""
        if seed is None and self.seeded:
            return None
        sequence = np.random.SeedSequence(seed)
        self.batch.seed(sequence.generate_state(len(self.batch.current_player), np.uint64).astype(np.uint64))
        self._starts_rng = np.random.default_rng(sequence.spawn(1)[0])
        self._pool.clear()
        self._games_left = 0
        self.seeded = True
        return sequence

    def count_games(self, begun: int) -> None:
        """Counts games that begin or have begun, for `renew_starts`."""
        self._games_left -= begun

    def renew_starts(self) -> None:
        """Draws the starts that are due into the pool, before a call that plays.

        Raises:
            ValueError: if the source gives something in which the game cannot begin.
        """
        if not self._draws or self._games_left > 0:
            return
        while self._games_left <= 0:
            # A generator each, so that a batch source makes the block at once.
            rngs = [np.random.default_rng(luck) for luck in self._starts_rng.integers(2**63, size=POOL_BLOCK)]
            self._pool.extend(state.clone() for state in starts_of(self.game.name, self.source, rngs))
            self._games_left += POOL_BLOCK * (1 if len(self._pool) < POOL_SIZE else GAMES_PER_START)
        self.batch.set_starts(list(self._pool))

    @contextmanager
    def playing(self) -> Iterator[None]:
        """While agents play: should one raise, its turn is not the caller's, and the games need a reset."""
        self.started = False
        yield
        self.started = True

    def set_starts(self, states: Sequence[Any]) -> None:
        """Makes games begin at positions drawn from a list, and no longer at starts of the source.

        Raises:
            ValueError: if there is none, or one is not a state in which the game can begin.
        """
        given = check_list("set_starts", "states", states)
        if not given:
            raise OptionError("set_starts with states=[]: expected at least one start")
        self.batch.set_starts([require_start(self.game, state) for state in given])
        self._draws = False

    def require_reset(self, method: str = "step") -> None:
        """Raises ResetNeeded before the first `reset`."""
        if not self.started:
            raise reset_needed(method)

    def integers(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Returns actions from outside as int64 [games].

        Raises:
            IllegalAction: if they are not one integer for each game.
        """
        games = len(self.batch.current_player)
        array = np.asarray(actions)
        if array.shape != (games,):
            raise IllegalAction(f"actions of shape {array.shape}: expected one for each of {games} games")
        if array.dtype.kind not in "iu":
            raise IllegalAction(f"actions of type {array.dtype}: expected integers")
        if (
            array.dtype == np.uint64
        ):  # what does not fit into int64 is no action: no larger number becomes negative
            array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
        return np.ascontiguousarray(array, np.int64)

    def checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Returns the actions as int64 [games].

        Raises:
            ResetNeeded: before the first `reset`.
            IllegalAction: if an action is no integer, or is not legal in its game.
        """
        self.require_reset()
        array = self.integers(actions)
        self.require_legal(array, self.batch.first_illegal(array))
        return array

    def require_legal(self, actions: NDArray[np.int64], illegal: int) -> None:
        """Raises an IllegalAction for the first game with an illegal action; -1: there is none."""
        if illegal < 0:
            return
        state = self.batch.position(illegal)
        try:
            state.apply(int(actions[illegal]))
        except IllegalAction as error:
            raise IllegalAction(f"game {illegal}: {error}") from None


class SelfPlayVector:
    """N games in which the caller plays every seat.

    `reward`, `scale`, `start`, `bidder` and `rules` are those of the game's AEC environment. Games begin with fresh
    deals, at any of a list of positions, or at a start from a pool: as many starts of the source as games begin, in
    blocks of 256, up to 4,096; then a new one for every 64 games, in place of the oldest.

    Args:
        game: the game's name.
        num_envs: the number of games.
        autoreset_mode: SAME_STEP replaces a finished game at once, so that `rewards` and `terminations` describe the
            old game and everything else the new one; NEXT_STEP replaces it in the next call, which ignores its action.
            It may be given by its name.
        copy: whether each call returns new arrays; if False, every call returns the same buffers.
        threads: the threads that step the games, at most one for 1,024 games; results do not depend on their number.
        allocate: what makes the arrays, by default `numpy.empty`, from a shape and a type. With pinned memory of torch
            a device reads them without a copy in between.
        render_mode: of one game with all cards open: `rgb_array` or `ansi`; None: no rendering.
    """

    @checked_options("SelfPlayVector")
    def __init__(
        self,
        game: str,
        num_envs: Games,
        *,
        reward: str | None = None,
        scale: float = 1.0,
        start: str | StartSource = "deal",
        bidder: str | Agent = "rule",
        rules: Any = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        threads: Threads = 1,
        allocate: Allocate | None = None,
        render_mode: str | None = None,
    ) -> None:
        self._renderer = Renderer(get_game(game), render_mode, RENDER_MODES[1:])
        self._vector = Lanes(get_game(game), num_envs, reward, scale, start, bidder, rules)
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            "autoreset_mode": require_autoreset_mode(
                autoreset_mode, (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)
            ),
            "render_modes": list(RENDER_MODES[1:]),
            "render_fps": RENDER_FPS,
        }
        self.num_envs = num_envs
        self.num_players = len(self._vector.game.seats)
        self.single_observation_space = observation_space(self._vector.game)
        self.single_action_space = gymnasium.spaces.Discrete(len(self._vector.game.actions))
        self._threads = threads
        self._copy, self._allocate = copy, allocate or np.empty
        self._vector.batch.renew(self._new)

    @checked_options("reset")
    def reset(self, seed: Seed | None = None) -> VectorStep:
        """Starts a new game in every lane."""
        self._vector.seed(seed)
        self._vector.count_games(self.num_envs)
        self._vector.renew_starts()
        self._renew()
        self._vector.batch.reset(self._threads)
        self._vector.started = True
        return self._step()

    def step(self, actions: ArrayLike) -> VectorStep:
        """Plays an action of the seat to act in every game; int [games].

        Raises:
            ResetNeeded: before the first `reset`.
            IllegalAction: if an action is not legal; all games are unchanged.
        """
        same_step = self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        self._vector.require_reset()
        array = self._vector.integers(actions)
        self._vector.renew_starts()
        self._renew()
        self._vector.require_legal(array, self._vector.batch.step(array, same_step, self._threads))
        self._vector.count_games(int(np.count_nonzero(self._vector.batch.terminations)))
        return self._step()

    def state(self, index: int) -> Any:
        """A copy of a game as a State, for a search or for its views."""
        self._vector.require_reset("state")
        return self._vector.batch.position(index)

    def render(self, game: int = 0) -> str | NDArray[np.uint8] | None:
        """One game with all cards open: as text (`ansi`) or as uint8 [height, width, 3] (`rgb_array`); without a
        render mode, warns.

        Raises:
            ResetNeeded: before the first `reset`.
            IndexError: if there is no such game.
        """
        self._vector.require_reset("render")
        return self._renderer.render(self.state(game), None)

    def close(self) -> None:
        """Does nothing: no resource is held open."""

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._vector.batch.renew(self._new)  # a copy's arrays are made as the caller wants them, too

    def _renew(self) -> None:
        """Takes new arrays if each call returns its own: writing into them saves the copy."""
        if self._copy and self._vector.started:
            self._vector.batch.renew(self._new)

    def _new(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """An array as the caller wants it.

        Raises:
            ValueError: if `allocate` made another one.
        """
        array = self._allocate(shape, np.dtype(dtype))
        if (
            not isinstance(array, np.ndarray)
            or array.shape != shape
            or array.dtype != dtype
            or not array.flags.c_contiguous
            or not array.flags.writeable
        ):
            raise ValueError(
                f"allocate made no writable, C-contiguous numpy array of shape {shape} and type {np.dtype(dtype)}"
            )
        return array

    def _step(self) -> VectorStep:
        batch = self._vector.batch
        return VectorStep(
            batch.observation, batch.action_mask, batch.current_player, batch.rewards, batch.terminations
        )
