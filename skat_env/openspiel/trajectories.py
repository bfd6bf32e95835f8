"""Whole games in OpenSpiel's trajectory format, and back."""

import dataclasses
import json
from typing import Any, Final

import pyspiel

from skat_env.errors import ParseError
from skat_env.openspiel.game import OpenSpielGame, spiel_name
from skat_env.openspiel.state import OpenSpielState, state_at
from skat_env.openspiel.variant import quoted
from skat_env.protocols import State
from skat_env.records import GameRecord
from skat_env.registry import game_names
from skat_env.tools.parsing import parse_json

_OWN: Final = ("game", "position")
"""What of a record the header's game and the transitions say."""


def game_from(name: str, position: State) -> OpenSpielGame:
    """The game of OpenSpiel in which a position is reached: chance deals, under the position's rules and head.

    Raises:
        ValueError: if there is none.
    """
    rules = dataclasses.asdict(position.rules)  # type: ignore[attr-defined]  # of every game
    fresh: OpenSpielGame = pyspiel.load_game(spiel_name(name), rules)
    if position.head() in fresh.variant.heads:
        return fresh
    made: OpenSpielGame = pyspiel.load_game(spiel_name(name), {"head": quoted(position.head())})
    return made


def trajectory_of(record: GameRecord) -> Any:
    """A recorded game as a `pyspiel.Trajectory`: the deal card by card, then all actions.

    What else the record has (agents, status, seed, source) is the header's `meta_data`, as JSON.

    >>> from skat_env.openspiel import record_of, trajectory_of
    >>> state = get_game("skat").state.random(np.random.default_rng(1))
    >>> for _ in range(3): state.apply(PASS)
    >>> record = GameRecord.of("skat", state, ("Ann", "Bob", "rule"))
    >>> record_of(trajectory_of(record)).text() == record.text()
    True

    Raises:
        ValueError: if no game of OpenSpiel gets to its position.
    """
    final = state_at(game_from(record.game, record.state), record.state)
    trajectory = json.loads(pyspiel.Trajectory(final).to_string())
    fields = parse_json(record.text())
    about = {name: value for name, value in fields.items() if name not in _OWN}
    trajectory["header"]["meta_data"] = json.dumps(about, separators=(",", ":"))
    return pyspiel.Trajectory(json.dumps(trajectory))


def record_of(trajectory: Any) -> GameRecord:
    """The record of a trajectory, or of the JSON of one; `random` sits at every seat of which it names no agent.

    Raises:
        ParseError: if it is malformed, of another game, or one of its actions is not legal.
    """
    text = trajectory if isinstance(trajectory, str) else trajectory.to_string()
    final = _final_state(text)
    name: str = final.variant.game.name
    header = parse_json(text)["header"]
    position: State | None = final.position
    if position is None:
        raise ParseError("the trajectory ends before the cards are dealt")
    try:
        about = parse_json(header["meta_data"]) if header.get("meta_data") else {}
    except ValueError as error:
        raise ParseError(f"the trajectory's meta_data is no JSON: {error}") from None
    if not isinstance(about, dict) or set(about) & set(_OWN):
        raise ParseError("the trajectory's meta_data is not what a record has besides its game and position")
    if "status" not in about:
        # Where sides play, OpenSpiel has fewer players than the game has seats.
        nobody = ["random"] * len(final.variant.game.seats)
        return GameRecord.of(name, position, tuple(about.get("agents", nobody)))
    return GameRecord.parse(json.dumps({"game": name, "position": position.text(), **about}))


def _final_state(text: str) -> OpenSpielState:
    """The last state of a trajectory; its actions are checked here, as OpenSpiel would end the process."""
    try:
        values = parse_json(text)
        spiel_game = values["header"]["game_string"]
        actions = [step["action"] for step in values["transitions"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ParseError(f"this is no trajectory: {error}") from None
    short = str(spiel_game).partition("(")[0]
    known = [spiel_name(name) for name in game_names()]
    if short not in known:
        raise ParseError(f"the trajectory is of the game '{short}': expected one of {', '.join(known)}")
    try:
        state: OpenSpielState = pyspiel.load_game(spiel_game).new_initial_state()
    except (RuntimeError, ValueError) as error:
        raise ParseError(f"the trajectory's game is not known: {' '.join(str(error).split())}") from None
    for number, action in enumerate(actions):
        legal = state.legal_actions()
        if type(action) is not int or action not in legal:
            raise ParseError(f"action {action} of transition {number} is not legal: expected one of {legal}")
        state.apply_action(action)
    return state
