"""The benchmark of a game: deals of full games and starts of the cardplay, in a file that never changes."""

import hashlib
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from skat_env.errors import ParseError
from skat_env.registry import get_part

Track = Literal["deals", "cardplay"]
"""`deals`: full games at every seating; `cardplay`: from the first card on, mirrored."""
TRACKS: Final[tuple[Track, ...]] = ("deals", "cardplay")
DATA: Final = Path(__file__).resolve().parent.parent / "data"
"""The folder of the files that ship."""


@dataclass(frozen=True, slots=True)
class LadderGame:
    """What a game gives to its ladder: its part `ladder`."""

    file: Path
    """The benchmark: a headline, then the deals, then as many starts of the cardplay, one state per line (xz)."""
    sha256: str
    """The hash of the file."""
    anchors: tuple[str, ...]
    """The agents against which all others play; the last one is the strongest."""
    agents: tuple[str, ...]
    """The other agents of a new ladder."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The benchmark of a game, as it was read."""

    game: str
    file: str
    """The name of the file."""
    sha256: str
    headline: str
    """What the file says of itself: the command that made it."""
    starts: dict[Track, tuple[str, ...]]
    """The texts of the states in which the games of each track start."""

    @property
    def deals(self) -> int:
        """The number of games of each track."""
        return len(self.starts["deals"])


def ladder_game(game: str) -> LadderGame:
    """The part `ladder` of a game.

    Raises:
        UnknownName: if there is no such game.
        ValueError: if the game has no ladder.
    """
    return cast(LadderGame, get_part(game, "ladder"))


def read_benchmark(game: str) -> Benchmark:
    """The benchmark of a game.

    Raises:
        ParseError: if the file is not the one with the known hash.
        OSError: if it cannot be read.
    """
    part = ladder_game(game)
    packed = part.file.read_bytes()
    found = hashlib.sha256(packed).hexdigest()
    if found != part.sha256:
        raise ParseError(
            f"{part.file} is not the benchmark of {game}: its sha256 begins with {found[:12]}, expected "
            f"{part.sha256[:12]}; install skat_env again"
        )
    headline, *texts = lzma.decompress(packed).decode().splitlines()
    half = len(texts) // 2
    starts: dict[Track, tuple[str, ...]] = {"deals": tuple(texts[:half]), "cardplay": tuple(texts[half:])}
    return Benchmark(game, part.file.name, found, headline, starts)


def packed_benchmark(headline: str, starts: dict[Track, list[str]]) -> bytes:
    """The file of a benchmark."""
    lines = [headline, *starts["deals"], *starts["cardplay"]]
    return lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=9 | lzma.PRESET_EXTREME)
