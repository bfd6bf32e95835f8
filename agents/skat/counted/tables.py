"""Kermit's inference in Skat: counted tables of what soloists and defenders hold, as likelihoods of worlds.

Soloist/defender inference (Buro, Long, Furtak and Sturtevant 2009; KI in Solinas 2019 and Rebstock 2019) counts in
recorded games what the soloist and the defenders held, given bids and declaration. Cards played count only for what
they prove. The likelihood of a world is a product over the hidden hands and their groups of cards (`hand_features.py`).
Each factor is the frequency of the group's feature in its context, relative to random hands; groups are treated as
independent. Kermit's tables are not public; features and contexts are ours:

- for a soloist: the kind of game (suit, grand, null, null ouvert), whether it is a hand game, and the magnitude of its
  bid (18 .. 24, 27 .. 36, 40 .. 48, 50 .. 72, above: Solinas 2019, table 2);
- for a defender: the kind of game, the magnitude of the soloist's bid, the magnitude of its own highest bid, whether
  that can be for the suit in question (Solinas' bid type: its base value divides the bid), and its seat.

Rare contexts get pseudo-counts in the proportions of the next wider context.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.beliefs.past_decisions import played_by
from skat_env.agents.skat.counted.counts_file import load_counts, save_counts
from skat_env.agents.skat.counted.hand_features import (
    HAND_FEATURES,
    SKAT_FEATURES,
    Group,
    features,
    groups_of,
    random_hands,
)
from skat_env.agents.skat.policy.networks import trick_game
from skat_env.beliefs.belief import Belief, Rows
from skat_env.beliefs.posterior import Drawn, ImportanceSample, Posterior, PosteriorSampler, Trust
from skat_env.errors import ParseError
from skat_env.options import Count, Floor, NonNegative, checked_options
from skat_env.own_text import own_text
from skat_env.protocols import View
from skat_env.skat import SkatView
from skat_env.skat.rules import BASE_VALUES, Announcement, Contract, Phase

VERSION: Final = 1
"""The version of contexts and features; tables of another version are refused."""
KINDS: Final = ("suit", "grand", "null", "null_ouvert")
PLAYERS: Final = ("soloist", "soloist_hand", "defender")
MAGNITUDES: Final = (0, 18, 27, 40, 50, 73)
"""The minimum bid of each magnitude; magnitude 0 is no bid."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def magnitude(bids: Any) -> NDArray[np.intp]:
    """The magnitude 0 .. 5 of each bid in points; 0: no bid."""
    return np.asarray(np.searchsorted(MAGNITUDES, bids, side="right") - 1)


def can_be_for(bids: Any, group: Group) -> NDArray[np.bool_]:
    """Whether each bid in points can be for a game in the group's suit; False for the group of jacks."""
    if group.suit < 0:
        return np.zeros(np.shape(bids), np.bool_)
    return np.asarray((np.asarray(bids) > 0) & (np.asarray(bids) % BASE_VALUES[group.suit] == 0))


def kind_of(contract: int, announcement: int) -> str:
    """The kind of a declared game, one of `KINDS`."""
    kind = trick_game(contract)
    return "null_ouvert" if kind == "null" and announcement == Announcement.OUVERT else kind


def player_of(is_soloist: bool, is_hand_game: bool) -> str:
    """The kind of player of a seat, one of `PLAYERS`."""
    return ("soloist_hand" if is_hand_game else "soloist") if is_soloist else "defender"


def context(player: str, group: Group, winning: Any, own: Any, seat: Any) -> tuple[Any, ...]:
    """The index of the context in the player's table of a group; all arguments may be arrays.

    Args:
        player: one of `PLAYERS`.
        group: the group of cards.
        winning: the soloist's bid in points.
        own: the player's highest bid in points; 0: none.
        seat: the player's seat.
    """
    if player != "defender":
        return (magnitude(winning),)
    return magnitude(winning), magnitude(own), can_be_for(own, group).astype(np.intp), seat


def shape_of(player: str, group: Group) -> tuple[int, ...]:
    """The shape of a table: contexts from wide to narrow, then features."""
    hand = HAND_FEATURES[group.kind]
    if player == "defender":
        return (len(MAGNITUDES), len(MAGNITUDES), 2, 3, hand)
    return (len(MAGNITUDES), hand * (SKAT_FEATURES[group.kind] if player == "soloist" else 1))


def table_names() -> dict[str, tuple[str, Group]]:
    """Player and group of each table; groups that differ only in suit share a table."""
    names = {}
    for kind in KINDS:
        for player in PLAYERS:
            contract = {"suit": 0, "grand": Contract.GRAND}.get(kind, Contract.NULL)
            for group in groups_of(contract):
                names[table_name(kind, player, group)] = (player, group)
    return names


def table_name(kind: str, player: str, group: Group) -> str:
    """The name of a table, for example `suit_soloist_trumps`."""
    return f"{kind}_{player}_{group.kind}"


