"""A language model at a table of `rule`: its score, what it cost, and the words of its first decision.

python examples/llm_agent.py --model my-model --base-url http://127.0.0.1:8000/v1

Any server that speaks OpenAI's chat protocol will do; for OpenAI's own the key comes from the environment.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from skat_env.agents.language.agent import LanguageModel
from skat_env.score.play import PlayedScore, score
from skat_env.tools.console import Console


@dataclass
class Options:
    """Score a language model and show how it was asked."""

    model: str
    """The name that the server has for it."""
    base_url: str = ""
    """The address of the server; empty: OpenAI's."""
    game: Literal["skat", "klaverjas"] = "skat"
    deals: int = 2
    """Deals; the model plays each seat of each in turn."""
    seed: int = 0
    """Seed of the deals."""
    budget: int = 500_000
    """Tokens that may be spent."""
    log: str = "llm.jsonl"
    """The file to which prompts and replies are added."""


def play(options: Options) -> PlayedScore:
    """The score, points more than `rule` and, in its summary, tokens, replies and failures."""
    model = LanguageModel(
        options.model, options.base_url, budget=options.budget, log=options.log, game=options.game
    )
    return score(model, options.game, options.deals, options.seed)


def main(options: Options) -> None:
    """Plays and prints."""
    log = Path(options.log)
    before = log.stat().st_size if log.exists() else 0
    found = play(options)
    with log.open(encoding="utf-8") as lines:
        lines.seek(before)  # games of before may be in it
        for message in json.loads(next(lines))["messages"]:
            print(f"{message['role']}: {message['content']}\n")
    found.print_on(Console())


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
