"""What a seat may know, in words that need no other page."""

from typing import Final, Literal

from skat_env.options import check_option
from skat_env.protocols import View
from skat_env.registry import game_of, get_game, get_part
from skat_env.text.card_words import Cards, card_writer
from skat_env.text.game_text import GameText

Form = Literal["long", "short"]
HOW: Final = "Answer with your move in square brackets at the end"


def text_of(game: str) -> GameText:
    """The words of a game.

    Raises:
        ValueError: if it has none.
    """
    found: GameText = get_part(game, "text")
    return found


def name_of_game(view: View) -> str:
    """The name of the game that a View is of.

    Raises:
        ValueError: if it is of no game that has words.
    """
    game = game_of(view)
    if game is None or not isinstance(view, game.view):
        raise ValueError(f"{type(view).__name__} is the View of no game: expected state.view(seat)")
    return game.name


def rules(game: str) -> str:
    """The rules of a game in at most 900 words of English.

    >>> from skat_env.text import rules
    >>> "61" in rules("skat")
    True

    Raises:
        UnknownName: if there is no such game.
    """
    return text_of(game).rules


def describe(view: View, form: Form = "long", cards: Cards = "codes", legal: bool = True) -> str:
    """What a seat may know, in English: for a person, or as the prompt of a language model.

    >>> from skat_env.text import describe
    >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
    >>> print(describe(state.view(state.to_act), "short", legal=False))
    You are south. Diamonds are trumps, declared by east with west.
    Your hand: DA DT D8 CQ CJ C9 S8 HT
    You lead.
    Which card do you play? Answer with your move in square brackets at the end, as [DA].

    Args:
        view: of the seat; hidden cards are not in it.
        form: `long` has all that the seat may know; `short` what it needs for the decision.
        cards: how cards are written; replies are read in any style.
        legal: whether the legal moves are listed.

    Raises:
        OptionError: if the form or the style is not known.
    """
    check_option("describe", "form", Form, form)
    check_option("describe", "cards", Cards, cards)
    words, card = text_of(name_of_game(view)), card_writer(cards)
    lines = words.long(view, card) if form == "long" else words.short(view, card)
    actions = _sorted(view, words)
    if not actions:
        return "\n".join([*lines, _result(view) if view.is_over else "It is not your turn."])
    moves = [words.move(view, action, card) for action in actions]
    lines.append(f"{words.question(view)} {HOW}, as [{moves[0]}].")
    if legal:
        lines.append(f"Legal moves: {' '.join(f'[{move}]' for move in moves)}")
    return "\n".join(lines)


def _sorted(view: View, words: GameText) -> list[int]:
    """The legal actions, cards in the order in which a player holds them."""
    legal = view.legal_actions()
    held = [action for action in words.hand(view) if action in legal]
    return held + [action for action in legal if action not in held]


def _result(view: View) -> str:
    """How a game that is over has ended for the seats, as far as this one may know."""
    game = get_game(name_of_game(view))
    try:
        returns = view.returns(game.match_unit)
    except ValueError:  # some cards that count are hidden
        return "The result depends on cards that you do not see."
    return (
        f"Result: {', '.join(f'{seat} {value:+d}' for seat, value in zip(game.seats, returns, strict=True))}."
    )


__all__ = ["Cards", "Form", "describe", "game_of", "rules", "text_of"]
