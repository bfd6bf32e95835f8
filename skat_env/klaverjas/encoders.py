"""All encoders of Klaverjas."""

from typing import Final

from skat_env._encoder import Encoder
from skat_env.klaverjas._encoders import CARDPLAY, PERSPECTIVE

ENCODERS: Final[tuple[Encoder, ...]] = (PERSPECTIVE, CARDPLAY)
