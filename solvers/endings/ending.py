"""An ending: the cardplay from one public position on, as a game of its own, in all worlds in which that can be."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env._position import StateMethods, ViewMethods
from skat_env.beliefs.belief import Belief, Rows
from skat_env.beliefs.posterior import Posterior
from skat_env.cards import ALL_CARDS_MASK, cards_of, mask_text
from skat_env.errors import OptionError, UnknownName
from skat_env.options import MAX_COUNT, Range, check_array, check_list, check_option, shown
from skat_env.protocols import State, View
from skat_env.registry import get_game, get_part
from skat_env.solvers.endings._tree import Tree
from skat_env.solvers.endings.outcome import Outcome

MAX_WORLDS: Final = 400_000
"""The most worlds: all joint deals of Skat with three cards per hand left are 92,400."""
MAX_PAIRS: Final = 100_000_000
"""The most pairs of a history and a world that a tree has, of 16 bytes each."""
Limit = Annotated[int, Range(ge=1, le=MAX_COUNT)]


class TooLarge(OptionError):
    """An ending has more pairs of a history and a world than its limit."""


class Ending:
    """The rest of a cardplay in some worlds of one public history, each with a weight.

    A strategy of a seat chooses a card for each of its information sets: what it saw when the ending began, and the
    cards played since.

    Args:
        states: the worlds; in all of them the same cards have been played.
        weights: float64 [worlds], how likely each is; they are scaled to a sum of 1. None: all are equally likely.
        game: the game's name.
        outcome: what is played for, by name: `win`, `points` or `tournament_points` in Skat, `made` or
            `final_difference` in Klaverjas; None: the first of them.
        pairs: the most pairs of a history and a world that a tree may have.

    Raises:
        ValueError: if there are no worlds or too many, or these are no worlds of one history in the cardplay; its
            subclasses for unknown names and numbers out of range.
    """

    def __init__(
        self,
        states: Sequence[State],
        weights: ArrayLike | None = None,
        *,
        game: str,
        outcome: str | None = None,
        pairs: Limit = MAX_PAIRS,
    ) -> None:
        given = check_list("an ending", "states", states)
        self.game = get_game(game)
        self.pairs = check_option("an ending", "pairs", Limit, pairs)
        named = check_option("an ending", "outcome", str | None, outcome)
        _require_worlds(given, self.game.state, self.game.stages[-1])
        scale = (
            np.ones(len(given))
            if weights is None
            else check_array("an ending", "weights", np.float64, weights, 1)
        )
        if len(scale) != len(given) or not np.isfinite(scale).all() or (scale < 0).any() or not scale.any():
            raise OptionError(
                f"an ending with {len(scale)} weights for {len(given)} worlds: expected one each, from 0, some above"
            )
        scale = scale / scale.max()  # their sum may be too large for a float
        kept = np.flatnonzero(scale)
        self.states: list[Any] = [given[i] for i in kept]
        """The worlds whose weight is not 0."""
        self.weights: NDArray[np.float64] = scale[kept] / scale[kept].sum()
        """float64 [worlds], summing to 1."""
        self.outcome = _outcome(game, named, self.states[0])
        seats = range(len(self.game.seats))
        self.classes: NDArray[np.int32] = np.array([self._classes(seat) for seat in seats], np.int32)
        """int32 [seats, worlds]: equal numbers where a seat cannot tell the worlds apart."""

    @classmethod
    def of_view(cls, view: View, *, game: str, belief: Posterior | None = None, **options: Any) -> "Ending":
        """The ending that a seat sees: all worlds of its view, weighted by a posterior; None: all equally likely.

        What a world leaves open is drawn: in Skat, which two of the soloist's twelve cards it found, the same two for
        the same twelve. The options are those of the class.

        Raises:
            ValueError: as the class; or if it is no view, or contradicts itself.
        """
        if not isinstance(view, ViewMethods):
            raise OptionError(f"an ending of view={shown(view)}: expected a View")
        check_option("an ending", "belief", Posterior | None, belief)
        states, rows = _worlds_of(Belief(view))
        return cls(states, None if belief is None else belief.probability(rows), game=game, **options)

    @classmethod
    def of_state(cls, state: State, *, game: str, **options: Any) -> "Ending":
        """The ending that a spectator sees who has followed the play of a state: every deal of the hidden cards.

        All are equally likely. The options are those of the class.

        Raises:
            ValueError: as the class; or if it is no state in the cardplay.
        """
        if not isinstance(state, StateMethods):
            raise OptionError(f"an ending of state={shown(state)}: expected a State")
        _require_worlds([state], get_game(game).state, get_game(game).stages[-1])
        beliefs, count = [], 0
        for belief in _beliefs(state):
            beliefs.append(belief)
            count += belief.count
            _require_count(count, " or more")
        return cls([world for belief in beliefs for world in _worlds_of(belief)[0]], game=game, **options)

    @property
    def tricks(self) -> int:
        """The number of tricks left, the one on the table included."""
        hands: Sequence[int] = self.states[0].places[: len(self.game.seats)]
        return max(hand.bit_count() for hand in hands)

    def side(self, seat: int) -> int:
        """1 for a seat of the declaring side, -1 for one of the other.

        Raises:
            OptionError: if it is no seat.
        """
        seats = Annotated[int, Range(ge=0, le=len(self.game.seats) - 1)]
        seat = check_option("an ending", "seat", seats, seat)
        return 1 if self.states[0].side(seat) == 0 else -1

    def scaled(self, total: float, seat: int) -> float:
        """The value for the side of a seat from a sum that the tree gives for that side."""
        return (total + self.side(seat) * self.outcome.offset) / self.outcome.divisor

    def tree(self, groups: NDArray[np.int32] | None = None, worlds: NDArray[np.int64] | None = None) -> Tree:
        """A tree that has not grown: with a root for each group of worlds, and of some worlds only."""
        chosen = np.arange(len(self.states)) if worlds is None else worlds
        state = self.states[0]
        return Tree(
            [self.states[i] for i in chosen],
            np.ascontiguousarray(self.classes[:, chosen]),
            self.weights[chosen],
            np.zeros(len(chosen), np.int32) if groups is None else groups[chosen],
            self.game.reward_units.index(self.outcome.unit),
            self.outcome.factors(state, len(self.game.seats)),
            self.pairs,
        )

    def too_large(self) -> TooLarge:
        """The error of an ending whose tree has more pairs than its limit."""
        return TooLarge(
            f"an ending of {self.tricks} tricks and {len(self.states):,} worlds has over pairs={self.pairs:,} pairs "
            "of a history and a world: expected fewer tricks or worlds, or a higher limit"
        )

    def _classes(self, seat: int) -> list[int]:
        numbers: dict[Any, int] = {}
        return [numbers.setdefault(state.view(seat), len(numbers)) for state in self.states]


def _require_worlds(states: list[Any], kind: type[Any], stage: str) -> None:
    """Raises a ValueError unless these are worlds of one history in the cardplay."""
    _require_count(len(states))
    for number, state in enumerate(states):
        if not isinstance(state, kind):
            raise OptionError(f"world {number} of an ending is {shown(state)}: expected a {kind.__name__}")
        if state.stage != stage or state.is_over:
            raise OptionError(
                f"world {number} of an ending is not in the {stage}, or it is over: '{state.text()}'"
            )
    # A seat of the other side has done nothing in secret: it sees rules, bids, declaration and plays, and no more.
    seat = _other_seat(states[0])
    views = [state.view(seat) for state in states]
    first = views[0].head(), views[0].history()
    for number, view in enumerate(views):
        if (view.head(), view.history()) != first:
            raise OptionError(f"world {number} of an ending has another history than world 0")


def _other_seat(state: State) -> int:
    """The first seat of the other side than the declarer's."""
    return next(seat for seat in range(len(state.places)) if state.side(seat) == 1)


