"""Winning probabilities: features against plain counting, tables against the games counted, and the bidder on them."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.skat.counted._winning_lookup import WinningLookup
from skat_env.agents.skat.counted.winning_counts import Games, calibration, counted, figures, read_starts
from skat_env.agents.skat.counted.winning_features import (
    FEATURES,
    GAPS,
    NO_SKAT,
    NULL_CLASSES,
    addresses,
    features,
    kind_of,
    leading,
)
from skat_env.agents.skat.counted.winning_tables import (
    DEPTHS,
    OUTCOMES,
    Counts,
    WinningTables,
    table_names,
    variant_of,
    variants,
)
from skat_env.agents.skat.rule import hand_table
from skat_env.agents.skat.rule.hand import EVALUATOR
from skat_env.cards import JACK, cards_of, mask_of, parse_mask
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.datasets.importer import import_games
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.skat.rules import CARD_POINTS, Announcement, Contract
from tests.helpers.checkpoints import forget_checksums
from tests.helpers.sgf_lines import TAKEN, sgf


def plain_odds(contract: int, hand: int, skat: int | None, forehand: bool, ouvert: bool) -> int:
    """The class of the log-odds of one hand, summed as the rule player's fitted table tells."""
    suits = [{"789TJQKA"[card & 7] for card in cards_of(hand) if card >> 3 == suit} for suit in range(4)]
    if contract == Contract.NULL:
        table = hand_table.NULL
        chance = 1.0
        for suit in range(4):
            byte = hand >> 8 * suit & 255
            logit = table["suit"][byte] + table["ouvert"] * ouvert + table["forehand"] * forehand
            chance *= 1 / (1 + math.exp(-logit))
        odds = math.log(chance / (1 - chance))
    else:
        table = hand_table.GRAND_WIN if contract == Contract.GRAND else hand_table.SUIT_WIN
        odds = table["jacks"][sum(("J" in suits[suit]) << suit for suit in range(4))]
        odds += table["forehand"] * forehand
        odds += table["hand"] if skat is None else table["skat_points"] / 10 * points_of(skat)
        for suit, held in enumerate(suits):
            if suit == contract:
                odds += ("A" in held) * table["trump_ace"] + ("T" in held) * table["trump_ten"]
                odds += table["length"][len(held - {"J"}) + sum("J" in other for other in suits)]
            else:
                small = len(held & set("789"))
                honours = ("A" in held) * 32 + ("T" in held) * 16 + ("K" in held) * 8 + ("Q" in held) * 4
                odds += table["plain"][honours + small]
    return min(max(math.floor((odds + 6.00003) / 0.5), 0), 23)


def points_of(cards: int) -> int:
    """The card points of a set."""
    return sum(CARD_POINTS[card & 7] for card in cards_of(cards))


def plain_features(
    contract: int, hand: int, skat: int | None, forehand: bool, bid: int, ouvert: bool = False
) -> list[int]:
    """The features of one hand, counted card by card."""
    suits = [{"789TJQKA"[card & 7] for card in cards_of(hand) if card >> 3 == suit} for suit in range(4)]
    odds = plain_odds(contract, hand, skat, forehand, ouvert)
    bid_class = sum(bid >= least for least in (18, 22, 27, 36))
    if contract == Contract.NULL:
        gaps = []
        for held in suits:
            worst = 0
            for rank, letter in enumerate("789TJQKA"):
                if letter in held:
                    below = sum(other in held for other in "789TJQKA"[:rank])
                    worst = max(worst, rank - 2 * below)
            gaps.append(min(worst, 4))
        gaps.sort(reverse=True)
        code = gaps[0] * 125 + gaps[1] * 25 + gaps[2] * 5 + gaps[3]
        return [odds, code, min(sum(not held for held in suits), 3), int(forehand), bid_class]
    plain = [suits[suit] - {"J"} for suit in range(4) if suit != contract]
    jacks = sum(("J" in suits[suit]) << suit for suit in range(4))
    aces, tens = sum("A" in held for held in plain), sum("T" in held for held in plain)
    skat_class = NO_SKAT if skat is None else sum(points_of(skat) >= least for least in (5, 11, 17))
    if contract == Contract.GRAND:
        return [odds, jacks, aces, tens, int(forehand), skat_class, bid_class]
    trumps = jacks.bit_count() + len(suits[contract] - {"J"})
    free = min(sum(not held for held in plain), 3)
    return [odds, trumps, jacks, aces, tens, free, int(forehand), skat_class, bid_class]


