"""Work that waits until another library has been imported, so that ours need not import it."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def after_import(name: str, work: Callable[[ModuleType], None]) -> None:
    """Calls `work` with a library's module: at once if the library has been imported, else right after it is.

    Args:
        name: the library's top-level module.
        work: what to do; its errors are the import's.
    """
    module = sys.modules.get(name)
    if module is not None:
        work(module)
    else:
        sys.meta_path.insert(0, _Waiting(name, work))


class _Waiting:
    """Finds one module as the other finders do, and adds the work to the end of its import."""

    def __init__(self, name: str, work: Callable[[ModuleType], None]) -> None:
        self._name, self._work, self._asked = name, work, False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """The module's spec, whose loader does the work as well; None for other modules."""
        if fullname != self._name or self._asked:
            return None
        self._asked = True  # else the other finders would ask this one
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asked = False
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def execute_and_work(module: ModuleType) -> None:
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._work(module)

        # On the finders' own loader: it must stay of its class, which readers of a package's files ask for.
        loader.exec_module = execute_and_work
        return spec
