"""What a seat is given by any interface is a function of what it may know: hidden cards are dealt anew behind equal
views, and no text, number or picture changes.

SKAT_ENV_POSITIONS=10000 compares so many positions of each game, ends of games among them.
"""

import asyncio
import os
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final
from unittest import mock

import numpy as np
import pytest

from skat_env.agents.engine.question import question_lines
from skat_env.beliefs.belief import Belief
from skat_env.encoders import encoders_of
from skat_env.envs.aec import raw_env
from skat_env.pictures.svg import position_svg
from skat_env.play.starts import RandomDeals
from skat_env.registry import get_game, make_agent
from skat_env.skat.iss import server
from skat_env.skat.iss.lines import SERVER, deal_line
from skat_env.skat.iss.moves import MoveTable, moves_of
from skat_env.skat.rules import Phase
from skat_env.structs import write_position
from skat_env.text import describe, parse_reply

POSITIONS: Final = int(os.environ.get("SKAT_ENV_POSITIONS", "150"))
"""Positions of each game."""
GAMES: Final = ("skat", "klaverjas")


def of_view(state: Any, seat: int) -> Any:
    view = state.view(seat)
    return view.text(), repr(view), hash(view), view.key(), pickle.dumps(view), view.places, view.history()


def observation(state: Any, seat: int) -> bytes:
    return bytes(np.asarray(state.observe(seat)))


def rendered(state: Any, seat: int) -> str:
    return get_game(name_of(state)).render(state, seat)


def pictured(state: Any, seat: int) -> str:
    return position_svg(name_of(state), state.view(seat))


def asked_engine(state: Any, seat: int) -> str:
    if state.to_act != seat:
        return ""
    return question_lines(get_game(name_of(state)), state.view(seat), "5", 1000)


def encoded(state: Any, seat: int) -> list[bytes]:
    view = state.view(seat)
    rows = []
    for encoder in encoders_of(name_of(state)):
        if isinstance(view, encoder.positions):
            try:
                rows.append(bytes(encoder.encode([view])))
            except ValueError:  # not a position that it reads
                continue
    return rows


def decided(state: Any, seat: int) -> Any:
    if state.to_act != seat:
        return None
    return [
        make(name_of(state), agent).decide(state.view(seat), np.random.default_rng(1)).action
        for agent in ("rule", "random")
    ]


def pettingzoo(state: Any, seat: int) -> Any:
    env, before = raw_env(get_game(name_of(state))), state.clone()
    before.undo()
    env.reset(seed=1, options={"state": before.text()})
    env.step(state.history()[-1])
    agent = env.possible_agents[seat]
    seen = env.observe(agent)
    return bytes(seen["observation"]), bytes(seen["action_mask"]), str(env.view(agent).text())


def in_words(state: Any, seat: int) -> Any:
    view = state.view(seat)
    return describe(view), describe(view, "short", "nl"), write_position(view)


def at_a_door(state: Any, seat: int) -> Any:
    """What a session says when a seat is asked, and how it refuses."""
    session = begun(state, seat)
    if session is None:
        return None
    refusals = []
    for words in ("[banana]", "[CJ]", "[pass]", "[99]", ""):
        try:
            parse_reply(words, session.view())
        except ValueError as error:
            refusals.append(str(error))
    for asked in (session.record, lambda: session.view((seat + 1) % len(session.game.seats))):
        try:
            asked()
        except ValueError as error:
            refusals.append(str(error))
    return session.text(), session.struct(), session.legal(), session.seat, refusals


WRONG: Final = ("[banana]", "[CJ or SJ]", "[the cards of my neighbour]")
"""Replies that never name a move."""


def begun(state: Any, seat: int) -> Any:
    """A session at a position, which doors take as their next game; None: the seat is not to act."""
    from skat_env.doors.session import Session

    return Session(name_of(state), (seat,), "rule", position=state.text()) if state.to_act == seat else None


def over_mcp(state: Any, seat: int) -> Any:
    pytest.importorskip("mcp", reason="needs the extra 'mcp'")
    from mcp.shared.memory import create_connected_server_and_client_session

    session = begun(state, seat)
    if session is None:
        return None
    calls: list[tuple[str, dict[str, Any]]] = [
        ("start_game", {"game": name_of(state)}),
        ("view", {"form": "json"}),
        ("legal_moves", {}),
        ("play", {"move": WRONG[0]}),
        ("review", {}),
    ]

    async def answers() -> list[str]:
        server = mcp_server()._mcp_server
        async with create_connected_server_and_client_session(server) as client:
            return [(await client.call_tool(*call)).model_dump_json() for call in calls]

    with mock.patch("skat_env.doors.mcp.server.sealed_session", return_value=session):
        told = asyncio.run(answers())
    return [told[0].partition(".")[2], *told[1:]]  # the first begins with the seed


def over_openenv(state: Any, seat: int) -> Any:
    pytest.importorskip("openenv", reason="needs the extra 'openenv'")
    from skat_env.doors.openenv.environment import CardEnvironment
    from skat_env.doors.openenv.models import CardAction

    session = begun(state, seat)
    if session is None:
        return None
    env = CardEnvironment()
    with mock.patch("skat_env.doors.openenv.environment.sealed_session", return_value=session):
        seen = [env.reset(game=name_of(state), episode_id="1", retries=9)]
    seen += [env.step(CardAction(reply=reply)) for reply in WRONG]
    return [each.model_dump_json() for each in (*seen, env.state)]


