"""The kernels of the rule player's bids against plain twins: equal to the last bit, so that no decision changes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from skat_env.agents.skat._game_levels import game_levels
from skat_env.agents.skat.rule import hand_table
from skat_env.agents.skat.rule._discards import all_discards, best_discards
from skat_env.agents.skat.rule._hand import null_logits, trump_logits
from skat_env.agents.skat.rule._points import write_points
from skat_env.agents.skat.rule.best_discards import try_discards
from skat_env.agents.skat.rule.bidding import BASES, expected_points
from skat_env.agents.skat.rule.hand import EVALUATOR, HOLDING, POINTS
from skat_env.cards import cards_of, mask_of
from skat_env.skat.rules import BASE_VALUES, BID_VALUES, NULL_VALUES, Contract

Floats = NDArray[np.floating]
RNG = np.random.default_rng(2)
BYTES = np.arange(256)


def random_hands(n: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    orders = [RNG.permutation(32).tolist() for _ in range(n)]
    hands, skats = [mask_of(order[:10]) for order in orders], [mask_of(order[10:12]) for order in orders]
    return np.array(hands, np.uint32), np.array(skats, np.uint32)


def plain_chances(
    tables: tuple[dict[str, object], dict[str, object]],
    hands: NDArray[np.uint32],
    skats: NDArray[np.uint32] | None,
    forehand: bool,
) -> Floats:
    """The logistic function of the sums over features, feature by feature."""
    suits = [(hands >> 8 * suit & 255).astype(np.intp) for suit in range(4)]
    jacks = np.array(
        [sum(1 << suit for suit in range(4) if hand >> 8 * suit + 4 & 1) for hand in hands.tolist()]
    )
    logits = np.empty((5, len(hands)), np.float32)
    for contract in range(5):
        table = tables[contract == Contract.GRAND]
        array = {key: np.array(value, np.float32) for key, value in table.items()}
        common = array["jacks"][jacks] + np.float32(
            table["forehand"] * forehand + table["hand"] * (skats is None)  # type: ignore[operator]
        )
        if skats is not None:
            points = sum(POINTS[skats >> 8 * suit & 255] for suit in range(4))
            common += np.float32(table["skat_points"] / 10) * points  # type: ignore[operator]
        common += sum(array["plain"][HOLDING][suit] for suit in suits)
        if contract != Contract.GRAND:
            suit = suits[contract]
            trump = (BYTES >> 7 & 1) * table["trump_ace"] + (BYTES >> 3 & 1) * table["trump_ten"]
            lengths = np.bitwise_count(suit & 0xEF) + np.bitwise_count(jacks)
            common = (
                common
                - array["plain"][HOLDING][suit]
                + trump.astype(np.float32)[suit]
                + array["length"][lengths]
            )
        logits[contract] = common
    chances: Floats = 1 / (1 + np.exp(-logits))
    return chances


@pytest.mark.parametrize("forehand", [False, True])
@pytest.mark.parametrize("by_hand", [False, True])
def test_chances_of_trump_games(forehand: bool, by_hand: bool) -> None:
    hands, skats = random_hands(300)
    laid = None if by_hand else skats
    win = hand_table.SUIT_WIN, hand_table.GRAND_WIN
    schneider = hand_table.SUIT_SCHNEIDER, hand_table.GRAND_SCHNEIDER
    assert (EVALUATOR.wins(hands, laid, forehand) == plain_chances(win, hands, laid, forehand)).all()
    assert (
        EVALUATOR.schneiders(hands, laid, forehand) == plain_chances(schneider, hands, laid, forehand)
    ).all()


@pytest.mark.parametrize("forehand", [False, True])
def test_chances_of_null_games(forehand: bool) -> None:
    hands, _ = random_hands(300)
    table = hand_table.NULL
    for ouvert in (False, True):
        logits = np.array(table["suit"]) + table["ouvert"] * ouvert + table["forehand"] * forehand
        safety = -np.logaddexp(0, -logits).astype(np.float32)
        expected = np.exp(sum(safety[hands >> 8 * suit & 255] for suit in range(4)))
        assert (EVALUATOR.nulls(hands, None, forehand)[int(ouvert)] == expected).all()


@pytest.mark.parametrize("forehand", [False, True])
def test_best_discards(forehand: bool) -> None:
    """Of each skat's 66 discards the first of the highest log-odds, and schneider with that one."""
    rows = np.arange(231)
    for hand in random_hands(20)[0].tolist():
        skats, hands, laid = all_discards(hand)
        win, schneider = np.empty((2, 5, hands.size), np.float32)
        for tables, out in ((EVALUATOR.win, win), (EVALUATOR.schneider, schneider)):
            trump_logits(hands.ravel(), laid.ravel(), *tables.at(forehand, False), out)
        found = EVALUATOR.best_discards(hand, forehand)
        assert (found.skats == skats).all()
        for contract in range(5):
            best = win[contract].reshape(hands.shape).argmax(1)
            for logits, chances in ((win, found.win), (schneider, found.schneider)):
                expected = 1 / (1 + np.exp(-logits[contract].reshape(hands.shape)[rows, best]))
                assert (chances[contract] == expected).all()
        tried = try_discards(EVALUATOR, hand, forehand)
        np.testing.assert_allclose(found.win, tried.win, rtol=1e-6)


