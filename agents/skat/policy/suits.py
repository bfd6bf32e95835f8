"""Suits of Skat that are interchangeable: what a network learns about one of them holds for the others."""

from typing import Final

from skat_env.agents.skat.policy.networks import CARDPLAY, DISCARDS, POLICY_OUTPUTS, VALUE_OUTPUTS

OF_BIDS_AND_GAMES: Final = {*POLICY_OUTPUTS, *VALUE_OUTPUTS} - {*CARDPLAY, *DISCARDS}
"""The networks whose outputs stand for bids or games, which name a suit, or whose encoder puts trumps first."""


def alike_suits(network: str) -> tuple[tuple[int, ...], bool]:
    """The suits that can be swapped in a network's rows, and whether their jacks are swapped with them.

    A swap changes nothing but the values of bids. For discards in a suit game these are the three plain suits, for bids
    and declarations none.
    """
    if network in OF_BIDS_AND_GAMES:
        return (), False
    trump = DISCARDS.index(network) if network in DISCARDS else None
    return tuple(suit for suit in range(4) if suit != trump), "null" in network
