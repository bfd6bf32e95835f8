"""Seeds that clients may choose, of which they cannot find out the cards."""

import hashlib
import os
import secrets
from typing import Final

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
