"""What a belief would gain by knowing how a search plays: bits of its models, and of asking the search itself.

python -m benchmarks.quality.asked_again --data data/parts/held --trick 8 --out benchmarks/results/asked_again_skat.json

In recorded games of one `--observer` against two `--player` the observer looks back before its first card of a trick,
at the true world and up to `--worlds` others. Each model says how likely the others' cards were in each world, to the
power `--temper`; forced ones say nothing. Bits are how much likelier than chance that makes the true world. Then the
player itself is asked `--times` again for the cards of the last `--asked` tricks, in place of the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.agents.inference_quality.groups import quality_groups
from skat_env.beliefs.belief import Belief
from skat_env.datasets.dataset import Dataset
from skat_env.errors import ParseError
from skat_env.match.statistics import Estimate, estimate
from skat_env.options import Count, Seed, Share
from skat_env.play.randomness import worlds_rng
from skat_env.protocols import Agent, View
from skat_env.registry import make_agent
from skat_env.tools.progress import progress_bar

Floats = NDArray[np.float64]
LEAST: Final = 1e-6
"""The probability of a card that a model rules out."""
PRIOR: Final = 0.2
"""Times that every legal card counts as played before the player is asked."""


@dataclass
class Options(Kept):
    """Ask a search again."""

    data: str
    """The folder of a dataset."""
    trick: Count = 8
    """The trick before which the observer looks back."""
    asked: Count = 4
    """The tricks before it whose cards the player is asked for."""
    observer: str = "champion"
    """Who looks back, as the dataset names it."""
    player: str = "pimc(worlds=160)"
    """Who plays all other seats, as the dataset names it."""
    models: tuple[str, ...] = ("policy(checkpoint=skat-pimc, variant=DI.S)",)
    """Agents whose probabilities of cards are known."""
    games: Count = 120
    """Games at most."""
    worlds: Count = 80
    """Worlds at most beside the true one."""
    times: Count = 3
    """How often the player is asked for each card."""
    temper: Share = 0.6
    """Exponent of the models' probabilities."""
    seed: Seed = 1
    """Seed of the order of the games, the worlds and the player's luck."""


@dataclass(frozen=True)
class Row:
    """What is known of the true world."""

    role: str
    model: str
    games: int
    bits: Estimate
    """By the model alone."""
    more: Estimate
    """More by the player itself."""


def moments(options: Options, dataset: Dataset, rng: np.random.Generator) -> Iterator[tuple[int, Any]]:
    """Numbers of games, and the positions in which the observer looks back."""
    for number in rng.permutation(len(dataset)).tolist():
        agents = dataset[number].agents
        seats = [seat for seat, agent in enumerate(agents) if agent == options.observer]
        if len(seats) != 1 or sum(agent == options.player for agent in agents) != len(agents) - 1:
            continue
        state = dataset.state(number)
        for _ in state.history():
            state.undo()
            if state.stage != dataset.game.stages[-1]:
                break
            if state.to_act == seats[0] and len(state.plays()) // len(agents) == options.trick - 1:
                yield number, state
                break


def past_cards(state: Any, observer: int, stage: str) -> Iterator[tuple[int, View, int]]:
    """The others' unforced cards, the last first: how many cards were played before, what the seat saw, its card."""
    state = state.clone()
    for card in reversed(state.history()):
        state.undo()
        if state.stage != stage:
            return
        if state.to_act != observer and state.legal().bit_count() > 1:
            yield len(state.plays()), state.view(state.to_act), card


class Likelihoods:
    """How likely cards were, by model and by the player; views that worlds have in common are asked once."""

    def __init__(self, models: list[Agent], player: Agent, times: int, rng: np.random.Generator) -> None:
        self._models, self._player, self._times, self._rng = models, player, times, rng
        self._known: dict[str, Floats] = {}

    def of(self, view: View, card: int, ask: bool) -> Floats:
        """float64 [models + 1]: logarithms of the card's probability, that of the player last, if it is asked."""
        key = view.text()
        if key not in self._known:
            found = [model.decide(view, self._rng).weights for model in self._models]
            chances = [LEAST if weights is None else max(float(weights[card]), LEAST) for weights in found]
            played, legal = 0, len(view.legal_actions())
            if ask:
                played = sum(self._player.decide(view, self._rng).action == card for _ in range(self._times))
            chances.append((played + PRIOR) / (self._times + PRIOR * legal))
            self._known[key] = np.log(chances)
        return self._known[key]


def bits_of(state: Any, options: Options, likelihoods: Likelihoods, rng: np.random.Generator) -> Floats:
    """float64 [models, 2]: bits by each model, and with the player in its place for the last tricks."""
    observer, stage = state.to_act, state.stage
    belief = Belief(state.view(observer))
    true = belief.row(state)
    rows = belief.sample_distinct(min(options.worlds, belief.count), rng)
    rows = np.concatenate([true[None], rows[(rows != true).any(axis=1)]])
    models = len(options.models)
    first = (options.trick - 1 - options.asked) * len(state.hands)
    logs = np.zeros((len(rows), models, 2))
    for number, row in enumerate(rows):
        for before, view, card in past_cards(belief.state(row, rng), observer, stage):
            found = likelihoods.of(view, card, before >= first)
            logs[number, :, 0] += options.temper * found[:models]
            logs[number, :, 1] += found[models] if before >= first else options.temper * found[:models]
    bits: Floats = np.log2(len(rows)) + (logs[0] - np.logaddexp.reduce(logs, axis=0)) / np.log(2)
    return bits


def main(options: Options) -> None:
    """Prints the table."""
    dataset = Dataset(options.data)
    models = [make_agent(name, dataset.game.name) for name in options.models]
    player = make_agent(options.player, dataset.game.name)
    roles = quality_groups(dataset.game.name).roles
    found: dict[str, list[Floats]] = {role: [] for role in roles}
    with progress_bar("games", options.games) as progress:
        for number, state in moments(options, dataset, worlds_rng(options.seed, 0, 0)):
            rng = worlds_rng(options.seed, number, 1)
            likelihoods = Likelihoods(models, player, options.times, rng)
            found[roles[state.side(state.to_act)]].append(bits_of(state, options, likelihoods, rng))
            progress(done := sum(map(len, found.values())))
            if done == options.games:
                break
    rows = [
        Row(role, name, len(games), estimate(alone), estimate(asked - alone))
        for role, games in found.items()
        if len(games) > 1
        for name, (alone, asked) in zip(options.models, np.moveaxis(np.array(games), 0, -1), strict=True)
    ]
    if not rows:
        raise ParseError(
            f"{options.data} has no two games of {options.observer} against {options.player} alone "
            f"that reach trick {options.trick}"
        )
    print_table(
        ["role", "model", "games", "bits", "more by the player itself"],
        [
            [
                row.role,
                row.model,
                str(row.games),
                f"{row.bits.mean:+.2f} {row.bits.interval_text()}",
                f"{row.more.mean:+.2f} {row.more.interval_text()}",
            ]
            for row in rows
        ],
    )
    keep(options, rows=rows)


if __name__ == "__main__":
    run_benchmark(main, Options)
