"""How long a bidder takes for a hand before the skat is seen: all games over 231 skats and 66 discards.

python -m benchmarks.speed.winning [--hands 200]

CPU milliseconds on one core, the mean of random hands: by winning probabilities, and by the fitted table of `rule`.
"""

from dataclasses import dataclass
from time import process_time

import numpy as np

from benchmarks.harness import read_options
from skat_env.agents.skat.bidding.expert_bidding import CHECKPOINT
from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.rule.bidding import ChanceBidder
from skat_env.agents.skat.rule.hand import EVALUATOR
from skat_env.cards import mask_of


@dataclass
class Options:
    """How long a bidder takes for a hand."""

    hands: int = 200
    """Number of hands."""
    seed: int = 1
    """Seed of the hands."""


def main(options: Options) -> None:
    """Measures and prints."""
    rng = np.random.default_rng(options.seed)
    dealt = [mask_of(rng.permutation(32)[:10].tolist()) for _ in range(options.hands)]
    for name, chances in (("expert_bidding", WinningTables.load(CHECKPOINT)), ("rule", EVALUATOR)):
        bidder = ChanceBidder(chances)
        # The first hand makes the tables of the look-up.
        bidder.prospects(0x3FF, True)
        before = process_time()
        for hand in dealt:
            bidder.prospects(hand, True)
        print(f"{name}: {1000 * (process_time() - before) / options.hands:.2f} ms per hand")


if __name__ == "__main__":
    main(read_options(Options, __doc__))
