"""Bidding, declaring and discarding by search, in Kermit's manner (Buro, Long, Furtak and Sturtevant 2009).

A hand is rated by dealing the other cards: for sampled skats the most promising games and discards are tried on sampled
worlds, each solved with open cards. The fitted table of the rule player selects the promising ones. Its chances also
count beside the worlds, because open cards favour the defenders.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.game_values import GAMES, NULL_OUVERT, declarable, next_action
from skat_env.agents.skat.rule.bidding import (
    RULE_BIDDER,
    Discards,
    expected_points,
    sure_contract,
)
from skat_env.cards import ALL_CARDS_MASK, cards_of, mask_of
from skat_env.deal import Deal
from skat_env.options import Count, NonNegative, Share, Threads, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import require_views
from skat_env.protocols import CHANCE, Decision
from skat_env.skat import GAME as SKAT
from skat_env.skat import Declaration, SkatState, SkatView
from skat_env.skat.rules import (
    ANNOUNCE,
    BASE_VALUES,
    BID_VALUES,
    DECLARE,
    FOREHAND,
    HAND,
    NULL_VALUES,
    PASS,
    PICK_UP,
    YES,
    Announcement,
    Contract,
    Phase,
)
from skat_env.solvers.skat import Question, Solver
from skat_env.tools.method_cache import MethodCache

Floats = NDArray[np.float64]
GAME = Question(target=61)
A_TRICK = Question(target=1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A game that a soloist might play, with the hand and the discards."""

    row: int
    """The index of the game: D H S C grand, null, null ouvert."""
    hand: int
    """The ten cards in hand, as a mask."""
    skat: int
    """The two cards discarded, as a mask; 0: a hand game, in which the skat is unknown."""
    prior: float
    """The chance of winning, by the fitted table."""
    schneider: float
    """The chance of 90 points, by the fitted table."""
    level: int
    """The multiplier of a trump game without schneider and hand."""

    def value(self) -> int:
        """The value of the game without schneider."""
        is_hand = not self.skat
        if self.row >= Contract.NULL:
            return NULL_VALUES[is_hand, self.row == NULL_OUVERT]
        return BASE_VALUES[self.row] * (self.level + is_hand)

    def points(self, win: float, bid: int) -> float:
        """Expected tournament points, given the chance of winning and the bid."""
        wins, schneiders, levels = np.zeros((len(GAMES), 1)), np.zeros((5, 1)), np.ones((5, 1), np.int64)
        wins[self.row] = win
        if self.row < Contract.NULL:
            schneiders[self.row], levels[self.row] = min(self.schneider, win), self.level
        all_games = expected_points(wins, schneiders, levels, bid, hand=not self.skat)
        return float(all_games[self.row, 0])


