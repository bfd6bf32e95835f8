"""The tasks of the benchmark: what is learnt, from which starts, against whom, and on which deals it is measured.

A task never changes. Its digest is of all that defines it, the starts included; another task has another name.
"""

import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from pettingzoo import AECEnv

from skat_env.envs import aec
from skat_env.envs.opponents import Side, seats_of_side
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.errors import OptionError, UnknownName
from skat_env.options import shown
from skat_env.play.starts import Positions, RandomDeals, StartSource
from skat_env.protocols import State
from skat_env.registry import get_game
from skat_env.rule_options import parse_rules

DATA: Final = Path(__file__).parent / "data"
TRAINING: Final = 8192
"""Starts of each kind to learn from."""
EVALUATION: Final = 1024
"""Deals of an evaluation."""
EVALUATION_SEED: Final = 20_261_126
"""The seed of the fresh deals of evaluations."""
OPPONENT: Final = "rule"
"""Who has the other seats in evaluations: deterministic, fast, and without weights that are learnt anew."""


@dataclass(frozen=True)
class Task:
    """One thing to learn, and how that is measured.

    A learner has one seat in a game; the agent `rule` has the others when it is measured. In training it may play whom
    it likes, itself too: `vector` has one seat against agents, `self_play` has all of them.
    """

    id: str
    """The name: `SkatSuit-v0`."""
    game: str
    words: str
    """What is to be learnt, in a sentence."""
    seat: Side | None
    """The learner's seat: of a side, or each in turn (None)."""
    starts: Mapping[str, int] = field(default_factory=dict)
    """How many of the starts that ship are learnt from, by kind; empty: games begin with fresh deals."""
    rules: str = ""
    """Rule options that differ from the game's defaults."""
    endings: int = 0
    """Endings of an evaluation in which the learner's exploitability is found exactly, too."""
    steps: int = 2_000_000
    """The budget: decisions of the learner, in all its games."""
    seconds: int = 1800
    """The budget in the processor's seconds of learning: a run ends with the budget that is spent first."""
    scale: float = 0.01
    """The factor of rewards, which makes them about 1; points are reported without it."""

    @property
    def rule_options(self) -> Any:
        """The rules of its games."""
        return parse_rules(self.rules, get_game(self.game))

    def start_source(self) -> StartSource:
        """Where games of training begin: a start drawn from those that ship, or a fresh deal."""
        if not self.starts:
            return RandomDeals(self.game, self.rule_options)
        return Positions(
            [state for kind, count in self.starts.items() for state in shipped(self.game, kind)[0][:count]]
        )

    def evaluation_starts(self) -> list[State]:
        """The starts of an evaluation, `EVALUATION` of them, none of which is learnt from."""
        if not self.starts:
            deals = RandomDeals(self.game, self.rule_options)
            return [deals(np.random.default_rng([EVALUATION_SEED, number])) for number in range(EVALUATION)]
        shares = np.array(list(self.starts.values())) / sum(self.starts.values())
        ends = np.round(np.cumsum(shares) * EVALUATION).astype(int)
        counts = np.diff(ends, prepend=0)
        return [
            state.clone()
            for kind, count in zip(self.starts, counts.tolist(), strict=True)
            for state in shipped(self.game, kind)[1][:count]
        ]

    def seats(self, starts: Sequence[State]) -> list[int]:
        """The learner's seat in each start of an evaluation: the declarer's, each defender's or each seat in turn."""
        count = len(get_game(self.game).seats)
        own = []
        for number, state in enumerate(starts):
            possible = range(count) if self.seat is None else seats_of_side(state, self.seat, count)
            own.append(possible[number % len(possible)])
        return own

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that defines the task, 16 digits."""
        defined = (self.id, self.game, self.seat, dict(self.starts), self.rules, self.scale, self.endings)
        told = hashlib.sha256(repr((*defined, OPPONENT, EVALUATION)).encode())
        for kind in self.starts:
            told.update(gzip.decompress(_file(self.game, kind).read_bytes()))
        for state in self.evaluation_starts():
            told.update(state.text().encode())
        return told.hexdigest()[:16]

    def _options(self, starts: StartSource | None, further: Mapping[str, Any]) -> dict[str, Any]:
        """The options of an environment: the task's, and further ones.

        Raises:
            OptionError: if the task itself says what one of the further ones would.
        """
        for name in ("game", "scale", "start", "rules"):
            if name in further:
                raise OptionError(
                    f"{self.id} with {name}={shown(further[name])}: "
                    "game, scale and rules are the task's, and other starts are given as 'starts'"
                )
        return {
            "scale": self.scale,
            "start": self.start_source() if starts is None else self.checked(starts),
            "rules": self.rule_options,
            **further,
        }

    def checked(self, starts: StartSource) -> StartSource:
        """A start source of one's own.

        Raises:
            OptionError: if it is a list of positions and one is of a deal that the task is measured on.
        """
        if isinstance(starts, Positions):
            kept = {state.dealt for state in self.evaluation_starts()}
            for number, state in enumerate(starts.states):
                if state.dealt in kept:
                    raise OptionError(
                        f"start {number} of training is a deal that {self.id} is measured on: expected others"
                    )
        return starts

    def vector(
        self, num_envs: int, opponents: Any = OPPONENT, *, starts: StartSource | None = None, **options: Any
    ) -> SeatVectorEnv:
        """Games in which the learner has one seat and agents have the others.

        Args:
            num_envs: the number of games.
            opponents: an agent, a `Pool`, or a list, as of `SeatVectorEnv`.
            starts: where they begin; None: as the task says.
            options: further options of `SeatVectorEnv`; not `game`, `scale`, `start` or `rules`, as in all four forms.

        Raises:
            OptionError: if the options have one of these.
        """
        seat = options.pop("seat", self.seat)
        return SeatVectorEnv(
            self.game, num_envs, seat=seat, opponents=opponents, **self._options(starts, options)
        )

    def single(
        self, opponents: Any = OPPONENT, *, starts: StartSource | None = None, **options: Any
    ) -> SingleSeatEnv:
        """The same as one game: a Gymnasium environment."""
        seat = options.pop("seat", self.seat)
        return SingleSeatEnv(self.game, seat=seat, opponents=opponents, **self._options(starts, options))

    def aec(
        self,
        render_mode: str | None = None,
        illegal_reward: float = -1.0,
        *,
        starts: StartSource | None = None,
        **options: Any,
    ) -> AECEnv[str, aec.Observation, int]:
        """One game with all seats: a PettingZoo environment, with the arguments of the game's own."""
        raw = aec.raw_env(get_game(self.game), render_mode, **self._options(starts, options))
        return aec.wrapped(raw, illegal_reward)

    def self_play(
        self, num_envs: int, *, starts: StartSource | None = None, **options: Any
    ) -> SelfPlayVector:
        """Games in which the learner has all seats."""
        return SelfPlayVector(self.game, num_envs, **self._options(starts, options))


