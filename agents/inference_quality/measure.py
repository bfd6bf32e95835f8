"""Measures beliefs against the true cards at the positions of a game.

The positions are the cardplay decisions of the declarer and of one opponent, drawn by the seed, as in Rebstock 2019,
section 5.2. The true world is a row of `belief.Belief`.
"""

import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.inference_quality.games import MeasuredGame
from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.beliefs.belief import Belief
from skat_env.beliefs.posterior import InferringSampler, fallbacks_of
from skat_env.options import Seed, check_fields
from skat_env.protocols import State
from skat_env.registry import get_game, make_belief

MOVES: Final = 10
"""The maximum number of cards that a seat plays."""
BINS: Final = 10
"""The number of bins of the reliability curve, all of the same width."""
CERTAIN: Final = 1e-9
"""A card is open if the uniform belief's probability of its place is at least this far from 0 and 1."""
OF_WHAT: Final = ["game", "deal", "type", "role", "belief"]
BY_MOVE: Final = ("cards", "count", "tssr", "brier", "effective", "fallback", "seconds")
RECORD: Final = np.dtype(
    [
        ("game", np.int64),
        ("deal", np.int64),  # index of the first game with its cards
        ("type", np.int64),  # index of the game type
        ("role", np.int64),  # index of the role
        ("belief", np.int64),  # index of the belief
        # The next fields are [moves], NaN after the seat's last move:
        ("cards", np.float64, MOVES),  # cards played before the position
        ("count", np.float64, MOVES),  # possible worlds, which is the TSSR of an observer who sees all cards
        (
            "tssr",
            np.float64,
            MOVES,
        ),  # probability of the true world times `count` (Solinas 2019, equation 2)
        (
            "brier",
            np.float64,
            MOVES,
        ),  # squared error of a card's place, summed over places, averaged over open cards
        ("effective", np.float64, MOVES),  # effective sample size; NaN for a posterior that is not a sample
        ("fallback", np.float64, MOVES),  # 1 where all weights were 0 and the belief fell back
        ("seconds", np.float64, MOVES),  # CPU time to compute the posterior, without the queries
        # By bin of the marginals of open cards: their number, their sum, and how many of these cards lie there.
        ("bins", np.float64, (3, BINS)),
    ]
)
"""The measurements of one belief in one role of one game."""
Records = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class MeasureConfig:
    """What determines the measurements of a game."""

    game: str
    beliefs: tuple[str, ...]
    seed: Seed = 0
    """The seed of the choice of opponents and of the beliefs' samples."""

    def __post_init__(self) -> None:
        check_fields(self, "inference")


class Measurer:
    """Measures games one by one; each worker process has its own.

    Args:
        config: what to measure.
        beliefs: belief objects by name, for names that are not in the registry.

    Raises:
        ValueError: if no belief is named, or one is named twice.
    """

    def __init__(self, config: MeasureConfig, beliefs: Mapping[str, Any] | None = None) -> None:
        if not config.beliefs or len(set(config.beliefs)) < len(config.beliefs):
            raise ValueError(
                f"inference needs one or more different beliefs, got {' '.join(config.beliefs) or 'none'}"
            )
        self.config = config
        self._beliefs = dict(beliefs or {})

    def belief(self, name: str) -> InferringSampler:
        """The belief with a name, made at the first call.

        Raises:
            ParseError, UnknownName: if there is no such belief.
            ValueError: if it does not give the probabilities of worlds.
        """
        if name not in self._beliefs:
            self._beliefs[name] = make_belief(name, self.config.game)
        belief = self._beliefs[name]
        if not isinstance(belief, InferringSampler):
            raise ValueError(
                f"belief '{name}' cannot be measured: it does not give the probabilities of worlds"
            )
        return belief

    def __call__(self, game: MeasuredGame) -> Records:
        """The records of a game, `RECORD` [roles * beliefs]."""
        config = self.config
        records = blank_records(config, game).reshape(-1, len(config.beliefs))
        final = get_game(config.game).state.parse(game.position)
        for role, seat in enumerate(self._seats(game, final)):
            states = positions(final, seat)
            for index, name in enumerate(config.beliefs):
                # A belief sees the positions of a seat in order, so that it can reuse results from the one before.
                rng = np.random.default_rng([config.seed, game.number, role, zlib.crc32(name.encode())])
                for move, state in enumerate(states):
                    measure_position(self.belief(name), state, rng, records[role, index], move)
        return records.reshape(-1)

    def _seats(self, game: MeasuredGame, final: State) -> tuple[int, int]:
        """The declarer, and one of its opponents."""
        seats = range(len(get_game(self.config.game).seats))
        opponents = [seat for seat in seats if final.side(seat) != final.side(game.declarer)]
        drawn = np.random.default_rng([self.config.seed, game.number]).integers(len(opponents))
        return game.declarer, opponents[int(drawn)]


def blank_records(config: MeasureConfig, game: MeasuredGame) -> Records:
    """The records of a game before anything is measured, `RECORD` [roles * beliefs]."""
    groups = quality_groups(config.game)
    records = np.zeros((len(groups.roles), len(config.beliefs)), RECORD)
    for name in BY_MOVE:
        records[name] = np.nan
    records["game"], records["deal"] = game.number, game.deal
    records["type"] = groups.types.index(game.type)
    records["role"] = np.arange(len(groups.roles))[:, None]
    records["belief"] = np.arange(len(config.beliefs))
    return records.reshape(-1)


def positions(final: State, seat: int) -> list[State]:
    """The cardplay positions in which a seat is to act, in order; `final` is the game's last position."""
    state: State = final.clone()
    found = []
    while state.plays():
        state.undo()
        if state.to_act == seat:
            found.append(state.clone())
    return found[::-1]


def measure_position(
    belief: InferringSampler, state: State, rng: np.random.Generator, record: Any, move: int
) -> None:
    """Measures a belief at a position and writes the results into the game's record."""
    view = state.view(state.to_act)
    known = Belief(view)
    row = known.row(state)
    fallbacks = fallbacks_of(belief)
    begun = time.process_time()
    posterior = belief.posterior(view, rng)
    record["seconds"][move] = time.process_time() - begun
    record["cards"][move] = len(state.plays())
    record["count"][move] = known.count
    record["fallback"][move] = fallbacks_of(belief) - fallbacks
    record["effective"][move] = getattr(posterior, "effective_size", np.nan)
    if known.count == 1:
        record["tssr"][move] = 1.0
        return
    record["tssr"][move] = posterior.probability(row[None])[0] * known.count
    marginals = known.marginals()
    is_open = (marginals > CERTAIN) & (marginals < 1 - CERTAIN)
    true = (row[None, :] >> np.arange(32, dtype=np.uint32)[:, None] & 1).astype(np.float64)
    believed = posterior.marginals()
    cards = is_open.any(axis=1)
    record["brier"][move] = np.square(believed - true)[cards].sum(axis=1).mean()
    bins = np.minimum((believed[is_open] * BINS).astype(np.intp), BINS - 1)
    for of, weights in enumerate((np.ones(len(bins)), believed[is_open], true[is_open])):
        record["bins"][of] += np.bincount(bins, weights, BINS)
