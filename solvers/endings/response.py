"""Best responses in endings: what a seat, or a team, can get against players who play as they do.

A best response of one seat is exact: each of its information sets is a history of cards, at which its belief follows
from its prior and the others' policies by Bayes' rule, so the best cards are found backwards. A team that shares a
strategy but not its cards is another matter: the best cards of one member depend on the other's (Bernstein et al. 2002:
the problem is NEXP-hard), so its value is bounded from both sides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import OptionError
from skat_env.options import check_list, check_option, shown
from skat_env.solvers.endings._tree import Tree
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.policy import CARDS, Policy, Strategy, UniformPolicy, asked

SAME: Final = 1e-9
"""Values closer than this are equal."""
ROUNDS: Final = 20
"""The most rounds of best responses in turn; each round is at least as good as the last."""


@dataclass(frozen=True, slots=True)
class Response:
    """The value of a seat's best strategy against fixed players."""

    value: float
    """Expected, for the side of the seat."""
    cards: Mapping[int, float]
    """The same after each legal card, if the seat is to act and the ending is that of its view; else empty."""
    strategy: Strategy
    """A best strategy; where the others' policies never lead it plays as its policy, or any legal card."""

    @property
    def best(self) -> int | None:
        """The best card, the first of equals; None if there are no values by card."""
        top = max(self.cards.values(), default=0.0)
        return next((card for card, value in self.cards.items() if value >= top - SAME), None)

    def loss(self, card: int) -> float:
        """What a card costs against the best one.

        Raises:
            OptionError: if there is no value for the card.
        """
        if card not in self.cards:
            raise OptionError(f"the loss of card={shown(card)}: expected one of {sorted(self.cards)}")
        return max(self.cards.values()) - self.cards[card]


@dataclass(frozen=True, slots=True)
class TeamResponse:
    """Bounds of the value of a team's best strategy against fixed players."""

    lower: float
    """What the strategies reach: neither member alone can improve on them."""
    upper: float
    """What the team gets if its members see each other's cards."""
    strategies: Mapping[int, Strategy]
    """By seat."""

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.upper - self.lower < SAME * max(1.0, abs(self.upper))


def best_response(ending: Ending, seat: int, policies: Mapping[int, Policy]) -> Response:
    """The best response of a seat to the policies of the others.

    Args:
        ending: the ending.
        seat: the seat.
        policies: by seat, of all others; that of the seat itself is used only where the others never lead.

    Raises:
        ValueError: if there is no such seat; if a policy is missing, or its probabilities are none; if the ending is
            too large.
    """
    ending.side(seat)
    tree, values, value = _responded(ending, seat, Answers(policies))
    cards: dict[int, float] = {}
    if not ending.classes[seat].any() and ending.states[0].to_act == seat:
        cards = {card: ending.scaled(float(values[node]), seat) for card, node in tree.children(0).items()}
    return Response(
        value, cards, Strategy(_best_cards(tree, values, seat), policies.get(seat, UniformPolicy()))
    )


def nash_conv(ending: Ending, policies: Mapping[int, Policy]) -> float:
    """What best responses win from policies, summed over seats: 0 in an equilibrium (Lanctot et al. 2017).

    Each policy is asked once for each information set.

    Raises:
        ValueError: as `best_response`.
    """
    answers = Answers(policies)
    values = _values(ending, answers)
    return sum(_responded(ending, seat, answers)[2] - values[seat] for seat in range(len(values)))


def value_of(ending: Ending, seat: int, policies: Mapping[int, Policy]) -> float:
    """What the side of a seat gets if all play by their policies, which are given by seat.

    Raises:
        ValueError: as `best_response`.
    """
    ending.side(seat)
    return _values(ending, Answers(policies))[seat]


