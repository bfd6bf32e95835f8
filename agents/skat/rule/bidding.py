"""All decisions before the cardplay (auction, game, announcements, discards), by expected tournament points."""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat._game_levels import game_levels
from skat_env.agents.skat.game_values import GAMES, NULL_OUVERT, game_values
from skat_env.agents.skat.rule._points import write_points
from skat_env.agents.skat.rule.best_discards import Chances, Floats, Masks
from skat_env.agents.skat.rule.hand import EVALUATOR
from skat_env.agents.skat.rule.layout import layout_of
from skat_env.cards import cards_of
from skat_env.skat import Declaration, SkatView
from skat_env.skat.rules import (
    ANNOUNCE,
    BASE_VALUES,
    DECLARE,
    FOREHAND,
    HAND,
    NULL_VALUES,
    PASS,
    PICK_UP,
    YES,
    Announcement,
    Contract,
    Phase,
)
from skat_env.tools.method_cache import MethodCache

BID_THRESHOLD = 8.0
"""Bids as long as the best game is expected to score more tournament points than this. Passing has a value too, because
the defenders get 40 when the soloist loses, one game in five. Of 0, 8, 15, 22 and 30, 0 and 8 scored most."""
BASES = np.array(BASE_VALUES)
NULLS = np.array([[NULL_VALUES[hand, ouvert] for ouvert in (False, True)] for hand in (False, True)])
"""The values of null and null ouvert, [2, 2]: picked up, and by hand."""

DISCARD_PAIRS = np.array(list(combinations(range(12), 2)))
SKAT_PAIRS = np.array(list(combinations(range(22), 2)))


def expected_points(
    win: Floats, schneider: Floats, levels: NDArray[np.int64], bid: int, hand: bool
) -> Floats:
    """The expected tournament points of each game, [7, n].

    Args:
        win: the chances of winning, [7, n].
        schneider: the chances of 90 points, [5, n].
        levels: the multipliers of the trump games without schneider and hand, [5, n].
        bid: the bid that the game must reach.
        hand: whether the games are hand games.
    """
    points = np.empty(win.shape)
    nulls = NULLS[int(hand)]
    write_points(win, schneider, levels, BASES, nulls, bid, hand, points)
    return points


@dataclass(frozen=True, slots=True, eq=False)
class Discards:
    """The prospects of every game with every possible discard."""

    skats: Masks
    """[n]: the two cards in the skat."""
    win: Floats
    """[7, n]: the chances of winning."""
    schneider: Floats
    """[5, n]: the chances of 90 points."""
    levels: NDArray[np.int64]
    """[5, n]: the multipliers."""

    def points(self, bid: int) -> Floats:
        """The expected tournament points, [7, n]."""
        return expected_points(self.win, self.schneider, self.levels, bid, hand=False)


@dataclass(frozen=True, slots=True, eq=False)
class Prospects:
    """The prospects of ten cards before the skat is seen."""

    win: Floats
    """[7, 231]: the chances of winning with the best discard, by skat."""
    schneider: Floats
    """[5, 231]: the chances of 90 points with that discard."""
    levels: NDArray[np.int64]
    """[5, 231]: the multipliers of the trump games, by skat."""
    hand_win: Floats
    """[7, 231]: the chances of winning as hand games, the same for every skat."""
    hand_schneider: Floats
    """[5, 231]: the chances of 90 points as hand games."""
    announced_win: Floats
    """[7, 231]: the chances of winning with schneider announced; null games are as without."""

    def pick_up(self, bid: int) -> float:
        """The expected tournament points of picking up the skat and playing the best game with it."""
        points = expected_points(self.win, self.schneider, self.levels, bid, hand=False)
        return float(points.max(axis=0).mean())

    def hand_games(self, bid: int) -> Floats:
        """The expected tournament points of the hand games, [7, 2]: plain, and with schneider announced.

        The unknown skat counts for the matadors; announcements that are not allowed have minus infinity.
        """
        skats = self.levels.shape[1]
        points = np.full((len(GAMES), 2), -np.inf)
        plain = expected_points(self.hand_win, self.hand_schneider, self.levels, bid, hand=True)
        # Announced schneider counts two more levels, and the game is lost without it.
        announced = expected_points(
            self.announced_win, np.zeros_like(self.hand_schneider), self.levels + 2, bid, hand=True
        )
        # The sum divided by the number: `mean` without its checks.
        points[:, 0] = np.add.reduce(plain, 1) / skats
        points[:5, 1] = np.add.reduce(announced[:5], 1) / skats
        return points


def sure_contract(hand: int, forehand: bool, bid: int = 0) -> int | None:
    """The most valuable contract in which ten cards are sure to take every trick, and open reach the bid, or None.

    That is so if the hand leads, its top trumps draw all others even from a single hand, and every plain suit
    is a run from the top. An open hand then gives nothing away.
    """
    if not forehand:
        return None
    for contract in (Contract.GRAND, Contract.CLUBS, Contract.SPADES, Contract.HEARTS, Contract.DIAMONDS):
        layout = layout_of(contract)
        codes = layout.arrange(hand)
        trumps = codes & layout.trumps
        missing = (layout.trumps & ~trumps).bit_count()
        if missing > _run_from_top(trumps, layout.trumps):
            continue
        if all(
            _run_from_top(codes & layout.groups[group], layout.groups[group])
            == (codes & layout.groups[group]).bit_count()
            for group in layout.plain
        ):
            ouvert = Declaration(contract, hand=True, announcement=Announcement.OUVERT)
            if game_values([ouvert], np.array([hand], np.uint32))[0, 0] >= bid:
                return int(contract)
    return None


