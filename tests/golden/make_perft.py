"""Writes skat_perft.json and klaverjas_perft.json: legal continuations counted by the plain twins, not by the kernels.

python -m tests.golden.make_perft
"""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np

from skat_env import klaverjas, skat
from skat_env.cards import mask_text
from tests.helpers.plain_klaverjas import PlainKlaverjas
from tests.helpers.plain_skat import PlainSkat

HERE = Path(__file__).parent


def perft(game: Any, depth: int) -> int:
    if depth == 0 or game.to_act() < 0:
        return 1
    count = 0
    for action in sorted(game.legal()):
        child = copy.deepcopy(game)
        child.step(action)
        count += perft(child, depth - 1)
    return count


def write_skat() -> None:
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
        deal = skat.GAME.random_deal(rng)
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
            deal = skat.GAME.random_deal(rng)
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


def write_klaverjas() -> None:
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
        deal = klaverjas.GAME.random_deal(rng)
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
    write_skat()
    write_klaverjas()