class SearchBidding:
    """Bids, picks up, declares and discards by solving sampled worlds; plays no cards.

    The rating of a hand depends only on the hand, the seat and the options, because the hand seeds the generator of its
    worlds. So it is computed once for the whole auction.

    Args:
        skats: the number of skats sampled before the skat is known.
        worlds: the number of worlds solved for each game; three times as many once the skat is known.
        games: the number of most promising games tried for each skat; twice as many games and discards once it is
            known.
        threshold: bids as long as the best game that reaches the bid is won with at least this chance.
        prior: the number of worlds that the fitted table's chance counts for.
        threads: threads of the solver; decisions do not depend on their number.

    Raises:
        ValueError: if an option is out of range.
    """

    @checked_options("search_bidding")
    def __init__(
        self,
        skats: Count = 12,
        *,
        worlds: Count = 8,
        games: Count = 3,
        threshold: Share = 0.5,
        prior: NonNegative = 8.0,
        threads: Threads = 1,
    ) -> None:
        self.skats, self.worlds, self.games, self.threads = skats, worlds, games, threads
        self.threshold, self.prior = threshold, prior
        self.name = own_text(self, "search_bidding")
        self._solver = Solver()
        self._weigh_hand = MethodCache(self._search_hand, 1024)
        self._weigh_twelve = MethodCache(self._search_twelve, 256)

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """A legal action; `rng` is not used.

        Raises:
            ValueError: in the cardplay, or if the view's seat is not to act.
        """
        require_views(SKAT, [view])
        if view.phase in (Phase.BID, Phase.ANSWER):
            return self._bid(view)
        if view.phase == Phase.PICK_UP:
            return self._pick_up(view)
        if view.phase == Phase.PLAY:
            raise ValueError("search_bidding does not play cards: use it as the bidder of a player that does")
        return self._declare_hand(view) if view.hand_game else self._declare(view)

    def _bid(self, view: SkatView) -> Decision:
        bid = view.next_bid if view.phase == Phase.BID else view.bid
        win = max(self.chance(view, bid), self._hand_chance(view, bid)) if bid else 0.0
        if bid and sure_contract(view.hand, view.seat == FOREHAND, bid) is not None:
            win = 1.0
        return Decision(
            YES if win >= self.threshold else PASS, value=win, stats={"chance": win, "bid": bid}, unit=CHANCE
        )

    def chance(self, view: SkatView, bid: int) -> float:
        """The chance to win the best game that reaches the bid, mean over sampled skats."""
        skats, _ = self._weigh_hand(view.hand, view.seat)
        return float(
            np.mean([max((p for c, p in tried if c.value() >= bid), default=0.0) for tried in skats])
        )

    def _hand_chance(self, view: SkatView, bid: int) -> float:
        _, hand_games = self._weigh_hand(view.hand, view.seat)
        return max((p for c, p in hand_games if c.value() >= bid), default=0.0)

    def _pick_up(self, view: SkatView) -> Decision:
        if sure_contract(view.hand, view.seat == FOREHAND, view.bid) is not None:
            return Decision(HAND)
        skats, hand_games = self._weigh_hand(view.hand, view.seat)
        picked_up = float(np.mean([max(c.points(p, view.bid) for c, p in tried) for tried in skats]))
        reaching = _reaching(hand_games, view.bid)
        by_hand = max((c.points(p, view.bid) for c, p in reaching), default=-np.inf)
        return Decision(HAND if by_hand > picked_up else PICK_UP, value=max(by_hand, picked_up))

    def _declare_hand(self, view: SkatView) -> Decision:
        sure = sure_contract(view.hand, view.seat == FOREHAND, view.bid)
        if sure is not None and view.contract in (None, sure):
            return Decision(DECLARE + sure if view.contract is None else ANNOUNCE + Announcement.OUVERT)
        untried = [(c, c.prior) for c in _hand_candidates(view.hand, view.seat)]
        tried, untried = (
            [(c, p) for c, p in games if view.contract in (None, GAMES[c.row].contract)]
            for games in (self._weigh_hand(view.hand, view.seat)[1], untried)
        )
        games = _reaching(tried, view.bid) or _reaching(untried, view.bid) or tried or untried
        best = max(games, key=lambda game: game[0].points(game[1], view.bid))[0]
        return Decision(next_action(view, GAMES[best.row]))

    def _declare(self, view: SkatView) -> Decision:
        """The contract, the announcement in null games and the discards, all by the same rating of the twelve cards."""
        bid, twelve = view.bid, view.hand | view.skat
        weighed = self._weigh_twelve(twelve, view.seat, bid)
        rows = np.flatnonzero(declarable(GAMES, [view])).tolist()
        fitting = [(c, p) for c, p in weighed if c.row in rows and c.skat & view.skat == view.skat]
        # No game that was searched reaches the bid, or someone else chose the contract or the first discard.
        weighed = fitting or [(c, c.prior) for c in self._table_best(view, rows)]
        best, win = max(weighed, key=lambda game: game[0].points(game[1], bid))
        if view.phase == Phase.DISCARD:
            action = cards_of(best.skat & view.hand)[0]
        else:
            action = next_action(view, GAMES[best.row])
        return Decision(action, value=best.points(win, bid), stats={"chance": win})

    def _table_best(self, view: SkatView, rows: list[int]) -> list[Candidate]:
        discards = RULE_BIDDER.weigh_discards(view.hand, view.skat, view.seat == FOREHAND)
        twelve = view.hand | view.skat
        return [_candidate(discards, twelve, row, int(discards.win[row].argmax())) for row in rows]

    def _search_hand(
        self, hand: int, seat: int
    ) -> tuple[list[list[tuple[Candidate, float]]], list[tuple[Candidate, float]]]:
        """The games tried and their chances for each sampled skat, and for hand games."""
        rng = np.random.default_rng([hand, seat])
        unseen = np.array(cards_of(ALL_CARDS_MASK & ~hand))
        tried, groups = [], []
        for _ in range(self.skats):
            twelve = hand | mask_of(rng.choice(unseen, 2, replace=False).tolist())
            discards = RULE_BIDDER.weigh_discards(twelve, 0, seat == FOREHAND)
            points = discards.points(BID_VALUES[0])
            rows = np.argsort(-points.max(axis=1), kind="stable")[: self.games]
            groups.append([_candidate(discards, twelve, row, int(points[row].argmax())) for row in rows])
            tried += groups[-1]
        by_hand = _hand_candidates(hand, seat)[: self.games]
        chances = iter(self._chances(tried + by_hand, seat, self.worlds, rng))
        skats = [[(candidate, next(chances)) for candidate in group] for group in groups]
        return skats, [(candidate, next(chances)) for candidate in by_hand]

    def _search_twelve(self, twelve: int, seat: int, bid: int) -> list[tuple[Candidate, float]]:
        """The games and discards tried with twelve cards, and their chances."""
        rng = np.random.default_rng([twelve, seat, bid])
        discards = RULE_BIDDER.weigh_discards(twelve, 0, seat == FOREHAND)
        points = discards.points(bid)
        order = np.argsort(-points, axis=None, kind="stable")
        chosen: list[Candidate] = []
        by_row: dict[int, int] = {}
        for flat in order.tolist():
            row, column = divmod(flat, points.shape[1])
            # No game takes more than half of the places, as the table may be wrong about it.
            if by_row.get(row, 0) < max(1, self.games):
                by_row[row] = by_row.get(row, 0) + 1
                chosen.append(_candidate(discards, twelve, row, column))
            if len(chosen) == 2 * self.games:
                break
        chances = self._chances(chosen, seat, 3 * self.worlds, rng)
        return list(zip(chosen, chances, strict=True))

    def _chances(
        self, candidates: list[Candidate], seat: int, worlds: int, rng: np.random.Generator
    ) -> list[float]:
        """The chances of winning: the share of worlds won with open cards, averaged with the table's chance."""
        states: dict[Question, list[tuple[int, SkatState]]] = {GAME: [], A_TRICK: []}
        for number, candidate in enumerate(candidates):
            question = A_TRICK if candidate.row >= Contract.NULL else GAME
            for _ in range(worlds):
                states[question].append((number, _world(candidate, seat, rng)))
        won = np.zeros(len(candidates))
        for question, members in states.items():
            solutions = self._solver.solve_many([state for _, state in members], question, self.threads)
            for (number, _), solution in zip(members, solutions, strict=True):
                won[number] += bool(solution.reaches(question.target or 0)) == (question is GAME)
        priors = np.array([candidate.prior for candidate in candidates])
        return [float(p) for p in (won + self.prior * priors) / (worlds + self.prior)]


