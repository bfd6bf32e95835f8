"""Hybrids: who is asked at which trick, and their options."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skat_env.agents.compose.hybrid import Hybrid
from skat_env.agents.skat.rule import RuleAgent
from skat_env.errors import UnknownName
from skat_env.play.lockstep import play_game
from skat_env.protocols import Decision
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.skat.rules import Phase


class Marked(RuleAgent):
    """Remembers when it was asked: (role, number of the trick), or ("", -1) before the cardplay."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.asked: list[tuple[str, int]] = []

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        role = ("soloist", "defender")[view.side(view.seat)]
        self.asked.append((role, len(view.plays()) // 3) if view.phase == Phase.PLAY else ("", -1))
        return super().decide(view, rng)


@pytest.mark.parametrize(
    ("trick", "role", "is_policy"),
    [
        (0, "both", lambda side, number: False),
        (3, "both", lambda side, number: number < 3),
        (10, "both", lambda side, number: True),
        (4, "soloist", lambda side, number: side == "soloist" and number < 4),
        (4, "defender", lambda side, number: side == "defender" and number < 4),
    ],
)
def test_hybrids_hand_over_at_the_trick(trick: int, role: str, is_policy: Callable[[str, int], bool]) -> None:
    first, second = Marked("first"), Marked("second")
    agent = Hybrid(first, second, trick=trick, role=role, game="skat")
    play_game(
        SkatState.random(np.random.default_rng(2)),
        [agent] * 3,
        [np.random.default_rng([0, seat]) for seat in range(3)],
    )
    for side, number in first.asked:
        assert number < 0 or is_policy(side, number)
    for side, number in second.asked:
        assert number >= 0
        assert not is_policy(side, number)
    in_cardplay = len(second.asked) + sum(number >= 0 for _, number in first.asked)
    assert in_cardplay == 30


def test_hybrids_by_name() -> None:
    assert make_agent("hybrid(policy=rule, search=random, trick=2)", "skat").name.endswith(
        "search=random, trick=2)"
    )
    with pytest.raises(ValueError, match="expected 0 to 10"):
        make_agent("hybrid(policy=random, search=random, trick=11)", "skat")
    with pytest.raises(UnknownName, match="role of hybrid"):
        make_agent("hybrid(policy=random, search=random, role=declarer)", "skat")
