"""Counted tables of Skat: features, counts and likelihoods against plain twins; posteriors; what is refused."""

import dataclasses
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.conftest import ROOT
from tests.helpers.late_skat import late_positions

pytest.importorskip("safetensors", reason="tables need the extra 'learn'")

from skat_env.agents.networks.checkpoint_folder import MANIFEST
from skat_env.agents.skat.counted.hand_features import HAND_FEATURES, Group, features, groups_of, random_hands
from skat_env.agents.skat.counted.tables import (
    VERSION,
    SkatTables,
    TablesSampler,
    completed,
    shape_of,
    table_names,
)
from skat_env.beliefs.belief import Belief
from skat_env.cards import cards_of, mask_of, parse_mask
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.deal import Deal
from skat_env.errors import ParseError, UnknownName
from skat_env.records import GameRecord
from skat_env.registry import make_agent, make_belief
from skat_env.skat import Declaration, SkatState
from tests.helpers.checkpoints import forget_checksums

GAMES = ROOT / "skat_env" / "data" / "skat_games.jsonl"
CONTRACTS = "DHSCGN"


def plain_features(contract: str, hand: int, skat: int | None) -> list[tuple[str, str, tuple]]:
    """(kind of group, suit or "", what is told apart) of a hand, from the cards' texts."""
    held = [card_text(card) for card in cards_of(hand)]
    laid = [] if skat is None else [card_text(card) for card in cards_of(skat)]
    found: list[tuple[str, str, tuple]] = []
    if contract == "N":
        for suit in "DHSC":
            mine = [card for card in held if card[0] == suit]
            low = tuple(suit + rank in held for rank in "789")
            found.append(("null", suit, (len(mine), low, sum(card[0] == suit for card in laid))))
        return found
    suit = "" if contract == "G" else contract
    jacks = tuple(letter + "J" in held for letter in "DHSC")
    length = sum(card[0] == suit and card[1] != "J" for card in held)
    found.append(("trumps", suit, (jacks, length, sum(card[1] == "J" or card[0] == suit for card in laid))))
    for plain in "DHSC".replace(suit, "") if suit else "DHSC":
        mine = [card for card in held if card[0] == plain and card[1] != "J"]
        away = [card for card in laid if card[0] == plain and card[1] != "J"]
        aces = (plain + "A" in held, plain + "T" in held, plain + "A" in away, plain + "T" in away)
        found.append(("plain", plain, (len(mine), len(away), aces)))
    return found


