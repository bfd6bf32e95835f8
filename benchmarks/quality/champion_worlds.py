"""What the champion's cards gain by more worlds, and what these cost.

python -m benchmarks.quality.champion_worlds --k 2000 2000 4000 --worlds 160 320 320 --decisions 1000

At one decision of each game the champion chooses twice with each size: of `--k` worlds that its belief weighs it draws
`--worlds`, in which it tries cards. What its cards are worth more than those of the last size is judged in other
worlds, of the same belief with `--reference` of them, by what decides there first: worlds played out, in Skat half
by open cards for five tricks and after them by these alone. The worth is the own side's result less the other
side's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import GameName, Kept, keep, print_table, run_benchmark
from benchmarks.quality.search_settings import CHAMPION, INNER, OPEN_CARDS, WEIGHED, drawn_choice, shown
from skat_env.agents.search.objectives import result_objective
from skat_env.agents.search.pimc import merged
from skat_env.agents.search.rollouts import Rollouts
from skat_env.match.statistics import Estimate, estimate
from skat_env.options import Count, Seed
from skat_env.play.capabilities import drawn_worlds
from skat_env.play.players import Players
from skat_env.play.randomness import agent_rng, deal_rng, question_rng, worlds_rng
from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.tools.console import milliseconds_text
from skat_env.tools.progress import progress_bar

FIRST: Final = 5
"""The tricks of the first rows: in Skat those before the champion leaves the cards to `pimc`."""
LATER_OPEN_CARDS: Final = {"skat": 1.0, "klaverjas": 0.0}
"""The champions' share of open cards after them."""


@dataclass
class Options(Kept):
    """Compare numbers of worlds."""

    game: GameName = "skat"
    """The game."""
    k: tuple[Count, ...] = (2000, 2000, 4000)
    """Numbers of worlds that the belief weighs."""
    worlds: tuple[Count, ...] = (160, 320, 320)
    """Numbers of worlds drawn from these, one for each of `k`."""
    reference: Count = WEIGHED
    """The number of weighed worlds that judge."""
    judges: Count = 640
    """Worlds drawn from these."""
    decisions: Count = 1000
    """Games, of each of which one decision is taken if there was a choice."""
    players: tuple[str, ...] = ("policy", "pimc(worlds=20, belief=locations)")
    """Agents that play the cards, drawn for each seat."""
    seed: Seed = 1
    """Seed of the games and worlds."""


@dataclass(frozen=True)
class Row:
    """What a size gains per decision on the last size, and how long a decision takes."""

    part: str
    k: int
    worlds: int
    decisions: int
    gain: Estimate
    milliseconds: float


def positions(options: Options) -> Iterator[tuple[int, Any]]:
    """The numbers of games, and a position of each at which there is a choice."""
    game = get_game(options.game)
    table = Players(game, [make_agent(name, game.name) for name in options.players])
    starts = PlayedTo(game.name, game.stages[-1], make_agent(INNER[game.name], game.name))
    with progress_bar("decisions", options.decisions) as progress:
        for number in range(options.decisions):
            rng = deal_rng(options.seed, number)
            state = starts(rng)
            seated = rng.integers(len(options.players), size=(1, len(game.seats))).astype(np.int16)

            def luck(_: int, seat: int, number: int = number) -> np.random.Generator:
                return agent_rng(options.seed, number, seat)

            table.play([state], luck, seated)
            choice = drawn_choice(state, rng)
            progress(number + 1)
            if choice is not None:
                yield number, choice


@dataclass(frozen=True)
class Choices:
    """One decision, by each size."""

    early: bool
    gains: NDArray[np.float64]
    """float64 [sizes]: on the last size."""
    seconds: NDArray[np.float64]
    """float64 [sizes]: of the processor."""


class Judge:
    """Compares the champion's choices with each size."""

    def __init__(self, options: Options) -> None:
        self._options, made = options, CHAMPION[get_game(options.game).name]
        self._agents = [
            make_agent(made.whole(k, worlds), options.game)
            for k, worlds in zip(options.k, options.worlds, strict=True)
        ]
        self._belief = make_belief(made.inference(options.reference), options.game)
        self._rollouts = Rollouts(INNER[options.game], options.game)
        self._open = result_objective(options.game, 1)

    def choices(self, number: int, state: Any) -> Choices:
        """How it chooses in the position of a game, twice with each size."""
        seed, view, early = self._options.seed, state.view(state.to_act), state.tricks_played < FIRST
        cards, seconds = [], []
        for agent in self._agents:
            started = process_time()
            cards += [agent.decide(view, question_rng(seed, number, time)).action for time in range(2)]
            seconds.append((process_time() - started) / 2)
        some = sorted(set(cards))
        luck = worlds_rng(seed, number, 0)
        worths = self._worths(view, some, early, luck) if len(some) > 1 else np.zeros(1)
        means = worths[[some.index(card) for card in cards]].reshape(-1, 2).mean(axis=1)
        return Choices(early, means - means[-1], np.array(seconds))

    def _worths(
        self, view: Any, cards: list[int], early: bool, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """What each of some cards is worth, float64 [cards]."""
        worlds, weights = merged(drawn_worlds(self._belief, view, self._options.judges, rng))
        share = (OPEN_CARDS if early else LATER_OPEN_CARDS)[self._options.game]
        worths = np.zeros((len(worlds), len(cards)))
        if share < 1:
            worths += (1 - share) * self._rollouts.results(worlds, cards, 0)
        if share:
            worths += share * self._open.values(worlds, cards)
        return np.asarray(weights @ worths)


def rows_of(options: Options, part: str, found: list[Choices]) -> list[Row]:
    """What each size gains in some decisions; nothing of none."""
    if not found:
        return []
    gains, seconds = (np.array([getattr(each, name) for each in found]) for name in ("gains", "seconds"))
    return [
        Row(part, k, worlds, len(found), estimate(gains[:, i]), 1000 * float(seconds[:, i].mean()))
        for i, (k, worlds) in enumerate(zip(options.k, options.worlds, strict=True))
    ]


def main(options: Options) -> None:
    """Prints the table."""
    if len(options.k) != len(options.worlds):
        raise ValueError(
            f"{len(options.k)} of --k, {len(options.worlds)} of --worlds: expected as many of both"
        )
    judge = Judge(options)
    found = [judge.choices(number, state) for number, state in positions(options)]
    if not found:
        raise ValueError(f"{options.decisions} games have no decision to compare: expected more")
    rows = [
        *rows_of(options, f"tricks 1 to {FIRST}", [each for each in found if each.early]),
        *rows_of(options, "later tricks", [each for each in found if not each.early]),
    ]
    print_table(
        ["", "worlds weighed", "drawn", "decisions", "gain", "ms per decision"],
        [
            [
                row.part,
                f"{row.k:,}",
                f"{row.worlds:,}",
                f"{row.decisions:,}",
                shown(row.gain),
                milliseconds_text(row.milliseconds),
            ]
            for row in rows
        ],
    )
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
