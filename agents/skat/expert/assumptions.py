"""Playing conventions of Skat, and what a player who keeps them does not hold (Edelkamp 2020, sections 6 and 8).

An assumption reads the cards played, which everybody sees. It proves nothing: players break conventions, and a wrong
exclusion is worse than none. `docs/agents/expert.md` says how often each one is wrong. All are of suit and grand
games.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from skat_env.agents.skat.rule.layout import TRUMPS, Layout, codes_of, layout_of
from skat_env.cards import parse_card
from skat_env.errors import UnknownName
from skat_env.skat import SkatPosition

SKAT: Final = 3
"""The place of the skat, after the three hands."""


class Exclusion(NamedTuple):
    """Cards that are assumed not to lie at a place."""

    place: int
    """The seat 0 to 2, or `SKAT`."""
    cards: int
    """A mask."""
    plays: int
    """The number of cards played when it was seen; the place did not hold the cards then, nor does it later."""


class Play(NamedTuple):
    """A card played, with what its player saw; cards are codes of the contract's layout."""

    seat: int
    code: int
    led: int
    """The code led; -1: this one leads."""
    best: int
    """The code that had the trick before; -1: none."""
    winner: int
    """The seat that had the trick before; -1: none."""
    last: bool
    """Whether the other two had played to the trick."""


@dataclass(frozen=True, slots=True)
class Course:
    """The cardplay so far, as everybody sees it."""

    layout: Layout
    soloist: int
    hand_game: bool
    plays: Sequence[Play]

    @classmethod
    def of(cls, position: SkatPosition) -> "Course":
        """The course of a state or a view in cardplay."""
        assert position.contract is not None
        layout = layout_of(position.contract)
        plays: list[Play] = []
        led = best = winner = -1
        for number, (seat, card) in enumerate(position.plays()):
            code = layout.code[card]
            if number % 3 == 0:
                led = best = winner = -1
            plays.append(Play(seat, code, led, best, winner, number % 3 == 2))
            if led < 0:
                led = code
            if best < 0 or layout.beaters[best] >> code & 1:
                best, winner = code, seat
        return cls(layout, position.soloist, position.hand_game, plays)

    def cards(self, codes: int) -> int:
        """A mask of codes as a mask of cards."""
        return sum(1 << self.layout.card[code] for code in codes_of(codes))

    def of_points(self, group: int, fewer: int | None = None, more: int | None = None) -> int:
        """The codes of a group, jacks left out, with fewer or more card points than a number."""
        points = self.layout.points
        return sum(
            1 << code
            for code in codes_of(self.layout.groups[group])
            if not self.is_jack(code)
            and (fewer is None or points[code] < fewer)
            and (more is None or points[code] > more)
        )

    def is_jack(self, code: int) -> bool:
        """Whether a code is a jack."""
        return self.layout.card[code] & 7 == JACK


Assumption = Callable[[Course], Iterator[Exclusion]]
JACK: Final = 4
"""The rank of the jacks."""


def no_trump_in_the_skat(course: Course) -> Iterator[Exclusion]:
    """The soloist discards no trump. Of a hand game, whose skat nobody chose, nothing is assumed."""
    if not course.hand_game:
        yield Exclusion(SKAT, course.cards(course.layout.trumps), 0)


def lowest_on_the_soloist(course: Course) -> Iterator[Exclusion]:
    """A defender who follows suit and leaves the trick to the soloist plays its card of fewest points."""
    layout = course.layout
    for number, play in enumerate(course.plays, start=1):
        if (
            play.seat != course.soloist == play.winner
            and _follows(course, play)
            and not layout.beaters[play.best] >> play.code & 1
        ):
            lower = course.of_points(layout.group[play.code], fewer=layout.points[play.code])
            if lower:
                yield Exclusion(play.seat, course.cards(lower), number)


def highest_on_the_partner(course: Course) -> Iterator[Exclusion]:
    """A defender who follows suit in a trick that its partner has for sure plays its card of most points."""
    layout = course.layout
    for number, play in enumerate(course.plays, start=1):
        if (
            play.seat != course.soloist
            and play.last
            and course.soloist != play.winner
            and _follows(course, play)
        ):
            higher = course.of_points(layout.group[play.code], more=layout.points[play.code])
            if higher:
                yield Exclusion(play.seat, course.cards(higher), number)


def red_jack(course: Course) -> Iterator[Exclusion]:
    """A defender plays the jack of hearts before that of diamonds: who plays the latter does not hold the former."""
    hearts, diamonds = parse_card("HJ"), parse_card("DJ")
    for number, play in enumerate(course.plays, start=1):
        card = course.layout.card[play.code]
        if card == hearts:
            return
        if card == diamonds:
            if play.seat != course.soloist:
                yield Exclusion(play.seat, 1 << hearts, number)
            return


def returned_suit(course: Course) -> Iterator[Exclusion]:
    """A defender who leads after its partner has led a plain suit leads that suit: if not, it has none of it."""
    layout = course.layout
    last: dict[int, int] = {}
    for number, play in enumerate(course.plays, start=1):
        if play.led >= 0 or play.seat == course.soloist:
            continue
        partner = 3 - play.seat - course.soloist
        group = last.get(partner)
        if group is not None and group not in (TRUMPS, layout.group[play.code]):
            yield Exclusion(play.seat, course.cards(layout.groups[group]), number)
        last[play.seat] = layout.group[play.code]


def _follows(course: Course, play: Play) -> bool:
    return play.led >= 0 and course.layout.group[play.led] == course.layout.group[play.code]


ASSUMPTIONS: Final[dict[str, Assumption]] = {
    assumption.__name__: assumption
    for assumption in (
        no_trump_in_the_skat,
        lowest_on_the_soloist,
        highest_on_the_partner,
        red_jack,
        returned_suit,
    )
}
"""All assumptions by name, the most reliable first: where they leave no world, the last ones are given up."""


def exclusions(course: Course, names: Iterable[str]) -> Iterator[Exclusion]:
    """What some assumptions exclude; nothing in null games.

    Raises:
        UnknownName: if there is no such assumption.
    """
    for name in names:
        if name not in ASSUMPTIONS:
            raise UnknownName("assumption", name, ASSUMPTIONS)
        if course.layout.trumps:
            yield from ASSUMPTIONS[name](course)
