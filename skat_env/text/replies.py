"""Moves read from replies of people and language models: forgiving in form, exact in meaning, never a guess."""

import re
import unicodedata
from typing import Final

from skat_env.cards import CARD_TEXTS
from skat_env.protocols import View
from skat_env.text.card_words import cards_in
from skat_env.text.describe import name_of_game, text_of

LONGEST_MOVE: Final = 60
"""The characters of the longest move; more is no move."""
_BRACKETED: Final = re.compile(r"\[([^\[\]]*)\]")
_FILLERS: Final = frozenset(("i", "play", "move", "card", "the", "my", "action", "answer", "discard", "lay"))


class ReplyError(ValueError):
    """A reply that names no legal move; the sentence says what is wrong and what would be right."""


def parse_reply(text: str, view: View) -> int:
    """The legal action that a reply names: the last move in square brackets, or the whole reply if it has none.

    Cards may be written in codes, symbols, or English, German and Dutch words, suit or rank first.

    >>> from skat_env.text import parse_reply
    >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
    >>> view = state.view(state.to_act)
    >>> get_game("klaverjas").actions[parse_reply("I think that [ace of diamonds] is best.", view)]
    'DA'

    Raises:
        ReplyError: if the move is missing, ambiguous, or not legal.
    """
    game = name_of_game(view)
    words = text_of(game)
    legal = view.legal_actions()
    if not legal:
        raise ReplyError("it is not this seat's turn")
    best = words.move(view, legal[0], lambda card: CARD_TEXTS[card])
    hint = f"write one legal move in square brackets, as [{best}]"
    move = _last_move(text)
    if move is None:
        raise ReplyError(f"the reply has no move in square brackets: {hint}")
    if not move.strip():
        raise ReplyError(f"the brackets are empty: {hint}")
    if len(move) > LONGEST_MOVE:
        raise ReplyError(f"the brackets hold {len(move)} characters, which are no move: {hint}")
    plain = _words(move)
    shown = "".join(letter if letter.isprintable() else "?" for letter in move.strip())
    cards, rest = cards_in([word for word in plain if word not in _FILLERS])
    if len(set(cards)) > 1:
        raise ReplyError(f"[{shown}] names {len(set(cards))} cards: one move at a time, {hint}")
    if cards and not rest:
        found = {cards[0]}
    elif cards:
        raise ReplyError(f"[{shown}] is a card and something else: {hint}")
    else:
        try:
            found = words.actions(view, rest)
        except ValueError as error:
            raise ReplyError(f"[{shown}]: {error}; {hint}") from None
    if not found:
        raise ReplyError(f"[{shown}] is no move that is known: {hint}")
    meant = found & set(legal)
    if len(meant) > 1:
        raise ReplyError(f"[{shown}] may mean several moves: {hint}")
    if not meant:
        raise ReplyError(f"[{shown}] is not legal now: {_listed(view, legal)}")
    return meant.pop()


def _last_move(text: str) -> str | None:
    """What the last pair of brackets holds; without brackets a reply that is short enough to be a move."""
    bracketed = _BRACKETED.findall(text)
    if bracketed:
        return str(bracketed[-1])
    bare = text.strip()
    return bare if 0 < len(bare) <= LONGEST_MOVE and "[" not in bare and "]" not in bare else None


def _words(move: str) -> list[str]:
    """The words of a move in small letters, without punctuation."""
    plain = unicodedata.normalize("NFKC", move).casefold().replace("\ufe0f", "")
    return [word for word in re.split(r"[^\w♦♢♥♡♠♤♣♧]+|_+", plain) if word]


def _listed(view: View, legal: list[int]) -> str:
    words = text_of(name_of_game(view))
    moves = " ".join(f"[{words.move(view, action, lambda card: CARD_TEXTS[card])}]" for action in legal)
    return f"the legal moves are {moves}"
