"""The MCP server: the games of a match, one seat a connection, nothing hidden before the end."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra 'mcp'")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_connected_server_and_client_session

from skat_env.cards import CARD_TEXTS
from skat_env.cli import main
from skat_env.doors.mcp.server import make_server
from skat_env.doors.sealed import KEY, sealed_seed
from skat_env.doors.session import Session
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.structs import read_position
from tests.conftest import ROOT
from tests.helpers.worded_player import DEALS, WordedPlayer, play_all

both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])
Call = Callable[..., Awaitable[str]]


class ToolFailed(Exception):
    """A tool said what is wrong."""


def caller(client: ClientSession) -> Call:
    async def call(tool: str, **arguments: Any) -> str:
        answer = await client.call_tool(tool, arguments)
        text: str = answer.content[0].text
        if answer.isError:
            raise ToolFailed(text)
        return text

    return call


@asynccontextmanager
async def connected(server: Any) -> AsyncIterator[Call]:
    async with create_connected_server_and_client_session(server._mcp_server) as client:
        yield caller(client)


async def play_to_the_end(call: Call, name: str, **start: Any) -> str:
    """The record of a game in which the worded player has the seat."""
    player = WordedPlayer(name)
    told = await call("start_game", game=name, **start)
    while "Legal moves:" in told:
        view = read_position(await call("view", form="json"), name)
        told = await call("play", move=player.words(view))
    line = re.search(r"^record: (.*)$", await call("review"), re.MULTILINE)
    assert line is not None
    return line[1]


@both_games
def test_games_are_those_of_a_session_with_the_sealed_seed(name: str) -> None:
    async def run() -> None:
        async with connected(make_server(b"key")) as call:
            for seed in range(DEALS):
                seat = get_game(name).seats[seed % len(get_game(name).seats)]
                line = await play_to_the_end(call, name, seat=seat, seed=seed, agents=["random"])
                hidden = sealed_seed(b"key", name, seed)
                player = WordedPlayer(name)
                session = Session(name, (get_game(name).seats.index(seat),), "random", seed=hidden)
                assert line == play_all(session, player).record().text()
                assert GameRecord.parse(line).state.is_over

    asyncio.run(run())


@both_games
def test_a_connection_sees_one_seat_and_the_rest_at_the_end(name: str) -> None:
    async def run() -> None:
        server = make_server(b"key")
        async with connected(server) as call, connected(server) as other:
            assert await call("start_game", game=name, seed=5)
            with pytest.raises(ToolFailed, match="no game has been started: call start_game"):
                await other("view")
            with pytest.raises(ToolFailed, match=f"seed 5 of {name} has been dealt on this server"):
                await other("start_game", game=name, seed=5)
            for tool, arguments in (("review", {}), ("solve", {"step": 9}), ("belief", {"step": 9})):
                with pytest.raises(ToolFailed, match="the game is not over: its cards are shown at the end"):
                    await call(tool, **arguments)
            view = read_position(await call("view", form="json"))
            told = await call("view") + await call("view", form="short", legal=False)
            seen = {card for card in CARD_TEXTS if card in told.partition("Which")[0]}
            known = view.places[view.seat] | view.played_mask()
            assert seen == {CARD_TEXTS[card] for card in range(32) if known >> card & 1}
            seeds = {(await other("start_game", game=name)).partition("\n")[0] for _ in range(3)}
            # They are drawn, so that a server with a key deals others when it is started again.
            assert len(seeds) == 3
            assert not seeds & {f"Seed {number}." for number in range(100)}
            assert all(f"[{move}]" in told for move in json.loads(await call("legal_moves")))

    asyncio.run(run())


@both_games
def test_a_finished_game_is_reviewed_solved_and_believed(name: str) -> None:
    async def run() -> None:
        async with connected(make_server(b"key")) as call:
            record = GameRecord.parse(await play_to_the_end(call, name, seed=1))
            told = await call("review")
            assert "costs with open cards" in told
            first = len(record.state.history()) - len(record.state.plays())
            assert "best play" in await call("solve", step=first)
            last = len(record.state.history())
            for step in {0, last} - {first}:  # games without an auction begin with the cardplay
                with pytest.raises(ToolFailed, match=f"step {step} is not in the cardplay"):
                    await call("solve", step=step)
            believed = await call("belief", step=first)
            assert "with uniform" in believed
            assert "(it was at" in believed
            with pytest.raises(ToolFailed, match=r"step 999 is not one of 0\.\."):
                await call("belief", step=999)
            with pytest.raises(ToolFailed, match="has no probabilities"):
                await call("belief", step=first, belief="thesis")

    asyncio.run(run())


def test_what_is_wrong_is_one_sentence() -> None:
    async def run() -> None:
        async with connected(make_server(b"key")) as call:
            for arguments, words in (
                ({"game": "bridge"}, "unknown game 'bridge'"),
                ({"seat": "north"}, "unknown seat of skat 'north'"),
                ({"agents": ["nobody"]}, "unknown agent"),
                (
                    {"agents": ["engine(x)"]},
                    "runs a program or spends tokens, which a client may not ask for",
                ),
                ({"agents": ["llm(model=x)"]}, "spends tokens"),
                ({"agents": ["pimc(worlds=1000000)"]}, "at most 100,000"),
                ({"agents": ["rule"] * 5}, "opponents given"),
                ({"agents": "rule"}, "start_game with agents='rule'"),
                ({"seed": "x"}, "start_game with seed='x'"),
                ({"seed": -1}, "a game with seed=-1"),
                ({"rule_options": "x=1"}, "unknown rule"),
            ):
                with pytest.raises(ToolFailed, match=re.escape(words)) as caught:
                    await call("start_game", **arguments)
                assert "\n" not in str(caught.value)
            await call("start_game", seat="forehand", seed=1)
            before = await call("view", form="json")
            for move in ("", "[banana]", "[CJ] or [CA] [", "x" * 100_000):
                with pytest.raises(ToolFailed, match=r"write one legal move|not legal now|is no move"):
                    await call("play", move=move)
            with pytest.raises(ToolFailed, match="form"):
                await call("view", form="rhyme")
            assert await call("view", form="json") == before
            assert set(json.loads(await call("list_games"))) >= {"skat", "klaverjas"}
            assert "schneider" in await call("game_rules", game="skat")

    asyncio.run(run())


def test_questions_wait_for_a_move_that_is_being_played() -> None:
    async def run() -> None:
        async with connected(make_server(b"key")) as call:
            start = {"game": "klaverjas", "seat": "south", "seed": 1, "agents": ["pimc(worlds=20)"]}
            told = await call("start_game", **start)
            move = re.findall(r"\[(\w\w)\]", told)[-1]
            view, moves = await call("view"), await call("legal_moves")
            answers = await asyncio.gather(call("play", move=move), call("view"), call("legal_moves"))
            assert answers[0] == answers[1] != view
            assert answers[2] == await call("legal_moves") != moves

    asyncio.run(run())


@pytest.mark.slow
def test_over_standard_input_and_output() -> None:
    async def run() -> None:
        given = StdioServerParameters(
            command=sys.executable, args=["-m", "skat_env", "mcp"], env={KEY: "key", "PYTHONPATH": str(ROOT)}
        )
        async with stdio_client(given) as streams, ClientSession(*streams) as client:
            await client.initialize()
            call = caller(client)
            line = await play_to_the_end(call, "klaverjas", seat="south", seed=3)
            hidden = sealed_seed(b"key", "klaverjas", 3)
            start = Session("klaverjas", (0,), seed=hidden).view().dealt[0]
            assert GameRecord.parse(line).state.dealt[0] == start

    asyncio.run(run())


def test_a_port_needs_http(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--port", "5"]) == 2
    assert "mcp with --port: it needs --http" in capsys.readouterr().err


@pytest.mark.slow
def test_over_http_on_this_machine() -> None:
    command = [sys.executable, "-m", "skat_env", "mcp", "--http", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().partition("mcp: ")[2].strip()
        assert address.startswith("http://127.0.0.1:")

        async def run() -> None:
            async with (
                streamable_http_client(address) as (reads, writes, _),
                ClientSession(reads, writes) as client,
            ):
                await client.initialize()
                assert GameRecord.parse(await play_to_the_end(caller(client), "skat", seed=3)).state.is_over

        asyncio.run(run())
    finally:
        server.terminate()
        server.wait(20)
