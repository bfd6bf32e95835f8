"""The secret of a process: what programs of others that play must not be able to compute."""

import os
import secrets
from typing import Final

SECRET: Final = "SKAT_ENV_SECRET"
"""The variable of the environment that holds it, so that workers have the same."""


def secret() -> str:
    """A word that this process drew, or was given. A folder of work in which engines play keeps it, so that the work
    goes on and repeats.
    """
    return os.environ.setdefault(SECRET, secrets.token_hex(16))
