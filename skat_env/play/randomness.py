"""The random generators of a game: one for the deal, and one for the agent at each seat; and those of its branches.

An agent's generator must not lead back to the deal's: whoever could reproduce that would know everybody's
cards. So it is seeded with a digest, from which nothing else can be found out.
"""

import hashlib

import numpy as np

from skat_env.tools.secret import secret


def deal_rng(seed: int, deal: int) -> np.random.Generator:
    """The generator of a deal's cards, never given to an agent."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(deal,)))


def agent_rng(seed: int, deal: int, seat: int) -> np.random.Generator:
    """The generator of the agent at a seat of a game.

    It is the same in every cast, whoever sits there: so two variants of an agent share their luck, and an agent plays
    as its copy does.
    """
    return _sealed(f"{seed} {deal} {seat}".encode())


def question_rng(seed: int, deal: int, decision: int) -> np.random.Generator:
    """The generator of an agent that is asked for one decision of a game which others play; the same for all asked."""
    return _sealed(f"question {seed} {deal} {decision}".encode())


def worlds_rng(seed: int, deal: int, decision: int) -> np.random.Generator:
    """The generator of the deals on which a decision is played out."""
    return _sealed(f"worlds {seed} {deal} {decision}".encode())


def branch_rng(seed: int, deal: int, decision: int, seat: int, world: int = 0) -> np.random.Generator:
    """The generator of the agent at a seat that plays on after a decision, on one of several deals; the same whatever
    was decided.
    """
    return _sealed(f"branch {seed} {deal} {decision} {seat} {world}".encode())


def sealed_rng(rng: np.random.Generator) -> np.random.Generator:
    """A generator for agents, drawn from one that deals, to which it does not lead back."""
    return _sealed(rng.bytes(32))


def secret_rng(luck: str) -> np.random.Generator:
    """A generator for a program of others, which could find out the seed, and so the deal, from any function of it.

    Args:
        luck: what the generator depends on, beside the secret.
    """
    return _sealed(f"secret {secret()} {luck}".encode())


def _sealed(secret: bytes) -> np.random.Generator:
    digest = hashlib.blake2b(secret, digest_size=32, person=b"skat_env agent").digest()
    return np.random.default_rng(int.from_bytes(digest))