def test_levels() -> None:
    """The run of the top trumps that are all held, or all missing."""
    hands, skats = random_hands(400)
    for twelve, found in zip((hands | skats).tolist(), game_levels(hands | skats).T.tolist(), strict=True):
        held = cards_of(twelve)
        for contract, level in enumerate(found):
            trumps = [28, 20, 12, 4]
            trumps += (
                [8 * contract + rank for rank in (7, 3, 6, 5, 2, 1, 0)] if contract < Contract.GRAND else []
            )
            run = [card in held for card in trumps]
            same = run.index(not run[0]) if not all(each == run[0] for each in run) else len(run)
            assert level == same + 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hand", [False, True])
def test_expected_points(dtype: type, hand: bool) -> None:
    """Game by game, as the rules score it."""
    n = 60
    win, schneider = RNG.random((7, n)).astype(dtype), RNG.random((5, n)).astype(dtype)
    win[:, 0] = schneider[:, 1] = 0
    levels = RNG.integers(2, 7, (5, n))
    for bid in (*BID_VALUES[::5], 18):
        found = expected_points(win, schneider, levels, bid, hand)
        for game in range(7):
            for i in range(n):
                chance: np.floating = win[game, i]
                if game < Contract.NULL:
                    base = BASE_VALUES[game]
                    value = base * (int(levels[game, i]) + hand)
                    lost = max(value, -(-bid // base) * base)
                    share = min(schneider[game, i] / max(chance, dtype(1e-9)), dtype(1))
                    gain = value + base * float(share)
                    if value < bid:
                        chance = schneider[game, i] if value + base >= bid else dtype(0)
                        gain = value + base
                    expected = float(chance) * (gain + 50) - float(1 - chance) * (2 * lost + 50)
                else:
                    value = NULL_VALUES[hand, game > Contract.NULL]
                    chance = chance if value >= bid else dtype(0)
                    expected = float(chance * (value + 50) - (1 - chance) * (2 * value + 50))
                assert found[game, i] == expected, (bid, game, i)


def test_arrays_that_do_not_fit() -> None:
    hands, skats = random_hands(3)
    logits = np.empty((5, 3), np.float32)
    tables = EVALUATOR.win
    rest = tables.at(False, False)
    with pytest.raises(ValueError, match="3 hands and log-odds for 5 games of 2"):
        trump_logits(hands, skats, *rest, np.empty((5, 2), np.float32))
    with pytest.raises(ValueError, match="3 hands and 2 skats"):
        trump_logits(hands, skats[:2], *rest, logits)
    with pytest.raises(ValueError, match="log-odds for 5 games of 3"):
        null_logits(hands, EVALUATOR.null[0], logits)
    with pytest.raises(ValueError, match="tables of other shapes"):
        trump_logits(hands, skats, *rest[:-1], np.ones(3, np.float32), logits)
    with pytest.raises(ValueError, match="safeties of 2 games and 3 suits"):
        null_logits(hands, np.ones((2, 3), np.float32), np.empty((2, 3), np.float32))
    with pytest.raises(ValueError, match="9 cards"):
        best_discards(511, rest, rest, EVALUATOR.null[0])
    nulls = np.array([23, 46])
    with pytest.raises(ValueError, match="different games"):
        write_points(logits, logits, np.ones((5, 3), np.int64), BASES, nulls, 18, False, np.empty((7, 3)))