def _run_from_top(held: int, group: int) -> int:
    """The length of the unbroken run of held cards from the top of a group of codes."""
    missing = group & ~held
    return (held >> missing.bit_length()).bit_count()


def _contract(row: int) -> int:
    """The contract of one of the seven games, by its index."""
    return min(row, int(Contract.NULL))


def _hand_announcement(view: SkatView, points: Floats, sure: int | None) -> Announcement:
    """The announcement in a hand game."""
    contract = view.contract
    assert contract is not None
    if contract == Contract.NULL:
        return Announcement.OUVERT if points[NULL_OUVERT, 0] > points[Contract.NULL, 0] else Announcement.NONE
    if contract == sure:
        return Announcement.OUVERT
    return Announcement.SCHNEIDER if points[contract, 1] > points[contract, 0] else Announcement.NONE


class ChanceBidder:
    """Makes all decisions before the cardplay by expected tournament points.

    Args:
        chances: the chances of winning and of schneider.
        threshold: bids as long as the best game is expected to score more tournament points than this.
    """

    def __init__(self, chances: Chances, threshold: float = BID_THRESHOLD) -> None:
        self._chances, self._threshold = chances, threshold
        self.weigh_discards = MethodCache(self._weigh_discards, 256)
        self.prospects = MethodCache(self._rate, 1024)

    def decide(self, view: SkatView) -> int:
        """The action in any phase before the cardplay."""
        forehand = view.seat == FOREHAND
        phase = view.phase
        if phase in (Phase.BID, Phase.ANSWER):
            bid = view.next_bid if phase == Phase.BID else view.bid
            return YES if bid and self.reaches(view.hand, forehand, bid) else PASS
        bid = view.bid
        sure = sure_contract(view.dealt[view.seat], forehand, bid)
        if phase == Phase.PICK_UP:
            if sure is not None:
                return HAND
            weighed = self.prospects(view.hand, forehand)
            return HAND if weighed.hand_games(bid).max() > weighed.pick_up(bid) else PICK_UP
        if view.hand_game:
            points = self.prospects(view.hand, forehand).hand_games(bid)
            if phase == Phase.CONTRACT:
                return DECLARE + (_contract(int(points.max(axis=1).argmax())) if sure is None else sure)
            return ANNOUNCE + _hand_announcement(view, points, sure)
        weighed_discards = self.weigh_discards(view.hand, view.skat, forehand)
        points = weighed_discards.points(bid)
        if phase == Phase.CONTRACT:
            return DECLARE + _contract(int(points.max(axis=1).argmax()))
        contract = view.contract
        assert contract is not None
        if phase == Phase.ANNOUNCE:
            best = points.max(axis=1)
            ouvert = best[NULL_OUVERT] > best[Contract.NULL]
            return ANNOUNCE + (Announcement.OUVERT if ouvert else Announcement.NONE)
        row = NULL_OUVERT if view.announcement == Announcement.OUVERT else contract
        skat = int(weighed_discards.skats[points[row].argmax()])
        return cards_of(skat & view.hand)[0]

    def reaches(self, hand: int, forehand: bool, bid: int) -> bool:
        """Whether the best game at a bid is expected to score more tournament points than the threshold."""
        weighed = self.prospects(hand, forehand)
        return bool(weighed.pick_up(bid) > self._threshold or weighed.hand_games(bid).max() > self._threshold)

    def _weigh_discards(self, cards: int, laid: int, forehand: bool) -> Discards:
        """Rates the discards of a soloist who holds 12 cards, or holds 11 and has discarded one."""
        held = cards_of(cards)
        if laid:
            skats = np.array([laid | 1 << card for card in held], dtype=np.uint32)
        else:
            skats = np.array([1 << a | 1 << b for a, b in combinations(held, 2)], dtype=np.uint32)
        twelve = np.uint32(cards | laid)
        hands = twelve & ~skats
        win = self._wins(hands, skats, forehand)
        schneider = self._chances.schneiders(hands, skats, forehand)
        levels = np.repeat(game_levels(np.array([twelve])), len(skats), axis=1)
        return Discards(skats, win, schneider, levels)

    def _rate(self, hand: int, forehand: bool) -> Prospects:
        """Rates ten cards over all 231 skats and the 66 discards from each."""
        chances, found = self._chances, self._chances.best_discards(hand, forehand)
        ten, skats = np.array([hand], dtype=np.uint32), found.skats
        hand_win = np.repeat(self._wins(ten, None, forehand), len(skats), axis=1)
        hand_schneider = np.repeat(chances.schneiders(ten, None, forehand), len(skats), axis=1)
        return Prospects(
            found.win,
            found.schneider,
            game_levels(np.uint32(hand) | skats),
            hand_win,
            hand_schneider,
            np.concatenate([hand_schneider, hand_win[5:]]),
        )

    def _wins(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning each game, [7, n]."""
        chances = self._chances
        return np.concatenate([chances.wins(hands, skats, forehand), chances.nulls(hands, skats, forehand)])


RULE_BIDDER: Final = ChanceBidder(EVALUATOR)
"""The bidder of `rule`."""
