"""Recorded games as text for people: the cards, the actions, and the search results at each."""

import textwrap

from skat_env.datasets.dataset import Dataset
from skat_env.datasets.searches import Searches
from skat_env.protocols import Game, State

_WIDTH = 78
_TIE = "\N{NO-BREAK SPACE}"


def game_text(dataset: Dataset, number: int, decisions: bool = False) -> str:
    """A game of a dataset as text: the table at its start, its actions (or a line per decision), and its result.

    Raises:
        IllegalAction, ParseError: if it is damaged.
    """
    record, game = dataset[number], dataset.game
    state = record.state.clone()
    actions = state.history()
    while state.history():
        state.undo()
    names = ", ".join(dict.fromkeys(record.agents))
    lines = [f"game {number}, {record.status}: {names}", game.render(state, None)]
    if decisions:
        lines += _decision_lines(game, state, actions, dataset.searches(number))
    else:
        lines += textwrap.wrap(", ".join(_action_texts(game, state, actions)), _WIDTH)
    returns = record.returns(game.match_unit)
    if returns is not None:
        lines.append(f"{game.match_unit.replace('_', ' ')} {' '.join(f'{each:+}' for each in returns)}")
    return "\n".join(lines)


def _action_texts(game: Game, state: State, actions: list[int]) -> list[str]:
    """Each action with the seat that played it: `forehand ♠J`."""
    texts = []
    for action in actions:
        texts.append(f"{game.seats[state.to_act]} {game.label(state, action)}")
        state.apply(action)
    return texts


def _decision_lines(game: Game, state: State, actions: list[int], searches: Searches | None) -> list[str]:
    """A line per decision: step, seat, action, value, and the weights of the legal actions in descending order."""
    lines = [f"{'step':>4}  {'seat':<10}  {'action':<12} {'value':>7}  weights"]
    for step, action in enumerate(actions):
        value = None if searches is None else searches.value(step)
        weights = None if searches is None else searches.weights(step)
        weighted = (
            []
            if weights is None
            else sorted(zip(weights, state.legal_actions(), strict=True), key=_by_weight)
        )
        line = f"{step:>4}  {game.seats[state.to_act]:<10}  {game.label(state, action):<12} "
        line += f"{'' if value is None else format(value, '+.2f'):>7}  "
        line += "  ".join(f"{game.label(state, each)}{_TIE}{weight:.0%}" for weight, each in weighted)
        lines += textwrap.wrap(line, _WIDTH, subsequent_indent=" " * 39) or [line]
        state.apply(action)
    return [line.replace(_TIE, " ") for line in lines]


def _by_weight(pair: tuple[float, int]) -> tuple[float, int]:
    return -pair[0], pair[1]
