"""Optional packages, and the extra that installs each."""

import importlib.util
from typing import Final

EXTRAS: Final = {
    "torch": "learn",
    "tensorboard": "learn",
    "stable_baselines3": "learn",
    "sb3_contrib": "learn",
    "onnx": "onnx",
    "matplotlib": "plot",
    "pygame": "pictures",
    "starlette": "table",
    "uvicorn": "table",
    "websockets": "table",
    "anyio": "table",
    "openai": "llm",
    "mcp": "mcp",
    "openenv": "openenv",
    "verifiers": "verifiers",
    "datasets": "verifiers",
    "inspect_ai": "inspect",
    "ray": "ray",
    "pyspiel": "interop",
    "open_spiel": "interop",
    "torchrl": "torchrl",
    "tensordict": "torchrl",
    "tianshou": "tianshou",
}
"""Package -> extra."""


def require_package(name: str) -> None:
    """Raises an ImportError, before hours of work and not after, if an optional package is missing; imports nothing."""
    if importlib.util.find_spec(name) is None:
        raise explained(ModuleNotFoundError(f"No module named '{name}'", name=name))


def require_figures(without: str = "") -> None:
    """Raises an ImportError, before hours of work and not after, if there is nothing to draw figures with.

    Args:
        without: the option that leaves the figures out; empty: there is none.
    """
    try:
        require_package("matplotlib")
    except ImportError as error:
        told = explained(error)
        raise ImportError(f"{told}; or {without} leaves the figure out" if without else told) from None


def explained(error: ImportError) -> ImportError:
    """An error that names the extra to install, if an optional package is missing; else the error itself."""
    package = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package not in EXTRAS:
        return error
    return ImportError(
        f"this needs {package}: pip install '.[{EXTRAS[package]}]' in the checkout of skat_env"
    )
