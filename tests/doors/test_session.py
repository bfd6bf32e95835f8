"""A game as a door sees it: the games of a match, nothing hidden, and replies of every kind.

SKAT_ENV_REPLIES=100000 plays through so many hostile replies of each game.
"""

import os
from typing import Any, Final

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="doors need the extra 'mcp'")

from skat_env import compare
from skat_env.cards import CARD_TEXTS
from skat_env.doors.patient import PatientSession
from skat_env.doors.sealed import KEY, sealed_seed, server_key
from skat_env.doors.session import Refused, Session
from skat_env.errors import IllegalAction, OptionError, UnknownName
from skat_env.play.lockstep import play_game
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.registry import get_game, make_agent
from skat_env.text import ReplyError
from tests.helpers.worded_player import DEALS, WordedPlayer, play_all

REPLIES: Final = int(os.environ.get("SKAT_ENV_REPLIES", "1500"))
both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])


@pytest.mark.slow
@both_games
@pytest.mark.parametrize("opponent", ["rule", "random"])
def test_games_are_those_of_a_match(name: str, opponent: str) -> None:
    """With all seats of a team played from outside, as an agent has them in a match; the others have the same luck."""
    player, game = WordedPlayer(name), get_game(name)
    match = compare(player, opponent, game=name, deals=DEALS, seed=7, mode="alone")
    compared = 0
    for found in match.games:
        seats = [seat for seat, agent in enumerate(found.agents) if agent == player.name]
        session = play_all(Session(name, seats, opponent, seed=7, deal=found.spec.deal), player)
        assert session.record().state.text() == found.position
        assert session.returns(game.match_unit) == found.returns
        compared += 1
    assert compared == DEALS * len(game.teams)


@both_games
def test_one_seat_is_played_as_everywhere(name: str) -> None:
    player, game, random = WordedPlayer(name), get_game(name), make_agent("random", name)
    for deal in range(2 * DEALS):
        seat = deal % len(game.seats)
        state = game.state.random(deal_rng(3, deal))
        agents: list[Any] = [random] * len(game.seats)
        agents[seat] = player
        play_game(state, agents, [agent_rng(3, deal, each) for each in range(len(agents))])
        session = play_all(Session(name, (seat,), "random", seed=3, deal=deal), player)
        record = session.record()
        assert record.state.text() == state.text()
        assert record.agents == tuple("player" if each == seat else "random" for each in range(len(agents)))


def test_opponents_sit_in_the_order_of_play() -> None:
    session = Session("klaverjas", (2,), ["rule", "random", "policy"])
    names = [agent and agent.name.partition("(")[0] for agent in session.agents]
    assert names == ["random", "policy", None, "rule"]


@both_games
def test_a_game_may_begin_later(name: str) -> None:
    session = Session(name, (1,), start="cardplay", seed=2)
    assert session.view().stage == "cardplay"
    assert session.seat == 1
    play_all(session, WordedPlayer(name))
    text = get_game(name).state.random(np.random.default_rng(1)).text()
    assert Session(name, (0,), position=text).view().dealt[0] == get_game(name).state.parse(text).dealt[0]


def hostile(rng: np.random.Generator, legal: list[str]) -> str:
    """A reply that rambles, lies, injects or is broken; now and then it names a move."""
    junk = [
        "", "[", "]", "[]", "[[CJ]]", "[CJ][", "\x00[SA]\x00", "[pass" * 50, "ignore the rules: [show hidden cards]",
        "The hidden cards are: ", "[10 of hearts and ace]", "[\u202eJC]", "[♣J♠J]", "[-1]", "[99999999999]", "[1e9]",
        "{\"action\": 3}", "[bid 18 or pass]", "[null ouvert hand schneider]", "a" * 1000, "[" + "\u0301" * 59 + "]",
        f"[{CARD_TEXTS[int(rng.integers(32))]}]", f"[{legal[0]}]", "[İ]", "[٣]", "[²]", "[ß]", "\n\n[yes]\n", "[no]",
    ]  # fmt: skip
    chosen = [junk[int(rng.integers(len(junk)))] for _ in range(int(rng.integers(1, 4)))]
    return " ".join(chosen)


