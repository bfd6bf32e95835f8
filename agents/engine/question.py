"""The lines of the engine protocol that both sides read and write: the question and the seed (docs/engines.md)."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from skat_env.cards import card_text, mask_text
from skat_env.errors import ParseError
from skat_env.protocols import Game, View

PROTOCOL: Final = "skat_env 1"
"""The host's first line: the protocol and its version."""
_SEED_DIGITS: Final = 32 + 32 + 1 + 8


@dataclass(frozen=True, slots=True)
class Question:
    """What an engine is asked for a decision."""

    position: str
    """The text of the view of the seat to act."""
    seed: str
    """The luck of the decision; see `seed_text`."""


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
    try:
        if len(text) != _SEED_DIGITS:
            raise ValueError
        state, inc, has, left = (int(part, 16) for part in (text[:32], text[32:64], text[64], text[65:]))
        rng.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": inc},
            "has_uint32": has,
            "uinteger": left,
        }
    except ValueError:
        raise ParseError(f"'{text}' is not a seed: expected {_SEED_DIGITS} hexadecimal digits") from None
