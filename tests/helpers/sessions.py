"""Tables without a server: games replayed at them, and what a seat is sent."""

import json
from typing import Any

from skat_env.table.messages import NewTable
from skat_env.table.scene import scene
from skat_env.table.session import Session


def replayed(game: str, state: Any, claim: bool | None = None) -> Session:
    """A table at which the actions of a state were played."""
    session = Session(NewTable(game, seed=1, thoughts=True))
    start = state.clone()
    while start.history():
        start.undo()
    session.state = start.clone()
    for action in state.history():
        session.act(session.state.to_act, action)
    if claim is not None:
        session.settle(session.state.to_act, claim)
    return session


def sent(session: Session, seat: int) -> str:
    """The message that a seat gets."""
    return json.dumps(scene(session, seat))
