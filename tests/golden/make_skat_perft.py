"""Writes skat_perft.json: legal continuations counted by the plain twin, not by the kernel they test.

python tests/golden/make_skat_perft.py
"""

import copy
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from skat_env.cards import mask_text  # noqa: E402
from skat_env.skat import GAME  # noqa: E402
from tests.helpers.plain_skat import PlainSkat  # noqa: E402


def perft(game: PlainSkat, depth: int) -> int:
    if depth == 0 or game.to_act() < 0:
        return 1
    count = 0
    for action in sorted(game.legal()):
        child = copy.deepcopy(game)
        child.step(action)
        count += perft(child, depth - 1)
    return count


def main() -> None:
    rng = np.random.default_rng(20260101)
    openings = {
        "auction": ("", 7),
        "declaration": ("yes yes yes pass pass", 4),
        "suit": ("yes pass pass pick-up D", 4),
        "grand hand": ("pass yes pass hand G plain", 5),
        "null ouvert": ("pass pass yes pick-up N ouvert", 4),
        "schwarz announced": ("yes yes pass pass hand S schwarz", 5),
        "passed": ("pass pass", 3),
    }
    lines = []
    for name, (opening, depth) in openings.items():
        deal = GAME.random_deal(rng)
        game = PlainSkat(
            [set(mask_text(mask).split(".")) for mask in deal.places[:3]],
            set(mask_text(deal.places[3]).split(".")),
        )
        for action in opening.split():
            game.step(action)
        counts = [perft(game, length) for length in range(1, depth + 1)]
        lines.append({"name": name, "position": f"{deal.text()} : {opening}".strip(), "counts": counts})
    # Endings: random play to the last four tricks, then every continuation to the end.
    for name, opening in (
        ("ending clubs", "yes pass pass hand C plain"),
        ("ending null", "yes pass pass hand N plain"),
    ):
        while True:
            deal = GAME.random_deal(rng)
            game = PlainSkat(
                [set(mask_text(mask).split(".")) for mask in deal.places[:3]],
                set(mask_text(deal.places[3]).split(".")),
            )
            actions = opening.split()
            for action in actions:
                game.step(action)
            while game.to_act() >= 0 and len(actions) < 6 + 20:
                legal = sorted(game.legal())
                actions.append(legal[int(rng.integers(len(legal)))])
                game.step(actions[-1])
            if game.to_act() >= 0:
                break
        counts = [perft(game, length) for length in range(1, 11)]
        lines.append({"name": name, "position": f"{deal.text()} : {' '.join(actions)}", "counts": counts})
    (HERE / "skat_perft.json").write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
