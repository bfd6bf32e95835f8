"""`skat-env draw POSITION --out FILE`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from tyro.conf import Positional, arg

from skat_env.pictures.faces import Colours, Deck, Language, Style
from skat_env.pictures.layout import HEIGHT, WIDTH, Drawing, layout
from skat_env.pictures.strip import strip
from skat_env.pictures.svg import document
from skat_env.pictures.table import table_of
from skat_env.solvers.game_text import read_position, read_record
from skat_env.tools.files import write_bytes

_SUFFIXES: Final = (".svg", ".png")
_TRICKS_IN_A_ROW: Final = 10


@dataclass
class Draw:
    """Draw a position, or a recorded game as a strip of tricks, into an SVG or PNG file.

    Example: skat-env draw games.sgf --out game.svg
    """

    position: Annotated[Positional[str], arg(metavar="POSITION")]
    """The text of a state or a view, an open-card position as skat-env solve reads it, or the line of a game."""
    out: Path
    """The file, .svg or .png, which needs the extra pictures. A file that is there is not overwritten."""
    seat: int | None = None
    """Draw what this seat sees of a state; default: all cards."""
    last: bool = False
    """Draw the last position of a recorded game, not its tricks."""
    width: int = WIDTH
    """The width in pixels; a strip of tricks has its own size."""
    height: int = HEIGHT
    """The height in pixels."""
    deck: Deck = "french"
    """French suits, or German ones: bells, hearts, leaves, acorns."""
    language: Language = "en"
    """The letters of the court cards of French suits: J Q K, B D K or B V H."""
    colours: Colours = "four"
    """A colour for each suit, or red and black."""

    def run(self) -> int:
        """Writes the picture."""
        suffix = self.out.suffix.lower()
        if suffix not in _SUFFIXES:
            raise ValueError(f"--out {self.out}: expected a file that ends in {' or '.join(_SUFFIXES)}")
        if self.out.exists():
            raise FileExistsError(f"{self.out} is there already: nothing is overwritten, name another file")
        drawing = self._drawing()
        style = Style(self.deck, self.language, self.colours)
        if suffix == ".svg":
            picture = document(drawing, style).encode()
        else:
            from skat_env.pictures.pixels import png

            picture = png(drawing, style)
        write_bytes(self.out, picture)
        print(f"written to {self.out}")
        return 0

    def _drawing(self) -> Drawing:
        text = self.position.strip()
        record = read_record(text)
        if record is not None and not self.last and self.seat is None:
            return strip(record.game, record.state, record.agents, _TRICKS_IN_A_ROW)
        game, position = (record.game, record.state) if record is not None else read_position(text)
        if self.seat is not None:
            if hasattr(position, "seat"):
                raise ValueError(f"--seat {self.seat}: the text is the view of seat {position.seat} already")
            position = position.view(self.seat)
        return layout(table_of(game, position), self.width, self.height)
