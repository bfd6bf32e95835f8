"""The random generators of a game: one for the deal, one for the agent at each seat, all from one seed."""

import zlib

import numpy as np


def deal_rng(seed: int, deal: int) -> np.random.Generator:
    """The generator of a deal: of its cards, and of the bidder that plays it to the cardplay."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(deal,)))


def agent_rng(seed: int, deal: int, seat: int, name: str) -> np.random.Generator:
    """The generator of an agent in a game: the same in every cast with this agent at this seat."""
    return np.random.default_rng(
        np.random.SeedSequence(seed, spawn_key=(deal, seat, zlib.crc32(name.encode())))
    )
