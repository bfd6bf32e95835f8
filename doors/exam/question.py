"""A question with its answer, and how replies are read."""

import re
from dataclasses import dataclass
from typing import Final

from skat_env.cards import CARD_TEXTS
from skat_env.text.card_words import cards_in

LONGEST: Final = 300
"""The most characters of an answer: a longer reply has none."""
_BRACKETED: Final = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Question:
    """One question of an exam."""

    number: int
    game: str
    kind: str
    """What is asked, one of `KINDS`."""
    text: str
    """All that is needed to answer it besides the rules."""
    position: str
    """The state that it is about, all cards open: not for who answers."""
    answer: frozenset[str]
    """What must be in the brackets, in any order: cards as codes, seats, numbers, yes or no."""

    def is_right(self, reply: str) -> bool:
        """Whether the last square brackets of a reply hold the answer."""
        return read_answer(reply) == self.answer


def read_answer(reply: str) -> frozenset[str] | None:
    """What the last square brackets of a reply hold, in small letters, cards as codes; None: there are none."""
    found = _BRACKETED.findall(reply)
    if not found or len(found[-1]) > LONGEST:
        return None
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", found[-1].casefold().replace("−", "-"))
    words = [word.strip("*_.").removeprefix("+") for word in re.split(r"[\s,;/]+", plain)]
    cards, rest = cards_in([word for word in words if word not in ("", "and", "the")])
    return frozenset([*(CARD_TEXTS[card] for card in cards), *rest])
