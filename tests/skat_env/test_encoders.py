"""The encoders against plain twins that read the view, and their bad input."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.agents.klaverjas.suits import shuffle_plain_suits
from skat_env.beliefs.belief import UniformSampler
from skat_env.deal import Deal
from skat_env.encoders import encoder_names, encoders_of, get_encoder
from skat_env.errors import UnknownName
from skat_env.features import total_width
from skat_env.klaverjas import KlaverjasState
from skat_env.klaverjas.rules import Phase as KlaverjasPhase
from skat_env.skat import GAME, Declaration, SkatState, SkatView
from skat_env.skat.rules import Contract, Phase
from tests.conftest import klaverjas_positions, random_skat_games, skat_positions
from tests.helpers.plain_encoders import cards_in_order, plain_row, relabelled_cards

WIDTHS = {
    "skat.bid_answer": 32 + 3,
    "skat.continue_answer": 32 + 3 + 64,
    "skat.bid": 32 + 3 + 64 + 64 + 3,
    "skat.hand_pickup": 32 + 3 + 64 + 64,
    "skat.declare": 32 + 3 + 64 + 64,
    "skat.discard": 32 + 3 + 64 + 64 + 1,
    "skat.declared": 95,
    "skat.suit_soloist": 387,
    "skat.suit_defender": 389,
    "skat.grand_soloist": 383,
    "skat.grand_defender": 385,
    "skat.null_soloist": 351,
    "skat.null_defender": 353,
    "skat.locations": 361 + 32 * 24,
    "skat.locations_before": 95,
    "skat.relabelled_soloist": 473,
    "skat.relabelled_defender": 474,
    "skat.tactical_soloist": 473 + 7 * 32 - 32 + 120,
    "skat.tactical_defender": 474 + 7 * 32 - 32 + 120,
    "skat.world": 292,
    "klaverjas.perspective": 299,
    "klaverjas.cardplay": 387,
    "klaverjas.locations": 462 + 32 * 28,
    "klaverjas.locations_before": 46,
    "klaverjas.world": 274,
}
SECOND = {
    *("skat.locations", "skat.relabelled_soloist", "skat.relabelled_defender"),
    *("klaverjas.cardplay", "klaverjas.locations", "klaverjas.locations_before"),
}
"""Encoders of version 2; the others have version 1."""


def skat_readers(view: SkatView) -> set[str]:
    """The encoders that read a view of Skat."""
    names = set()
    if view.phase <= Phase.ANSWER:
        first = not (view.passed[0] or view.passed[1])
        names |= {"skat.bid", "skat.bid_answer" if first else "skat.continue_answer"}
    if view.phase == Phase.PLAY:
        kind = {Contract.GRAND: "grand", Contract.NULL: "null"}.get(view.contract, "suit")
        role = "soloist" if view.is_soloist else "defender"
        names |= {"skat.locations", "skat.locations_before", f"skat.{kind}_{role}"}
        names |= {f"skat.relabelled_{role}", f"skat.tactical_{role}"}
        names |= {"skat.declared"} if view.is_soloist else set()
    elif view.is_soloist and view.phase != Phase.OVER:
        if view.phase == Phase.DISCARD:
            names.add("skat.discard")
        else:
            names.add("skat.declare" if view.picked_up else "skat.hand_pickup")
    return names


def klaverjas_readers(view: Any) -> set[str]:
    names = {"klaverjas.perspective"} if view.phase != KlaverjasPhase.CHOOSE else set()
    played = {"klaverjas.cardplay", "klaverjas.locations", "klaverjas.locations_before"}
    return names | (played if view.phase == KlaverjasPhase.PLAY else set())


def check(state: Any, readers: Any, game: str) -> None:
    """Every encoder, for every seat: the twin's row from state and view alike, or a refusal."""
    check_world(state, game)
    for seat in range(len(state.hands)):
        view = state.view(seat)
        for encoder in encoders_of(game):
            if encoder.name == f"{game}.world":
                with pytest.raises(ValueError, match="reads"):
                    encoder.encode([view])
                continue
            if encoder.name not in readers(view):
                with pytest.raises(ValueError, match="reads"):
                    encoder.encode([state], [seat])
                continue
            row, expected = encoder.encode([state], [seat])[0], plain_row(encoder.name, view)
            wrong = [name for name, place in encoder.slices.items() if (row[place] != expected[place]).any()]
            assert not wrong, encoder.name
            assert len(row) == len(expected)
            assert (encoder.encode([view])[0] == row).all()