def team_response(ending: Ending, seats: Sequence[int], policies: Mapping[int, Policy]) -> TeamResponse:
    """Bounds of what the members of a team can get together against the policies of the others.

    They share a strategy but not their cards. The lower bound is that of best responses in turn, from the policies that
    are given for the members and from each order of them; the upper bound has them see each other's cards.

    Args:
        ending: the ending.
        seats: the members, of one side.
        policies: by seat, of all seats.

    Raises:
        ValueError: as `best_response`, or if the seats are of different sides.
    """
    seats = check_list("a team", "seats", seats)
    sides = {ending.side(seat) for seat in seats}
    if len(sides) != 1 or len(set(seats)) != len(seats):
        raise OptionError(f"a team of seats={shown(seats)}: expected different seats of one side")
    together = np.unique(ending.classes[list(seats)], axis=1, return_inverse=True)[1].astype(np.int32).ravel()
    tree = grown(ending, Answers(policies), seats, together)
    roots = int(together.max()) + 1
    values = tree.back_up(sum(1 << seat for seat in seats), ending.side(seats[0]))
    upper = ending.scaled(float(values[:roots].sum()), seats[0])
    lower, best = -np.inf, {}
    for first in range(len(seats)):
        order = [*seats[first:], *seats[:first]]
        now, reached = dict(policies), -np.inf
        for turn in range(ROUNDS * len(order)):
            found = best_response(ending, order[turn % len(order)], now)
            if turn >= len(order) and found.value <= reached + SAME:
                break
            now[order[turn % len(order)]] = found.strategy
            reached = max(reached, found.value)
        if reached > lower:
            lower, best = reached, {seat: now[seat] for seat in seats}
    return TeamResponse(lower, max(upper, lower), best)  # type: ignore[arg-type]  # each has become a Strategy


class Answers:
    """Policies by seat, each asked once for each information set of an ending."""

    def __init__(self, policies: Mapping[int, Policy]) -> None:
        self.policies: Mapping[int, Policy] = check_option("an ending", "policies", Mapping, policies)
        for seat, policy in self.policies.items():
            if not hasattr(policy, "probabilities"):
                raise OptionError(
                    f"the policy of seat {shown(seat)} is {shown(policy)}: expected a Policy, as AgentPolicy(agent) is"
                )
        self._rows: dict[int, int] = {}
        self._chances = np.zeros((0, CARDS))

    def chances(self, tree: Tree, questions: NDArray[np.int32]) -> NDArray[np.float64]:
        """The probability of each card in each question of a tree of the ending, float64 [questions, 32]."""
        keys: list[int] = tree.keys(questions).tolist()
        is_new = np.array([key not in self._rows for key in keys], bool)
        for seat in np.unique(questions[is_new, 2]).tolist():
            rows = np.flatnonzero(is_new & (questions[:, 2] == seat))
            views = [tree.state(node, world).view(seat) for node, world, _ in questions[rows].tolist()]
            self._rows |= {keys[row]: len(self._chances) + number for number, row in enumerate(rows.tolist())}
            self._chances = np.concatenate([self._chances, asked(self.policies[seat], views)])
        return self._chances[[self._rows[key] for key in keys]]


def grown(ending: Ending, answers: Answers, free: Sequence[int], groups: NDArray[np.int32]) -> Tree:
    """The tree in which some seats try every card and the others follow their policies.

    Raises:
        ValueError: as `best_response`.
    """
    fixed = [seat for seat in range(len(ending.game.seats)) if seat not in free]
    for seat in fixed:
        if seat not in answers.policies:
            raise OptionError(f"the policy of seat {seat} is missing: expected one for each of {fixed}")
    tree = ending.tree(groups)
    mask = sum(1 << seat for seat in fixed)
    while (questions := tree.look(mask)) is not None:
        if not tree.grow(answers.chances(tree, questions)):
            raise ending.too_large()
    return tree


def _responded(ending: Ending, seat: int, answers: Answers) -> tuple[Tree, NDArray[np.float64], float]:
    """The tree in which a seat tries every card, the values of its nodes for its side, and that of the ending."""
    tree = grown(ending, answers, (seat,), ending.classes[seat])
    values = tree.back_up(1 << seat, ending.side(seat))
    roots = int(ending.classes[seat].max()) + 1
    return tree, values, ending.scaled(float(values[:roots].sum()), seat)


def _values(ending: Ending, answers: Answers) -> list[float]:
    """What the side of each seat gets if all play by their policies."""
    tree = grown(ending, answers, (), np.zeros(len(ending.states), np.int32))
    totals = {side: float(tree.back_up(0, side)[0]) for side in (1, -1)}
    return [ending.scaled(totals[ending.side(seat)], seat) for seat in range(len(ending.game.seats))]


def _best_cards(tree: Tree, values: NDArray[np.float64], seat: int) -> dict[int, int]:
    """A best card of a seat by the key of its view."""
    cards = {}
    for node, world in zip(*(each.tolist() for each in tree.nodes_of(seat)), strict=True):
        children: dict[int, Any] = tree.children(node)
        best = max(children, key=lambda card: values[children[card]])
        cards[tree.state(node, world).view(seat).key()] = best
    return cards
