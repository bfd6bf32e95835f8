"""The optional packages, and which extra brings each."""

from typing import Final

EXTRAS: Final = {
    "torch": "learn",
    "safetensors": "learn",
    "msgspec": "learn",
    "tensorboard": "learn",
    "stable_baselines3": "learn",
    "sb3_contrib": "learn",
    "matplotlib": "plot",
    "ray": "ray",
}
"""Package -> extra."""


def explained(error: ImportError) -> ImportError:
    """An error whose sentence names the extra to install, if that is what is missing; else the error itself."""
    package = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package not in EXTRAS:
        return error
    return ImportError(f"this needs {package}: pip install 'skat_env[{EXTRAS[package]}]'")
