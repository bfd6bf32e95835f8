"""The networks of the Skat policy: the decisions they make, and what their outputs stand for.

Rebstock 2019, tables 3.1, 3.2 and 4.1.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.game_values import GAMES
from skat_env.encoders import get_encoder
from skat_env.skat import GAME, Declaration, SkatPosition, SkatView
from skat_env.skat.rules import (
    ANNOUNCE,
    DECLARE,
    FOREHAND,
    HAND,
    MIDDLEHAND,
    PICK_UP,
    Announcement,
    Contract,
    Phase,
)

BID_OUTPUTS: Final = 64
"""The maximum bid: none, then the 63 levels."""
PICK_UP_OUTPUT: Final = 0
HAND_OUTPUTS: Final = 13
"""Picking up, then hand and hand ouvert by contract. Announced schneider and schwarz count as plain hand."""
NULL_OUVERT_OUTPUT: Final = 6
DECLARE_OUTPUTS: Final = 7
"""The six contracts and null ouvert."""
PAIRS: Final = tuple(combinations(range(32), 2))
"""The 496 pairs of cards that can be discarded."""
PAIR_MASKS: Final = np.array([1 << low | 1 << high for low, high in PAIRS], np.uint32)
PAIR_CARDS: Final = np.array([[card in pair for card in range(32)] for pair in PAIRS], np.float32)
"""float32 [496, 32]: 1 if the pair contains the card."""
LOW_CARDS, HIGH_CARDS = np.array(PAIRS).T
"""int [496]: the two cards of each pair."""
PAIR_NUMBERS: Final = np.zeros((32, 32), np.uint16)
"""uint16 [32, 32]: the index of the pair of two cards."""
PAIR_NUMBERS[LOW_CARDS, HIGH_CARDS] = PAIR_NUMBERS[HIGH_CARDS, LOW_CARDS] = np.arange(len(PAIRS))
CARD_OUTPUTS: Final = 32

DISCARDS: Final = tuple(f"discard_{contract.name.lower()}" for contract in Contract)
"""The discard networks by contract; null and null ouvert share one."""
CARDPLAY: Final = tuple(f"{game}_{role}" for game in GAME.kinds for role in ("soloist", "defender"))
POLICY_OUTPUTS: Final = {
    "bid_answer": BID_OUTPUTS,
    "continue_answer": BID_OUTPUTS,
    "hand_pickup": HAND_OUTPUTS,
    "declare": DECLARE_OUTPUTS,
    **dict.fromkeys(DISCARDS, len(PAIRS)),
    **dict.fromkeys(CARDPLAY, CARD_OUTPUTS),
}
"""The policy networks and the number of their outputs."""
GAME_VALUES: Final = {"hand_pickup_value": HAND_OUTPUTS, "declare_value": DECLARE_OUTPUTS}
"""Values of games: the soloist's expected tournament points, with 40 taken off a lost game."""
AUCTION_VALUES: Final = {"pass_value": 1, "soloist_value": 1}
"""Values in the auction: of passing, and of being the soloist at a bid. They are a seat's expected points less the mean
of the others', which for a soloist are the points of `GAME_VALUES`."""
DECLARED_VALUE: Final = {"declared_value": 3}
"""Values of a declared game with its discards: the points as in `AUCTION_VALUES`, and how many of a hundred such games
are won, and how many have 90 card points for the soloist."""
POINTS, WON, SCHNEIDER = range(3)
"""The outputs of `declared_value`."""
VALUE_OUTPUTS: Final = {**GAME_VALUES, **AUCTION_VALUES, **DECLARED_VALUE}
"""The value networks."""
SHORTLIST: Final = 12
"""Discards of a game that are valued: those that its network of discards finds most probable."""
LIKELY: Final = 0.02
"""The minimum probability of a game that is valued with its discards. `declared_value` knows unusual games too, so this
only saves time."""
SOLOIST_FEATURES: Final = get_encoder("skat.hand_pickup").width
"""The first features of `skat.bid`: those of `skat.hand_pickup` if the seat goes on and the others pass."""
BID_POINTS: Final = 10.0
"""Points of value that make an action of the auction weigh e times as much as the other."""


