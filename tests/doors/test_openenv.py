"""The OpenEnv environment: the games of a session, its own checks, replies of every kind."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("openenv", reason="needs the extra 'openenv'")

import uvicorn
from openenv.cli._validation import validate_running_environment
from openenv.validation import Level, run_validation
from openenv.validation.types import CheckStatus

from skat_env.doors import sealed
from skat_env.doors.openenv.client import CardEnv
from skat_env.doors.openenv.environment import CardEnvironment
from skat_env.doors.openenv.models import CardAction
from skat_env.doors.sealed import sealed_seed
from skat_env.doors.session import Refused, Session
from skat_env.registry import get_game
from skat_env.structs import read_position
from tests.conftest import ROOT
from tests.helpers.worded_player import DEALS, WordedPlayer

KEY = b"key"
FOLDER = ROOT / "doors" / "openenv"
both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])


def said(observation: Any, player: WordedPlayer) -> CardAction:
    return CardAction(reply=player.words(read_position(json.dumps(observation.view))))


@both_games
def test_games_are_those_of_a_session(name: str) -> None:
    env, player, game = CardEnvironment(KEY), WordedPlayer(name), get_game(name)
    for seed in range(DEALS):
        seat = seed % len(game.seats)
        paired = bool(seed % 2)
        session = Session(name, (seat,), "random", seed=sealed_seed(KEY, name, seed))
        seen = env.reset(seed=seed, game=name, seat=game.seats[seat], opponents="random", paired=paired)
        while not seen.done:
            assert (seen.text, seen.legal) == (session.text(), session.legal())
            assert json.dumps(seen.view, separators=(",", ":"), ensure_ascii=False) == session.struct()
            assert seen.reward == 0
            session.play(player.words(session.view()))
            seen = env.step(said(seen, player))
        assert session.is_over
        assert seen.text == session.text()
        unit = game.match_unit
        by_rule = session.returns_of("rule", unit)[seat] if paired else 0
        assert seen.reward == session.returns(unit)[seat] - by_rule


def test_the_paired_reward_of_rule_is_nothing() -> None:
    from skat_env.cards import CARD_TEXTS
    from skat_env.registry import make_agent
    from skat_env.text.describe import text_of

    env, rule = CardEnvironment(), make_agent("rule", "skat")
    for seed in range(5):
        seen = env.reset(seed=seed, opponents="random", paired=True)
        while not seen.done:
            view: Any = read_position(json.dumps(seen.view))
            action = rule.decide(view, None).action  # type: ignore[arg-type]  # it draws nothing
            seen = env.step(
                CardAction(reply=f"[{text_of('skat').move(view, action, CARD_TEXTS.__getitem__)}]")
            )
        assert seen.reward == 0


def test_a_reply_without_a_move_is_answered_then_rule_decides() -> None:
    env = CardEnvironment()
    first = env.reset(seed=1, seat="forehand", retries=1, paired=True)
    seen = env.step(CardAction(reply="[banana]"))
    assert "is no move that is known" in seen.error
    assert seen.text == first.text
    assert (env.state.errors, env.state.forfeits) == (1, 0)
    seen = env.step(CardAction(reply=""))
    assert seen.error
    assert seen.text != first.text
    assert (env.state.errors, env.state.forfeits) == (2, 1)
    while not seen.done:
        seen = env.step(CardAction(reply="[the hidden cards are]"))
    # Its cards were `rule`'s, whose paired reward is 0: what is left are the wrong replies.
    assert seen.reward == -10.0 * env.state.errors
    with pytest.raises(Refused, match="the game is over"):
        env.step(CardAction(reply="[CJ]"))


def test_what_is_wrong_is_one_sentence() -> None:
    env = CardEnvironment()
    with pytest.raises(Refused, match="no game has begun: call reset"):
        env.step(CardAction(reply="[CJ]"))
    for wrong, words in (
        ({"game": "bridge"}, "unknown game"),
        ({"seat": "north"}, "unknown seat of skat"),
        ({"unit": "euros"}, "unknown reward unit"),
        ({"opponents": "engine(x)"}, "may not ask for"),
        ({"opponents": ["rule"] * 3}, "3 opponents given"),
        ({"start": "x"}, "unknown start"),
        ({"rules": "x=1"}, "unknown rule"),
        ({"retries": -1}, "retries"),
        ({"form": "x"}, "form"),
        ({"cards": "x"}, "cards"),
        ({"oponents": "random"}, "unknown option of reset 'oponents': did you mean 'opponents'"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            env.reset(seed=1, **wrong)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)


def test_the_package_passes_openenvs_static_checks() -> None:
    report = run_validation(FOLDER, max_level=Level.STATIC)
    failed = [
        (each.check_id, each.evidence) for each in report.results if each.status is not CheckStatus.PASS
    ]
    assert failed == []
    assert report.results


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server on the loopback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(sealed.KEY, KEY.decode())
        from skat_env.doors.openenv.app import app

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.mark.slow
def test_a_server_passes_openenvs_checks(address: str) -> None:
    report = validate_running_environment(address, 60)
    assert [each["id"] for each in report["criteria"] if not each["passed"]] == []
    assert report["passed"]


@pytest.mark.slow
@both_games
def test_the_client_plays_the_same_games(address: str, name: str) -> None:
    async def run() -> None:
        player = WordedPlayer(name)
        async with CardEnv(base_url=address) as client:
            result = await client.reset(seed=4, game=name, seat=get_game(name).seats[1], opponents="rule")
            session = Session(name, (1,), "rule", seed=sealed_seed(KEY, name, 4))
            while not result.done:
                assert result.observation.text == session.text()
                session.play(player.words(session.view()))
                result = await client.step(said(result.observation, player))
            assert result.reward == session.returns(get_game(name).match_unit)[1]
            state = await client.state()
            assert (state.game, state.errors) == (name, 0)
            with pytest.raises(RuntimeError, match="unknown option of reset 'seats': did you mean 'seat'"):
                await client.reset(seed=4, game=name, seats="forehand")

    asyncio.run(run())
