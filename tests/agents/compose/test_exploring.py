"""`exploring`: how often each action is drawn, and where random ones are played."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from skat_env.agents.compose.exploring import Exploring
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import PlayedTo, RandomDeals
from skat_env.protocols import Decision, State, View
from skat_env.registry import get_game, make_agent

DRAWS = 20_000


class Weigher:
    """Plays the first legal action, in an auction the last; the weights are in the proportion of 4, 3, 2, 1, 0, 0 …"""

    name = "weigher"

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        if len(legal) == 1:
            return Decision(legal[0])
        weights = np.zeros(64, np.float32)
        weights[legal[:4]] = [4, 3, 2, 1][: len(legal)]
        return Decision(choice(view), weights / weights.sum(), 1.5)


def choice(position: View | State) -> int:
    return position.legal_actions()[-1 if position.stage == "auction" else 0]


def shares(agent: Exploring, state: State) -> np.ndarray[Any, Any]:
    """How often each legal action is played."""
    rng = np.random.default_rng(0)
    view = state.view(state.to_act)
    drawn = Counter(decision.action for decision in agent.decide_many([view] * DRAWS, [rng] * DRAWS))
    legal = state.legal_actions()
    assert set(drawn) <= set(legal)
    return np.array([drawn[action] for action in legal]) / DRAWS


def start(stage: str) -> State:
    found: State = PlayedTo("skat", stage, "rule")(deal_rng(0, 1))
    return found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.4, 0.3, 0.2, 0.1]),
        ({"share": 0}, [1]),
        ({"share": 0.5}, [0.7, 0.15, 0.1, 0.05]),
        ({"temperature": 0.5}, [16 / 30, 9 / 30, 4 / 30, 1 / 30]),
        ({"temperature": 2}, np.sqrt([4, 3, 2, 1]) / np.sqrt([4, 3, 2, 1]).sum()),
        ({"smoothing": 0.1}, [0.25, 0.2, 0.15, 0.1, *[0.05] * 6]),
        ({"share": 0, "random_cards": 0.5}, [0.55, *[0.05] * 9]),
        ({"random_cards": 1}, [0.1] * 10),
        ({"random_declarations": 1}, [0.4, 0.3, 0.2, 0.1]),
    ],
)
def test_cards_are_drawn(options: dict[str, float], expected: Any) -> None:
    found = shares(Exploring(Weigher(), **options, game="skat"), start("cardplay"))
    wanted = np.zeros(10)
    wanted[: len(expected)] = expected
    assert np.abs(found - wanted).max() < 4 * np.sqrt(0.25 / DRAWS)


@pytest.mark.parametrize(
    ("game", "option", "random"),
    [
        ("skat", "random_declarations", {"declaration"}),
        ("klaverjas", "random_declarations", {"choice"}),
        ("skat", "random_bids", {"auction"}),
        ("klaverjas", "random_bids", set()),
    ],
)
def test_actions_are_drawn_in_their_stage(game: str, option: str, random: set[str]) -> None:
    """Everything else is played as the agent does, with its weights; a single legal action needs no draw."""
    rules = get_game(game).rules(choice="free") if game == "klaverjas" else None
    agent = Exploring(Weigher(), share=0, **{option: 1.0}, game=game)
    other: Counter[str] = Counter()
    for number in range(100):
        state = RandomDeals(game, rules)(deal_rng(1, number))
        rng = agent_rng(1, number, 0)
        while not state.is_over:
            before = rng.bit_generator.state
            decision = agent.decide(state.view(state.to_act), rng)
            legal = state.legal_actions()
            if len(legal) == 1:
                assert rng.bit_generator.state == before
            else:
                assert decision.weights is not None
                assert decision.value == 1.5
                other[state.stage] += decision.action != choice(state)
            state.apply(decision.action)
    assert {stage for stage, count in other.items() if count} == random


def test_names_make_the_same_agent_again() -> None:
    for name in (
        "exploring(agent=rule, share=1, smoothing=0)",
        "exploring(agent=rule, share=0.5, smoothing=0.1, temperature=2, random_cards=0.1, random_declarations=0.3)",
        "exploring(agent=rule, share=0, smoothing=0, random_bids=0.2)",
    ):
        assert make_agent(name, "skat").name == name
    with pytest.raises(ValueError, match="temperature"):
        make_agent("exploring(agent=rule, temperature=0)", "skat")
    with pytest.raises(ValueError, match="random_cards"):
        make_agent("exploring(agent=rule, random_cards=1.5)", "skat")