TASKS: Final = {
    task.id: task
    for task in (
        Task("SkatSuit-v0", "skat", "the soloist's cards in suit games", "declaring", {"suit": TRAINING}),
        Task("SkatGrand-v0", "skat", "the soloist's cards in grand", "declaring", {"grand": TRAINING}),
        Task("SkatNull-v0", "skat", "the soloist's cards in null games", "declaring", {"null": TRAINING}),
        Task(
            "SkatDefence-v0",
            "skat",
            "a defender's cards in games of all kinds",
            "defence",
            {"suit": TRAINING, "grand": 7168, "null": 2688},  # as often as `rule` declares them
        ),
        Task(
            "SkatEnding-v0",
            "skat",
            "the last three tricks of suit games and grand",
            None,
            {"ending": TRAINING},
            endings=48,
        ),
        Task("SkatWhole-v0", "skat", "bids, declarations and cards", None, steps=5_000_000),
        Task("KlaverjasCards-v0", "klaverjas", "the cards, with trumps that come with the deal", None),
        Task(
            "KlaverjasWhole-v0",
            "klaverjas",
            "the choice of trumps and the cards",
            None,
            rules="choice=free",
            steps=5_000_000,
        ),
    )
}
"""The tasks by name."""


def single_env(task: str, **options: Any) -> SingleSeatEnv:
    """The Gymnasium environment of a task: `gymnasium.make("skat_env/SkatSuit-v0")`."""
    return get_task(task).single(**options)


def vector_env(task: str, num_envs: int = 1, **options: Any) -> SeatVectorEnv:
    """The same of many games: `gymnasium.make_vec("skat_env/SkatSuit-v0", num_envs=64)`."""
    return get_task(task).vector(num_envs, **options)


def aec_env(task: str, **options: Any) -> AECEnv[str, aec.Observation, int]:
    """The PettingZoo environment of a task: `pettingzoo.make("aec", "skat_env/SkatSuit-v0")`."""
    return get_task(task).aec(**options)


def get_task(name: str) -> Task:
    """The task with a name.

    Raises:
        UnknownName: if there is none.
    """
    if not isinstance(name, str) or name not in TASKS:
        raise UnknownName("task", name if isinstance(name, str) else shown(name), TASKS)
    return TASKS[name]


@cache
def shipped(game: str, kind: str) -> tuple[list[State], list[State]]:
    """The starts of a kind that ship: those to learn from, and those to measure on."""
    with gzip.open(_file(game, kind), "rt") as lines:
        states = [get_game(game).state.parse(line.strip()) for line in lines]
    return states[:TRAINING], states[TRAINING:]


def _file(game: str, kind: str) -> Path:
    """The file of the starts of a kind."""
    return DATA / f"{game}_{kind}.txt.gz"
