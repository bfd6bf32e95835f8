"""How long fuzzers run, how they mutate, and what counts as a sentence.

SKAT_ENV_FUZZ_SECONDS=60 makes them run a minute in all; the default is a fixed number of rounds.
"""

import itertools
import os
import time
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

SECONDS: Final = float(os.environ.get("SKAT_ENV_FUZZ_SECONDS", "0"))
PIECES: Final = [
    piece.encode()
    for piece in (
        *" \t\n\r\0/-.,:;=?!\"'\\()[]{}é\ufeff", "-1", "0", "1", "2", "3", "18", "255", "256", "264", "1.5", "1e400", "NaN",
        "Infinity", "true", "null", str(2**31), str(2**32), str(2**63), str(2**64), "9" * 5000, "[" * 2000, '{"a":' * 2000,
        "D7", "CJ", "SA", "??", "pass", "yes", "pickup", "hand", "null", "grand", "ouvert", "w TI.2", "w LE.1", "RE", "SC",
        "seat=1", "open=", "declarer=1", "bids=18,20,0", "game=NO", "forehand=2", "trump=H", "play_out=1", '"game":',
        '"claim":true', '"ending":"MV[w LE.1]"',
    )
] + [b"\xff", b"\xed\xa0\x80", b"\x1f\x8b", b"BZh"]  # fmt: skip


def rounds(quick: int, share: float) -> Iterator[np.random.Generator]:
    """A generator for each round: `quick` rounds, or more while a share of the time is left."""
    end = time.monotonic() + SECONDS * share
    for number in itertools.count():
        if number >= quick and time.monotonic() >= end:
            return
        yield np.random.default_rng(number)


def mutated(samples: Sequence[bytes], rng: np.random.Generator) -> bytes:
    """One of the samples with one to three changes: bytes flipped, cut, doubled, moved, or from elsewhere put in."""
    data = samples[rng.integers(len(samples))]
    for _ in range(rng.integers(1, 4)):
        first = int(rng.integers(len(data) + 1))
        last = min(len(data), first + int(rng.integers(1, 1 + 2 ** rng.integers(8))))
        kind = rng.integers(6)
        if kind == 0:
            inside = bytes(rng.integers(256, size=1, dtype=np.uint8))
        elif kind == 1:
            inside = b""
        elif kind == 2:
            inside = data[first:last] * 2
        elif kind == 3:
            inside = data[first:last][::-1]
        elif kind == 4:
            other = samples[rng.integers(len(samples))]
            start = int(rng.integers(len(other) + 1))
            inside = other[start : start + last - first]
        else:
            inside = PIECES[rng.integers(len(PIECES))]
            last = first + int(rng.integers(2)) * (last - first)
        data = data[:first] + inside + data[last:]
    return data


def require_sentence(error: Exception) -> None:
    """Asserts that an error says in one line, of reasonable length, what is wrong."""
    text = str(error)
    assert text, repr(error)
    assert "\n" not in text, text
    assert len(text) < 1000, text
    assert "object at 0x" not in text, text
