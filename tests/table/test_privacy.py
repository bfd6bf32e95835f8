"""Nothing hidden leaves the server: what a viewer is sent does not change when what he may not see is dealt anew."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from skat_env.beliefs.belief import Belief
from skat_env.play.starts import RandomDeals
from skat_env.registry import get_game
from skat_env.table.claims import claim_holds
from skat_env.table.messages import NewTable
from skat_env.table.scene import SPECTATOR, scene
from skat_env.table.session import Session
from tests.helpers.sessions import replayed, sent
from tests.helpers.tables import HUMAN, RULE, joined, new_table, server

ILLEGAL = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "skat_env": print("engine bad", flush=True)
    elif words[0] == "game": print("ready", flush=True)
    elif words[0] == "go": print("play XX", flush=True)
    elif words[0] == "quit": break
"""
"""An engine that plays what is not legal."""


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_seats_are_sent_what_their_views_hold(game: str) -> None:
    """Random games; at every position every seat's hidden cards are dealt anew, twice."""
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(6):
        state = RandomDeals(game)(rng)
        while not state.is_over:
            session = replayed(game, state)
            for seat in range(len(get_game(game).seats)):
                belief = Belief(state.view(seat))
                told = sent(session, seat)
                for row in belief.sample(2, rng):
                    world = belief.state(row, rng)
                    assert sent(replayed(game, world), seat) == told, (seat, state.text())
                    compared += world.text() != state.text()
            state.apply(int(rng.choice(state.legal_actions())))
    assert compared > 200


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_spectators_are_sent_what_everybody_sees(game: str) -> None:
    """Another deal with the same public actions: each seat's world in turn, so that all hidden cards change."""
    rng = np.random.default_rng(4)
    compared = 0
    for _ in range(8):
        state = RandomDeals(game)(rng)
        while not state.is_over:
            told = sent(replayed(game, state), SPECTATOR)
            for seat in range(len(get_game(game).seats)):
                belief = Belief(state.view(seat))
                world = belief.state(belief.sample(1, rng)[0], rng)
                assert sent(replayed(game, world), SPECTATOR) == told, (seat, state.text())
                compared += world.text() != state.text()
            shown = json.loads(told)["table"]
            if not any(
                "ouvert" in mark or "ouvert" in shown["title"]
                for hand in shown["hands"]
                for mark in hand["marks"]
            ):
                assert not any(card is not None for hand in shown["hands"] for card in hand["cards"]) or (
                    "ouvert" in shown["title"]
                )
            state.apply(int(rng.choice(state.legal_actions())))
    assert compared > 200


def test_an_open_table_and_the_end_of_a_deal_show_all_cards() -> None:
    session = Session(NewTable("skat", seed=1, open=True))
    assert all(card is not None for hand in scene(session, 1)["table"]["hands"] for card in hand["cards"])
    closed = Session(NewTable("skat", seed=1))
    rng = np.random.default_rng(0)
    while not closed.is_over:
        closed.act(closed.to_act, int(rng.choice(closed.state.legal_actions())))
    assert all(
        card is not None for hand in scene(closed, SPECTATOR)["table"]["hands"] for card in hand["cards"]
    )


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_an_answer_to_a_claim_depends_on_the_view_alone(game: str) -> None:
    """The last tricks of random games: the true deal makes no difference, and some claims hold."""
    rng = np.random.default_rng(5)
    held = refused = 0
    while held < 5 or refused < 5:
        state = RandomDeals(game)(rng)
        while not state.is_over and (state.stage != "cardplay" or state.places[state.to_act].bit_count() > 2):
            state.apply(int(rng.choice(state.legal_actions())))
        if state.is_over or state.declarer < 0:
            continue
        session = replayed(game, state)
        seat = session.to_act
        claim = session.own_claim(seat)
        belief = Belief(state.view(seat))
        answer = claim_holds(session.game, state.view(seat), claim)
        world = belief.state(belief.sample(1, rng)[0], rng)
        assert claim_holds(session.game, world.view(seat), claim) == answer
        if answer:
            held += 1
            truth = replayed(game, state, claim)
            assert truth.finished[0].record.returns()
        else:
            refused += 1


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_the_rest_goes_to_the_side_that_claims_it(game: str) -> None:
    """Also where the game is decided, so that it makes no difference in points: that would tell of hidden cards."""
    rng = np.random.default_rng(6)
    sides = set()
    while len(sides) < 4:
        state = RandomDeals(game)(rng)
        while not state.is_over and (state.stage != "cardplay" or state.places[state.to_act].bit_count() > 3):
            state.apply(int(rng.choice(state.legal_actions())))
        if state.is_over or state.declarer < 0:
            continue
        seat = state.to_act
        claim = replayed(game, state).own_claim(seat)
        assert claim == (state.side(seat) == 0)
        decided = state.returns(claim=True)[seat] == state.returns(claim=False)[seat]
        words = [replayed(game, state, each).log[-1] for each in (claim, not claim)]
        assert words == [(seat, "claims the rest"), (seat, "gives up")]
        sides.add((state.side(seat), decided))


def test_an_engine_that_fails_tells_nobody_its_cards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it says of its position is in the server's log alone."""
    (tmp_path / "illegal.py").write_text(ILLEGAL)
    engine = f"engine(command='{sys.executable} {tmp_path / 'illegal.py'}')"
    with server(tmp_path / "tables", allowed=(engine,)) as client:
        seats = [HUMAN, {"kind": "agent", "spec": engine}, RULE]
        made = new_table(client, seats=seats, seed=1)
        with (
            joined(client, made, made["seats"]["0"], made["host"]) as host,
            joined(client, made) as watching,
        ):
            for viewer in (host, watching):
                while not (told := viewer.receive_json()["players"][1]["failed"]):
                    pass
                assert told == f"{engine} cannot play on: the server's log says why"
    logged = capsys.readouterr().err
    assert logged.count("it said 'play XX'") == 1
