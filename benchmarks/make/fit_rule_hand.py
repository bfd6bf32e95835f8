"""Fits the rule player's winning chances to games of its own, and writes them to `hand_table.py`.

    python -m benchmarks.make.fit_rule_hand --games 30000 --rounds 3 --seed 1

Each round deals hands and lets a random seat take the skat. It discards what the last round's tables rate best, or
half the time one of the next best, so that the fit also covers hands that the tables rate lower. From there the rule
player plays suit, grand and null games at all seats. The round then fits the log-odds of winning and of schneider for
the trump games, and the safeties of the suits for null. The first round starts with rough tables made here, so the
result depends only on the seed and the cardplay.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.optimize import minimize

from benchmarks.harness import ROOT, run_benchmark
from skat_env.agents.skat.rule import RuleAgent
from skat_env.agents.skat.rule.hand import HOLDING, POINTS, HandEvaluator, NullTable, TrumpTable
from skat_env.cards import cards_of
from skat_env.deal import Deal
from skat_env.options import Count, Seed
from skat_env.skat import Declaration, SkatState
from skat_env.skat.rules import PLACE_SIZES, Announcement, Contract

TABLE_FILE = ROOT / "agents" / "skat" / "rule" / "hand_table.py"
RIDGE = 4.0
"""The ridge penalty that pulls a holding's own coefficient towards the sum of its features: as strong as some 16
games."""


@dataclass
class Options:
    """Fits the rule player's winning chances to games of its own, and writes them to `hand_table.py`."""

    games: Count = 30000
    """Deals per round."""
    rounds: Count = 3
    seed: Seed = 1


def holdings() -> NDArray[np.float64]:
    """The features of the holdings, [64, k]: honours, guards, length, losers."""
    rows = []
    for holding in range(64):
        ace, ten, king, queen = (holding >> bit & 1 for bit in (5, 4, 3, 2))
        small = holding & 3
        length = ace + ten + king + queen + small
        losers = length - (ace + (ace and ten) + (ace and ten and king))
        rows.append([
            length == 0, length, losers, ace, ten, ace and ten, ten and not ace and length > 1,
            king and not ace, king and ten, max(length - 3, 0), losers > 1,
        ])  # fmt: skip
    return np.array(rows, dtype=float)


HOLDING_FEATURES = holdings()


def rough_trumps(grand: bool, schneider: bool) -> TrumpTable:
    """Rough log-odds for the first round."""
    weights = np.array([0.9, 0, -0.45, 0.9, 0.0, 0.7, 0.1, -0.1, 0.1, 0.2 * grand, 0])
    plain = HOLDING_FEATURES @ weights - 0.9 * grand
    jacks = [
        (0.35, 1.0)[grand] * i.bit_count() + (0.25, 0.6)[grand] * (i >> 3) - 3 * schneider for i in range(16)
    ]
    length = [0.0 if grand else 0.8 * n - 4.6 for n in range(12)]
    return TrumpTable(tuple(plain.tolist()), tuple(jacks), tuple(length), 0.3, 0.2, 0.4, 0.2, -0.1)


def null_gap(byte: int) -> int:
    """The gap of a null suit: the largest number of missing cards below one of its cards."""
    ranks = [rank for rank in range(8) if byte >> rank & 1]
    return max((rank - 2 * index for index, rank in enumerate(ranks)), default=0)


def rough_evaluator() -> HandEvaluator:
    """A rough evaluator for the first round."""
    win = rough_trumps(False, False), rough_trumps(True, False)
    schneider = rough_trumps(False, True), rough_trumps(True, True)
    suit = tuple(4.5 - 1.1 * null_gap(byte) for byte in range(256))
    return HandEvaluator(win, schneider, NullTable(suit, -0.2, -0.3))


def trump_features(hand: int, skat: int | None, contract: int, forehand: bool) -> NDArray[np.float64]:
    """One row of the regression: 64 holdings, 16 jacks, 12 lengths, trump ace, ten, skat, forehand, hand."""
    row = np.zeros(97)
    jacks = 0
    for suit in range(4):
        byte = hand >> 8 * suit & 255
        jacks |= (byte >> 4 & 1) << suit
        if suit == contract:
            row[92], row[93] = byte >> 7, byte >> 3 & 1
            length = (byte & 0xEF).bit_count()
        else:
            row[HOLDING[byte]] += 1
    row[64 + jacks] = 1
    if contract != Contract.GRAND:
        row[80 + length + jacks.bit_count()] = 1
    row[94] = 0 if skat is None else sum(float(POINTS[skat >> 8 * suit & 255]) for suit in range(4)) / 10
    row[95], row[96] = forehand, skat is None
    return row