@pytest.mark.parametrize("contract", list(Contract))
def test_features_equal_plain_counting_and_have_addresses_of_their_own(contract: Contract) -> None:
    rng = np.random.default_rng(contract)
    twelves = [rng.permutation(32)[:12].tolist() for _ in range(300)]
    hands = np.array([mask_of(cards[:10]) for cards in twelves], np.uint32)
    skats = np.array([mask_of(cards[10:]) for cards in twelves], np.uint32)
    forehand = rng.random(300) < 0.5
    bids = rng.choice([0, 18, 20, 22, 24, 27, 33, 36, 72], 300)
    kind = kind_of(contract)
    seen: dict[int, tuple[int, ...]] = {}
    for laid, ouvert in ((skats, False), (None, True)):
        rows = features(contract, hands, laid, forehand, bids, ouvert)
        expected = [
            plain_features(
                contract, int(hand), None if laid is None else int(skat), bool(first), int(bid), ouvert
            )
            for hand, skat, first, bid in zip(hands, skats, forehand, bids, strict=True)
        ]
        assert rows.tolist() == expected
        assert (rows < np.array(list(FEATURES[kind].values()))).all()
        for address, row in zip(addresses(kind, rows).tolist(), map(tuple, expected), strict=True):
            assert seen.setdefault(address, row) == row
        for known in DEPTHS[kind]:
            groups: dict[int, tuple[int, ...]] = {}
            for lead, row in zip(leading(kind, addresses(kind, rows), known).tolist(), expected, strict=True):
                assert groups.setdefault(lead, tuple(row[:known])) == tuple(row[:known])


def test_the_papers_numbers_of_features() -> None:
    assert (len(FEATURES["suit"]), len(FEATURES["grand"])) == (9, 7)


def made_up(count: int, seed: int) -> Games:
    """Games whose winners are drawn by a chance that depends on the features."""
    rng = np.random.default_rng(seed)
    twelves = [rng.permutation(32)[:12].tolist() for _ in range(count)]
    hands = np.array([mask_of(cards[:10]) for cards in twelves], np.uint32)
    strength = np.array([sum((card & 7) in (4, 7) for card in cards[:10]) for cards in twelves])
    won = rng.random(count) < strength / 8
    return Games(
        np.arange(count),
        rng.choice([0, 3, 4, 5], count).astype(np.intp),
        np.zeros(count, np.bool_),
        rng.random(count) < 0.1,
        rng.integers(3, size=count).astype(np.intp),
        rng.choice([0, 18, 27], count),
        hands,
        np.array([mask_of(cards[10:]) for cards in twelves], np.uint32),
        np.stack([won, won & (rng.random(count) < 0.3)], axis=1),
    )


def test_estimates_lean_on_wider_entries() -> None:
    games = made_up(3000, 1)
    tables = counted(games, 20.0)
    for variant, (kind, address, outcomes) in games.by_variant().items():
        expected = np.zeros((len(address), 2))
        for depth in DEPTHS[kind]:
            leads = leading(kind, address, depth)
            same = leads[:, None] == leads[None, :]
            wins = np.stack([(same & outcomes[:, at]).sum(axis=1) for at in range(2)], axis=1)
            enough = same.sum(axis=1) >= 3
            pseudo = 20.0 if depth > DEPTHS[kind][0] else 3.0
            leant = (wins + pseudo * expected) / (same.sum(axis=1) + pseudo)[:, None]
            expected = np.where(enough[:, None], leant, expected)
        assert tables.at(variant, address) == pytest.approx(expected)
    assert tables.counts["null_ouvert_1"].find(np.array([3]))[0].tolist() == [0]


@pytest.mark.parametrize("contract", list(Contract))
def test_the_lookup_equals_the_definition(contract: Contract) -> None:
    tables = counted(made_up(30_000, 5), 20.0)
    rng = np.random.default_rng(contract)
    twelves = [rng.permutation(32)[:12].tolist() for _ in range(2000)]
    hands = np.array([mask_of(cards[:10]) for cards in twelves], np.uint32)
    skats = np.array([mask_of(cards[10:]) for cards in twelves], np.uint32)
    kind = kind_of(contract)
    found = set()
    for laid in (skats, None):
        for forehand in (False, True):
            for ouvert in (False, True)[: 1 + (contract == Contract.NULL)]:
                none = np.zeros(len(hands), np.int64)
                rows = features(contract, hands, laid, np.full(len(hands), forehand), none, ouvert)
                variant = variant_of(contract, ouvert, laid is None)
                expected = tables.at(variant, addresses(kind, rows), bids=False)
                for outcome in range(len(OUTCOMES)):
                    chances = tables.chances(contract, hands, laid, forehand, ouvert, outcome=outcome)
                    assert np.abs(chances - expected[:, outcome]).max() < 1e-12
                    found.update(chances.tolist())
    assert len(found) > (50 if contract in (0, 3, 4, 5) else 0)