def card_text(card: int) -> str:
    return "DHSC"[card // 8] + "789TJQKA"[card % 8]


def random_twelve(rng: np.random.Generator) -> tuple[int, int]:
    cards = rng.permutation(32)[:12].tolist()
    return mask_of(cards[:10]), mask_of(cards[10:])


@pytest.mark.parametrize("with_skat", [True, False])
@pytest.mark.parametrize("contract", range(6))
def test_features_tell_apart_what_the_plain_twin_does(contract: int, with_skat: bool) -> None:
    rng = np.random.default_rng(contract)
    hands, skats = np.array([random_twelve(rng) for _ in range(2000)], np.uint32).T
    pairs = set()
    for group in groups_of(contract):
        found = features(group, hands, skats if with_skat else None)
        suit = "DHSC"[group.suit] if group.suit >= 0 else ""
        for number, hand, skat in zip(found.tolist(), hands.tolist(), skats.tolist(), strict=True):
            plain = plain_features(CONTRACTS[contract], hand, skat if with_skat else None)
            [twin] = [what for kind, of, what in plain if (kind, of) == (group.kind, suit)]
            pairs.add((group.kind, number, twin))
    # One number for each thing told apart, and the other way round.
    assert len(pairs) == len({pair[:2] for pair in pairs}) == len({(kind, twin) for kind, _, twin in pairs})
    assert len(pairs) > 30


@pytest.mark.parametrize("discards", [True, False])
@pytest.mark.parametrize(
    "group", [Group("trumps", 1), Group("trumps", -1), Group("plain", 2), Group("null", 0)]
)
def test_random_hands_are_hypergeometric(group: Group, discards: bool) -> None:
    chances = random_hands(group, discards)
    assert np.isclose(chances.sum(), 1)
    of_hand = chances.reshape(-1, HAND_FEATURES[group.kind]).sum(axis=0)
    number = np.arange(len(of_hand))
    length = {"trumps": np.bitwise_count(number // 8) + number % 8, "plain": number // 4, "null": number // 8}
    lengths = np.bincount(length[group.kind], of_hand, 12)
    assert np.allclose(lengths, stats.hypergeom(32, group.cards.bit_count(), 10).pmf(np.arange(12)))
    if discards:
        of_skat = chances.reshape(-1, HAND_FEATURES[group.kind]).sum(axis=1)
        laid = np.arange(len(of_skat)) // 4 if group.kind == "plain" else np.arange(len(of_skat))
        expected = stats.hypergeom(32, group.cards.bit_count(), 2).pmf(np.arange(3))
        assert np.allclose(np.bincount(laid, of_skat), expected)


def test_rare_contexts_are_completed_by_the_wider_one() -> None:
    base = np.array([0.5, 0.3, 0.2])
    counts = np.zeros((2, 2, 3), np.int64)
    counts[0, 0] = 4, 0, 0
    counts[0, 1] = 0, 2, 0
    found = completed(counts, base, 5.0)
    everywhere = (np.array([4, 2, 0]) + 5 * base) / 11
    first = (np.array([4, 2, 0]) + 5 * everywhere) / 11
    assert np.allclose(found[0, 0], (np.array([4, 0, 0]) + 5 * first) / 9)
    assert np.allclose(found[0, 1], (np.array([0, 2, 0]) + 5 * first) / 7)
    assert np.allclose(found[1], everywhere)
    assert np.allclose(completed(np.zeros((2, 3, 3), np.int64), base, 5.0), base)


def records() -> list[GameRecord]:
    return [GameRecord.parse(line) for line in GAMES.read_text().splitlines()[:150]]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("tables") / "games"
    with DatasetWriter(folder, "skat") as writer:
        for record in records():
            writer.add(record)
    return Dataset(folder)


def start_of(state: SkatState) -> tuple[list[int], int]:
    """Hands and skat as the cardplay begins."""
    state = state.clone()
    while state.plays():
        state.undo()
    return list(state.hands), state.skat


def plain_context(state: SkatState, seat: int, suit: str) -> tuple:
    def magnitude(bid: int) -> int:
        return sum(bid >= least for least in (18, 27, 40, 50, 73))

    own = state.bids[seat]
    if seat == state.soloist:
        return (magnitude(own),)
    fits = suit != "" and own > 0 and own % {"D": 9, "H": 10, "S": 11, "C": 12}[suit] == 0
    return (magnitude(state.bids[state.soloist]), magnitude(own), int(fits), seat)


def plain_tables(state: SkatState) -> list[tuple[int, str, str, tuple]]:
    """(seat, table, suit, context) of each hand and group."""
    text = state.declaration.text()
    kind = {"G": "grand", "N": "null_ouvert" if "O" in text else "null"}.get(text[0], "suit")
    found = []
    for seat in range(3):
        player = "defender" if seat != state.soloist else "soloist_hand" if state.hand_game else "soloist"
        for group, suit, _ in plain_features(text[0], 0, None):
            found.append((seat, f"{kind}_{player}_{group}", suit, plain_context(state, seat, suit)))
    return found


def test_counts_are_those_of_the_plain_twin(dataset: Dataset) -> None:
    from skat_env.agents.skat.counted.table_counts import count, read_starts

    tables = count(read_starts(dataset))
    expected: Counter[tuple] = Counter()
    contexts: Counter[tuple] = Counter()
    for record in records():
        state = record.state
        if state.soloist < 0 or state.declaration is None:
            continue
        hands, skat = start_of(state)
        for seat, table, suit, context in plain_tables(state):
            away = skat if seat == state.soloist and not state.hand_game else None
            plain = plain_features(state.declaration.text()[0], hands[seat], away)
            [what] = [what for kind, of, what in plain if kind == table.split("_")[-1] and of == suit]
            expected[table, context, what] += 1
            contexts[table, context] += 1
    found: Counter[tuple] = Counter()
    for name, table in tables.items():
        for at in zip(*np.nonzero(table.sum(axis=-1)), strict=True):
            found[name, tuple(int(axis) for axis in at)] += int(table[at].sum())
    assert found == contexts
    sizes = Counter((name, int(n)) for name, table in tables.items() for n in table[table > 0])
    assert sizes == Counter((key[0], n) for key, n in expected.items())
    assert sum(contexts.values()) > 1000


@pytest.fixture(scope="module")
def made_up() -> SkatTables:
    """Tables of made-up counts."""
    rng = np.random.default_rng(7)
    counts = {name: rng.poisson(0.7, shape_of(*of)) for name, of in table_names().items()}
    return SkatTables(counts, 3.0)


@pytest.fixture(scope="module")
def made_up_folder(made_up: SkatTables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "made-up"
    made_up.save(folder, {"note": "made up"})
    return folder


def plain_likelihood(tables: SkatTables, state: SkatState, viewer: int) -> float:
    """The log-likelihood of a state's hands, hidden from a seat."""
    hands, skat = start_of(state)
    contract = CONTRACTS.index(state.declaration.text()[0])
    groups = {
        (group.kind, "DHSC"[group.suit] if group.suit >= 0 else ""): group for group in groups_of(contract)
    }
    total = 0.0
    for seat, table, suit, context in plain_tables(state):
        if seat != viewer:
            away = seat == state.soloist and not state.hand_game
            group = groups[table.split("_")[-1], suit]
            number = features(
                group, np.array([hands[seat]], np.uint32), np.array([skat], np.uint32) if away else None
            )
            total += tables.ratios[table][context][number[0]]
    return total


def positions() -> list[tuple[SkatState, int]]:
    """Positions in the cardplay of recorded games of all kinds, each with a seat to look from."""
    kinds: Counter[str] = Counter()
    found = []
    for number, record in enumerate(records()):
        state = record.state.clone()
        if not state.plays():
            continue
        text = state.declaration.text()
        kind = ("suit" if text[0] in "DHSC" else text[0]) + text[1:]
        if kinds[kind] < 4:
            kinds[kind] += 1
            left = (3, 8, 12, 16)[kinds[kind] - 1]
            while len(state.plays()) > max(30 - left, 0):
                state.undo()
            if not state.is_over:
                found.append((state, (state.soloist + number) % 3))
    assert {"suit", "G", "N", "NO", "suitH"} <= set(kinds)
    return found


def test_likelihoods_are_those_of_the_plain_twin(made_up: SkatTables, made_up_folder: Path) -> None:
    sampler = TablesSampler(str(made_up_folder), k=50)
    rng = np.random.default_rng(0)
    for state, seat in positions():
        view = state.view(seat)
        belief = Belief(view)
        rows = belief.sample_distinct(6, rng)
        posterior = sampler.posterior(view, rng)
        worlds = [belief.state(row, rng) for row in rows]
        plain = np.array([plain_likelihood(made_up, world, seat) for world in worlds])
        found = posterior._likelihood(rows)  # type: ignore[attr-defined]
        assert np.allclose(found, plain), state.text()


def test_few_worlds_are_exact_and_many_are_a_sample(made_up: SkatTables, made_up_folder: Path) -> None:
    [state] = late_positions(9, True, 1, 5)
    seat = (state.soloist + 1) % 3
    view = state.view(seat)
    rng = np.random.default_rng(0)
    rows = np.concatenate([*Belief(view).enumerate()])
    exact = TablesSampler(str(made_up_folder), k=len(rows)).posterior(view, rng)
    odds = np.exp([plain_likelihood(made_up, Belief(view).state(row, rng), seat) for row in rows[:200]])
    chances = exact.probability(rows)
    assert np.isclose(chances.sum(), 1)
    assert np.allclose(chances[:200] / chances[0], odds / odds[0])
    some = TablesSampler(str(made_up_folder), k=100).posterior(view, rng)
    assert some.drawn == "distinct"  # type: ignore[attr-defined]
    assert len(np.unique(some.rows, axis=0)) == 100  # type: ignore[attr-defined]


def test_temper_and_floor_flatten(made_up_folder: Path) -> None:
    [state] = late_positions(9, True, 1, 5)
    view = state.view((state.soloist + 1) % 3)
    rng = np.random.default_rng(0)
    rows = np.concatenate([*Belief(view).enumerate()])

    def log_odds(**options: float) -> np.ndarray:
        posterior = TablesSampler(str(made_up_folder), k=len(rows), **options).posterior(view, rng)  # type: ignore[arg-type]
        log = np.log(posterior.probability(rows))
        return log - log[0]

    assert np.allclose(log_odds(temper=0.5), 0.5 * log_odds())
    assert np.allclose(log_odds(temper=0), 0)
    assert np.ptp(log_odds(floor=0.9)) < np.ptp(log_odds())


def test_before_the_cardplay_and_without_an_auction(made_up_folder: Path) -> None:
    sampler = TablesSampler(str(made_up_folder), k=30)
    rng = np.random.default_rng(0)
    game = next(
        record.state for record in records() if record.state.plays() and record.state.picked_up
    ).clone()
    while True:
        if game.stage != "cardplay":
            for seat in range(3):
                view = game.view(seat)
                assert isinstance(sampler.posterior(view, rng), Belief)
                [world] = sampler.worlds(view, 1, rng)
                assert world.state.view(seat) == view
        if not game.history():
            break
        game.undo()
    deal = Deal.random(rng, (10, 10, 10, 2))
    for text in ("C", "GH", "NO", "N", "CO"):
        start = SkatState.cardplay(deal, 1, Declaration.parse(text), (0, 18, 0))
        for seat in range(3):
            worlds = sampler.worlds(start.view(seat), 5, rng)
            assert all(world.state.view(seat) == start.view(seat) for world in worlds)


def test_what_was_saved_is_loaded_and_what_does_not_fit_is_refused(
    made_up: SkatTables, made_up_folder: Path, tmp_path: Path
) -> None:
    loaded = SkatTables.load(made_up_folder)
    assert all((loaded.counts[name] == table).all() for name, table in made_up.counts.items())
    assert loaded.pseudo == 3.0
    with pytest.raises(UnknownName, match="unknown checkpoint 'nothing'"):
        SkatTables.load("nothing")
    with pytest.raises(ParseError, match="has no tables"):
        SkatTables.load("skat-policy")
    made_up.save(tmp_path / "c", {})
    manifest = json.loads((tmp_path / "c" / MANIFEST).read_text())
    manifest["tables"]["version"] = VERSION + 1
    (tmp_path / "c" / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(
        ParseError, match=rf"are of version {VERSION + 1}, this skat_env has version {VERSION}"
    ):
        SkatTables.load(tmp_path / "c")
    smaller = {**made_up.counts, "suit_defender_plain": np.zeros((2, 2), np.int64)}
    dataclasses.replace(made_up).save(tmp_path / "c", {})
    from safetensors.numpy import save_file

    forget_checksums(tmp_path / "c")
    save_file(smaller, tmp_path / "c" / "tables.safetensors")
    with pytest.raises(ParseError, match="has no table 'suit_defender_plain' of shape"):
        SkatTables.load(tmp_path / "c")
    (tmp_path / "c" / "tables.safetensors").write_bytes(b"no")
    with pytest.raises(ParseError, match="cannot be read"):
        SkatTables.load(tmp_path / "c")


@pytest.mark.parametrize("options", ["k=0", "temper=-1", "floor=1", "floor=-0.1"])
def test_options_out_of_range_are_refused(options: str) -> None:
    with pytest.raises(
        ValueError, match=r"expected a (whole number from 1|finite number (at least 0|from 0))"
    ):
        make_belief(f"tables({options})", "skat")


def test_they_know_the_games_that_they_were_counted_in(dataset: Dataset, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="learners need the extra 'learn'")
    from skat_env.agents.learners.run import TrainingRun
    from skat_env.agents.learners.tables import Config, train

    config = Config(game="skat", data=str(dataset.folder))
    with TrainingRun(tmp_path / "run", "tables", config) as run:
        train(config, run)
    tables = SkatTables.load(tmp_path / "run" / "checkpoint")
    figures = tables.details["figures"]
    assert figures["suit_soloist"]["train_bits"] > 3
    assert figures["suit_defender"]["train_hands"] == 2 * (
        figures["suit_soloist"]["train_hands"] + figures["suit_soloist_hand"]["train_hands"]
    )
    other = Config(game="klaverjas", data=str(dataset.folder))
    with (
        TrainingRun(tmp_path / "other", "tables", other) as run,
        pytest.raises(ValueError, match="the game 'klaverjas' has no part 'tables'"),
    ):
        train(other, run)


def test_the_shipped_ones_find_the_soloist_s_trumps() -> None:
    """A defender expects more clubs in the hand of a soloist who plays clubs than by chance."""
    belief = make_belief("tables(k=2000)", "skat")
    assert belief.name == "tables(k=2000)"
    rng = np.random.default_rng(1)
    clubs = mask_of(range(24, 32))
    for record in [record for record in records() if record.state.declaration == Declaration.parse("C")][:5]:
        state = record.state.clone()
        while state.plays():
            state.undo()
        view = state.view((state.soloist + 1) % 3)
        cards = cards_of(clubs & ~view.hand)
        inferred = belief.posterior(view, rng).marginals()[cards, state.soloist].sum()  # type: ignore[attr-defined]
        assert inferred > 1.15 * Belief(view).marginals()[cards, state.soloist].sum()


def test_masks_of_groups() -> None:
    assert Group("plain", 3).cards == parse_mask("C7.C8.C9.CT.CQ.CK.CA")
    assert Group("trumps", -1).cards == parse_mask("DJ.HJ.SJ.CJ")
    assert (
        sum(group.cards for group in groups_of(4)) == sum(group.cards for group in groups_of(5)) == 2**32 - 1
    )


def test_search_takes_them_by_name() -> None:
    agent = make_agent("pimc(worlds=4, belief=tables(k=200, temper=0.7))", "skat")
    assert "belief=tables(k=200, temper=0.7)" in agent.name
    [state] = late_positions(12, True, 1, 3)
    decision = agent.decide(state.view(state.to_act), np.random.default_rng(0))
    assert decision.action in state.legal_actions()
