"""Opening tables: addresses and counts against plain counting, the file, and what players read."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skat_env.agents.skat.expert._openings import SHAPES, OpeningCounter
from skat_env.agents.skat.expert.opening_counts import counted, figures, read_starts
from skat_env.agents.skat.expert.openings import OpeningTables
from skat_env.agents.skat.rule.layout import TRUMPS, codes_of
from skat_env.agents.skat.rule.situation import Situation
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.errors import ParseError
from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from tests.helpers.endings import skat_choice

MARK = "pimc(worlds=1, belief=cheating, ties=false)"
Key = tuple[Any, ...]


def plain_entries(state: SkatState, card: int, best: set[int]) -> tuple[Counter[Key], Counter[Key]]:
    """What a decision counts: (family, situation, entry, choice) of the cards played and of those marked.

    A choice of -1 is the number of times that the entry was met.
    """
    played: Counter[Key] = Counter()
    marked: Counter[Key] = Counter()
    view = state.view(state.to_act)
    seen = Situation(view)
    layout, hand = seen.layout, seen.hand
    plain = [group for group in layout.plain if layout.groups[group]]
    first_trump = 7 * len(plain)
    code = layout.code[card]
    me, soloist = view.seat, view.soloist
    partner = None if me == soloist else 3 - me - soloist
    leading = seen.led < 0
    if len(codes_of(seen.legal)) == 1:
        return played, marked
    if not leading and (layout.group[seen.led] == TRUMPS or hand & layout.groups[layout.group[seen.led]]):
        return played, marked
    legal = codes_of(seen.legal)
    best_codes = {layout.code[each] for each in best}
    if best_codes == set(legal):
        best_codes = set()
    leads = cuts = 0
    for first in range(0, len(view.plays()), 3):
        trick = [(seat, layout.code[each]) for seat, each in view.plays()[first : first + 3]]
        for number, (seat, each) in enumerate(trick):
            if seat != me:
                continue
            leads += number == 0 and each >= first_trump
            cuts += number > 0 and each >= first_trump > trick[0][1]
    opponent = me != soloist
    grand = view.contract == Contract.GRAND
    side = 2 * grand + opponent
    pattern = (hand >> first_trump) + (2048 if grand else 0)
    trump_table = 4 * opponent + ((leads > 0) if leading else 2 + (cuts > 0))
    mine = [each for each in codes_of(hand) if each >= first_trump]
    hidden = [each for each in codes_of(seen.hidden) if each >= first_trump]
    side_cards = [each for each in codes_of(hand) if each < first_trump]

    if leading:
        high = 0
        while high < len(mine) and mine[-1 - high] > max(hidden, default=-1):
            high += 1
        standing = 0
        for group in plain:
            mask = layout.groups[group]
            standing += (hand & mask) > (seen.hidden & mask)
        at = ((len(mine) * 12 + len(hidden)) * 5 + min(high, 4)) * 4 + min(standing, 3)
    else:
        classes = (1, 5, 10, 12, 16)
        points = sum(seen.table_points >= least for least in classes)
        place = 2 * (seen.position - 1) + (seen.best_seat == partner)
        at = ((place * 6 + points) * 8 + min(len(mine), 8) - 1) * 12 + len(hidden)
    family = "lead_trump" if leading else "cut"
    if mine and side_cards:
        played[family, side, at, -1] += 1
        played[family, side, at, 0] += code >= first_trump
        kinds = {each >= first_trump for each in best_codes}
        if len(kinds) == 1:
            marked[family, side, at, -1] += 1
            marked[family, side, at, 0] += kinds == {True}
    if code >= first_trump:
        played["trump", trump_table, pattern, -1] += 1
        played["trump", trump_table, pattern, code - first_trump] += 1
    if any(each >= first_trump for each in best_codes):
        marked["trump", trump_table, pattern, -1] += 1
        for each in best_codes:
            if each >= first_trump:
                marked["trump", trump_table, pattern, each - first_trump] += 1

    situation = (
        ((me + 1) % 3 == partner if opponent else bool(hidden))
        if leading
        else 2 + (seen.best_seat == partner)
    )
    for number, group in enumerate(plain):
        held = [each for each in codes_of(hand) if layout.group[each] == group]
        if not held:
            continue
        address = 0
        for rank in reversed(range(7)):
            bit = 1 << (7 * number + rank)
            address = 3 * address + (0 if seen.hidden & bit else 1 if hand & bit else 2)
        key = ("suit", 4 * side + situation, address)
        if code < first_trump:
            played[(*key, -1)] += 1
            if layout.group[code] == group:
                played[(*key, code % 7)] += 1
        if any(each < first_trump for each in best_codes):
            marked[(*key, -1)] += 1
            for each in best_codes:
                if each < first_trump and layout.group[each] == group:
                    marked[(*key, each % 7)] += 1
    return played, marked


def counts_of(counter: OpeningCounter) -> tuple[dict[Key, int], dict[Key, int]]:
    """The counts of a counter, as `plain_entries` names them."""
    found: list[dict[Key, int]] = []
    for met, chosen in (("games", "played"), ("marked", "best")):
        counts = {}
        for name in SHAPES:
            family = getattr(counter, name)
            for situation, at in np.argwhere(getattr(family, met)).tolist():
                counts[name, situation, at, -1] = int(getattr(family, met)[situation, at])
            for situation, at, choice in np.argwhere(getattr(family, chosen)).tolist():
                counts[name, situation, at, choice] = int(getattr(family, chosen)[situation, at, choice])
        found.append(counts)
    return found[0], found[1]


@pytest.mark.parametrize("declaration", ["D", "H", "SH", "C", "G", "GH"])
def test_counts_are_those_of_plain_counting(declaration: str) -> None:
    rng = np.random.default_rng(ord(declaration[0]))
    counter = OpeningCounter()
    played: Counter[Key] = Counter()
    marked: Counter[Key] = Counter()
    for _ in range(150):
        state = skat_choice(rng, declaration, int(rng.integers(4, 31)))
        legal = state.legal_actions()
        card = int(rng.choice(legal))
        best = set(rng.choice(legal, rng.integers(0, len(legal) + 1), replace=False).tolist())
        marks = np.zeros(64, np.float32)
        marks[list(best)] = 1
        counter.add(state, card, marks)
        more_played, more_marked = plain_entries(state, card, best)
        played += more_played
        marked += more_marked
    assert counts_of(counter) == (dict(played), dict(marked))
    assert any(key[0] == "cut" for key in played)


def test_a_position_without_tables_is_refused() -> None:
    rng = np.random.default_rng(1)
    null = skat_choice(rng, "N", 20)
    marks = np.zeros(64, np.float32)
    with pytest.raises(ValueError, match="opening tables are of the cardplay of suit games and grand"):
        OpeningCounter().add(null, null.legal_actions()[0], marks)
    with pytest.raises(ValueError, match="of the cardplay"):
        OpeningCounter().add(SkatState.random(rng), 0, marks)
    with pytest.raises(ValueError, match="marks of 3 actions: expected 64"):
        OpeningCounter().add(skat_choice(rng, "G", 20), 0, np.zeros(3, np.float32))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("openings") / "games"
    config = GenerationConfig(
        "skat", ("rule",), 90, start="cardplay", kinds=("suit", "grand", "null"), mark=MARK
    )
    generate(config, folder)
    return Dataset(folder)


def test_games_are_counted_and_entries_with_few_are_left_out(dataset: Dataset, tmp_path: Path) -> None:
    games = read_starts(dataset)
    assert len(games) == 60
    half = games.part(np.arange(len(games)) < 30)
    all_entries = counted(half, 1)
    some = counted(half, 3)
    for name in SHAPES:
        whole, kept = all_entries.counts[name], some.counts[name]
        enough = np.maximum(whole.games, whole.marked) >= 3
        assert np.array_equal(kept.entry, whole.entry[enough])
        assert np.array_equal(kept.played, whole.played[enough])
        assert np.all(kept.played.sum(axis=1) <= kept.games)
        assert np.all(kept.best <= kept.marked[:, None])
    rows = figures(some, half, games.part(np.arange(len(games)) >= 30))
    assert set(rows) == set(SHAPES)
    assert 0 < rows["suit"]["test_covered"] <= 1
    assert 0 < rows["suit"]["test_played"] <= 1

    some.save(tmp_path / "tables", {})
    again = OpeningTables.load(tmp_path / "tables")
    assert again.least == 3
    for name in SHAPES:
        for part in ("entry", "games", "played", "marked", "best"):
            assert np.array_equal(getattr(again.counts[name], part), getattr(some.counts[name], part))


def test_chances_are_shares_of_the_games(dataset: Dataset) -> None:
    tables = counted(read_starts(dataset), 3)
    counts = tables.counts["suit"]
    shape = SHAPES["suit"]
    chances: dict[str, NDArray[np.float32]] = {
        source: counts.chances(shape, source, 3).reshape(-1, shape[2])  # type: ignore[arg-type]
        for source in ("played", "marked", "both")
    }
    for row, entry in enumerate(counts.entry):
        for source, games, chosen in (
            ("played", counts.games[row], counts.played[row]),
            ("marked", counts.marked[row], counts.best[row]),
        ):
            expected = chosen / games if games >= 3 else np.full(shape[2], -1)
            assert chances[source][entry] == pytest.approx(expected)
        pair = [chances[source][entry] for source in ("played", "marked") if chances[source][entry, 0] >= 0]
        assert chances["both"][entry] == pytest.approx(
            np.mean(pair, axis=0) if pair else np.full(shape[2], -1)
        )
    unseen = np.setdiff1d(np.arange(shape[0] * shape[1]), counts.entry)
    assert np.all(chances["both"][unseen] == -1)


def test_a_players_own_weights_are_no_marks(tmp_path: Path) -> None:
    config = GenerationConfig("skat", ("pimc(worlds=3)",), 2, start="cardplay", kinds=("suit",))
    generate(config, tmp_path / "games")
    with pytest.raises(
        ParseError, match="weights of a player, expected marks by open cards: generate it with --mark"
    ):
        counted(read_starts(Dataset(tmp_path / "games")), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "are of version 99, this skat_env has version 1: count them anew"),
        ({"pseudo": -1}, "pseudo is -1, expected a number more than 0"),
    ],
)
def test_tables_of_another_version_are_refused(
    change: dict[str, Any], message: str, dataset: Dataset, tmp_path: Path
) -> None:
    counted(read_starts(dataset), 3).save(tmp_path / "tables", {})
    manifest = tmp_path / "tables" / "checkpoint.json"
    content = json.loads(manifest.read_text())
    content["openings"] |= change
    manifest.write_text(json.dumps(content))
    with pytest.raises(ParseError, match=message):
        OpeningTables.load(tmp_path / "tables")


@pytest.mark.parametrize("what", ["more played than games", "no rows"])
def test_counts_that_do_not_fit_are_refused(what: str, dataset: Dataset, tmp_path: Path) -> None:
    tables = counted(read_starts(dataset), 3)
    counts = tables.counts["cut"]
    if what == "no rows":
        tables = replace(tables, counts={**tables.counts, "cut": replace(counts, entry=np.array(0))})
    else:
        counts.played[0] = counts.games[0] + 1
    tables.save(tmp_path / "tables", {})
    with pytest.raises(ParseError, match="the tables 'cut' have counts that do not fit together"):
        OpeningTables.load(tmp_path / "tables")