@dataclass(frozen=True)
class SkatTables:
    """Counted tables by the names of `table_names`."""

    counts: Mapping[str, Counts]
    """int64 [contexts ..., features] each."""
    pseudo: float
    """The number of pseudo-counts that each context gets from the wider one."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """How they were made."""
    ratios: dict[str, Floats] = field(init=False, repr=False)
    """float64 [contexts ..., features] each: the log of a feature's frequency relative to random hands."""

    def __post_init__(self) -> None:
        ratios = {}
        for name, (player, group) in table_names().items():
            base = random_hands(group, player == "soloist")
            chances = completed(self.counts[name], base, self.pseudo)
            ratios[name] = np.log(np.divide(chances, base, out=np.ones_like(chances), where=base > 0))
        object.__setattr__(self, "ratios", ratios)

    def save(self, folder: Path, details: Mapping[str, Any]) -> None:
        """Writes the tables as a checkpoint; `details` are kept for people and tools."""
        counts = {name: table.astype(np.int32) for name, table in self.counts.items()}
        save_counts(folder, "tables", VERSION, self.pseudo, counts, details)

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Loads the tables of a checkpoint, by name or path.

        Raises:
            UnknownName: if there is no such checkpoint.
            ParseError: if it is damaged, of another version, or holds no tables.
        """
        file = load_counts(name, "tables", VERSION)
        for table, (player, group) in table_names().items():
            shape = shape_of(player, group)
            if table not in file.arrays or file.arrays[table].shape != shape:
                raise ParseError(f"{file.path} has no table '{table}' of shape {list(shape)}")
        return cls(file.arrays, file.pseudo, file.details)


def completed(counts: Counts, base: Floats, pseudo: float) -> Floats:
    """The probability of each feature in each context, float64 [contexts ..., features].

    Args:
        counts: [contexts ..., features]; the axes of contexts go from wide to narrow.
        base: [features], the probabilities in random hands.
        pseudo: the number of pseudo-counts that each context gets from the one without its last axis.
    """
    axes = counts.ndim - 1
    chances = base
    for known in range(axes + 1):
        seen = counts.sum(axis=tuple(range(known, axes)))
        wider = chances if known == 0 else chances[..., None, :]
        chances = (seen + pseudo * wider) / (seen.sum(axis=-1, keepdims=True) + pseudo)
    return chances


class TablesSampler(PosteriorSampler):
    """Worlds weighted by counted tables; before the cardplay all worlds are equally likely.

    Args:
        checkpoint: the tables, by name or path.
        k: the number of different worlds drawn and weighted; all of them if there are no more.
        temper: the exponent of the likelihoods.
        floor: the minimum likelihood of a group of cards, relative to random hands.

    Raises:
        ValueError: if an option is out of range; its subclasses for a bad checkpoint.
    """

    exact = False

    @checked_options("tables")
    def __init__(
        self,
        checkpoint: str = "skat-tables",
        *,
        k: Count = 20_000,
        temper: NonNegative = 1.0,
        floor: Floor = 0.0,
    ) -> None:
        self._k = k
        trust = Trust(temper, floor)
        tables = SkatTables.load(checkpoint).ratios
        self._ratios = {
            name: trust.temper * np.maximum(table, trust.log_floor) for name, table in tables.items()
        }
        self.name = own_text(self, "tables")

    def posterior(self, view: View, rng: np.random.Generator) -> Posterior:
        """A weighted sample of worlds; before the cardplay a uniform belief."""
        belief = Belief(view)
        if not isinstance(view, SkatView) or view.phase != Phase.PLAY:
            return belief
        likelihood = _Likelihood(view, self._ratios)
        rows = belief.sample_distinct(self._k, rng)
        drawn: Drawn = "all" if self._k >= belief.count else "distinct"
        posterior = ImportanceSample(belief, rows, likelihood(rows), likelihood, drawn)
        self.fallbacks += posterior.fell_back
        return posterior


class _Likelihood:
    """The log-likelihood of worlds of a view in the cardplay of Skat."""

    def __init__(self, view: SkatView, ratios: Mapping[str, Floats]) -> None:
        self._seats = [seat for seat in range(3) if seat != view.seat]
        self._skat = np.uint32(view.skat)
        self._known = np.array(view.hands, np.uint32) | played_by(view, 3)
        """The cards known to have been in each seat's hand: those played, and those that lie open."""
        assert view.contract is not None
        contract = int(view.contract)
        kind = kind_of(contract, view.announcement)
        self._terms: list[tuple[int, bool, Group, Floats]] = []
        """For each factor: seat, whether its feature includes the skat, group, and the log ratio by feature."""
        for seat in self._seats:
            player = player_of(seat == view.soloist, view.hand_game)
            for group in groups_of(contract):
                at = context(player, group, view.bids[view.soloist], view.bids[seat], seat)
                table = ratios[table_name(kind, player, group)]
                self._terms.append((seat, player == "soloist", group, table[at]))

    def __call__(self, rows: Rows) -> Floats:
        """The log-likelihoods, float64 [n], of worlds uint32 [n, 4]."""
        skats = rows[:, 3] | self._skat
        hands = {seat: rows[:, seat] | self._known[seat] for seat in self._seats}
        total = np.zeros(len(rows))
        for seat, with_skat, group, table in self._terms:
            total += table[features(group, hands[seat], skats if with_skat else None)]
        return total
