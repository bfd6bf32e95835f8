"""The networks of a Skat policy: which decision asks which, and what their outputs stand for.

Rebstock 2019, tables 3.1, 3.2 and 4.1.
"""

from itertools import combinations
from typing import Any, Final

import numpy as np

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
"""Highest bids: pass, then the 63 levels."""
PICK_UP_OUTPUT: Final = 0
HAND_OUTPUTS: Final = 13
"""Picking up, then by contract: hand, and hand ouvert. Announced schneider and schwarz count as plain hand."""
NULL_OUVERT_OUTPUT: Final = 6
DECLARE_OUTPUTS: Final = 7
"""The contracts, null ouvert."""
PAIRS: Final = tuple(combinations(range(32), 2))
"""The 496 pairs of cards that a discard chooses from."""
PAIR_MASKS: Final = np.array([1 << low | 1 << high for low, high in PAIRS], np.uint32)
CARD_OUTPUTS: Final = 32

TRICK_GAMES: Final = ("suit", "grand", "null")
"""Games that share cardplay networks."""
DISCARDS: Final = tuple(f"discard_{contract.name.lower()}" for contract in Contract)
"""By contract; null and null ouvert share one."""
CARDPLAY: Final = tuple(f"{game}_{role}" for game in TRICK_GAMES for role in ("soloist", "defender"))
POLICY_OUTPUTS: Final = {
    "bid_answer": BID_OUTPUTS,
    "continue_answer": BID_OUTPUTS,
    "hand_pickup": HAND_OUTPUTS,
    "declare": DECLARE_OUTPUTS,
    **dict.fromkeys(DISCARDS, len(PAIRS)),
    **dict.fromkeys(CARDPLAY, CARD_OUTPUTS),
}
"""The policy networks and the number of their outputs."""
VALUE_OUTPUTS: Final = {"hand_pickup_value": HAND_OUTPUTS, "declare_value": DECLARE_OUTPUTS}
"""The value networks: expected tournament points of the soloist, less 40 where he loses."""


def encoder_of(network: str) -> str:
    """The name of the encoder that a network reads."""
    return f"skat.{'discard' if network.startswith('discard') else network.removesuffix('_value')}"


def trick_game(contract: int) -> str:
    """`suit`, `grand` or `null`."""
    return TRICK_GAMES[max(0, contract - Contract.CLUBS)]


def network_of(view: Any) -> str:
    """The policy network that the seat to act asks; `view` may be a State."""
    phase = view.phase
    if phase == Phase.PLAY:
        role: str = ("soloist", "defender")[view.side(view.to_act)]
        return f"{trick_game(view.contract)}_{role}"
    if phase in (Phase.BID, Phase.ANSWER):
        # The auction's first part ends when forehand or middlehand has passed.
        passed = view.passed
        return "continue_answer" if passed[FOREHAND] or passed[MIDDLEHAND] else "bid_answer"
    if phase == Phase.DISCARD:
        return DISCARDS[int(view.contract)]
    return "hand_pickup" if phase == Phase.PICK_UP or view.hand_game else "declare"


def hand_output(contract: int, ouvert: bool) -> int:
    """The output of `hand_pickup` for a hand game."""
    return 1 + 2 * contract + ouvert


def hand_action(view: Any, output: int) -> int:
    """The action that leads towards what an output of `hand_pickup` stands for."""
    if view.phase == Phase.PICK_UP:
        return PICK_UP if output == PICK_UP_OUTPUT else HAND
    contract, ouvert = divmod(output - 1, 2)
    if view.phase == Phase.CONTRACT:
        return DECLARE + contract
    return ANNOUNCE + (Announcement.OUVERT if ouvert else Announcement.NONE)


def declare_action(view: Any, output: int) -> int:
    """The action that leads towards what an output of `declare` stands for."""
    if view.phase == Phase.CONTRACT:
        return DECLARE + min(output, Contract.NULL)
    return ANNOUNCE + (Announcement.OUVERT if output == NULL_OUVERT_OUTPUT else Announcement.NONE)


def hand_legal(view: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which outputs of `hand_pickup` a view leaves open, bool [13]."""
    legal = np.zeros(HAND_OUTPUTS, np.bool_)
    if view.phase == Phase.ANNOUNCE:
        legal[[hand_output(view.contract, False), hand_output(view.contract, True)]] = True
    else:
        legal[1:] = True
        legal[PICK_UP_OUTPUT] = view.phase == Phase.PICK_UP
    return legal


def declare_legal(view: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which outputs of `declare` a view leaves open, bool [7]."""
    legal = np.ones(DECLARE_OUTPUTS, np.bool_)
    if view.phase == Phase.ANNOUNCE:
        legal[: Contract.NULL] = False
    return legal


def discard_legal(view: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which pairs of the twelve cards a view leaves open, bool [496]; after the first card those that have it."""
    laid = np.uint32(view.skat)
    twelve = np.uint32(view.hand | view.skat)
    return np.asarray(((PAIR_MASKS & ~twelve) == 0) & ((PAIR_MASKS & laid) == laid))
