"""Pixels: the same picture as the SVG, in the form that videos want."""

import io

import numpy as np
import pytest

from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.pictures.faces import Style
from skat_env.pictures.layout import Card, layout
from skat_env.pictures.table import table_of
from skat_env.skat import GAME as SKAT

pygame = pytest.importorskip("pygame")

from skat_env.pictures.pixels import png, table_pixels  # noqa: E402 (needs pygame)

both_games = pytest.mark.parametrize("game", [SKAT, KLAVERJAS], ids=lambda game: game.name)


@both_games
def test_pixels_have_the_form_of_a_picture(game) -> None:
    state = game.state.random(np.random.default_rng(1))
    for width, height in ((720, 540), (391, 701)):
        pixels = table_pixels(table_of(game.name, state), width, height)
        assert pixels.shape == (height, width, 3)
        assert pixels.dtype == np.uint8
        assert pixels.flags.c_contiguous
        assert (pixels == table_pixels(table_of(game.name, state), width, height)).all()
        pixels[:] = 0  # its own memory
        assert table_pixels(table_of(game.name, state), width, height).any()


@both_games
def test_the_colours_are_in_the_order_of_the_screen(game) -> None:
    """The felt is green: less red than green, less blue than green."""
    pixels = table_pixels(table_of(game.name, game.state.random(np.random.default_rng(1))))
    assert tuple(pixels[-1, 0]) == (0x1E, 0x6B, 0x4E)


@both_games
def test_a_card_is_where_the_layout_has_it(game) -> None:
    table = table_of(game.name, game.state.random(np.random.default_rng(1)))
    cards = [item for item in layout(table).items if isinstance(item, Card)]
    pixels = table_pixels(table)
    last = cards[-1]  # nothing lies on it
    x, y = round(last.x), round(last.y)
    inner = pixels[y + 3 : y + round(1.4 * last.width) - 3, x + 3 : x + round(last.width) - 3]
    assert (inner > 240).all(axis=-1).mean() > 0.4  # white, with something printed
    assert (inner < 240).any()


def test_styles_change_the_picture() -> None:
    table = table_of("skat", SKAT.state.random(np.random.default_rng(1)))
    styles = (Style(), Style("german"), Style(language="de"), Style(colours="two"))
    assert len({table_pixels(table, style=style).tobytes() for style in styles}) == len(styles)


def test_png_files_hold_the_pixels() -> None:
    table = table_of("skat", SKAT.state.random(np.random.default_rng(1)))
    picture = pygame.image.load(io.BytesIO(png(layout(table))), "x.png")
    assert (pygame.surfarray.array3d(picture).transpose(1, 0, 2) == table_pixels(table)).all()
