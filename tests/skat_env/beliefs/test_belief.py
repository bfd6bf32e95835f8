"""Beliefs: counts against brute enumeration, samples against exact probabilities, worlds that play on."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.cards import cards_of, mask_of
from skat_env.deal import Deal
from skat_env.errors import IllegalAction
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.skat import GAME, Declaration, SkatState, SkatView
from skat_env.skat.rules import Phase
from tests.conftest import klaverjas_positions, random_games, random_skat_games, skat_positions
from tests.helpers.late_skat import late_positions


def late_klaverjas(legality: str, cards_left: int, games: int, seed: int) -> list[KlaverjasState]:
    """Positions of random games of Klaverjas with so many cards left to play."""
    states = random_games(KLAVERJAS, games, seed, KlaverjasRules(legality=legality))
    for state in states:
        for _ in range(cards_left):
            state.undo()
    return states


def brute_klaverjas(state: KlaverjasState, seat: int) -> set[tuple[int, ...]]:
    """All places of the unknown cards with which every play would have been legal."""
    others = [other for other in range(4) if other != seat]
    unknown = [card for other in others for card in cards_of(state.hands[other])]
    worlds = set()
    for split in splits(unknown, [state.hands[other].bit_count() for other in others]):
        places = list(state.dealt)
        row = [0] * 4
        for other, cards in zip(others, split, strict=True):
            row[other] = mask_of(cards)
            places[other] = state.dealt[other] & ~state.hands[other] | row[other]
        try:
            KlaverjasState.parse(" ".join([Deal(tuple(places)).text(), *state.text().split()[1:]]))
        except IllegalAction:
            continue
        worlds.add(tuple(row))
    return worlds


def brute_worlds(state: SkatState, seat: int) -> set[tuple[int, ...]]:
    """All places of the unknown cards under which the game could have been played as the seat saw it.

    Every split of the unknown cards by the known sizes is tried: the deal is put together and the game replayed.
    """
    view = state.view(seat)
    unknown = [card for card in range(32) if not (view.hand | view.skat | view.played_mask()) >> card & 1]
    if view.announcement == 3 and seat != view.soloist:
        unknown = [card for card in unknown if not view.hands[view.soloist] >> card & 1]
    at = [place for place in range(4) if any(state.places[place] >> card & 1 for card in unknown)]
    sizes = [sum(state.places[place] >> card & 1 for card in unknown) for place in at]
    worlds = set()
    for split in splits(unknown, sizes):
        places = list(state.places)
        for place in at:
            places[place] = places[place] & ~mask_of(unknown)
        for place, cards in zip(at, split, strict=True):
            places[place] |= mask_of(cards)
        if fits(state, seat, places):
            worlds.add(tuple(mask & mask_of(unknown) for mask in places))
    return worlds


def splits(cards: list[int], sizes: list[int]):
    """All ways to hand out cards in parts of given sizes."""
    if not sizes:
        yield ()
        return
    for part in itertools.combinations(cards, sizes[0]):
        for rest in splits([card for card in cards if card not in part], sizes[1:]):
            yield (part, *rest)


def fits(state: SkatState, seat: int, places: list[int]) -> bool:
    """Whether the game could have been played to here with other cards at the places."""
    played = [sum(1 << card for who, card in state.plays() if who == other) for other in range(3)]
    hands = [places[other] | played[other] for other in range(3)]
    actions = state.history()
    first = len(actions) - len(state.plays())
    if state.picked_up and seat != state.soloist:
        # The soloist found, and laid away again, the two cards that are in the skat.
        actions = [*actions[: first - 2], *cards_of(places[3]), *actions[first:]]
        found = places[3]
    elif state.picked_up:
        found = state.dealt[3]
        hands[seat] = state.dealt[seat]
    else:
        found = places[3]
    other = SkatState.new(Deal((*hands, found)), state.rules)
    try:
        for action in actions:
            other.apply(action)
    except IllegalAction:
        return False
    return True


@pytest.mark.parametrize("picked_up", [False, True])
def test_counts_equal_brute_enumeration(picked_up: bool) -> None:
    checked = 0
    for state in late_positions(9, picked_up, 12, seed=4):
        for seat in range(3):
            belief = Belief(state.view(seat))
            expected = brute_worlds(state, seat)
            rows = np.concatenate(list(belief.enumerate(7)))
            assert belief.count == len(expected)
            assert {tuple(map(int, row)) for row in rows} == expected
            assert belief.probability(rows).sum() == pytest.approx(1)
            checked += len(expected)
    assert checked > 300


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_counts_of_klaverjas_equal_brute_enumeration(legality: str) -> None:
    checked = narrowed = 0
    for cards_left in (7, 8, 10):
        for state in late_klaverjas(legality, cards_left, 6, seed=cards_left):
            for seat in range(4):
                belief = Belief(state.view(seat))
                expected = brute_klaverjas(state, seat)
                rows = np.concatenate(list(belief.enumerate(7)))
                assert belief.count == len(expected)
                assert {tuple(map(int, row)) for row in rows} == expected
                assert belief.probability(rows).sum() == pytest.approx(1)
                checked += len(expected)
                narrowed += not belief.possible()[belief.cards][:, np.array(belief.slots) > 0].all()
    assert checked > 200
    assert narrowed > 20


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_the_sampler_excludes_what_the_view_does(legality: str) -> None:
    """Trying cards beside the plays, as the sampler does for every game, gives what Klaverjas' rules say directly."""
    rng = np.random.default_rng(4)
    for state in random_games(KLAVERJAS, 120, 7, KlaverjasRules(legality=legality)):
        for _ in range(int(rng.integers(1, 32))):
            state.undo()
        for seat in range(4):
            view = state.view(seat)
            belief = Belief(view)
            possible = belief.possible()
            for other in range(4):
                if other != seat and belief.slots[other]:
                    excluded = [card for card in belief.cards if not possible[card, other]]
                    assert excluded == [card for card in belief.cards if view.excluded(other) >> card & 1]


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@given(st.data())
def test_worlds_are_of_the_view_and_play_on(game: str, data: st.DataObject) -> None:
    """OpenSpiel's rules of resampling: own cards kept, the same view, in every phase, playable to the end."""
    state = data.draw(skat_positions() if game == "skat" else klaverjas_positions())
    rng = np.random.default_rng(1)
    for seat in range(len(state.hands)):
        view = state.view(seat)
        belief = Belief(view)
        assert belief.probability(belief.row(state)[None])[0] > 0
        for row in belief.sample(5, rng):
            world = belief.state(row, rng)
            assert world.view(seat) == view
            assert world.hands[seat] == state.hands[seat]
            assert (belief.row(world) == row).all()
            assert type(state).parse(world.text()) == world
            while not world.is_over:
                legal = world.legal_actions()
                world.apply(legal[int(rng.integers(len(legal)))])


