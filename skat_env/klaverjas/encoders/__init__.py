"""All encoders of Klaverjas."""

from typing import Final

from skat_env._encoder import Encoder
from skat_env.klaverjas.encoders._cardplay import CARDPLAY, PERSPECTIVE
from skat_env.klaverjas.encoders._location import LOCATIONS, LOCATIONS_BEFORE
from skat_env.klaverjas.encoders._world import WORLD

ENCODERS: Final[tuple[Encoder, ...]] = (PERSPECTIVE, CARDPLAY, LOCATIONS, LOCATIONS_BEFORE, WORLD)
