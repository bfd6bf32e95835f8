"""The file formats of recorded Skat games."""

from typing import Final

from skat_env.datasets.formats import LineFormat
from skat_env.skat.iss import notation

FORMATS: Final = (
    LineFormat(
        "sgf",
        ("skat",),
        notation.BEGIN,
        notation.read,
        notation.write,
        prefix=notation.PREFIX,
        games_in=notation.games_in,
    ),
)
