"""Past decisions in Skat: maximum bids, the game, the discards and the cards (Rebstock 2019, section 5.1).

A player's maximum bid is known if it passes; otherwise it may be any level from its last bid on. Games that start after
the auction, or with the cardplay, have no earlier decisions.

The probability of a game is the network's own, also below the bid, where the agent `policy` declares none: the other
players may.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.beliefs.past_decisions import Deals, PastDecision, played_by, single_bits
from skat_env.agents.skat.policy.networks import (
    BID_OUTPUTS,
    DISCARDS,
    HAND_OUTPUTS,
    NULL_OUVERT_OUTPUT,
    PAIR_MASKS,
    PICK_UP_OUTPUT,
    POLICY_OUTPUTS,
    card_network,
    hand_output,
    network_of,
)
from skat_env.beliefs.belief import Rows
from skat_env.deal import Deal
from skat_env.skat import SkatState, SkatView
from skat_env.skat.rules import BID_LEVEL, HAND, HIDDEN, PASS, PICK_UP, Announcement, Contract, Phase, Start

SKAT: Final = 3
TWELVE: Final = 12
FOUND: Final = np.array(list(combinations(range(TWELVE), 2)))
"""int [66, 2]: the pairs of its twelve cards that the soloist may have found in the skat."""
ANY_DEAL: Final = Deal((0x000003FF, 0x000FFC00, 0x3FF00000, 0xC0000000))
"""Any deal will do to replay an auction, whose legal actions do not depend on the cards."""


class SkatPastDecisions:
    """The decisions of the other two seats. A world has 66 states if it is unknown which cards the soloist found."""

    model = "skat-imitation"
    networks: Mapping[str, int] = POLICY_OUTPUTS

    def decisions(self, view: SkatView, full: bool) -> list[PastDecision]:
        """Maximum bids, each at the first decision in its part of the auction; the soloist's game; the cards."""
        history = view.history()
        plays = view.plays()
        found = _highest_bids(history) if view.start == Start.DEAL else []
        if view.soloist >= 0 and view.start != Start.CARDPLAY:
            found += _declaration(view, history[: len(history) - len(plays)])
        if self.states(view) > 1 and not full:
            found = [each for each in found if each.seat != view.soloist or not _is_before_the_skat(each)]
        first = len(history) - len(plays)
        for i, (seat, card) in enumerate(plays):
            assert view.kind is not None
            network = card_network(view.kind, view.side(seat))
            found.append(PastDecision(first + i, seat, network, 1 << card, True))
        return sorted((each for each in found if each.seat != view.seat), key=lambda each: each.step)

    def states(self, view: SkatView) -> int:
        """66 for a defender once the soloist has picked up the skat, otherwise 1."""
        is_open = view.picked_up and view.seat != view.soloist and view.start != Start.CARDPLAY
        return len(FOUND) if is_open else 1

    def deals(self, view: SkatView, rows: Rows, numbers: NDArray[np.int64]) -> Deals:
        """The cards as dealt; the soloist found pair `FOUND[numbers]` of its twelve cards in ascending order."""
        dealt = rows | played_by(view, 4) | np.array([*view.hands, 0], np.uint32)
        dealt[:, view.seat] = view.dealt[view.seat]
        hidden = np.zeros(len(rows), np.uint32)
        if view.picked_up and view.seat == view.soloist:
            dealt[:, SKAT] = view.dealt[SKAT]
        elif self.states(view) > 1:
            hidden = rows[:, SKAT].copy()
            rest = dealt[:, view.soloist] | hidden
            cards = np.empty((TWELVE, len(rows)), np.uint32)
            for each in cards:
                each[:] = rest & -rest
                rest = rest ^ each
            here = np.arange(len(rows))
            dealt[:, SKAT] = cards[FOUND[numbers, 0], here] | cards[FOUND[numbers, 1], here]
            dealt[:, view.soloist] = (dealt[:, view.soloist] | hidden) & ~dealt[:, SKAT]
        return Deals(dealt, hidden)

    def keys(self, view: SkatView, seat: int, deals: Deals) -> NDArray[np.uint64]:
        """A seat's hand as dealt, and for a soloist who picked up, the cards that it found and discarded."""
        keys = deals.dealt[:, seat].astype(np.uint64)
        if seat == view.soloist and view.picked_up:
            keys |= _pair_number(deals.dealt[:, SKAT]) << np.uint64(32)
            keys |= _pair_number(deals.hidden) << np.uint64(48)
        return keys

    def needs(self, network: str, outputs: int) -> NDArray[np.uint64]:
        """The two cards of a discard; for other networks one bit for each output."""
        return PAIR_MASKS.astype(np.uint64) if network in DISCARDS else single_bits(outputs)


def _is_before_the_skat(decision: PastDecision) -> bool:
    return decision.network in ("bid_answer", "continue_answer", "hand_pickup")


def _highest_bids(history: list[int]) -> list[PastDecision]:
    """The maximum bid of every seat in each part of the auction, labelled as in `max_bids`.

    The maximum of a player who has not passed is at least what it has bid or held.
    """
    state = SkatState.new(ANY_DEAL)
    found: dict[tuple[int, str], PastDecision] = {}
    for step, action in enumerate(history):
        if state.phase > Phase.ANSWER:
            break
        seat, network = state.to_act, network_of(state)
        first = found[seat, network].step if (seat, network) in found else step
        level = BID_LEVEL.get(state.bid, 0)
        bids = state.phase == Phase.BID
        if action == PASS:
            did = 1 << ((0 if first == step else level) if bids else level - 1)
        else:
            did = (1 << BID_OUTPUTS) - (1 << level + bids)
        found[seat, network] = PastDecision(first, seat, network, did, False)
        state.apply(action)
    return list(found.values())


def _declaration(view: SkatView, actions: list[int]) -> list[PastDecision]:
    """The soloist's decisions so far between the auction and the cardplay."""
    if not (view.picked_up or view.hand_game):
        return []
    seat, contract = view.soloist, view.contract
    start = max(step for step, action in enumerate(actions) if action in (PICK_UP, HAND))
    announced = view.phase > Phase.ANNOUNCE
    ouvert = view.announcement == Announcement.OUVERT
    if view.hand_game:
        games = list(range(1, HAND_OUTPUTS))
        if contract is not None:
            games = [hand_output(contract, each) for each in ((ouvert,) if announced else (False, True))]
        return [PastDecision(start, seat, "hand_pickup", sum(1 << game for game in games), False)]
    found = [PastDecision(start, seat, "hand_pickup", 1 << PICK_UP_OUTPUT, False)]
    if contract is None:
        return found
    games = [int(contract)]
    if contract == Contract.NULL and (ouvert or not announced):
        games = [NULL_OUVERT_OUTPUT] if announced else [*games, NULL_OUVERT_OUTPUT]
    found.append(PastDecision(start + 1, seat, "declare", sum(1 << game for game in games), False))
    laid = actions[start + 2 + (contract == Contract.NULL) :]
    if laid == [HIDDEN, HIDDEN]:
        found.append(PastDecision(len(actions) - 2, seat, DISCARDS[contract], None, True))
    return found


def _pair_number(pairs: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """A distinct number below 2**16 for each set of at most two cards."""
    low = pairs & -pairs
    numbers = [np.bitwise_count(bit - np.uint32(1)).astype(np.uint64) for bit in (low, pairs ^ low)]
    return numbers[0] << np.uint64(6) | numbers[1]


PAST_DECISIONS: Final = SkatPastDecisions()
