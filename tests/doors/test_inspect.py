"""The tasks of Inspect: the score of a model is that of `skat-env score`, and the exam is that of `skat-env exam`."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra 'inspect'")

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from skat_env.doors.exam.make import questions
from skat_env.doors.inspect_tasks import duplicate_deals, exam
from skat_env.errors import OptionError
from skat_env.protocols import Decision
from skat_env.score.play import score
from skat_env.text import describe, parse_reply
from tests.helpers.chat_server import plays_first

pytestmark = pytest.mark.slow


class First:
    """The first move as the prompt lists them."""

    name = "first"

    def decide(self, view: Any, rng: Any) -> Decision:
        return Decision(parse_reply(plays_first([{}, {"content": describe(view)}]), view))


def logged(made: Any, words: Any, folder: Path) -> Any:
    """The log of a task with a model that says the words for the messages of a prompt."""

    def output(messages: Any, *_: Any) -> ModelOutput:
        said = words([{"content": each.text} for each in messages])
        found = ModelOutput.from_content("mockllm", said)
        found.usage = ModelUsage(total_tokens=1)  # else the library counts with tables from the network
        return found

    model = get_model("mockllm/model", custom_outputs=output)
    [log] = evaluate(made, model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error.traceback
    return log


@pytest.mark.parametrize("name", ["skat", "klaverjas"])
def test_points_and_score_are_those_of_the_command(name: str, tmp_path: Path) -> None:
    played = score(First(), name, deals=3, seed=4)
    log = logged(duplicate_deals(name, deals=3, seed=4), plays_first, tmp_path)
    [found] = log.results.scores
    assert found.metrics["mean"].value == pytest.approx(played.points.mean)
    assert found.metrics["score"].value == pytest.approx(played.value)
    assert {sample.scores["points"].metadata["errors"] for sample in log.samples} == {0}


def test_replies_without_a_move_are_answered_then_rule_decides(tmp_path: Path) -> None:
    log = logged(duplicate_deals(deals=1), lambda messages: "[banana]", tmp_path)
    assert log.results.scores[0].metrics["mean"].value == 0
    for sample in log.samples:
        assert [message.role for message in sample.messages] == [
            "system",
            "user",
            "assistant",
            "user",
            "assistant",
        ]
        assert "is no move that is known" in sample.messages[3].text
        assert sample.scores["points"].metadata["errors"] > 10


def test_the_exam_is_marked(tmp_path: Path) -> None:
    answers = {each.text: each for each in questions(12)}

    def words(messages: list[dict[str, str]]) -> str:
        asked = answers[messages[1]["content"]]
        return f"[{' '.join(asked.answer)}]" if asked.game == "skat" else "[I do not know]"

    [found] = logged(exam(12), words, tmp_path).results.scores
    assert {name: each.value for name, each in found.metrics.items() if name != "stderr"} == dict.fromkeys(
        [*{each.kind for each in answers.values()}, "all"], 0.5
    )


def test_what_is_wrong_is_one_sentence() -> None:
    for wrong, words in (
        ({"game": "bridge"}, "unknown game"),
        ({"deals": 0}, "deals"),
        ({"form": "x"}, "form"),
        ({"retries": -1}, "retries"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            duplicate_deals(**wrong)
        assert "\n" not in str(caught.value)
    with pytest.raises(OptionError, match="count"):
        exam(count=0)