def _outcome(game: str, name: str | None, state: State) -> Outcome:
    """The outcome with a name, or the game's first."""
    known: Mapping[str, Outcome] = get_part(game, "endings")(state)
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise UnknownName("outcome", name, known)
    return known[name]


def _require_count(count: int, more: str = "") -> None:
    if not 1 <= count <= MAX_WORLDS:
        raise OptionError(f"an ending of {count:,}{more} worlds: expected 1 to {MAX_WORLDS:,}")


def _worlds_of(belief: Belief) -> tuple[list[Any], Rows]:
    """All worlds of a belief, as states and as rows."""
    _require_count(belief.count)
    rows = np.concatenate([*belief.enumerate()])
    return [belief.state(row, np.random.default_rng(0)) for row in rows], rows


def _beliefs(state: State) -> Iterator[Belief]:
    """What a seat of the other side than the declarer's believes of a public history, for each hand it may hold."""
    seat = _other_seat(state)
    view = state.view(seat)
    head, rest = view.text().split(" ", 1)
    places = head.split("/")
    played = sum(1 << card for who, card in state.plays() if who == seat)
    # An open hand is seen in the view.
    seen = sum(mask for place, mask in enumerate(view.places) if place != seat)
    for hand in combinations(
        cards_of(ALL_CARDS_MASK & ~state.played_mask() & ~seen), view.places[seat].bit_count()
    ):
        places[seat] = mask_text(played | sum(1 << card for card in hand))
        try:
            yield Belief(type(view).parse(" ".join(["/".join(places), rest])))
        except ValueError:  # one of its plays was not legal, or no deal of the other cards fits
            continue
