"""Bad skats against Figure 3 of Edelkamp 2020, two passes over the skats of each twelve cards, in plain loops."""

from collections import defaultdict

import numpy as np
import pytest

from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.expert.bad_skats import BadSkats
from skat_env.agents.skat.expert.knowledge import believe, possible_worlds
from skat_env.beliefs.belief import Belief
from skat_env.cards import mask_of
from skat_env.registry import make_agent
from skat_env.skat import SkatView
from tests.helpers.endings import skat_choice

TABLES = WinningTables.load("skat-winning")
DECLARATIONS = ("D", "S", "C", "G", "N", "NO")
NO_TRUMP = ("no_trump_in_the_skat",)


def figure_3(view: SkatView, belief: Belief, share: float) -> dict[tuple[int, ...], bool]:
    """Whether each possible world has a good skat."""
    soloist = view.soloist
    shown = mask_of(card for seat, card in view.plays() if seat == soloist) | view.hands[soloist]
    groups = defaultdict(list)
    for row in np.concatenate([*belief.enumerate()]):
        if belief.probability(row[None])[0] > 0:
            hand = np.array([row[soloist] | shown], np.uint32)
            chance = TABLES.chances(
                int(view.contract or 0),
                hand,
                row[3:].copy(),
                soloist == 0,
                view.announcement == 3,
            )[0]
            groups[int(row[soloist] | row[3])].append((tuple(row.tolist()), chance))
    found = {}
    for worlds in groups.values():
        best = max(chance for _, chance in worlds)
        threshold = best - best * share
        found |= {world: bool(chance >= threshold) for world, chance in worlds}
    return found


@pytest.mark.parametrize("declaration", DECLARATIONS)
@pytest.mark.parametrize("assumptions", [(), NO_TRUMP])
def test_all_worlds_and_some_are_filtered_as_in_the_paper(
    declaration: str, assumptions: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(8)
    left_out = looked_at = 0
    while looked_at < 6:
        state = skat_choice(rng, declaration, int(rng.integers(6, 13)))
        view = state.view((state.soloist + 1) % 3)
        belief = believe(view, assumptions)
        if belief.count > 3000:
            continue
        looked_at += 1
        for share in (0.02, 0.2):
            good = figure_3(view, belief, share)
            bad_skats = BadSkats(TABLES, share)
            _, rows = possible_worlds(view, 10_000, rng, assumptions, bad_skats)
            kept = {tuple(row.tolist()) for row in rows}
            assert kept == {world for world, is_good in good.items() if is_good}
            left_out += len(good) - len(kept)
            _, some = possible_worlds(view, 10, rng, assumptions, bad_skats)
            assert {tuple(row.tolist()) for row in some} <= kept
            assert len(some) == min(10, len(kept))
    # The hand of an open game is known, and with it the skat.
    assert (left_out > 0) == (declaration != "NO")


def test_nobody_asks_for_the_skat_of_a_hand_game_nor_the_soloist_for_his_own() -> None:
    rng = np.random.default_rng(9)
    bad_skats = BadSkats(TABLES, 0.0)
    for declaration, seats in (("CH", (0, 1, 2)), ("NH", (0, 1, 2)), ("C", (0,))):
        state = skat_choice(rng, declaration, 9)
        for place in seats:
            view = state.view((state.soloist + place) % 3)
            belief, rows = possible_worlds(view, 100_000, rng, (), bad_skats)
            assert len(rows) == belief.count


def test_without_bad_skats_the_worlds_are_those_of_the_belief() -> None:
    rng = np.random.default_rng(10)
    state = skat_choice(rng, "G", 10)
    view = state.view((state.soloist + 1) % 3)
    expected = believe(view, NO_TRUMP).sample_distinct(50, np.random.default_rng(1))
    expected = expected[believe(view, NO_TRUMP).probability(expected) > 0]
    assert np.array_equal(possible_worlds(view, 50, np.random.default_rng(1), NO_TRUMP)[1], expected)


def test_the_ending_player_takes_the_option() -> None:
    agent = make_agent("endgame(bad_skats=true)", "skat")
    assert agent.name.endswith("bad_skats=true)")
    rng = np.random.default_rng(11)
    state = skat_choice(rng, "G", 10)
    assert agent.decide(state.view(state.to_act), rng).action in state.legal_actions()
