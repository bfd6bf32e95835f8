"""Questions from seeded games, and the proofs of their answers: by the rules, by exact beliefs, by the solver."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from skat_env.beliefs.belief import POSSIBLE, Belief
from skat_env.cards import CARD_TEXTS, cards_of
from skat_env.doors.exam.question import Question
from skat_env.options import Count, Seed, checked_options
from skat_env.protocols import Game, State, View
from skat_env.registry import OURS, game_of, get_game, get_part, make_agent
from skat_env.rule_options import parse_rules
from skat_env.solvers import open_card
from skat_env.structs.position import struct_of_game
from skat_env.text.describe import text_of

KINDS: Final = {
    "legal": "which cards may be played",
    "winner": "who wins a trick",
    "result": "what a finished game is worth",
    "places": "where a card can be",
    "wins": "whether a card surely wins the trick",
    "open": "what best play gives with open cards",
}
"""What questions are about; each kind comes as often as the others, in both games in turn."""
GAMES: Final = tuple(OURS)
MISTAKES: Final = 0.25
"""The share of cards that are played at random; `rule` plays the others."""
MAX_WORLDS: Final = 2_000
"""The most worlds in which a card is tried."""
MAX_LEFT: Final = 4
"""The most tricks that are left where cards are open."""
_MORE: Final = "Answer in square brackets at the end"
Asked = tuple[str, frozenset[str]]
"""The text of a question, and its answer."""
Asking = Callable[[Any, np.random.Generator], Asked | None]
"""(a state in the cardplay, a generator) -> the question and its answer; None: this state has none of the kind."""


@checked_options("an exam")
def questions(count: Count, seed: Seed = 1) -> Iterator[Question]:
    """Questions of all kinds and games in turn; the same seed gives the same.

    Raises:
        OptionError: if a number is out of range.
    """
    for number in range(count):
        kind = list(KINDS)[number // len(GAMES) % len(KINDS)]
        game = GAMES[number % len(GAMES)]
        rng = np.random.default_rng([seed, number])
        found = None
        while found is None:
            found = _asked(game, kind, rng)
        position, (text, answer) = found
        yield Question(number, game, kind, text, position, answer)


def _asked(game: str, kind: str, rng: np.random.Generator) -> tuple[str, Asked] | None:
    """A position of a game that is played for it, and a question of a kind about it; None: the game gave none."""
    states = [state for state in _played(game, rng) if state.kind is not None]
    if not states:
        return None
    last = states[-1]
    if kind == "result":
        found = _result(game, last) if last.is_over else None
        return None if found is None else (last.text(), found)
    fitting = [state for state in states if not state.is_over and state.stage == get_game(game).stages[-1]]
    ask = _ASKING[kind]
    for index in rng.permutation(len(fitting))[:8]:
        found = ask(fitting[index], rng)
        if found is not None:
            return fitting[index].text(), found
    return None


def _played(game: str, rng: np.random.Generator) -> list[Any]:
    """All states of a game."""
    rules = parse_rules(get_part(game, "scale").rules, get_game(game))
    rule, state = make_agent("rule", game), get_game(game).state.random(rng, rules)
    states = [state.clone()]
    while not state.is_over:
        legal = state.legal_actions()
        random = legal[-1] < len(CARD_TEXTS) and rng.random() < MISTAKES
        state.apply(int(rng.choice(legal)) if random else rule.decide(state.view(state.to_act), rng).action)
        states.append(state.clone())
    return states


def _told(view: View) -> str:
    """What a seat may know, without a question and legal moves."""
    return "\n".join(text_of(_game(view).name).long(view, CARD_TEXTS.__getitem__))


def _game(position: State | View) -> Game:
    game = game_of(position)
    assert game is not None
    return game


def _legal(state: State, rng: np.random.Generator) -> Asked | None:
    view = state.view(state.to_act)
    legal = view.legal_actions()
    if not 0 < len(legal) < view.places[view.seat].bit_count():
        return None
    asked = f"It is your turn. Which of your cards may you play? {_MORE}, all of them, as [C7 C8]."
    return f"{_told(view)}\n{asked}", frozenset(CARD_TEXTS[card] for card in legal)


def _winner(state: State, rng: np.random.Generator) -> Asked | None:
    seats = _game(state).seats
    if len(state.trick()) < len(seats) - 1:
        return None
    seat, card = state.to_act, int(rng.choice(state.legal_actions()))
    told, after = _told(state.view(seat)), state.clone()
    after.apply(card)
    if after.is_over:
        return None
    asked = f"You play {CARD_TEXTS[card]}. Who wins the trick? {_MORE}, as [{seats[0]}]."
    return f"{told}\n{asked}", frozenset((seats[after.to_act],))


def _result(game: str, state: State) -> Asked | None:
    found = get_game(game)
    seat = state.declarer
    if seat < 0:
        return None
    lines = [_told(state.view(seat))]
    beyond = struct_of_game(game).places[len(found.seats) :]
    lines += [
        f"At the deal the {place} was {' '.join(CARD_TEXTS[card] for card in cards_of(cards))}."
        for place, cards in zip(beyond, state.dealt[len(found.seats) :], strict=True)
    ]
    lines.append(f"{text_of(game).result} for this game, by the rules? {_MORE}, as [10] or [-10].")
    return "\n".join(lines), frozenset((str(state.returns(found.match_unit)[seat]),))


def _places(state: State, rng: np.random.Generator) -> Asked | None:
    game = _game(state)
    view = state.view(int(rng.integers(len(game.seats))))
    chances = Belief(view).marginals() > POSSIBLE
    names = struct_of_game(game.name).places
    most = chances.sum(axis=1).max()
    unknown = [card for card in range(len(chances)) if 0 < chances[card].sum() < most]
    if not unknown:
        return None
    card = int(rng.choice(unknown))
    asked = (
        f"Where can the {CARD_TEXTS[card]} be now, by all that has been played? {_MORE}, "
        f"every place where it can be, as [{' '.join(names[-2:])}]."
    )
    return f"{_told(view)}\n{asked}", frozenset(
        name for name, can in zip(names, chances[card], strict=True) if can
    )


def _wins(state: State, rng: np.random.Generator) -> Asked | None:
    seat = state.to_act
    view = state.view(seat)
    belief = Belief(view)
    if belief.count > MAX_WORLDS or len(view.trick()) == len(_game(state).seats) - 1:
        return None
    worlds = belief.states(np.concatenate([*belief.enumerate()]), np.random.default_rng(0))
    try:
        sure = {card: all(_takes(world, card, seat) for world in worlds) for card in view.legal_actions()}
    except LastTrick:
        return None
    wanted = bool(rng.integers(2))
    fitting = [card for card, wins in sure.items() if wins is wanted]
    if not fitting:
        return None
    card = int(rng.choice(fitting))
    asked = (
        f"You play {CARD_TEXTS[card]}. Do you surely win the trick, whatever the others hold and play? "
        f"{_MORE}, as [yes] or [no]."
    )
    return f"{_told(view)}\n{asked}", frozenset(("yes" if wanted else "no",))


def _takes(world: Any, card: int, seat: int) -> bool:
    """Whether a seat takes the trick with a card in a world, whatever the others play.

    Raises:
        LastTrick: if the game may end with the trick.
    """
    before = world.tricks_played

    def won(action: int) -> bool:
        world.apply(action)
        try:
            if world.is_over:
                raise LastTrick
            return (
                world.to_act == seat if world.tricks_played > before else all(map(won, world.legal_actions()))
            )
        finally:
            world.undo()

    return won(card)


class LastTrick(Exception):
    """The game ends with this trick, so that no later position says who won it."""


def _open(state: State, rng: np.random.Generator) -> Asked | None:
    game = _game(state)
    left = max(cards.bit_count() for cards in state.places[: len(game.seats)])
    if state.trick() or not 2 <= left <= MAX_LEFT:
        return None
    solved, line = open_card.parse_position(state.text())
    asked = open_card.Asked("exact")
    asks = solved.questions(line, asked)
    answers = solved.answers(
        line, asked, [solved.solver.solve_many([line.position], each)[0] for each in asks]
    )
    value = next((number for number in reversed(answers.values()) if type(number) is int), None)
    if value is None:  # a yes or no
        return None
    wanted = get_part(game.name, "open_card").value_question
    about = f"{wanted}, if all see all cards and play best? {_MORE}, as [10] or [-10]."
    return f"{game.render(state, None)}\n{about}", frozenset((str(value),))


_ASKING: Final[dict[str, Asking]] = {
    "legal": _legal,
    "winner": _winner,
    "places": _places,
    "wins": _wins,
    "open": _open,
}
