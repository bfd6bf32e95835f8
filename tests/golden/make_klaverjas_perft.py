"""Writes klaverjas_perft.json: legal continuations counted by the plain twin, not by the kernel they test.

python tests/golden/make_klaverjas_perft.py
"""

import copy
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from skat_env.cards import mask_text  # noqa: E402
from skat_env.klaverjas import GAME  # noqa: E402
from tests.helpers.plain_klaverjas import PlainKlaverjas  # noqa: E402


def perft(game: PlainKlaverjas, depth: int) -> int:
    if depth == 0 or game.to_act() < 0:
        return 1
    count = 0
    for action in sorted(game.legal()):
        child = copy.deepcopy(game)
        child.step(action)
        count += perft(child, depth - 1)
    return count


def main() -> None:
    rng = np.random.default_rng(20260102)
    # Name, options of the rules, the rest of the head, the opening, random plays after it, depth.
    cases = [
        ("free choice", {"choice": "free"}, {}, "", 0, 7),
        ("forced choice", {"choice": "forced"}, {"forehand": 3}, "", 0, 4),
        ("all pass", {"choice": "free"}, {"forehand": 1}, "pass pass pass pass", 0, 4),
        ("rotterdam opening", {}, {"declarer": 2, "trump": "H"}, "", 0, 6),
        (
            "amsterdam opening",
            {"legality": "amsterdam"},
            {"forehand": 2, "declarer": 1, "trump": "C"},
            "",
            0,
            6,
        ),
        ("rotterdam middle", {}, {"forehand": 1, "declarer": 0, "trump": "S"}, "", 12, 8),
        ("amsterdam middle", {"legality": "amsterdam"}, {"declarer": 3, "trump": "D"}, "", 12, 8),
        ("rotterdam ending", {}, {"declarer": 3, "trump": "C"}, "", 20, 12),
        (
            "amsterdam ending",
            {"legality": "amsterdam", "pit": "both"},
            {"declarer": 0, "trump": "H"},
            "",
            20,
            12,
        ),
    ]
    lines = []
    for name, rules, head, opening, plays, depth in cases:
        deal = GAME.random_deal(rng)
        game = PlainKlaverjas([set(mask_text(mask).split(".")) for mask in deal.places], **rules, **head)
        actions = opening.split()
        for action in actions:
            game.step(action)
        for _ in range(plays):
            legal = sorted(game.legal())
            actions.append(legal[int(rng.integers(len(legal)))])
            game.step(actions[-1])
        counts = [perft(game, length) for length in range(1, depth + 1)]
        words = [f"{key}={value}" for key, value in (head | rules).items()]
        lines.append(
            {"name": name, "position": " ".join([deal.text(), *words, ":", *actions]), "counts": counts}
        )
    (HERE / "klaverjas_perft.json").write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