def _reaching(games: list[tuple[Candidate, float]], bid: int) -> list[tuple[Candidate, float]]:
    """The games whose value reaches the bid."""
    return [(candidate, win) for candidate, win in games if candidate.value() >= bid]


def _hand_candidates(hand: int, seat: int) -> list[Candidate]:
    """All hand games at their least values, the most promising first by the fitted table."""
    weighed = RULE_BIDDER.prospects(hand, seat == FOREHAND)
    levels = weighed.levels.min(axis=1)
    return [
        Candidate(
            int(row),
            hand,
            0,
            float(weighed.hand_win[row, 0]),
            float(weighed.hand_schneider[row, 0]) if row < 5 else 0.0,
            int(levels[row]) if row < 5 else 0,
        )
        for row in np.argsort(-weighed.hand_games(BID_VALUES[0])[:, 0], kind="stable")
    ]


def _candidate(discards: Discards, twelve: int, row: int, column: int) -> Candidate:
    skat = int(discards.skats[column])
    trump = row < Contract.NULL
    return Candidate(
        int(row),
        twelve & ~skat,
        skat,
        float(discards.win[row, column]),
        float(discards.schneider[row, column]) if trump else 0.0,
        int(discards.levels[row, column]) if trump else 0,
    )


def _world(candidate: Candidate, seat: int, rng: np.random.Generator) -> SkatState:
    """The start of the cardplay, with the other cards dealt at random."""
    others = cards_of(ALL_CARDS_MASK & ~(candidate.hand | candidate.skat))
    order = rng.permutation(others).tolist()
    places = [0, 0, 0, candidate.skat or mask_of(order[20:])]
    places[seat] = candidate.hand
    places[(seat + 1) % 3], places[(seat + 2) % 3] = mask_of(order[:10]), mask_of(order[10:20])
    bids = [0, 0, 0]
    bids[seat] = BID_VALUES[0]
    declaration = Declaration(GAMES[candidate.row].contract, hand=not candidate.skat)
    return SkatState.cardplay(
        Deal((places[0], places[1], places[2], places[3])), seat, declaration, (bids[0], bids[1], bids[2])
    )
