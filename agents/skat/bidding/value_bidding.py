"""Bidding, declaring and discarding with networks that value the start of the cardplay.

Before the skat is seen, a hand is worth the best of 66 discards and 7 games, mean over the 231 possible skats, or the
best hand game if that is worth more. Afterwards it is worth the best of the 66 x 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.card_values import CARDS
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint
from skat_env.agents.networks.network import Network
from skat_env.agents.skat.game_values import GAMES, declarable, game_values, next_action
from skat_env.agents.skat.policy._declarations import write_declarations
from skat_env.agents.skat.rule.bidding import DISCARD_PAIRS, SKAT_PAIRS
from skat_env.cards import ALL_CARDS_MASK, cards_of
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.protocols import Decision
from skat_env.skat import Declaration, SkatView
from skat_env.skat.rules import (
    BASE_VALUES,
    BID_LEVEL,
    BID_VALUES,
    HAND,
    NUM_SEATS,
    PASS,
    PICK_UP,
    YES,
    Announcement,
    Contract,
    Phase,
)
from skat_env.tools.method_cache import MethodCache

Floats = NDArray[np.float64]
Masks = NDArray[np.uint32]
SOLOISTS = ("suit_soloist", "grand_soloist", "null_soloist")


HAND_GAMES: Final = (
    *(replace(game, hand=True) for game in GAMES),
    *(Declaration(Contract(suit), True, Announcement.SCHNEIDER) for suit in range(5)),
)
"""The games that can be declared by hand."""
PICK_UP_OR_HAND: Final = (None, *HAND_GAMES)
"""Picking up, then the games by hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Prospects:
    """The prospects of ten cards at the lowest bid."""

    points: Floats
    """[231, 7]: tournament points of the soloist less the defenders', with the best discard, by skat and game."""
    values: NDArray[np.int64]
    """[231, 7]: the values of these games."""
    hand_points: Floats
    """[12]: the points of the hand games."""
    hand_values: NDArray[np.int64]
    """[231, 12]: the values of the hand games, by skat."""

    def pick_up(self, bid: int) -> float:
        """The points of picking up and playing the best game at a bid, mean over the skats."""
        return float(_at_bid(self.points, self.values, GAMES, bid).max(axis=1).mean())

    def by_hand(self, bid: int) -> Floats:
        """The points of each hand game at a bid, mean over the skats, [12]."""
        points = np.broadcast_to(self.hand_points, self.hand_values.shape)
        return np.asarray(_at_bid(points, self.hand_values, HAND_GAMES, bid).mean(axis=0))

    def best(self, bid: int) -> float:
        """The points of playing the hand at a bid, picked up or as a hand game."""
        return max(self.pick_up(bid), float(self.by_hand(bid).max()))


