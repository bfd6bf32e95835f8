"""Klaverjas against the recorded random playouts: turn order, legal sets, points, roem, tricks, result."""

import json

import pytest

from skat_env.cards import parse_card
from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasState, KlaverjasView
from tests.conftest import SHARED

PLAYOUTS = SHARED / "data" / "klaverjas" / "playouts.jsonl"


@pytest.mark.skipif(not PLAYOUTS.exists(), reason=f"needs {PLAYOUTS}")
def test_recorded_playouts() -> None:
    lines = PLAYOUTS.read_text().splitlines()
    assert len(lines) == 400
    for line in lines:
        record = json.loads(line)
        places = [sum(1 << parse_card(card) for card in hand.split()) for hand in record["hands"]]
        state = KlaverjasState.new(
            Deal(tuple(places)),
            forehand=record["forehand"],
            declarer=record["declarer"],
            trump="DHSC".index(record["trump"]),
        )
        before = []
        for seat, card, legal in record["plays"]:
            assert state.to_act == seat
            assert state.legal_actions() == sorted(map(parse_card, legal.split()))
            view = state.view(seat)
            assert KlaverjasView.parse(view.text()) == view
            assert KlaverjasState.parse(state.text()) == state
            before.append(state.clone())
            state.apply(parse_card(card))
        result = state.result()
        assert list(result.card_points) == record["card_points"]
        assert list(result.roem) == record["roem"]
        assert list(result.tricks) == record["tricks"]
        assert result.made != record["nat"]
        assert result.difference == record["difference_team0"]
        while before:
            state.undo()
            assert state == before.pop()