def test_known_counts() -> None:
    deal = GAME.random_deal(np.random.default_rng(0))
    fresh = SkatState.new(deal)
    assert Belief(fresh.view(0)).count == 42_678_636  # C(22, 10) C(12, 2)
    picked_up = SkatState.cardplay(deal, 0, Declaration.parse("G"), (18, 0, 0))
    assert Belief(picked_up.view(0)).count == 184_756  # C(20, 10)
    assert Belief(picked_up.view(1)).count == 42_678_636
    hand = SkatState.cardplay(deal, 0, Declaration.parse("GH"), (18, 0, 0))
    assert Belief(hand.view(0)).count == 42_678_636
    opened = SkatState.cardplay(deal, 0, Declaration.parse("NO"), (18, 0, 0))
    assert Belief(opened.view(1)).count == 66  # C(12, 2)
    klaverjas = KlaverjasState.random(np.random.default_rng(0))
    assert Belief(klaverjas.view(3)).count == 9_465_511_770  # 24! / 8!^3


def test_voids_are_what_the_plays_prove() -> None:
    """The legal-card function excludes what the state notes as voids, and nothing else."""
    for state in random_skat_games(150, 8):
        state = state.clone()
        for _ in range(min(len(state.plays()), 14)):
            state.undo()
        if state.phase != Phase.PLAY:
            continue
        for seat in range(3):
            view = state.view(seat)
            belief = Belief(view)
            possible = belief.possible()
            for other in range(3):
                for card in belief.cards:
                    if other != seat and belief.slots[other]:
                        group = group_of(card, state)
                        assert possible[card, other] == (not view.is_void(other, group))