def encoder_of(network: str, relabelled: bool = False) -> str:
    """The name of a network's encoder: the thesis's, or for the cardplay the one with relabelled suits."""
    if relabelled and network in CARDPLAY:
        return f"skat.relabelled_{network.rpartition('_')[2]}"
    if network in AUCTION_VALUES:
        return "skat.bid" if network == "pass_value" else "skat.hand_pickup"
    if network in DECLARED_VALUE:
        return "skat.declared"
    return f"skat.{'discard' if network.startswith('discard') else network.removesuffix('_value')}"


def more_than_others(points: NDArray[Any], seats: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """What seats have more than the mean of the others, float64 [n]: what values value.

    Args:
        points: the tournament points of finished games, [n, seats].
        seats: the seat in each game, or in all.
    """
    own = points[np.arange(len(points)), seats]
    return np.asarray(own - (points.sum(axis=1) - own) / (points.shape[1] - 1), np.float64)


def trick_game(contract: int) -> str:
    """`suit`, `grand` or `null`."""
    return GAME.kinds[max(0, contract - Contract.CLUBS)]


def card_network(kind: str, side: int) -> str:
    """The cardplay network for a kind of game and a side: 0 the soloist's, 1 the defenders'."""
    return f"{kind}_{('soloist', 'defender')[side]}"


def network_of(position: SkatPosition) -> str:
    """The policy network for the decision of the seat to act."""
    if position.stage == "cardplay":
        return card_network(str(position.kind), position.side(position.to_act))
    phase = position.phase
    if phase in (Phase.BID, Phase.ANSWER):
        # The auction's first part ends when forehand or middlehand has passed.
        passed = position.passed
        return "continue_answer" if passed[FOREHAND] or passed[MIDDLEHAND] else "bid_answer"
    if phase == Phase.DISCARD:
        assert position.contract is not None
        return DISCARDS[position.contract]
    return "hand_pickup" if phase == Phase.PICK_UP or position.hand_game else "declare"


def output_numbers(network: str, numbers: NDArray[np.uint8]) -> NDArray[np.unsignedinteger[Any]]:
    """The new index of each output, [n, outputs], if cards are renumbered by uint8 [n, 32]."""
    if network not in DISCARDS:
        return numbers
    return np.asarray(PAIR_NUMBERS[numbers[:, LOW_CARDS], numbers[:, HIGH_CARDS]])


def hand_output(contract: int, ouvert: bool) -> int:
    """The output of `hand_pickup` for a hand game."""
    return 1 + 2 * contract + ouvert


def hand_action(phase: Phase, output: int) -> int:
    """The action in a phase that leads towards the choice of an output of `hand_pickup`."""
    if phase == Phase.PICK_UP:
        return PICK_UP if output == PICK_UP_OUTPUT else HAND
    contract, ouvert = divmod(output - 1, 2)
    if phase == Phase.CONTRACT:
        return DECLARE + contract
    return ANNOUNCE + (Announcement.OUVERT if ouvert else Announcement.NONE)


def declare_action(phase: Phase, output: int) -> int:
    """The action in a phase that leads towards the choice of an output of `declare`."""
    if phase == Phase.CONTRACT:
        return DECLARE + min(output, Contract.NULL)
    return ANNOUNCE + (Announcement.OUVERT if output == NULL_OUVERT_OUTPUT else Announcement.NONE)


GAME_ACTIONS: Final = {
    (network, phase): np.array([action(phase, output) for output in range(outputs)])
    for network, outputs, action in (
        ("hand_pickup", HAND_OUTPUTS, hand_action),
        ("declare", DECLARE_OUTPUTS, declare_action),
    )
    for phase in (Phase.PICK_UP, Phase.CONTRACT, Phase.ANNOUNCE)
}
"""The action of each output, int [outputs], by network and phase."""


OUTPUT_GAMES: Final = {
    "hand_pickup": (
        None,
        *(
            Declaration(contract, True, announcement)
            for contract in Contract
            for announcement in (Announcement.NONE, Announcement.OUVERT)
        ),
    ),
    "declare": GAMES,
}
"""The game of each output, by network; None: picking up the skat."""


def discard_legal(views: Sequence[SkatView]) -> NDArray[np.bool_]:
    """The pairs of discards that are still possible, bool [n, 496]; after the first discard, those that contain it."""
    laid = np.array([view.skat for view in views], np.uint32)[:, None]
    held = np.array([view.hand for view in views], np.uint32)[:, None]
    return np.asarray(((PAIR_MASKS & ~(held | laid)) == 0) & ((PAIR_MASKS & laid) == laid))
