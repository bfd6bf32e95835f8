"""Agents from outside that do not keep to the protocol: one sentence that names them."""

from typing import Any

import numpy as np
import pytest

from skat_env.errors import IllegalAction
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.lockstep import IllegalDecision, play_game
from skat_env.play.starts import RandomDeals
from skat_env.protocols import Decision
from skat_env.registry import make_agent


class Answer:
    """Decides the same, whatever that is."""

    name = "answer"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        return self.answer


class Batch(Answer):
    """Gives the same list of decisions."""

    name = "batch"

    def decide_many(self, views: Any, rngs: Any) -> Any:
        return self.answer


def play(agent: Any) -> None:
    state = RandomDeals("skat", None)(np.random.default_rng(1))
    play_game(state, [agent] * 3, [np.random.default_rng(1)] * 3)


@pytest.mark.parametrize(
    "answer",
    [33, None, "D7", (1,), Decision(63), Decision(10**30), Decision(None)],  # type: ignore[arg-type]
)
def test_what_is_no_legal_decision_names_the_agent_and_the_position(answer: Any) -> None:
    with pytest.raises(IllegalDecision, match=r"answer at seat [012] of '.*/.*:") as caught:
        play(Answer(answer))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answer", [None, 5, [], [Decision(32)] * 2, [33]])
def test_a_batch_of_another_length_names_the_agent(answer: Any) -> None:
    with pytest.raises(ValueError, match="batch"):
        play(Batch(answer))


def test_an_illegal_action_in_a_match_names_agent_deal_and_position() -> None:
    config = MatchConfig("skat", ("rule", "answer"), deals=2)
    games = play_match(config, agents={"answer": Answer(Decision(63))})
    with pytest.raises(IllegalAction, match=r"deal 0 of the match: answer at seat .* of '.*' ?"):
        list(games)


def test_an_agent_without_a_name_is_refused() -> None:
    class Nameless:
        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            return Decision(view.legal_actions()[0])

    config = MatchConfig("skat", ("rule", "mine"), deals=2)
    with pytest.raises(ValueError, match="Nameless has no name"):
        play_match(config, agents={"mine": Nameless()})  # type: ignore[dict-item]
    assert make_agent("rule", "skat").name