def asked_patiently(state: Any, seat: int) -> Any:
    """The messages of verifiers and Inspect."""
    from skat_env.doors.patient import PatientSession

    session = begun(state, seat)
    if session is None:
        return None
    patient = PatientSession(session, retries=9)
    return [patient.answer(reply) for reply in WRONG], patient.messages


def openspiel(state: Any, seat: int) -> Any:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra 'interop'")
    from skat_env.openspiel.state import state_at

    game = spiel(name_of(state))
    try:
        position = state_at(game, state)
    except ValueError:
        return None
    observers = [
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recall)) for recall in (True, False)
    ]
    strings = [observer.string_from(position, seat) for observer in observers]
    for observer in observers:
        observer.set_from(position, seat)
    tensors = [bytes(observer.tensor) for observer in observers]
    return strings, tensors, position.information_state_string(seat), position.observation_string(seat)


def at_a_table(state: Any, seat: int) -> Any:
    pytest.importorskip("msgspec", reason="needs the extra 'table'")
    from tests.helpers.sessions import replayed, sent

    # All cards are shown when a deal is over.
    return None if state.is_over else sent(replayed(name_of(state), state), seat)


class Heard:
    """The writing end of a user's connection, which keeps what is written."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        self.lines.append(line)

    def is_closing(self) -> bool:
        return False


async def at_server(state: Any, seat: int) -> list[bytes]:
    """What a server of the ISS's protocol tells a seat of a game up to a position."""
    writers = [Heard() for _ in range(3)]
    players = [server._Client(f"user{number}", writer) for number, writer in enumerate(writers)]
    table = server._Table(".1", "user0", players)
    words = moves_of(state, None)
    dealt, *moves = zip(words[::2], words[1::2], strict=True)
    table.game = game = server._Game(1, players, MoveTable([dealt]), [240.0] * 3)
    serving = server.IssServer({})
    serving._deliver(table, game, SERVER, [deal_line(state.deal, to) for to in range(3)])
    for mover, move in moves:
        if mover != SERVER:
            serving._take(table, game, int(mover), move)
    assert game.state == state
    return writers[seat].lines


def served(state: Any, seat: int) -> Any:
    if name_of(state) != "skat" or state.phase in (Phase.ANNOUNCE, Phase.DISCARD):
        return None  # a declaration is one move
    if state.phase == Phase.CONTRACT and not state.picked_up:
        return None
    return asyncio.run(at_server(state, seat))


INTERFACES: Final[dict[str, Callable[[Any, int], Any]]] = {
    "View": of_view,
    "observe": observation,
    "render": rendered,
    "picture": pictured,
    "engine": asked_engine,
    "encoders": encoded,
    "agents": decided,
    "text": in_words,
    "door": at_a_door,
    "door MCP": over_mcp,
    "door OpenEnv": over_openenv,
    "door messages": asked_patiently,
    "PettingZoo": pettingzoo,
    "OpenSpiel": openspiel,
    "table": at_a_table,
    "ISS": served,
}


@cache
def mcp_server() -> Any:
    from skat_env.doors.mcp.server import make_server

    return make_server(b"key")


@cache
def make(game: str, agent: str) -> Any:
    return make_agent(agent, game)


@cache
def spiel(game: str) -> Any:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra 'interop'")
    from skat_env.openspiel.game import spiel_name

    return pyspiel.load_game(spiel_name(game))


def name_of(state: Any) -> str:
    return "skat" if "Skat" in type(state).__name__ else "klaverjas"


def positions(game: str, rng: np.random.Generator) -> Iterator[tuple[Any, Any, int]]:
    """Positions, each with another in which a seat sees the same, and that seat."""
    while True:
        state = RandomDeals(game)(rng)
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
            if not state.is_over and rng.random() < 0.7:
                continue
            seat = int(rng.integers(len(get_game(game).seats)))
            view = state.view(seat)
            belief = Belief(view)
            other = belief.state(belief.sample(1, rng)[0], rng)
            if other.text() == state.text():
                continue
            # What a game came to is told to all at its end.
            if state.is_over and other.returns() != state.returns():
                continue
            assert other.view(seat) == view
            yield state, other, seat


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("interface", INTERFACES)
def test_what_a_seat_is_given_does_not_depend_on_hidden_cards(interface: str, game: str) -> None:
    if interface == "ISS" and game != "skat":
        pytest.skip("the ISS plays Skat")
    given = INTERFACES[interface]
    compared = over = 0
    for state, other, seat in positions(game, np.random.default_rng(11)):
        first = given(state, seat)
        assert given(other, seat) == first, (seat, state.text(), other.text())
        compared += first not in (None, "")
        over += state.is_over
        if compared >= POSITIONS:
            break
    assert over or game == "klaverjas"


def test_the_end_of_a_game_that_is_lost_early_hides_the_skat() -> None:
    """A hand game with an announcement that the defenders break: its card points would tell what lies in the skat."""
    rng = np.random.default_rng(5)
    found = 0
    for state, other, seat in positions("skat", rng):
        if (
            not state.is_over
            or state.result().declarer < 0
            or len(state.plays()) == 30
            or state.view(seat).skat
        ):
            continue
        assert rendered(state, seat) == rendered(other, seat)
        found += state.result().card_points != other.result().card_points
        if found > 3:
            break