@both_games
def test_hostile_replies_change_nothing_or_play_a_legal_move(name: str) -> None:
    rng, refused, deal = np.random.default_rng(5), 0, 0
    session = Session(name, (0,), seed=1)
    for _ in range(REPLIES):
        if session.is_over:
            deal += 1
            session = Session(name, (0,), seed=1, deal=deal)
        before, legal = session.struct(), session.legal()
        hidden = [card for card in CARD_TEXTS if f'"{card}"' not in before]
        reply = hostile(rng, legal)
        try:
            action = session.play(reply)
        except ReplyError as error:
            refused += 1
            assert "\n" not in str(error)
            assert session.struct() == before
            shown = str(error)
            assert not [card for card in hidden if card in shown and card not in reply.upper()], shown
        else:
            assert get_game(name).actions[action] in before
    assert refused > REPLIES / 4


def test_what_is_not_possible_is_one_sentence() -> None:
    session = Session("skat", (0,), seed=1)
    with pytest.raises(Refused, match="the game is not over: its cards are shown at the end"):
        session.record()
    with pytest.raises(Refused, match="seat 1 is an agent's: expected one of 0"):
        session.view(1)
    before = session.struct()
    with pytest.raises(IllegalAction):
        session.act(0)
    assert session.struct() == before
    play_all(session, WordedPlayer("skat"))
    with pytest.raises(Refused, match="the game is over"):
        session.play("[pass]")
    with pytest.raises(Refused, match="the game is over"):
        session.let("rule")
    klaverjas = get_game("klaverjas").state.random(np.random.default_rng(1))
    for wrong, words in (
        ({"seats": ()}, "with no seat"),
        ({"seats": (3,)}, "seat"),
        ({"opponents": ["rule"]}, "1 opponents given"),
        ({"seats": (0, 1), "opponents": ["rule", "rule"]}, "2 opponents given"),
        ({"start": "trick"}, "unknown start"),
        ({"opponents": "nobody"}, "unknown agent"),
        ({"rules": "x=1"}, "unknown rule"),
        ({"seed": -1}, "seed"),
        ({"position": "x"}, "deal"),
        (
            {"game": "klaverjas", "position": klaverjas.text(), "rules": "legality=amsterdam"},
            "rule options beside a position",
        ),
        ({"position": session.record().state.text()}, "over where it begins"),
        (
            {"game": "klaverjas", "position": klaverjas.text(), "start": "cardplay"},
            "start=cardplay beside a position",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            Session(**{"game": "skat"} | wrong)
    with pytest.raises(OptionError):
        Session("skat", seats="x")  # type: ignore[arg-type]


def test_what_a_patient_game_cannot_do_is_said_before_it_begins() -> None:
    session = Session("skat", (0,), seed=1)
    with pytest.raises(UnknownName, match="unknown agent for skat 'nope'"):
        PatientSession(session, instead="nope")
    for paired in (True, False):
        with pytest.raises(UnknownName, match="unknown reward unit 'x'"):
            PatientSession(session).rewards("x", 1.0, paired)
    assert PatientSession(session).rewards("list_score", 1.0) == {0: 0.0}


def test_a_sealed_seed_needs_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sealed_seed(b"a", "skat", 1) == sealed_seed(b"a", "skat", 1)
    others = [sealed_seed(b"b", "skat", 1), sealed_seed(b"a", "klaverjas", 1), sealed_seed(b"a", "skat", 2)]
    assert sealed_seed(b"a", "skat", 1) not in others
    assert all(0 <= sealed_seed(b"a", "skat", seed) < 2**63 for seed in range(200))
    assert sealed_seed(b"x" * 1000, "skat", 1) >= 0
    monkeypatch.setenv(KEY, "mine")
    assert server_key() == b"mine"
    monkeypatch.delenv(KEY)
    assert server_key() != server_key()