def fit_trumps(rows: NDArray[np.float64], outcomes: NDArray[np.float64]) -> TrumpTable:
    """Ridge logistic regression by Newton's method; a holding has shared features and a coefficient of its own."""
    x = np.hstack([rows, rows[:, :64] @ HOLDING_FEATURES])
    ridge = np.full(x.shape[1], RIDGE)
    ridge[64:] = 0.5
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (outcomes - chance) - ridge * weights
        hessian = (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    plain = weights[:64] + HOLDING_FEATURES @ weights[97:]
    chance = 1 / (1 + np.exp(-x @ weights))
    report(chance, outcomes)
    numbers = [round(float(value), 3) for value in weights]
    return TrumpTable(
        tuple(round(float(value), 3) for value in plain),
        tuple(numbers[64:80]),
        tuple(numbers[80:92]),
        *numbers[92:97],
    )


def fit_null(rows: list[tuple[int, bool, bool]], outcomes: NDArray[np.float64]) -> NullTable:
    """Fits the product of four safeties by maximum likelihood; suits shrink towards a linear function of their gap."""
    bytes_ = np.array([[hand >> 8 * suit & 255 for suit in range(4)] for hand, _, _ in rows])
    forehand = np.array([row[1] for row in rows], dtype=float)[:, None]
    ouvert = np.array([row[2] for row in rows], dtype=float)[:, None]
    gaps = np.array([null_gap(byte) for byte in range(256)])
    lengths = np.array([byte.bit_count() for byte in range(256)])
    features = np.stack(
        [np.ones(256), gaps, np.maximum(gaps - 2, 0), lengths == 0, lengths == 1, lengths], axis=1
    )

    def split(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return weights[:256] + features @ weights[256:262]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = split(weights)[bytes_] + weights[262] * forehand + weights[263] * ouvert
        log_win = -np.logaddexp(0, -logits).sum(axis=1)
        log_loss = np.log(-np.expm1(np.minimum(log_win, -1e-9)))
        value = (
            -(outcomes * log_win + (1 - outcomes) * log_loss).sum() + (weights[:256] ** 2).sum() * RIDGE / 2
        )
        slope = outcomes - (1 - outcomes) * np.exp(log_win - log_loss)
        by_suit = slope[:, None] / (1 + np.exp(logits))
        by_byte = np.bincount(bytes_.ravel(), by_suit.ravel(), minlength=256)
        gradient = np.concatenate(
            [by_byte, features.T @ by_byte, [(by_suit * forehand).sum(), (by_suit * ouvert).sum()]]
        )
        gradient[:256] -= RIDGE * weights[:256]
        return value, -gradient

    start = np.zeros(264)
    start[256:258] = 4.0, -1.0
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).x
    logits = split(weights)[bytes_] + weights[262] * forehand + weights[263] * ouvert
    report(np.exp(-np.logaddexp(0, -logits).sum(axis=1)), outcomes)
    suit = tuple(round(float(value), 3) for value in split(weights))
    return NullTable(suit, round(float(weights[262]), 3), round(float(weights[263]), 3))


def report(chance: NDArray[np.float64], outcomes: NDArray[np.float64]) -> None:
    """Prints the quality of the chances: the log loss, and the share of wins by tenth of the predicted chance."""
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    log_loss = -(outcomes * np.log(chance) + (1 - outcomes) * np.log(1 - chance)).mean()
    tenths = np.minimum((chance * 10).astype(int), 9)
    cells = [f"{outcomes[tenths == i].mean():.2f}" for i in range(10) if (tenths == i).sum() > 20]
    print(
        f"  {len(outcomes)} games, {outcomes.mean():.3f}, log loss {log_loss:.4f}, by tenth {' '.join(cells)}"
    )


class Sampler:
    """Samples games on hands that the evaluator of a round would consider playing."""

    def __init__(self, evaluator: HandEvaluator, seed: int) -> None:
        self.evaluator = evaluator
        self.rng = np.random.default_rng(seed)
        self.agent = RuleAgent()
        self.samples: dict[str, list[tuple[Any, bool, bool]]] = defaultdict(list)

    def deal(self) -> None:
        """Plays a suit, a grand and a null game of a random seat on a random deal; hopeless ones only rarely."""
        deal = Deal.random(self.rng, PLACE_SIZES)
        seat = int(self.rng.integers(3))
        hand, skat = deal.places[seat], deal.places[3]
        hand_game = self.rng.random() < 0.15
        if hand_game:
            hands, skats = np.array([hand], dtype=np.uint32), None
        else:
            skats = np.array(
                [1 << a | 1 << b for a, b in combinations(cards_of(hand | skat), 2)], dtype=np.uint32
            )
            hands = np.uint32(hand | skat) & ~skats
        win = self.evaluator.wins(hands, skats, seat == 0)
        null = self.evaluator.nulls(hands, None, seat == 0)
        suit = int(win[:4].max(axis=1).argmax())
        ouvert = self.rng.random() < 0.4
        for contract, chances in ((suit, win[suit]), (4, win[4]), (5, null[int(ouvert)])):
            if self.rng.random() > 0.03 + 2 * chances.max():
                continue
            explore = self.rng.integers(10) if self.rng.random() < 0.5 else 0
            column = int(np.argsort(-chances)[min(explore, len(chances) - 1)])
            laid = None if skats is None else int(skats[column])
            self.play(deal, seat, contract, laid, ouvert and contract == Contract.NULL)

    def play(self, deal: Deal, seat: int, contract: int, laid: int | None, ouvert: bool) -> None:
        """Plays one game and keeps its features and outcome; `laid` are the discards, None: a hand game."""
        places = list(deal.places)
        if laid is not None:
            places[seat], places[3] = (places[seat] | places[3]) & ~laid, laid
        declaration = Declaration(
            Contract(contract), laid is None, Announcement.OUVERT if ouvert else Announcement.NONE
        )
        bids = (18 * (seat == 0), 18 * (seat == 1), 18 * (seat == 2))
        state = SkatState.cardplay(Deal(tuple(places)), seat, declaration, bids)
        while state.to_act >= 0:
            state.apply(self.agent.decide(state.view(state.to_act), self.rng).action)
        result = state.result()
        if contract == Contract.NULL:
            self.samples["null"].append(((places[seat], seat == 0, ouvert), result.won, False))
        else:
            row = trump_features(places[seat], laid, contract, seat == 0)
            kind = "grand" if contract == Contract.GRAND else "suit"
            self.samples[kind].append((row, result.won, result.card_points >= 90))


def fit(samples: dict[str, list[tuple[Any, bool, bool]]]) -> tuple[HandEvaluator, dict[str, Any]]:
    """Fits the evaluator to a round's games; returns it and its tables by name."""
    tables: dict[str, Any] = {}
    for kind in ("suit", "grand"):
        rows = np.array([row for row, _, _ in samples[kind]])
        for index, event in ((1, "win"), (2, "schneider")):
            print(kind, event)
            outcomes = np.array([sample[index] for sample in samples[kind]], dtype=float)
            tables[f"{kind}_{event}".upper()] = fit_trumps(rows, outcomes)
    print("null")
    null_outcomes = np.array([won for _, won, _ in samples["null"]], dtype=float)
    tables["NULL"] = fit_null([row for row, _, _ in samples["null"]], null_outcomes)
    evaluator = HandEvaluator(
        (tables["SUIT_WIN"], tables["GRAND_WIN"]),
        (tables["SUIT_SCHNEIDER"], tables["GRAND_SCHNEIDER"]),
        tables["NULL"],
    )
    return evaluator, tables


def write(tables: dict[str, Any], command: str) -> None:
    """Writes the tables as Python source."""
    lines = [
        '"""Fitted log-odds of the hand evaluation; the fields are explained in `hand.py`.',
        "",
        f"Made by `{command}`.",
        '"""',
        "",
        "# fmt: off",
        "from typing import Any, Final",
    ]
    for name, table in tables.items():
        lines += ["", f"{name}: Final[dict[str, Any]] = {{"]
        for field in type(table).__slots__:
            value = getattr(table, field)
            if isinstance(value, float):
                lines.append(f'    "{field}": {value},')
                continue
            lines.append(f'    "{field}": (')
            for start in range(0, len(value), 12):
                lines.append("        " + " ".join(f"{number}," for number in value[start : start + 12]))
            lines.append("    ),")
        lines.append("}")
    TABLE_FILE.write_text("\n".join(lines) + "\n")


def main(options: Options) -> None:
    """Fits and writes the tables."""
    evaluator = rough_evaluator()
    tables: dict[str, Any] = {}
    for number in range(options.rounds):
        sampler = Sampler(evaluator, options.seed * 1000 + number)
        for _ in track(range(options.games), description=f"round {number + 1}"):
            sampler.deal()
        evaluator, tables = fit(sampler.samples)
    write(
        tables,
        f"python -m benchmarks.make.fit_rule_hand --games {options.games} --rounds {options.rounds} "
        f"--seed {options.seed}",
    )


if __name__ == "__main__":
    run_benchmark(main, Options)
