"""What `iimc` gains on its inner agent per decision with other settings, without a match.

python -m benchmarks.quality.search_settings --game skat --out benchmarks/results/search_settings_skat.json

At one decision of each game of the inner agent all cards are tried in twice the worlds: by worlds played out, and with
open cards. Each setting chooses by one half of the worlds; what its card is worth in the other half, more than the
inner agent's own, is its gain there: without the luck of what was highest by chance. Halves change places. The worth is
the own side's result less the other side's. `tries` are cards times worlds, which is what a decision costs.
`champion's` is the gain by the champion's share of open cards (Skat: half, Klaverjas: none), and `lead` is how much
more of that a setting gains than the first one.
That flatters settings with this share: a match has to confirm it.
"""

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields, replace
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import GameName, Kept, keep, print_table, run_benchmark
from skat_env.agents.klaverjas import champion as klaverjas
from skat_env.agents.search.objectives import result_objective
from skat_env.agents.search.pimc import merged
from skat_env.agents.search.race import try_actions
from skat_env.agents.search.rollouts import Rollouts
from skat_env.agents.skat import champion as skat
from skat_env.match.statistics import Estimate, Ratio, estimate
from skat_env.options import Count, Range, Seed
from skat_env.play.capabilities import drawn_worlds
from skat_env.play.players import Players
from skat_env.play.randomness import agent_rng, deal_rng, question_rng, worlds_rng
from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game, make_agent, make_belief
from skat_env.tools.progress import progress_bar

CHAMPION: Final = {"skat": skat, "klaverjas": klaverjas}
INNER: Final = {"skat": skat.CALLS, "klaverjas": "policy"}
OPEN_CARDS: Final = {"skat": 0.5, "klaverjas": 0.0}
"""The champions' share in the first tricks."""
WEIGHED: Final = 16_000
"""The worlds that their beliefs weigh here, so that many of those drawn differ."""
FEWEST: Final = 60
"""Worlds that a decision needs."""
LEAST: Final = 32
"""A setting has one in so many worlds."""


@dataclass
class Options(Kept):
    """Compare settings of `iimc`."""

    game: GameName = "skat"
    """The game."""
    decisions: Count = 700
    """Games, of each of which one decision is taken if there was a choice."""
    tricks: Count = 5
    """Decisions are of the first tricks."""
    worlds: Annotated[int, Range(ge=LEAST)] = 640
    """Worlds that a setting has at most."""
    seed: Seed = 1
    """Seed of the games and worlds."""


@dataclass(frozen=True)
class Setting:
    """Options of `iimc`."""

    worlds: int
    threshold: float
    open_cards: float
    caution: float = 1.0
    race: float | None = 1.5


@dataclass(frozen=True)
class Worths:
    """What all cards of a decision are worth in all its worlds, float64 [worlds, cards]."""

    played: NDArray[np.float64]
    opened: NDArray[np.float64]
    weights: NDArray[np.float64]
    chances: NDArray[np.float64]
    """What the inner agent thinks of the cards, float64 [cards]."""


@dataclass(frozen=True)
class Row:
    """What a setting gains per decision."""

    setting: Setting
    gains: tuple[Estimate, Estimate, Estimate]
    """By worlds played out, with open cards, and by the champion's share of these."""
    lead: Estimate
    """On the first setting, by the champion's share."""
    tries: float


