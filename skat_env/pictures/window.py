"""A window that shows the picture of a table, as Gymnasium's environments do: with pygame."""

from typing import Any

import pygame

from skat_env.pictures.faces import Style
from skat_env.pictures.layout import HEIGHT, WIDTH, layout
from skat_env.pictures.pixels import paint
from skat_env.pictures.table import Table


class Window:
    """One window; it opens with the first picture and stays until it is closed.

    Args:
        title: its title.
        fps: the most pictures per second: `show` waits until the one before was there long enough.
    """

    def __init__(self, title: str, fps: float) -> None:
        self._title = title
        self._fps = fps
        self._clock = pygame.time.Clock()
        self._screen: Any = None

    def show(self, table: Table, style: Style = Style()) -> None:  # noqa: B008 (a value)
        """Shows the picture of a table."""
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode((WIDTH, HEIGHT))
        self._screen.blit(paint(layout(table), style), (0, 0))
        pygame.event.pump()
        self._clock.tick(self._fps)
        pygame.display.flip()

    def close(self) -> None:
        """Closes the window."""
        if self._screen is not None:
            pygame.display.quit()
            self._screen = None