def test_discarded_trumps_are_impractical_where_two_plain_cards_are_left() -> None:
    tables = counted(made_up(10_000, 6), 20.0)
    rng = np.random.default_rng(6)
    cases = {True: 0, False: 0}
    for _ in range(300):
        # Many trumps, so that at times fewer than two plain cards are among the twelve.
        trumps = [card for card in range(32) if card >> 3 == Contract.CLUBS or card & 7 == JACK]
        held = set(rng.permutation(trumps)[: rng.integers(2, 12)].tolist())
        plain = rng.permutation([card for card in range(32) if card not in trumps]).tolist()
        cards = rng.permutation([*held, *plain[: 12 - len(held)]]).tolist()
        hands, skats = np.array([mask_of(cards[:10])], np.uint32), np.array([mask_of(cards[10:])], np.uint32)
        wasteful = not held.isdisjoint(cards[10:]) and len(held) <= 10
        cases[wasteful] += 1
        for outcome, rated in enumerate((tables.wins, tables.schneiders)):
            chance = tables.chances(Contract.CLUBS, hands, skats, True, outcome=outcome)[0]
            assert rated(hands, skats, True)[Contract.CLUBS, 0] == (0 if wasteful else chance)
            assert rated(hands, None, True)[Contract.CLUBS, 0] == tables.chances(
                Contract.CLUBS, hands, None, True, outcome=outcome
            )
    assert min(cases.values()) > 30


@pytest.mark.parametrize(
    ("place", "array"),
    [
        (0, np.zeros((2, 14_999))),
        (1, np.full(15_000, 1, np.int32)),
        (1, np.full(15_000, -2, np.int32)),
        (4, EVALUATOR.null[:1]),
        (5, NULL_CLASSES[1:].copy()),
        (6, np.full(256, 5)),
    ],
)
def test_the_lookup_refuses_arrays_that_do_not_fit(place: int, array: Any) -> None:
    win = EVALUATOR.win
    right: list[Any] = [
        np.zeros((2, 15_000)),
        np.zeros(15_000, np.int32),
        np.zeros((2, 1, 8)),
        (win.plain, win.trump, win.jacks, win.length, win.constant, win.skat_points),
        EVALUATOR.null,
        NULL_CLASSES,
        GAPS,
        -6.0,
        2.0,
    ]
    hands, chances = np.zeros(1, np.uint32), np.zeros(1)
    WinningLookup(*right).look_up(Contract.NULL, hands, None, True, False, 0, False, chances)
    with pytest.raises(ValueError, match="another kind of game"):
        WinningLookup(*right).look_up(Contract.GRAND, hands, None, True, False, 0, False, chances)
    with pytest.raises(ValueError, match="outcome 2"):
        WinningLookup(*right).look_up(Contract.NULL, hands, None, True, False, 2, False, chances)
    with pytest.raises(ValueError, match="as many skats"):
        WinningLookup(*right).look_up(Contract.NULL, hands, None, True, False, 0, False, np.zeros(2))
    right[place] = array
    with pytest.raises(ValueError):
        WinningLookup(*right)


def test_chances_are_calibrated_on_games_that_were_not_counted() -> None:
    learnt, held_out = made_up(30_000, 2), made_up(30_000, 3)
    tables = counted(learnt, 100.0)
    rows = figures(tables, learnt, held_out)
    assert rows["suit_won"]["test_largest_miss"] < 0.1
    assert rows["suit_won"]["test_brier"] < rows["suit_won"]["test_brier_mean"]
    assert "null_schneider" not in rows
    wrong = calibration(np.full(2000, 0.95), np.zeros(2000))
    assert wrong == {9: pytest.approx(0.95)}
    assert calibration(np.full(400, 0.95), np.zeros(400)) == {}


def test_tables_come_back_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    tables = counted(made_up(2000, 4), 20.0)
    folder = tmp_path / "tables"
    tables.save(folder, {"seed": 4})
    loaded = WinningTables.load(folder)
    assert loaded.pseudo == 20.0
    for name in table_names():
        for part in ("address", "games", "won"):
            assert np.array_equal(getattr(loaded.counts[name], part), getattr(tables.counts[name], part))
    manifest = folder / "checkpoint.json"
    text = manifest.read_text()
    for change, message in {
        ('"version": 2', '"version": 1'): "are of version 1, this skat_env has version 2: count them anew",
        ('"pseudo": 20.0', '"pseudo": "x"'): "pseudo is 'x'",
        ('"winning"', '"other"'): "has no winning",
    }.items():
        manifest.write_text(text.replace(*change))
        with pytest.raises(ParseError, match=message):
            WinningTables.load(folder)
    manifest.write_text(text)
    for addresses_of_two in ([5, 3], [5, 24]):
        wrong = Counts(np.array(addresses_of_two), np.array([1, 1]), np.zeros((2, 2), np.int64))
        WinningTables({**tables.counts, "suit_1": wrong}, 20.0).save(folder, {})
        with pytest.raises(ParseError, match="table 'suit_1' has counts that do not fit together"):
            WinningTables.load(folder)
    forget_checksums(folder)
    (folder / "winning.safetensors").write_bytes(b"x")
    with pytest.raises(ParseError, match="cannot be read"):
        WinningTables.load(folder)


