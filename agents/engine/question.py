"""The lines of the engine protocol that both sides read and write: the question and the seed (docs/engines.md)."""

import hashlib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.cards import card_text, mask_text
from skat_env.errors import ParseError
from skat_env.play.lockstep import COUNTED
from skat_env.protocols import ACTION_BITS, Decision, Game, View

PROTOCOL: Final = "skat_env 1"
"""The host's first line: the protocol and its version."""
_SEED: Final = re.compile("([0-9a-fA-F]{32})([0-9a-fA-F]{32})([01])([0-9a-fA-F]{8})")
_LARGEST: Final = float(np.finfo(np.float32).max)
"""The largest weight."""


def question_lines(game: Game, view: View, seed: str, time: int) -> str:
    """The lines that ask for a decision.

    Args:
        game: the game.
        view: the view of the seat to act.
        seed: the luck of the decision.
        time: the milliseconds that the decision may take.
    """
    trick = "".join(f" {seat}:{card_text(card)}" for seat, card in view.trick())
    legal = " ".join(game.actions[action] for action in view.legal_actions())
    return (
        f"position {view.text()}\nstage {view.stage}\nhand {mask_text(view.places[view.to_act])}\n"
        f"trick{trick}\nlegal {legal}\nseed {seed}\ntime {time}\ngo\n"
    )


def info_lines(game: Game, decision: Decision) -> str:
    """The lines that tell what a decision expects and how it weighs the actions; each with the end of the line."""
    lines = ""
    if decision.value is not None:
        lines += f"info value {float(decision.value)!r} {decision.unit}".rstrip() + "\n"
    if decision.weights is not None:
        weights = [
            f"{game.actions[a]}={float(decision.weights[a])!r}" for a in np.flatnonzero(decision.weights)
        ]
        lines += f"info weights {' '.join(weights)}\n"
    return lines


def informed(game: Game, legal: Collection[int], action: int, lines: Iterable[str]) -> Decision:
    """The decision for an action, with what `info` lines tell of it; others are kept among its `stats`, by first word,
    but for what matches count.

    Args:
        game: the game.
        legal: the legal actions.
        action: the action that was chosen.
        lines: the lines, without their first word.

    Raises:
        ParseError: if a line with a known word cannot be read, has a number that is not finite, or weighs what is not
            legal.
    """
    value, unit, weights, stats = None, "", None, {}
    for line in lines:
        word, _, rest = line.partition(" ")
        try:
            if word == "value":
                number, _, unit = rest.partition(" ")
                value = _finite(number)
            elif word == "weights":
                weights = _weights(game, legal, rest)
            elif word not in COUNTED:
                stats[word] = rest
        except (ValueError, KeyError):
            raise ParseError(
                f"'info {line}': expected 'info value NUMBER UNIT' or 'info weights ACTION=SHARE ...' of legal actions"
            ) from None
    return Decision(action, weights, value, stats, unit)


def _weights(game: Game, legal: Collection[int], text: str) -> NDArray[np.float32]:
    """The weights in a text `ACTION=SHARE ...`; raises a ValueError or a KeyError if they are none."""
    numbers = {game.actions[number]: number for number in legal}
    weights = np.zeros(ACTION_BITS, np.float32)
    for pair in text.split():
        name, _, share = pair.partition("=")
        weights[numbers[name]] = _finite(share, 0.0, _LARGEST)
    return weights


def _finite(text: str, least: float = -math.inf, most: float = math.inf) -> float:
    """The finite number in a text; raises a ValueError if there is none, or it is too small or too large."""
    number = float(text)
    if not math.isfinite(number) or not least <= number <= most:
        raise ValueError(text)
    return number


def result_line(view: View, returns: Sequence[float]) -> str:
    """The line that tells how a game has ended."""
    return f"result {','.join(f'{each:g}' for each in returns)} {view.text()}\n"


def seed_text(rng: np.random.Generator) -> str:
    """The state of a PCG64 generator as 73 hexadecimal digits: state 32, increment 32, whether half of a draw is left
    1, that half 8.
    """
    whole: Any = rng.bit_generator.state
    inner = whole["state"]
    return f"{inner['state']:032x}{inner['inc']:032x}{whole['has_uint32']:x}{whole['uinteger']:08x}"


def seeded(text: str) -> np.random.Generator:
    """The generator that a seed names: the state that `seed_text` wrote, or any other text by its digest."""
    rng = np.random.default_rng(0)
    try:
        set_seed(rng, text)
    except ParseError:
        rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=32).digest()))
    return rng


def set_seed(rng: np.random.Generator, text: str) -> None:
    """Puts a PCG64 generator into the state that a text names.

    Raises:
        ParseError: if the text was not written by `seed_text`.
    """
    found = _SEED.fullmatch(text)
    if found is None:
        raise ParseError(
            f"'{text}' is not a seed: expected 73 hexadecimal digits, of which the 65th is 0 or 1"
        )
    state, inc, has, left = (int(part, 16) for part in found.groups())
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": inc},
        "has_uint32": has,
        "uinteger": left,
    }
