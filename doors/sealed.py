"""Games for clients that may choose a seed, of which they cannot find out the cards."""

import hashlib
import os
import secrets
from collections.abc import Sequence
from typing import Any, Final

from skat_env.agents.asked import asked_agent
from skat_env.doors.session import Session
from skat_env.errors import UnknownName
from skat_env.options import Seed, checked_options
from skat_env.registry import get_game

KEY: Final = "SKAT_ENV_DEAL_KEY"
"""The variable of the environment with the key of a server: with the same key the same seeds give the same games."""


def server_key() -> bytes:
    """The key of this process: that of the environment, or one that is drawn."""
    return os.environ.get(KEY, "").encode() or secrets.token_bytes(32)


def sealed_seed(key: bytes, game: str, seed: int) -> int:
    """The seed of the deal that a client's seed stands for: a keyed digest, 0..2^63 - 1.

    The code that deals is public: who knew this number would know everybody's cards.
    """
    short = hashlib.blake2b(key, digest_size=64).digest()
    digest = hashlib.blake2b(f"{game} {seed}".encode(), key=short, digest_size=8, person=b"skat_env deal")
    return int.from_bytes(digest.digest()) >> 1


@checked_options("a game")
def sealed_session(
    key: bytes, game: str, seed: Seed, seat: str = "", agents: str | Sequence[str] = "rule", **options: Any
) -> Session:
    """A game with the cards of a sealed seed and one seat for a client.

    Args:
        key: of the server.
        game: the game.
        seed: the client's, from 0.
        seat: the name of the seat; empty: drawn with the cards.
        agents: an agent for all other seats, or each in the order of play after the seat, such as a client may ask for.
        options: others of the session.

    Raises:
        ValueError: if something is not what it should be.
    """
    found = get_game(game)
    if seat and seat not in found.seats:
        raise UnknownName(f"seat of {game}", seat, found.seats)
    others = [asked_agent(agent, game) for agent in ([agents] if isinstance(agents, str) else agents)]
    hidden = sealed_seed(key, game, seed)
    own = found.seats.index(seat) if seat else hidden % len(found.seats)
    return Session(game, (own,), others[0] if len(others) == 1 else others, seed=hidden, **options)
