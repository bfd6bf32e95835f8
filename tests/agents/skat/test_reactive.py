"""The reactive players: legal and blind cards, each expert rule by an example, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from skat_env.agents.skat.expert._openings import SHAPES, Openings
from skat_env.agents.skat.expert._reactive import Reactive
from skat_env.agents.skat.expert.reactive import ALL_RULES, RULES, rules_without
from skat_env.agents.skat.rule.layout import TRUMPS
from skat_env.agents.skat.rule.situation import Situation
from skat_env.beliefs.belief import Belief
from skat_env.cards import ACE, card_text
from skat_env.errors import UnknownName
from skat_env.skat import SkatState
from skat_env.skat.rules import CARD_POINTS, Contract
from tests.helpers.endings import skat_choice
from tests.helpers.plain_reactive import PlainReactive

Differing = dict[str, list[tuple[SkatState, int, int]]]


def drawn_tables(share: float) -> dict[str, NDArray[np.float32]]:
    """Opening tables that know a share of the situations, with random chances."""
    rng = np.random.default_rng(0)
    tables = {}
    for name, shape in SHAPES.items():
        chances = rng.random(shape, np.float32)
        chances[rng.random(shape[:2]) >= share] = -1
        tables[name] = chances if shape[2] > 1 else chances[:, :, 0].copy()
    return tables


TABLES = {share: drawn_tables(share) for share in (0, 0.5, 1)}
UNKNOWN, HALF_KNOWN, DRAWN = (Openings(**tables) for tables in TABLES.values())
"""Without tables the players fall back on their rules."""


@pytest.mark.parametrize("openings", [UNKNOWN, DRAWN])
@given(
    declaration=st.sampled_from(["D", "H", "SH", "C", "G", "GH", "DO"]),
    seed=st.integers(0, 10**6),
    left=st.integers(4, 30),
    rules=st.integers(0, ALL_RULES),
)
def test_cards_are_legal_and_do_not_depend_on_hidden_ones(
    openings: Openings, declaration: str, seed: int, left: int, rules: int
) -> None:
    draw = np.random.default_rng(seed)
    state = skat_choice(draw, "SHO" if declaration == "DO" else declaration, left)
    view = state.view(state.to_act)
    players = Reactive(openings, rules)
    card = players.card(view)
    assert card in view.legal_actions()
    # A state with other hidden cards looks the same.
    assert players.card(state) == card
    belief = Belief(view)
    world = belief.state(belief.sample(1, draw)[0], draw)
    assert players.card(world) == card


@pytest.mark.parametrize(("openings", "share"), [(UNKNOWN, 0), (HALF_KNOWN, 0.5), (DRAWN, 1)])
@given(
    declaration=st.sampled_from(["D", "H", "S", "SH", "C", "CHS", "G", "GH"]),
    seed=st.integers(0, 10**6),
    left=st.integers(4, 30),
    rules=st.one_of(st.just(ALL_RULES), st.integers(0, ALL_RULES)),
)
def test_cards_are_those_of_the_plain_players(
    openings: Openings, share: float, declaration: str, seed: int, left: int, rules: int
) -> None:
    state = skat_choice(np.random.default_rng(seed), declaration, left)
    view = state.view(state.to_act)
    on = {name for bit, name in enumerate(RULES) if rules >> bit & 1}
    assert Reactive(openings, rules).card(view) == PlainReactive(view, TABLES[share], on).card(), view.text()


def test_positions_without_a_card_to_play_are_refused() -> None:
    players = Reactive(UNKNOWN, ALL_RULES)
    state = skat_choice(np.random.default_rng(1), "D", 20)
    for position in (
        skat_choice(np.random.default_rng(1), "N", 20),
        SkatState.random(np.random.default_rng(1)),
        state.view((state.to_act + 1) % 3),
    ):
        with pytest.raises(ValueError, match="play the cards of suit games and grand"):
            players.card(position)


def test_rules_are_switched_off_by_name() -> None:
    assert rules_without("none") == ALL_RULES
    assert rules_without("+".join(RULES)) == 0
    assert rules_without("red_jack") == ALL_RULES ^ 1 << list(RULES).index("red_jack")
    with pytest.raises(UnknownName, match="rule 'jack'"):
        rules_without("jack")


@pytest.fixture(scope="module")
def differing() -> Differing:
    """Random positions in which a rule changes the card: (position, the card with it, the card without it)."""
    draw = np.random.default_rng(5)
    whole = Reactive(DRAWN, ALL_RULES)
    without = {rule: Reactive(DRAWN, rules_without(rule)) for rule in RULES}
    found: Differing = {rule: [] for rule in RULES}
    for number in range(6000):
        state = skat_choice(draw, ("C", "G", "H")[number % 3], int(draw.integers(4, 30)))
        card = whole.card(state)
        for rule, players in without.items():
            other = players.card(state)
            if other != card:
                found[rule].append((state, card, other))
    return found


def table_of(state: SkatState) -> Situation:
    return Situation(state.view(state.to_act))


def test_every_rule_changes_some_cards(differing: Differing) -> None:
    assert all(len(positions) >= 5 for positions in differing.values())


@pytest.mark.parametrize(
    "rule", ["under_ace", "return_suit", "no_third_suit", "antisuit", "pairing_discard", "red_jack"]
)
def test_rules_of_opponents_are_theirs_alone(rule: str, differing: Differing) -> None:
    assert all(state.to_act != state.soloist for state, _, _ in differing[rule])


def test_the_jack_of_hearts_is_played_before_that_of_diamonds(
    differing: Differing,
) -> None:
    assert {(card_text(card), card_text(other)) for _, card, other in differing["red_jack"]} == {("HJ", "DJ")}


def test_the_partners_suit_is_returned(differing: Differing) -> None:
    for state, card, other in differing["return_suit"]:
        layout = table_of(state).layout
        partner = 3 - state.to_act - state.soloist
        led = [layout.group[layout.code[each]] for seat, each in state.plays()[::3] if seat == partner]
        suit = [group for group in led if group != TRUMPS][-1]
        assert layout.group[layout.code[card]] == suit
        assert state.trick() == []
        assert card != other


def test_no_third_suit_is_opened(differing: Differing) -> None:
    for state, card, other in differing["no_third_suit"]:
        layout = table_of(state).layout
        opened = {
            layout.group[layout.code[each]] for seat, each in state.plays()[::3] if seat != state.soloist
        } - {TRUMPS}
        assert len(opened) >= 2
        assert layout.group[layout.code[card]] in opened
        assert layout.group[layout.code[other]] not in opened


def test_the_antisuit_is_led_from_the_top_in_grand(
    differing: Differing,
) -> None:
    for state, card, _ in differing["antisuit"]:
        situation = table_of(state)
        code = situation.layout.code[card]
        held = situation.hand & situation.layout.follow[code]
        assert state.contract == Contract.GRAND
        assert held.bit_count() >= 3
        assert not situation.layout.above[code] & (situation.hidden | situation.hand)


def test_the_colour_of_an_ace_is_dropped_and_led(
    differing: Differing,
) -> None:
    asked = dropped = 0
    for state, card, _ in differing["pairing_discard"]:
        suit, other = card >> 3, card >> 3 ^ 1
        if state.trick():
            dropped += 1
            ace = 8 * other + ACE
            assert state.hands[state.to_act] >> ace & 1
            assert other != state.contract
            assert CARD_POINTS[card & 7] == 0
        else:
            asked += 1
            partner = 3 - state.to_act - state.soloist
            tricks = [state.plays()[first : first + 3] for first in range(0, len(state.plays()), 3)]
            layout = table_of(state).layout
            drops = [
                each
                for trick in tricks
                for seat, each in trick[1:]
                if seat == partner
                and layout.group[layout.code[each]] not in (TRUMPS, layout.group[layout.code[trick[0][1]]])
            ]
            assert drops[0] >> 3 == suit ^ 1
    assert asked > 0 < dropped


def test_few_trumps_are_kept(differing: Differing) -> None:
    for state, card, other in differing["few_trumps"]:
        situation = table_of(state)
        mine, theirs = (situation.trump_mask & cards for cards in (situation.hand, situation.hidden))
        assert mine.bit_count() <= min(2, theirs.bit_count())
        assert situation.layout.group[situation.layout.code[card]] != TRUMPS
        assert situation.layout.group[situation.layout.code[other]] == TRUMPS


def test_trumps_are_drawn_while_the_others_have_some(differing: Differing) -> None:
    for state, card, other in differing["draw_trumps"]:
        situation = table_of(state)
        mine, theirs = (situation.trump_mask & cards for cards in (situation.hand, situation.hidden))
        drawn = theirs != 0 and 2 * mine.bit_count() >= theirs.bit_count()
        assert state.to_act == state.soloist
        assert (situation.layout.group[situation.layout.code[card]] == TRUMPS) == drawn
        assert (situation.layout.group[situation.layout.code[other]] == TRUMPS) != drawn


def test_full_cards_are_secured(differing: Differing) -> None:
    for state, card, _ in differing["secure_fulls"]:
        situation = table_of(state)
        code = situation.layout.code[card]
        assert situation.layout.points[code] >= 10
        assert situation.layout.above[code] & situation.hidden
        assert state.trick()


def test_the_ace_is_led_where_under_ace_is_off(
    differing: Differing,
) -> None:
    for state, card, other in differing["under_ace"]:
        assert state.trick() == []
        assert other & 7 == ACE
        assert card >> 3 == other >> 3


def test_a_decisive_trick_is_taken_by_the_last_player(
    differing: Differing,
) -> None:
    for state, card, other in differing["decisive_trick"]:
        assert len(state.trick()) == 2
        after, without = state.clone(), state.clone()
        after.apply(card)
        without.apply(other)
        side = state.side(state.to_act)
        assert after.points[side] >= without.points[side]


def test_whether_to_lead_or_to_cut_with_a_trump_is_looked_up(
    differing: Differing,
) -> None:
    for rule, leads in (("trump_or_suit", True), ("cut_or_drop", False)):
        for state, card, other in differing[rule]:
            layout = table_of(state).layout
            assert (state.trick() == []) == leads
            trumps = {layout.group[layout.code[each]] == TRUMPS for each in (card, other)}
            assert trumps == {True, False}


def test_the_best_card_of_the_tables_is_led() -> None:
    draw = np.random.default_rng(6)
    trump = np.full(SHAPES["trump"], -1, np.float32)
    suit = np.full(SHAPES["suit"], -1, np.float32)
    cut = np.full(SHAPES["cut"][:2], -1, np.float32)
    trump[:] = np.arange(SHAPES["trump"][2])[::-1] / 20
    suit[:] = np.arange(SHAPES["suit"][2])[::-1] / 20
    for lead in (0, 1):
        balance = np.full(SHAPES["lead_trump"][:2], lead, np.float32)
        players = Reactive(Openings(trump, suit, balance, cut), rules_without("draw_trumps"))
        for _ in range(200):
            state = skat_choice(draw, "C", 3 * int(draw.integers(2, 11)))
            situation = table_of(state)
            mine = situation.hand & situation.trump_mask
            if (
                state.to_act != state.soloist
                or not mine
                or mine == situation.hand
                or (lead and mine.bit_count() <= 2)
            ):
                continue
            code = situation.layout.code[players.card(state)]
            assert (situation.layout.group[code] == TRUMPS) == bool(lead)
            # The chances fall from the weakest card to the strongest.
            assert not situation.hand & situation.layout.follow[code] & ((1 << code) - 1)