def settings(worlds: int, share: float) -> Iterator[Setting]:
    """Those that are compared: the first one, and others that differ from it."""
    middle = Setting(worlds // 2, 0.0, share)
    yield middle
    for fewer in (worlds, worlds // 4, worlds // 8, worlds // 16, worlds // LEAST):
        yield replace(middle, worlds=fewer)
    for race in (None, 3.0, 2.0, 1.0):
        yield replace(middle, race=race)
    for caution in (0.0, 0.5, 2.0):
        yield replace(middle, caution=caution)
    for open_cards in (0.0, 0.3, 0.5, 0.7, 1.0):
        if open_cards != share:
            yield replace(middle, open_cards=open_cards)
    for open_cards in sorted({0.0, share}):
        yield replace(middle, threshold=0.01, open_cards=open_cards)


def drawn_choice(
    end: Any, rng: np.random.Generator, tricks: int | None = None, seat: int | None = None
) -> Any | None:
    """A position of a finished game at which there was a choice of cards; None: there was none.

    Args:
        end: the game; its cards are taken back.
        rng: draws the position.
        tricks: it is of so many first tricks; None: of all.
        seat: to act; None: any.
    """
    found = []
    while end.plays():
        end.undo()
        early = tricks is None or end.tricks_played < tricks
        if early and seat in (None, end.to_act) and end.legal().bit_count() > 1:
            found.append(end.clone())
    return found[int(rng.integers(len(found)))] if found else None


def decisions(options: Options) -> Iterator[Worths]:
    """Decisions of the inner agent's games, with the worths of all cards."""
    game = get_game(options.game)
    inner, belief = (
        make_agent(INNER[game.name], game.name),
        make_belief(CHAMPION[game.name].inference(WEIGHED), game.name),
    )
    rollouts, opened = Rollouts(inner, game.name), result_objective(game.name, 1)
    rngs = [deal_rng(options.seed, number) for number in range(options.decisions)]
    games = PlayedTo(game.name, game.stages[-1], inner).many(rngs)
    Players(game, [inner]).play(games, lambda number, seat: agent_rng(options.seed, number, seat))
    with progress_bar("decisions", len(games)) as progress:
        for number, (end, rng) in enumerate(zip(games, rngs, strict=True)):
            progress(number + 1)
            state = drawn_choice(end, rng, options.tricks)
            if state is None:
                continue
            view = state.view(state.to_act)
            actions = view.legal_actions()
            luck = worlds_rng(options.seed, number, 0)
            worlds, weights = merged(drawn_worlds(belief, view, 2 * options.worlds, luck))
            if len(worlds) < FEWEST:
                continue
            order = luck.permutation(len(worlds))
            worlds = [worlds[place] for place in order]
            found = inner.decide(view, question_rng(options.seed, number, 0)).weights
            assert found is not None
            yield Worths(
                rollouts.results(worlds, actions, number),
                opened.values(worlds, actions),
                weights[order],
                found[actions].astype(np.float64),
            )


def choose(setting: Setting, decision: Worths, half: slice) -> tuple[int, int]:
    """The card that a setting chooses by half of the worlds, and how many tries that took."""
    values = ((1 - setting.open_cards) * decision.played + setting.open_cards * decision.opened)[half]
    weights = decision.weights[half][: setting.worlds]
    own, tries = int(decision.chances.argmax()), 0
    candidates = [
        card for card, chance in enumerate(decision.chances) if card == own or chance >= setting.threshold
    ]

    def values_of(first: int, end: int, cards: list[int]) -> NDArray[np.float64]:
        nonlocal tries
        tries += (end - first) * len(cards)
        return values[first:end, cards]

    tried = try_actions(values_of, weights / weights.sum(), candidates, setting.race, own)
    return tried.actions[tried.best(own, setting.caution)], tries


def gains_of(setting: Setting, found: list[Worths]) -> tuple[NDArray[np.float64], float]:
    """What a setting gains in the halves of the worlds that it does not see, by worlds played out and by open cards,
    float64 [decisions, 2], and its tries per decision.
    """
    gains, tries = np.zeros((len(found), 2)), 0
    for number, decision in enumerate(found):
        middle = len(decision.weights) // 2
        own = int(decision.chances.argmax())
        for half, other in ((slice(middle), slice(middle, None)), (slice(middle, None), slice(middle))):
            card, asked = choose(setting, decision, half)
            tries += asked
            weights = decision.weights[other] / decision.weights[other].sum()
            for kind, worths in enumerate((decision.played, decision.opened)):
                gains[number, kind] += (weights @ (worths[other, card] - worths[other, own])) / 2
    return gains, tries / 2 / len(found)


def rows_of(options: Options, found: list[Worths]) -> Iterator[Row]:
    """What each setting gains."""
    first, share = None, OPEN_CARDS[options.game]
    for setting in settings(options.worlds, share):
        gains, tries = gains_of(setting, found)
        mixed = (1 - share) * gains[:, 0] + share * gains[:, 1]
        first = mixed if first is None else first
        played, opened = (estimate(each) for each in gains.T)
        yield Row(setting, (played, opened, estimate(mixed)), estimate(mixed - first), tries)


def main(options: Options) -> None:
    """Prints the table."""
    found = list(decisions(options))
    if not found:
        raise ValueError(f"{options.decisions} games have no decision to compare: expected more")
    rows = list(rows_of(options, found))
    print(f"{options.game}: {len(found)} decisions in the first {options.tricks} tricks")
    print_table(
        [each.name.replace("_", " ") for each in fields(Setting)]
        + ["played out", "open cards", "champion's", "lead", "tries"],
        [
            [
                *("-" if value is None else f"{value:g}" for value in astuple(row.setting)),
                *map(shown, (*row.gains, row.lead)),
                f"{row.tries:.0f}",
            ]
            for row in rows
        ],
    )
    keep(options, decisions_taken=len(found), rows=rows)


def shown(gain: Estimate | Ratio) -> str:
    """A gain with half of its interval."""
    return f"{gain.mean:+.2f} ± {gain.mean - gain.low:.2f}"


if __name__ == "__main__":
    run_benchmark(main, Options)
