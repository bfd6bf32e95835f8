"""Imports what commands import where they use it: for processes that are forked from one that has imported all."""

import contextlib
import pkgutil
from importlib import import_module
from typing import Final

import skat_env

LEFT_OUT: Final = ("skat_env.__main__", "skat_env.program", "skat_env.doors.")
"""Programs, which run when they are imported, and what no command needs and takes long."""
OTHERS: Final = ("matplotlib.pyplot", "rich._emoji_codes", "scipy.stats", "typeguard", "xml.sax")

for module in pkgutil.walk_packages(skat_env.__path__, "skat_env."):
    if not module.name.startswith(LEFT_OUT):
        with contextlib.suppress(ImportError):
            import_module(module.name)
for name in OTHERS:
    import_module(name)