class ValueBidding:
    """Bids, picks up, declares and discards by the value networks of `dmc`; plays no cards.

    The networks value a hand once, at the lowest bid. A higher bid only changes games whose value does not reach it.

    Args:
        checkpoint: the networks of `dmc`: a folder made by `skat-env train dmc`.
        threshold: bids as long as the best game is worth more than this, in points of the soloist less the defenders'.

    Raises:
        ValueError: if there is no such checkpoint, or it has other networks; its subclasses for unknown names.
    """

    @checked_options("value_bidding")
    def __init__(self, checkpoint: str | Checkpoint, *, threshold: float = 0.0) -> None:
        loaded = load_checkpoint(checkpoint, "skat") if isinstance(checkpoint, str) else checkpoint
        self.threshold = threshold
        self.name = own_text(self, "value_bidding", "threshold", checkpoint=loaded)
        loaded.require_outputs(dict.fromkeys(SOLOISTS, CARDS + 1))
        self._networks = [loaded.network(name) for name in SOLOISTS]
        self._prospects = MethodCache(self._weigh_hand, 1024)
        self._discards = MethodCache(self._weigh_twelve, 256)

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """A legal action; `rng` is not used. The value is the expected points of the soloist's game.

        Raises:
            ValueError: in the cardplay.
        """
        if view.phase in (Phase.BID, Phase.ANSWER):
            bid = view.next_bid if view.phase == Phase.BID else view.bid
            value = self.prospects(view).best(bid) if bid else -np.inf
            return Decision(YES if value > self.threshold else PASS, stats={"promise": value, "bid": bid})
        if view.phase == Phase.PICK_UP:
            picked_up = self.prospects(view).pick_up(view.bid)
            by_hand = float(self._by_hand(view).max())
            return Decision(HAND if by_hand > picked_up else PICK_UP, value=max(by_hand, picked_up))
        if view.phase == Phase.PLAY:
            raise ValueError("value_bidding does not play cards: use it as the bidder of a player that does")
        return self._declare_hand(view) if view.hand_game else self._declare(view)

    def prospects(self, view: SkatView) -> Prospects:
        """The prospects of the ten cards dealt to the seat."""
        return self._prospects(view.dealt[view.seat], view.seat)

    def _by_hand(self, view: SkatView) -> Floats:
        """The points of the hand games, [12]; minus infinity for those that may not be declared."""
        allowed = declarable(PICK_UP_OR_HAND, [view])[0, 1:]
        return np.where(allowed, self.prospects(view).by_hand(view.bid), -np.inf)

    def _declare_hand(self, view: SkatView) -> Decision:
        points = self._by_hand(view)
        best = int(points.argmax())
        return Decision(next_action(view, HAND_GAMES[best]), value=float(points[best]))

    def _declare(self, view: SkatView) -> Decision:
        """The next step to the best combination of contract, announcement and discards that is still possible."""
        skats, points = self._discards(view.hand | view.skat, view.seat, view.bid)
        allowed = declarable(GAMES, [view])[0]
        points = np.where(allowed[:, None] & (skats & view.skat == view.skat), points, -np.inf)
        row, column = divmod(int(points.argmax()), points.shape[1])
        value = float(points[row, column])
        if view.phase == Phase.DISCARD:
            return Decision(cards_of(int(skats[column]) & view.hand)[0], value=value)
        return Decision(next_action(view, GAMES[row]), value=value)

    def _weigh_hand(self, hand: int, seat: int) -> Prospects:
        """Values all skats, discards and games of ten cards."""
        bits = np.uint32(1) << np.array(cards_of(hand), np.uint32)
        others = np.uint32(1) << np.array(cards_of(ALL_CARDS_MASK & ~hand), np.uint32)
        pairs = others[SKAT_PAIRS]
        twelve = np.uint32(hand) | pairs[:, 0] | pairs[:, 1]
        held = np.concatenate([np.broadcast_to(bits, (len(pairs), 10)), pairs], axis=1)
        laid = held[:, DISCARD_PAIRS[:, 0]] | held[:, DISCARD_PAIRS[:, 1]]
        hands = twelve[:, None] & ~laid
        points = [
            self._points(seat, BID_VALUES[0], hands.ravel(), laid.ravel(), game)
            .reshape(laid.shape)
            .max(axis=1)
            for game in GAMES
        ]
        ten = np.array([hand], np.uint32)
        return Prospects(
            np.stack(points, axis=1),
            game_values(GAMES, twelve),
            np.array([self._points(seat, BID_VALUES[0], ten, ten * 0, game)[0] for game in HAND_GAMES]),
            game_values(HAND_GAMES, twelve),
        )

    def _weigh_twelve(self, twelve: int, seat: int, bid: int) -> tuple[Masks, Floats]:
        """The 66 discards from twelve cards, and the points [7, 66] of the games with each."""
        bits = np.uint32(1) << np.array(cards_of(twelve), np.uint32)
        laid = bits[DISCARD_PAIRS[:, 0]] | bits[DISCARD_PAIRS[:, 1]]
        hands = np.uint32(twelve) & ~laid
        points = np.stack([self._points(seat, bid, hands, laid, game) for game in GAMES], axis=1)
        values = game_values(GAMES, hands | laid)
        return laid, _at_bid(points, values, GAMES, bid).T

    def _points(self, seat: int, bid: int, hands: Masks, skats: Masks, game: Declaration) -> Floats:
        """The networks' value of a game with each hand, float64 [n]."""
        network: Network = self._networks[max(0, int(game.contract) - int(Contract.CLUBS))]
        rows = np.empty((len(hands), network.encoder.width), np.float32)
        # As if nobody else had bid: prospects are weighed once, for all auctions.
        levels = [BID_LEVEL[bid] if each == seat else 0 for each in range(NUM_SEATS)]
        write_declarations(
            network.encoder, seat, levels, hands, skats, game.contract, game.announcement, rows
        )
        return network.infer(rows)[:, CARDS].astype(np.float64)


def _at_bid(points: Floats, values: NDArray[np.int64], games: Sequence[Declaration], bid: int) -> Floats:
    """The points [n, games] at a bid; games that do not reach it count as lost."""
    bases = np.array([0 if game.contract == Contract.NULL else BASE_VALUES[game.contract] for game in games])
    lost_value = np.where(bases > 0, -(-bid // np.maximum(bases, 1)) * bases, values)
    return np.where(values >= bid, points, -2.0 * lost_value - 50 - 80)
