"""Pictures of tables as SVG."""

from typing import Any
from xml.sax.saxutils import escape

from skat_env.pictures.faces import FACE_HEIGHT, FACE_WIDTH, Style, face, suit_paths
from skat_env.pictures.layout import FELT, HEIGHT, PALE, WIDTH, Box, Card, Drawing, Item, Mark, Words, layout
from skat_env.pictures.table import Table, table_of
from skat_env.registry import game_of, has_part


def table_svg(
    table: Table,
    width: int = WIDTH,
    height: int = HEIGHT,
    style: Style = Style(),  # noqa: B008 (a value)
) -> str:
    """The picture of a table as an SVG document of a size in pixels."""
    return document(layout(table, width, height), style)


def position_svg(
    game: str,
    position: Any,
    bottom: int | None = None,
    width: int = WIDTH,
    height: int = HEIGHT,
    style: Style = Style(),  # noqa: B008 (a value)
) -> str:
    """The picture of a State, with all cards open, or of a View, with the cards that its seat sees.

    Args:
        game: the game's name.
        position: the position.
        bottom: the seat at the bottom; None: a View's own seat, else seat 0.
        width: the width in pixels.
        height: the height in pixels.
        style: how cards look.

    Raises:
        ValueError: if the game gives no pictures, or a side is out of range.
    """
    return table_svg(table_of(game, position, bottom), width, height, style)


def position_repr(position: Any) -> str | None:
    """What notebooks show of a State or a View: its picture; None if its game has none."""
    game = game_of(position)
    return position_svg(game.name, position) if game and has_part(game.name, "picture") else None


def document(drawing: Drawing, style: Style = Style()) -> str:  # noqa: B008 (a value)
    """A picture as an SVG document; each face is there once."""
    cards = dict.fromkeys(item.card for item in drawing.items if isinstance(item, Card))
    faces = "".join(
        f'<symbol id="{style.name(card)}" viewBox="0 0 {FACE_WIDTH} {FACE_HEIGHT}">{face(card, style)}</symbol>'
        for card in cards
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width}" height="{drawing.height}" '
        f'viewBox="0 0 {drawing.width} {drawing.height}" font-family="Helvetica,Arial,sans-serif">'
        f"<defs>{faces}</defs>{''.join(_item(item, style) for item in drawing.items)}</svg>"
    )


def _item(item: Item, style: Style) -> str:
    match item:
        case Box():
            round_corners = f' rx="{item.radius:.1f}"' if item.radius else ""
            return (
                f'<rect x="{item.x:.1f}" y="{item.y:.1f}" width="{item.width:.1f}" height="{item.height:.1f}"'
                f'{round_corners} fill="{item.fill}"/>'
            )
        case Card():
            high = item.width * FACE_HEIGHT / FACE_WIDTH
            cover = Box(item.x, item.y, item.width, high, 0.08 * item.width, FELT)
            pale = _item(cover, style).replace("/>", f' opacity="{PALE}"/>') if item.pale else ""
            return (
                f'<use href="#{style.name(item.card)}" x="{item.x:.1f}" y="{item.y:.1f}" '
                f'width="{item.width:.1f}" height="{high:.1f}"/>{pale}'
            )
        case Words():
            anchor = {0.0: "", 0.5: ' text-anchor="middle"', 1.0: ' text-anchor="end"'}[item.anchor]
            bold = ' font-weight="bold"' if item.bold else ""
            return (
                f'<text x="{item.x:.1f}" y="{item.y:.1f}" font-size="{item.size:.1f}" '
                f'fill="{item.colour}"{anchor}{bold}>{escape(item.text)}</text>'
            )
        case Mark():
            field = f'<circle cx="{item.x:.1f}" cy="{item.y:.1f}" r="{0.62 * item.size:.1f}" fill="#fff"/>'
            return field + suit_paths(item.suit, round(item.x, 1), round(item.y, 1), 0.8 * item.size, style)
