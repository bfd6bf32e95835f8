"""Learns the weights of the rule player's soloist by playing against its defenders.

    python -m benchmarks.make.learn_rule_soloist --rounds 600 --seed 1 --workers 2

It begins from weights of 0. The games are suit games that the rule player itself bids and declares. Each is played four
times with cards drawn by the softmax of their scores, and the weights move along the policy gradient (Williams 1992,
REINFORCE), whose baseline is the mean of the four. The reward is half the win and half a logistic function of the card
points around 60.5, which is less noisy. What is kept is a moving average of the weights. At the end it plays unseen
games, always the card with the best score, beside the weights in the source.
"""

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pool

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import run_benchmark
from skat_env.agents.skat.rule import RuleAgent
from skat_env.agents.skat.rule.defender import defender_card
from skat_env.agents.skat.rule.situation import Situation
from skat_env.agents.skat.rule.soloist import FOLLOW_FACTS, LEAD_FACTS, SUIT, best_card, facts_of, sure_card
from skat_env.options import Count, Seed
from skat_env.play.starts import draw_starts, start_source
from skat_env.registry import get_game
from skat_env.skat import SkatState

SAMPLES = 4
"""How often a game is played for the gradient."""
GAMES = 400
"""Games of a round."""
CHUNKS = 8
"""Parts of a round; fixed, so that the weights do not depend on the number of workers."""
RATE, AVERAGE, DECAY = 0.05, 0.98, 2e-5

Weights = list[NDArray[np.float64]]
"""The weights to lead and to follow."""


@dataclass
class Options:
    """Learns the weights of the rule player's soloist by playing against its defenders."""

    rounds: Count = 600
    games: Count = 8000
    """Games to learn from."""
    unseen: Count = 4000
    """Further games to check on."""
    seed: Seed = 1
    workers: Count = 1


class Learner:
    """Plays games; a worker process has one."""

    def __init__(self, weights: Weights, seed: int) -> None:
        self.weights = weights
        self._rng = np.random.default_rng(seed)
        self._slopes: Weights = []

    def drawn(self, situation: Situation) -> int:
        """A card drawn by the softmax of the scores; its gradient is added up."""
        code = sure_card(situation)
        if code is not None:
            return code
        codes, rows = zip(*facts_of(situation), strict=True)
        part, facts = int(situation.position > 0), np.array(rows)
        scores = facts @ self.weights[part]
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        chosen = min(int((chances.cumsum() < self._rng.random()).sum()), len(codes) - 1)
        self._slopes[part] += facts[chosen] - chances @ facts
        return int(codes[chosen])

    def best(self, situation: Situation) -> int:
        """The card with the best score."""
        code = sure_card(situation)
        return best_card(situation, *(part.tolist() for part in self.weights)) if code is None else code

    def gradient(self, games: list[SkatState]) -> Weights:
        """The sum of the games' gradients."""
        total = [np.zeros_like(part) for part in self.weights]
        for game in games:
            rewards, slopes = [], []
            for _ in range(SAMPLES):
                self._slopes = [np.zeros_like(part) for part in self.weights]
                won, points = played(game, self.drawn)
                rewards.append(0.5 * won + 0.5 / (1 + np.exp(-(points - 60.5) / 6)))
                slopes.append(self._slopes)
            for reward, slope in zip(rewards, slopes, strict=True):
                for part in (0, 1):
                    total[part] += (reward - np.mean(rewards)) / (SAMPLES - 1) * slope[part]
        return total


def played(game: SkatState, soloist: Callable[[Situation], int]) -> tuple[bool, int]:
    """Whether the soloist wins a game against the rule player, and with how many card points."""
    state = game.clone()
    while state.to_act >= 0:
        situation = Situation(state.view(state.to_act))
        state.apply(
            situation.layout.card[(soloist if state.to_act == state.soloist else defender_card)(situation)]
        )
    result = state.result()
    return result.won, result.card_points


def work(task: tuple[Weights, int, list[SkatState]]) -> Weights:
    """The gradient of a part of a round."""
    weights, seed, games = task
    return Learner(weights, seed).gradient(games)


def main(options: Options) -> None:
    """Learns, and prints the weights."""
    source = start_source(get_game("skat"), "cardplay", RuleAgent(), kind="suit")
    games = draw_starts("skat", source, options.games + options.unseen, options.seed)
    games, unseen = games[: options.games], games[options.games :]
    weights = [np.zeros(len(LEAD_FACTS)), np.zeros(len(FOLLOW_FACTS))]
    kept = [part.copy() for part in weights]
    slope, square = ([np.zeros_like(part) for part in weights] for _ in range(2))
    rng = np.random.default_rng(options.seed)
    with Pool(options.workers) as pool:
        for number in range(1, options.rounds + 1):
            order = rng.permutation(len(games))[:GAMES]
            tasks = [
                (
                    weights,
                    options.seed * 10**6 + number * CHUNKS + chunk,
                    [games[i] for i in order[chunk::CHUNKS]],
                )
                for chunk in range(CHUNKS)
            ]
            gradients = pool.map(work, tasks, chunksize=1)
            for part in (0, 1):  # Adam (Kingma and Ba 2015)
                step = sum(each[part] for each in gradients) / (GAMES * SAMPLES) - DECAY * weights[part]
                slope[part] = 0.9 * slope[part] + 0.1 * step
                square[part] = 0.99 * square[part] + 0.01 * step**2
                size = np.sqrt(square[part] / (1 - 0.99**number)) + 1e-5
                weights[part] = weights[part] + RATE * slope[part] / (1 - 0.9**number) / size
                kept[part] = AVERAGE * kept[part] + (1 - AVERAGE) * weights[part]
            if number % 50 == 0:
                check(f"round {number}", kept, unseen[:1000])
    kept = [part.round(2) for part in kept]
    check("learnt", kept, unseen)
    check("in the source", [np.array(part) for part in SUIT], unseen)
    for learnt in kept:
        print(tuple(learnt.tolist()))


def check(name: str, weights: Weights, games: list[SkatState]) -> None:
    """Prints how many games are won."""
    wins = [played(game, Learner(weights, 0).best)[0] for game in games]
    print(f"{name}: {100 * np.mean(wins):.1f}% of {len(games)} games won", flush=True)


if __name__ == "__main__":
    run_benchmark(main, Options)
