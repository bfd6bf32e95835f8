"""What may be asked about a game when it is over: its cards, what each card cost, open-card values, beliefs."""

import numpy as np

from skat_env.agents.asked import asked_belief
from skat_env.beliefs.belief import POSSIBLE
from skat_env.beliefs.posterior import InferringSampler
from skat_env.cards import CARD_TEXTS
from skat_env.doors.session import Refused, Session
from skat_env.errors import OptionError
from skat_env.protocols import State
from skat_env.solvers.open_card import parse_position
from skat_env.solvers.review import NothingToReview, review
from skat_env.structs import write_position
from skat_env.structs.position import struct_of_game


def reviewed(session: Session) -> str:
    """The cards of a finished game, its result, and what each card of the cardplay cost its side.

    Raises:
        Refused: if the game is not over.
    """
    record = session.record()
    game, state = session.game, record.state
    lines = [game.render(state, None), f"record: {record.text()}"]
    try:
        found = review(record)
    except NothingToReview as error:
        return "\n".join([*lines, str(error)])
    first = len(state.history()) - len(found.cards)
    for number, card in enumerate(found.cards):
        better = f"; better: {' '.join(CARD_TEXTS[each] for each in card.better)}" if card.better else ""
        cost = f", costs {card.cost}{better}" if card.cost else ""
        turns = " and gives the game away" if card.turns else ""
        lines.append(f"step {first + number}: {game.seats[card.seat]} {CARD_TEXTS[card.card]}{cost}{turns}")
    sums = [f"{name} {cost}" for name, cost in zip(game.seats, found.costs, strict=True)]
    return "\n".join([*lines, f"costs with open cards: {', '.join(sums)}"])


def solved(session: Session, step: int) -> str:
    """Perfect play with open cards from a step of a finished game on.

    Raises:
        Refused: if the game is not over, or the step is not of the cardplay.
    """
    state = _at(session, step)
    if state.is_over or state.stage != session.game.stages[-1]:
        raise Refused(f"step {step} is not in the cardplay: expected a step of the review")
    game, line = parse_position(state.text())
    return game.describe(line)


def believed(session: Session, step: int, seat: int, belief: str) -> str:
    """Where a seat could believe the hidden cards to lie at a step of a finished game.

    Raises:
        Refused: if the game is not over, or there is no such step.
        ValueError: if there is no such belief, or it has no probabilities.
    """
    state = _at(session, step)
    game = session.game
    sampler = asked_belief(belief, game.name)
    if not isinstance(sampler, InferringSampler):
        raise OptionError(
            f"the belief '{belief}' has no probabilities: expected uniform, locations or another"
        )
    view = state.view(seat)
    chances = sampler.posterior(view, np.random.default_rng(0)).marginals()
    places = struct_of_game(game.name).places
    lines = [f"what {game.seats[seat]} could believe before step {step}, with {belief}:"]
    for card in range(len(chances)):
        if chances[card].max() > POSSIBLE:
            told = [
                f"{name} {chance:.3f}"
                for name, chance in zip(places, chances[card], strict=True)
                if chance > POSSIBLE
            ]
            truth = next(
                (name for name, mask in zip(places, state.places, strict=True) if mask >> card & 1), "played"
            )
            lines.append(f"{CARD_TEXTS[card]}: {', '.join(told)} (it was at {truth})")
    return "\n".join([*lines, write_position(view)])


def _at(session: Session, step: int) -> State:
    """The state of a finished game after so many actions."""
    state = session.record().state
    last = len(state.history())
    if not 0 <= step <= last:
        raise Refused(f"step {step} is not one of 0..{last}")
    for _ in range(last - step):
        state.undo()
    return state
