"""Figures of matplotlib, drawn without a screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def saved_figure(
    path: Path, rows: int = 1, columns: int = 1, dpi: int = 150, **options: Any
) -> Iterator[tuple[Any, Any]]:
    """A figure and its panels, an array of axes [rows, columns]; it is saved when the block ends.

    Args:
        path: the file.
        rows: of panels.
        columns: of panels.
        dpi: pixels per inch.
        options: others of `matplotlib.pyplot.subplots`.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(rows, columns, squeeze=False, **options)
    try:
        yield figure, panels
        if "layout" not in options:
            figure.tight_layout()
        figure.savefig(path, dpi=dpi)
    finally:
        plt.close(figure)