def group_of(card: int, state: SkatState) -> int:
    """The suit of a plain card, 4 for a trump."""
    null = state.contract == 5
    trump = not null and (card & 7 == 4 or card >> 3 == state.contract)
    return 4 if trump else card >> 3


def chi_square(belief: Belief, draws: np.ndarray) -> float:
    """The p-value of draws against the exact probabilities."""
    rows = np.concatenate(list(belief.enumerate()))
    number = {tuple(row): i for i, row in enumerate(rows.tolist())}
    seen = np.bincount([number[tuple(row)] for row in draws.tolist()], minlength=len(rows))
    expected = belief.probability(rows) * len(draws)
    assert not seen[expected == 0].any()
    keep = expected > 0
    return stats.chisquare(seen[keep], expected[keep]).pvalue


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_samples_of_klaverjas_have_the_exact_probabilities(legality: str, weighted: bool) -> None:
    rng = np.random.default_rng(6)
    tested = 0
    for state in late_klaverjas(legality, 10, 8, seed=9):
        belief = Belief(state.view(1), rng.random((32, 4)) ** 2 if weighted else None)
        if belief.count > 1:
            assert chi_square(belief, belief.sample(60 * belief.count, rng)) > 1e-3
            tested += 1
    assert tested > 4


@pytest.mark.parametrize("weighted", [False, True])
def test_distinct_samples_of_klaverjas(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    for state in late_klaverjas("rotterdam", 9, 4, seed=5):
        belief = Belief(state.view(1), rng.random((32, 4)) if weighted else None)
        for n in (1, belief.count // 2, belief.count, belief.count + 5):
            rows = belief.sample_distinct(n, rng)
            assert len(np.unique(rows, axis=0)) == len(rows) == min(n, belief.count)
    wide = Belief(KlaverjasState.random(rng).view(0), rng.random((32, 4)) if weighted else None)
    assert len(np.unique(wide.sample_distinct(1000, rng), axis=0)) == 1000


@pytest.mark.parametrize("weighted", [False, True])
def test_samples_have_the_exact_probabilities(weighted: bool) -> None:
    rng = np.random.default_rng(6)
    for state in late_positions(12, True, 4, seed=9):
        seat = (state.soloist + 1) % 3
        weights = rng.random((32, 4)) ** 2 if weighted else None
        belief = Belief(state.view(seat), weights)
        if belief.count > 1:
            assert chi_square(belief, belief.sample(60 * belief.count, rng)) > 1e-3


def test_weighted_probabilities_are_products_over_cards() -> None:
    """Solinas 2019, eq. 1, against its definition."""
    rng = np.random.default_rng(2)
    for state in late_positions(9, False, 5, seed=3):
        weights = rng.random((32, 4))
        belief = Belief(state.view(0), weights)
        rows = np.concatenate(list(belief.enumerate()))
        products = np.array(
            [
                np.prod([weights[card, place] for place in range(4) for card in cards_of(int(row[place]))])
                for row in rows
            ]
        )
        assert belief.probability(rows) == pytest.approx(products / products.sum())
        for place in range(4):
            for card in belief.cards:
                at_place = (rows[:, place] >> np.uint32(card) & np.uint32(1)).astype(bool)
                expected = belief.probability(rows)[at_place].sum()
                assert belief.marginals()[card, place] == pytest.approx(expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_distinct_samples_are_distinct_and_complete(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    for state in late_positions(12, False, 4, seed=5):
        belief = Belief(state.view(1), rng.random((32, 4)) if weighted else None)
        for n in (1, belief.count // 2, belief.count, belief.count + 5):
            rows = belief.sample_distinct(n, rng)
            assert len(np.unique(rows, axis=0)) == len(rows) == min(n, belief.count)
    wide = Belief(SkatState.new(GAME.random_deal(rng)).view(0), rng.random((32, 4)) if weighted else None)
    assert len(np.unique(wide.sample_distinct(1000, rng), axis=0)) == 1000


def test_the_first_of_all_worlds_are_a_sample() -> None:
    rng = np.random.default_rng(4)
    for state in late_klaverjas("rotterdam", 10, 8, seed=9):
        belief = Belief(state.view(1))
        if 1 < belief.count < 1000:
            firsts = [belief.sample_distinct(belief.count, rng)[:2] for _ in range(30 * belief.count)]
            assert chi_square(belief, np.concatenate(firsts)) > 1e-3
            return
    raise AssertionError("no position has a few worlds")


def test_draws_differ_and_repeat_with_the_generator() -> None:
    belief = Belief(SkatState.new(GAME.random_deal(np.random.default_rng(0))).view(0))
    first = belief.sample(50, np.random.default_rng(1))
    assert (first == belief.sample(50, np.random.default_rng(1))).all()
    assert (first != belief.sample(50, np.random.default_rng(2))).any()
    assert len(np.unique(first, axis=0)) > 45


def test_zero_weights_and_rows_that_are_no_worlds() -> None:
    state = late_positions(9, False, 1, seed=1)[0]
    belief = Belief(state.view(0))
    row = belief.row(state)
    wrong = row.copy()
    wrong[0] = 1
    assert belief.probability(np.array([row, wrong, np.zeros(4, np.uint32)]))[1:].tolist() == [0, 0]
    with pytest.raises(ValueError, match="weight 0"):
        Belief(state.view(0), np.zeros((32, 4)))
    with pytest.raises(ValueError, match="negative"):
        Belief(state.view(0), -np.ones((32, 4)))
    with pytest.raises(ValueError, match=r"not \[32, 4\]"):
        Belief(state.view(0), np.ones((4, 32)))


@pytest.mark.parametrize(
    "state", [SkatState.random(np.random.default_rng(0)), KlaverjasState.random(np.random.default_rng(0))]
)
def test_a_row_with_a_card_too_many_has_probability_0(state: SkatState | KlaverjasState) -> None:
    belief = Belief(state.view(1))
    world = belief.row(state)
    for card, place in itertools.product(belief.cards, range(4)):
        row = world.copy()
        row[place] |= 1 << card
        assert (belief.probability(row[None])[0] > 0) == (row == world).all()


def test_a_view_that_contradicts_itself_raises() -> None:
    """Both others have failed to follow diamonds: six of them do not fit into the skat."""
    hand = "H7.H8.H9.HT.HQ.HK.HA.D7.S7.C7"
    view = SkatView.parse(f"{hand}/?/?/? seat=0 declarer=0 bids=18,0,0 game=GH : D7 S8 S9")
    with pytest.raises(ValueError, match="contradicts itself"):
        Belief(view)


def test_the_uniform_sampler() -> None:
    rng = np.random.default_rng(0)
    state = late_positions(6, False, 1, seed=2)[0]
    view = state.view(0)
    sampler = UniformSampler()
    worlds = sampler.worlds(view, 10_000, rng)
    assert len(worlds) == Belief(view).count
    assert len({world.state.places for world in worlds}) == len(worlds)
    for wide in (SkatState.new(GAME.random_deal(rng)).view(1), KlaverjasState.random(rng).view(1)):
        assert len({world.state.places for world in sampler.worlds(wide, 20, rng)}) == 20
    wide = SkatState.new(GAME.random_deal(rng)).view(1)
    assert len(sampler.worlds(wide, 20, rng)) == 20
    assert all(world.weight == 1 and world.state.view(1) == wide for world in sampler.worlds(wide, 20, rng))