def test_games_of_a_dataset_are_read_with_their_outcomes(tmp_path: Path) -> None:
    dataset = generate(
        GenerationConfig("skat", ("rule",), 300, seed=7, start="random_declaration"), tmp_path / "games"
    )
    games = read_starts(dataset)
    states: list[Any] = [dataset.state(game) for game in range(len(dataset))]
    may_end_early = [each.kind != "null" and each.announcement >= Announcement.SCHWARZ for each in states]
    assert any(may_end_early)
    assert games.game.tolist() == [game for game in range(300) if not may_end_early[game]]
    announced = set()
    for row, game in enumerate(games.game.tolist()):
        state: Any = dataset.state(game)
        result = state.result()
        assert games.contract[row] == state.contract
        assert games.is_hand[row] == state.hand_game
        assert int(games.hand[row]).bit_count() == 10
        assert int(games.skat[row]) == state.skat
        if state.kind == "null":
            assert games.outcomes[row].tolist() == [result.tricks == 0, False]
        else:
            assert len(state.plays()) == 30
            assert games.outcomes[row].tolist() == [result.card_points >= 61, result.card_points >= 90]
            if state.announcement != Announcement.NONE:
                announced.add((result.card_points >= 61, result.won))
        assert variant_of(state.contract, bool(games.ouvert[row]), state.hand_game) in variants(
            kind_of(state.contract)
        )
    assert (True, False) in announced, "no game in which less was won than announced"


def test_claimed_games_are_counted_by_their_claim(tmp_path: Path) -> None:
    cards = " 0 CA 1 CQ 2 C7"
    lines = [
        sgf(f"{TAKEN}1 C.H7.D7{cards} 0 RE 2 RE"),
        sgf(f"{TAKEN}1 C.H7.D7{cards} 1 RE"),
        sgf(f"{TAKEN}1 N.H7.D7 0 CA 1 CK 2 C7 0 RE 2 RE"),
        sgf(f"{TAKEN}1 N.H7.D7 0 CA 1 CK 2 C7 1 RE"),
        sgf(f"{TAKEN}1 C.H7.D7{cards} w LE.0"),
        sgf("1 p 2 p 0 p"),
    ]
    (tmp_path / "games.sgf").write_text("\n".join(lines) + "\n")
    games = read_starts(import_games(tmp_path / "games.sgf", tmp_path / "games"))
    assert games.game.tolist() == [0, 1, 2, 3]
    assert games.outcomes.tolist() == [[True, True], [False, False], [True, False], [False, False]]


def test_hand_and_ouvert_games_have_tables_of_their_own() -> None:
    assert variant_of(Contract.NULL, True, False) == "null_ouvert"
    assert variant_of(Contract.GRAND, True, True) == "grand_hand"
    assert len(table_names()) == 2 * 7 + 2 * 6 + 4 * 5
    assert OUTCOMES == ("won", "schneider")


def test_the_bidder_declares_good_hands_and_passes_bad_ones() -> None:
    bidder = make_agent("expert_bidding", "skat")
    rng = np.random.default_rng(0)
    strong = parse_mask("CJ.SJ.CA.CT.C9.C8.SA.HA.HT.D9")
    weak = parse_mask("SJ.HQ.C9.C8.DQ.SK.S9.H8.DK.D9")
    for hand, bids in ((strong, True), (weak, False)):
        rest = [card for card in range(32) if not hand >> card & 1]
        order = np.random.default_rng(1).permutation(rest).tolist()
        places = (mask_of(order[:10]), hand, mask_of(order[10:20]), mask_of(order[20:]))

        state = SkatState.new(Deal(places))
        assert (bidder.decide(state.view(1), rng).action == 33) == bids


def test_the_bidder_plays_no_cards() -> None:
    agent = make_agent("expert_bidding", "skat")
    state = SkatState.random(np.random.default_rng(3))
    rng = np.random.default_rng(3)
    rule = make_agent("rule", "skat")
    while not state.is_over and state.stage != "cardplay":
        state.apply(agent.decide(state.view(state.to_act), rng).action)
    while state.is_over or state.stage != "cardplay":
        state = SkatState.random(rng)
        while not state.is_over and state.stage != "cardplay":
            state.apply(rule.decide(state.view(state.to_act), rng).action)
    with pytest.raises(ValueError, match="plays no cards"):
        agent.decide(state.view(state.to_act), rng)
