"""Folders that are there whole or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skat_env.tools.run_folder import locked


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """An empty folder beside a path, which gets its name when the block ends; after an error nothing is left.

    What a killed process left there is deleted.

    Raises:
        FileExistsError: if there is something at the path, and be it a mount point.
        BlockingIOError: if another process is making the same folder.
    """
    path = path.resolve()
    if path.exists() and (path.is_mount() or not path.is_dir() or any(path.iterdir())):
        raise FileExistsError(f"{path} is not an empty folder: nothing is changed; name another one")
    partial = path.with_name(f".{path.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    with locked(partial):
        try:
            for leftover in partial.iterdir():
                leftover.unlink()
            yield partial
            partial.rename(path)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
