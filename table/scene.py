"""What one viewer of a table is sent: all of it is made of the seat's View, for spectators of what every View shows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from skat_env.cards import cards_of
from skat_env.pictures.table import Hand, Table, table_of
from skat_env.protocols import View
from skat_env.table.consent import Request
from skat_env.table.session import Session, name_of
from skat_env.table.thoughts import CARDS

SPECTATOR: Final = -1
UNSEEN: Final = "an unseen card"
"""The words for a card that somebody laid away face down."""
HIDDEN: Final = 255
"""In the history of a View, a card that its seat did not see."""

Json = dict[str, Any]


def scene(
    session: Session,
    seat: int,
    *,
    host: bool = False,
    here: Sequence[bool] = (),
    request: Request | None = None,
    clock: Json | None = None,
) -> Json:
    """A table as a viewer sees it.

    After a deal, and at an open table, everybody sees all cards.

    Args:
        session: the table.
        seat: the viewer's seat in this deal; -1: a spectator.
        host: whether this viewer made the table.
        here: by seat, whether somebody who sits there is connected; empty: nobody.
        request: what a person asks the others for; None: nothing.
        clock: the `seconds` that whoever is to act has, 0 for any number, and those that are `gone`; None: no clock.
    """
    game, state = session.game, session.state
    bottom = max(seat, 0)
    shows_all = session.is_over or session.new.open
    views = [state.view(each) for each in range(len(game.seats))]
    if shows_all:
        table = table_of(game.name, state, bottom)
    elif seat >= 0:
        table = table_of(game.name, views[seat], bottom)
    else:
        table = _public(game.name, views)
    if session.claim is not None:
        table = replace(table, to_act=-1, playable=0, result=tuple(session.result()))
    acts = seat >= 0 and session.to_act == seat
    view = views[bottom]
    return {
        "kind": "scene",
        "number": session.number,
        "game": game.name,
        "deal": session.deal,
        "you": seat,
        "host": host,
        "players": [_player(session, each, bool(here) and here[each]) for each in range(len(views))],
        "table": {**_fields(table), "playable": cards_of(table.playable) if acts else []},
        "stage": state.stage,
        "legal": _legal(session, view) if acts else [],
        "history": _history(session, views, seat, shows_all),
        "score": _score(session),
        "can": {
            "undo": seat >= 0 and session.can_undo(seat),
            "hint": acts and bool(session.new.hint),
            "claim": acts and session.can_settle(seat),
            "give_up": acts and session.can_settle(seat),
            "next": session.is_over and (seat >= 0 or host),
            "think": acts and session.new.thoughts and bool(session.new.hint),
        },
        "over": session.is_over,
        "clock": clock,
        "request": None
        if request is None
        else {
            "what": request.what,
            "seat": session.seat_of(request.player),
            "waiting": sorted(session.seat_of(player) for player in request.waiting),
            "mine": seat >= 0 and session.player_at(seat) in request.waiting,
        },
    }


def _fields(table: Table) -> Json:
    """The fields of a table by name; `dataclasses.asdict` copies each card and takes ten times as long."""
    found = {name: getattr(table, name) for name in Table.__slots__}
    return {
        **found,
        "hands": [{name: getattr(hand, name) for name in Hand.__slots__} for hand in table.hands],
    }


def _player(session: Session, seat: int, here: bool) -> Json:
    number = session.player_at(seat)
    player = session.players[number]
    return {
        "seat": seat,
        "seat_name": session.game.seats[seat],
        "name": name_of(player),
        "kind": player.kind,
        "spec": player.spec if player.kind == "agent" else "",
        "here": here or player.kind == "agent",
        "failed": session.failures[number],
    }


def _legal(session: Session, view: View) -> list[Json]:
    actions = session.game.arrange(view, view.legal_actions())
    return [
        {
            "action": action,
            "label": session.game.label(view, action),
            "card": action if action < CARDS else None,
        }
        for action in actions
    ]


def _history(session: Session, views: Sequence[View], seat: int, shows_all: bool) -> list[Json]:
    viewers = [views[seat]] if seat >= 0 else views
    histories = [view.history() for view in viewers]
    told = []
    for number, (actor, words) in enumerate(session.log):
        hidden = not shows_all and any(number < len(each) and each[number] == HIDDEN for each in histories)
        told.append({"seat": actor, "label": UNSEEN if hidden else words})
    return told


def _score(session: Session) -> Json:
    """Points by seat of this deal: those who sit there have moved on with every deal."""
    players = [session.player_at(seat) for seat in range(len(session.players))]
    return {
        "totals": [sum(deal.points[player] for deal in session.finished) for player in players],
        "deals": [
            {"deal": number, "points": [deal.points[player] for player in players], "text": deal.text}
            for number, deal in enumerate(session.finished)
        ],
    }


def _public(game: str, views: Sequence[View]) -> Table:
    """The table of a spectator: a card is shown if every seat sees it."""
    tables = [table_of(game, view, 0) for view in views]
    first = tables[0]
    hands = []
    for seat, hand in enumerate(first.hands):
        others = [table.hands[seat].cards for who, table in enumerate(tables) if who != seat]
        hands.append(Hand(hand.name, _shown_to_all(others), hand.marks, hand.played))
    return replace(
        first, hands=tuple(hands), playable=0, pile=_shown_to_all([table.pile for table in tables])
    )


def _shown_to_all(shown: Sequence[tuple[int | None, ...]]) -> tuple[int | None, ...]:
    """Cards that all of some seats see, else as many backs."""
    hidden = any(card is None for cards in shown for card in cards)
    return (None,) * max(map(len, shown)) if hidden else shown[0]