def check_world(state: Any, game: str) -> None:
    """A State of the cardplay has one row for all seats, and other States none."""
    encoder = get_encoder(f"{game}.world")
    if state.is_over or state.stage != "cardplay":
        with pytest.raises(ValueError, match="reads"):
            encoder.encode([state], [0])
        return
    seats = list(range(len(state.hands)))
    rows, expected = encoder.encode([state] * len(seats), seats), plain_row(encoder.name, state)
    wrong = [name for name, place in encoder.slices.items() if (rows[0][place] != expected[place]).any()]
    assert not wrong, encoder.name
    assert (rows == rows[0]).all()
    assert len(rows[0]) == len(expected)


@given(skat_positions())
def test_skat_equals_the_plain_twin(state: SkatState) -> None:
    check(state, skat_readers, "skat")


def test_skat_equals_the_plain_twin_at_every_decision_of_some_games() -> None:
    for state in random_skat_games(12, 8):
        while state.history():
            state.undo()
            check(state, skat_readers, "skat")


@pytest.mark.parametrize("text", ["GHS", "NO", "CO", "D", "HHZ", "NH", "G"])
def test_given_cardplays_too(text: str) -> None:
    rng = np.random.default_rng(2)
    state = SkatState.cardplay(GAME.random_deal(rng), 1, Declaration.parse(text), (18, 120, 20))
    while not state.is_over:
        check(state, skat_readers, "skat")
        state.apply(int(rng.choice(state.legal_actions())))


@given(klaverjas_positions())
def test_klaverjas_equals_the_plain_twin(state: KlaverjasState) -> None:
    check(state, klaverjas_readers, "klaverjas")


@given(skat_positions(), st.integers(0, 2**32 - 1))
def test_skat_tells_nothing_hidden(state: SkatState, seed: int) -> None:
    check_worlds(state, skat_readers, seed)


@given(klaverjas_positions(), st.integers(0, 2**32 - 1))
def test_klaverjas_tells_nothing_hidden(state: KlaverjasState, seed: int) -> None:
    check_worlds(state, klaverjas_readers, seed)


def check_worlds(state: Any, readers: Any, seed: int) -> None:
    """All worlds of a view have one row."""
    seat = seed % len(state.hands)
    view = state.view(seat)
    worlds = UniformSampler().worlds(view, 2, np.random.default_rng(seed))
    for name in readers(view):
        encoder = get_encoder(name)
        rows = encoder.encode([view, *(world.state for world in worlds)], [seat] * (1 + len(worlds)))
        assert (rows == rows[0]).all(), name


def test_the_layouts() -> None:
    assert {name: get_encoder(name).width for name in WIDTHS} == WIDTHS
    assert {*encoder_names("skat"), *encoder_names("klaverjas")} == set(WIDTHS)
    for game in ("skat", "klaverjas"):
        for encoder in encoders_of(game):
            assert encoder.width == total_width(encoder.features)
            assert len(encoder.slices) == len(encoder.features)
            assert encoder.version == (2 if encoder.name in SECOND else 1)


def test_the_twelve_cards_stay_the_same_between_the_discards() -> None:
    text = "C7.C8.C9.CT.CJ.CQ.CK.CA.S7.S8/H7.H8.H9.HT.HJ.HQ.HK.HA.S9.ST/D7.D8.D9.DT.DJ.DQ.DK.DA.SJ.SQ/SK.SA"
    state = SkatState.parse(f"{text} : yes pass pass pick-up C")
    discard = get_encoder("skat.discard")
    before = discard.encode([state])
    assert before[0, :32].sum() == 12
    state.apply(state.legal_actions()[0])
    assert (discard.encode([state]) == before).all()


def test_a_batch_is_its_rows_and_fills_what_it_is_given() -> None:
    encoder = get_encoder("skat.locations")
    states = [SkatState.cardplay(GAME.random_deal(np.random.default_rng(i)), i, Declaration.parse("G"), (18, 18, 18)) for i in range(3)]  # fmt: skip
    out = np.full((3, encoder.width), 7, np.float32)
    assert encoder.encode(states, [2, 1, 0], out) is out
    for i, state in enumerate(states):
        assert (out[i] == encoder.encode([state.view(2 - i)])[0]).all()
    assert (encoder.encode(states) == encoder.encode(states, [0, 0, 0])).all()
    assert encoder.encode([]).shape == (0, encoder.width)


