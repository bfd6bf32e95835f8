"""What the `render` of environments does, in each of its modes."""

from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from skat_env.errors import UnknownName
from skat_env.pictures.table import table_of
from skat_env.protocols import Game
from skat_env.registry import get_game, get_part

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
RENDER_FPS: Final = 2
"""The pictures per second of a video or a window: fast enough to follow, and to read."""


class Renderer:
    """Shows the positions of an environment: in a window, as text or as pixels.

    Args:
        game: the game.
        mode: one of the modes, or None: nothing is shown.
        modes: the modes that the environment has.

    Raises:
        UnknownName: if there is no such mode.
        ImportError: if pictures are asked for and the extra `pictures` is missing.
        ValueError: if pictures are asked for and the game gives none.
    """

    def __init__(self, game: Game, mode: str | None, modes: tuple[str, ...] = RENDER_MODES) -> None:
        if mode not in (None, *modes):
            raise UnknownName("render mode", str(mode), modes)
        self._game = game.name
        self._mode = mode
        self._window: Any = None
        if mode in ("human", "rgb_array"):
            get_part(game.name, "picture")
            import skat_env.pictures.pixels  # noqa: F401 (an error at once, not in the first game)

    def render(self, state: Any, seat: int | None) -> str | NDArray[np.uint8] | None:
        """Shows a state as a seat sees it; seat None: with all cards open.

        Returns:
            The text (`ansi`), the pixels as uint8 [height, width, 3] (`rgb_array`), or None.
        """
        if self._mode is None:
            gymnasium.logger.warn("render() shows nothing: the environment was made without a render_mode")
            return None
        if self._mode == "ansi":
            return get_game(self._game).render(state, seat)
        table = table_of(self._game, state if seat is None else state.view(seat))
        if self._mode == "rgb_array":
            from skat_env.pictures.pixels import table_pixels

            return table_pixels(table)
        if self._window is None:
            from skat_env.pictures.window import Window

            self._window = Window(self._game, RENDER_FPS)
        self._window.show(table)
        return None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}  # a copy opens a window of its own

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
