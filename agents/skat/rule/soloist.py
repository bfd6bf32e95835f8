"""The soloist's cardplay: each legal card gets a score, and the best is played. Grand has scores of its own.

A score of suit games is a weighted sum of facts about the card, whose weights
`benchmarks/make/learn_rule_soloist.py` learnt.
"""

from typing import Final

from skat_env.agents.skat.rule._soloist import best_card, facts_of, sure_card
from skat_env.agents.skat.rule.grand import grand_card
from skat_env.agents.skat.rule.situation import Situation
from skat_env.skat.rules import Contract

LEAD_FACTS: Final = (
    "trump: it is a trump",
    "surplus: own trumps less the hidden ones, -4 to 4, if it is a trump",
    "last trumps: it is one of at most two trumps left",
    "jack: it is a jack",
    "top trump: no hidden trump beats it",
    "top trump draws: how many defenders are expected to follow",
    "top full trump: it is the ace or ten, and no hidden trump beats it",
    "lower tops: further trumps held below it that no hidden trump beats",
    "low trump draws: how many defenders are expected to follow to a trump that can be beaten",
    "weak jack: the higher hidden trumps, if it is a jack",
    "weak full trump: it is the ace or ten, and can be beaten",
    "weak picture trump: it is the king or queen, and can be beaten",
    "tops kept: it can be beaten, while trumps are held that cannot",
    "lower trumps: trumps held below it, if it can be beaten",
    "standing: it is of a plain suit, and only a trump can beat it",
    "standing points: its card points / 10",
    "standing ruffed: the chance that it is ruffed, times its card points / 10",
    "standing followed: the cards of its suit that the defenders may hold",
    "loser: it is of a plain suit, and can be beaten",
    "loser points: its card points / 10",
    "loser bare: it is the only card of its suit",
    "loser unguards: it is the last card beside an ace or ten that can be beaten",
    "loser rank: the cards held below it in its suit",
    "loser length: the cards held in its suit",
    "loser ruffed: the chance that it is ruffed",
    "loser below a standing card: a card of its suit is held that only a trump can beat",
    "goal: the chance that the trick wins the game, less the chance that it loses it",
)
"""What the score of a card to lead adds up, as `name: what it is`."""
FOLLOW_FACTS: Final = (
    "win: the chance to take the trick",
    "points won: its card points / 10, times that chance",
    "points lost: its card points / 10, times the chance to lose it",
    "goal: the chance that the trick wins the game, less the chance that it loses it",
    "trump: it is a trump",
    "jack: it is a jack",
    "full trump: it is the ace or ten of trumps",
    "top trump: no hidden trump beats it, and there are some",
    "drawn out: it is a trump, and the defenders have none",
    "surplus: own trumps less the hidden ones, -4 to 4, if it is a trump",
    "trump early: the tricks left, if it is a trump",
    "ruff: the card points of the trick / 10, if it is a trump on a plain suit",
    "full ruff: it ruffs with the ace or ten",
    "standing: it is of a plain suit, and only a trump can beat it",
    "standing points: its card points / 10",
    "second: only one hidden card of its suit beats it",
    "guarded: its card points / 10, if it can be beaten and is not the only card of its suit",
    "bare: its card points / 10, if it can be beaten and is the only card of its suit",
    "voids: it can be beaten, and is the only card of its suit",
    "unguards: it is the last card beside an ace or ten that can be beaten",
    "rank: its place in its plain suit from below, if it can be beaten",
    "given: its card points / 10, if it is dropped on another suit",
)
"""What the score of a card on another's lead adds up."""

__all__ = ["FOLLOW_FACTS", "LEAD_FACTS", "SUIT", "best_card", "facts_of", "soloist_card", "sure_card"]

Weights = tuple[float, ...]


def soloist_card(situation: Situation) -> int:
    """The code of the card that the soloist plays."""
    code = sure_card(situation)
    if code is not None:
        return code
    return (
        grand_card(situation) if situation.layout.contract == Contract.GRAND else best_card(situation, *SUIT)
    )


SUIT: Final[tuple[Weights, Weights]] = (
    (-0.32, -0.3, -3.61, 4.56, -0.82, 3.09, 0.51, -0.95, 4.33, 3.91, -4.81, -2.0, -2.7, -0.52, 1.3, 0.35, 0.64, -0.68,
     -0.67, -0.57, -1.54, 1.98, -2.04, 0.21, -0.88, -3.22, 2.37),
    (-1.04, 3.51, -5.23, 1.7, -1.15, -2.3, -0.06, -4.67, -1.48, -1.14, -0.43, 2.42, 0.23, -4.68, -0.38, -3.11, -1.21,
     1.15, 4.4, -1.42, 0.92, -2.24),
)  # fmt: skip
"""The weights of the facts to lead and to follow."""