def test_bad_input() -> None:
    encoder = get_encoder("skat.bid_answer")
    state = SkatState.new(GAME.random_deal(np.random.default_rng(0)))
    klaverjas = KlaverjasState.random(np.random.default_rng(0))
    cases = [
        (([klaverjas],), "not a KlaverjasState"),
        (([state], [3]), "seat"),
        (([state], [0, 1]), "2 seats for 1 positions"),
        (([state.view(0)], [1]), "view of seat 0, not of seat 1"),
        (([state], None, np.zeros((1, 34), np.float32)), r"float32 \[1, 35\]"),
        (([state], None, np.zeros((1, 35))), "float64"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            encoder.encode(*arguments)
    with pytest.raises(UnknownName, match=r"did you mean 'skat\.suit_soloist'"):
        get_encoder("skat.suit_solist")
    with pytest.raises(UnknownName):
        encoder_names("bridge")


@pytest.mark.parametrize("game", ["D", "S", "G", "NO"])
def test_games_that_differ_by_their_suits_look_the_same(game: str) -> None:
    rng = np.random.default_rng(5)
    declaration, compared = Declaration.parse(game), 0
    for _ in range(20):
        deal, suits = GAME.random_deal(rng), rng.permutation(4)
        jacks_stay = declaration.contract != Contract.NULL
        new = [c if jacks_stay and c % 8 == 4 else 8 * int(suits[c // 8]) + c % 8 for c in range(32)]
        places = tuple(sum(1 << new[c] for c in range(32) if mask >> c & 1) for mask in deal.places)
        contract = suits[declaration.contract] if declaration.contract < 4 else declaration.contract
        other_game = Declaration(Contract(int(contract)), False, declaration.announcement)
        state = SkatState.cardplay(deal, 1, declaration, (18, 18, 0))
        other = SkatState.cardplay(Deal(places), 1, other_game, (18, 18, 0))
        while not state.is_over:
            seat = state.to_act
            encoder = get_encoder(f"skat.relabelled_{'soloist' if seat == 1 else 'defender'}")
            held = [deal.places[seat] >> 8 * s & (0xEF if jacks_stay else 0xFF) for s in range(4)]
            if len(set(held)) == 4:  # else the suits' own order decides
                rows = encoder.encode([state, other])
                labels = encoder.labels([state.view(seat), other.view(seat)])
                differing = {
                    n for n, place in encoder.slices.items() if (rows[0, place] != rows[1, place]).any()
                }
                # What the game is worth still depends on the suit.
                assert differing <= {"suit", "bid_type", "value", "needs_schneider"}
                assert (labels[0] == labels[1, new]).all()
                compared += 1
            card = int(rng.choice(state.legal_actions()))
            state.apply(card)
            other.apply(new[card])
    assert compared > 100


@given(skat_positions())
def test_labels_are_the_numbers_of_the_cards(state: SkatState) -> None:
    for seat in range(3) if state.phase == Phase.PLAY else ():
        view = state.view(seat)
        encoder = get_encoder(f"skat.relabelled_{'soloist' if view.is_soloist else 'defender'}")
        assert encoder.labels([view])[0].argsort().tolist() == relabelled_cards(view)
        assert get_encoder("skat.locations").labels([view])[0].tolist() == list(range(32))


def test_labels_of_klaverjas() -> None:
    view = KlaverjasState.random(np.random.default_rng(4)).view(2)
    labels = get_encoder("klaverjas.cardplay").labels([view])[0]
    assert labels.argsort().tolist() == cards_in_order(view.trump)
    with pytest.raises(ValueError, match="cardplay in Skat"):
        get_encoder("skat.relabelled_soloist").labels([view])


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_locations_before_the_cardplay_do_not_learn_from_it(game: str) -> None:
    encoder, rng = get_encoder(f"{game}.locations_before"), np.random.default_rng(6)
    state: Any = SkatState.cardplay(GAME.random_deal(rng), 1, Declaration.parse("NO"), (18, 24, 20))
    if game == "klaverjas":
        state = KlaverjasState.random(rng)
    rows = []
    while not state.is_over:
        rows.append(encoder.encode([state] * len(state.hands), range(len(state.hands))))
        state.apply(int(rng.choice(state.legal_actions())))
    assert len(rows) > 3
    assert all((row == rows[0]).all() for row in rows)


def test_shuffling_keeps_trumps_and_the_cards_of_a_suit_together() -> None:
    encoder = get_encoder("klaverjas.perspective")
    state = KlaverjasState.random(np.random.default_rng(4))
    rows = encoder.encode([state] * 40)
    shuffled = rows.copy()
    shuffle_plain_suits(shuffled, np.random.default_rng(0))
    blocks = [row[72:288].reshape(3, 72) for row in shuffled]
    assert (shuffled[:, :72] == rows[:, :72]).all()
    assert (shuffled[:, 288:] == rows[:, 288:]).all()
    assert all(sorted(map(bytes, b)) == sorted(map(bytes, rows[0, 72:288].reshape(3, 72))) for b in blocks)
    assert len({b.tobytes() for b in blocks}) == 6
