"""Pictures of tables as pixels: the shapes of `layout`, painted with pygame from faces drawn once for each size."""

import io
import os
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.pictures.faces import FACE_HEIGHT, FACE_WIDTH, Style, face_svg, suit_paths
from skat_env.pictures.layout import FELT, HEIGHT, PALE, WIDTH, Box, Card, Drawing, Mark, Words, layout
from skat_env.pictures.table import Table
from skat_env.tools.extras import explained

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
except ImportError as error:
    raise explained(error) from None

_FINER: Final = 3
"""Faces are drawn this many times larger and then made smaller: pygame's own smoothing of lines is coarse."""


def table_pixels(
    table: Table,
    width: int = WIDTH,
    height: int = HEIGHT,
    style: Style = Style(),  # noqa: B008 (a value)
) -> NDArray[np.uint8]:
    """The picture of a table as uint8 [height, width, 3]."""
    surface = paint(layout(table, width, height), style)
    return np.ascontiguousarray(pygame.surfarray.pixels3d(surface).transpose(1, 0, 2))


def png(drawing: Drawing, style: Style = Style()) -> bytes:  # noqa: B008 (a value)
    """A picture as a PNG file."""
    out = io.BytesIO()
    pygame.image.save(paint(drawing, style), out, "x.png")
    return out.getvalue()


def paint(drawing: Drawing, style: Style = Style()) -> Any:  # noqa: B008 (a value)
    """A picture on a new surface of pygame."""
    surface = pygame.Surface((drawing.width, drawing.height), 0, 32)
    for item in drawing.items:
        match item:
            case Box():
                where = (round(item.x), round(item.y), round(item.width), round(item.height))
                pygame.draw.rect(surface, item.fill, where, border_radius=round(item.radius))
            case Card():
                image = _card(item.card, round(item.width), item.pale, style)
                surface.blit(image, (round(item.x), round(item.y)))
            case Words():
                image, above = _words(item.text, round(item.size), item.colour, item.bold)
                surface.blit(image, (round(item.x - item.anchor * image.get_width()), round(item.y) - above))
            case Mark():
                size = round(1.24 * item.size)
                surface.blit(
                    _mark(item.suit, size, style), (round(item.x - size / 2), round(item.y - size / 2))
                )
    return surface


def _drawn(svg: str, width: int, height: int) -> Any:
    """A drawing that is `_FINER` times as large as asked, made smaller."""
    return pygame.transform.smoothscale(
        pygame.image.load(io.BytesIO(svg.encode()), "face.svg"), (width, height)
    )


@lru_cache(maxsize=1024)
def _card(card: int | None, width: int, pale: bool, style: Style) -> Any:
    image = _drawn(face_svg(card, style, _FINER * width), width, round(width * FACE_HEIGHT / FACE_WIDTH))
    if pale:
        cover = pygame.Surface(image.get_size(), pygame.SRCALPHA)
        colour = pygame.Color(FELT)
        colour.a = round(255 * PALE)
        pygame.draw.rect(cover, colour, cover.get_rect(), border_radius=round(0.08 * width))
        image.blit(cover, (0, 0))
    return image


@lru_cache(maxsize=64)
def _mark(suit: int, size: int, style: Style) -> Any:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_FINER * size}" height="{_FINER * size}" '
        f'viewBox="-31 -31 62 62"><circle r="31" fill="#fff"/>{suit_paths(suit, 0, 0, 40, style)}</svg>'
    )
    return _drawn(svg, size, size)


@lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> Any:
    pygame.font.init()
    font = pygame.font.Font(None, round(1.35 * size))  # pygame counts the height of a line
    font.set_bold(bold)
    return font


@lru_cache(maxsize=4096)
def _words(text: str, size: int, colour: str, bold: bool) -> tuple[Any, int]:
    """A line of text, and the height of its base line."""
    font = _font(size, bold)
    return font.render(text, True, colour), font.get_ascent()
