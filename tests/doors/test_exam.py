"""The exam: every answer holds by other means, replies are read, and a model, people and bad input are marked."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="doors need the extra 'mcp'")

from skat_env.beliefs.belief import Belief
from skat_env.cards import CARD_TEXTS, mask_text
from skat_env.cli import main
from skat_env.doors.exam.make import GAMES, KINDS, questions
from skat_env.doors.exam.question import Question, read_answer
from skat_env.doors.exam.sitting import marks, read_replies, sit
from skat_env.errors import EngineError, ParseError
from skat_env.registry import get_game
from skat_env.structs.position import struct_of_game
from tests.helpers import minimax, plain_klaverjas, plain_skat
from tests.helpers.chat_server import chat_server
from tests.helpers.plain_klaverjas import PlainKlaverjas
from tests.helpers.plain_skat import PlainSkat

LETTERS = {"diamonds": "D", "hearts": "H", "spades": "S", "clubs": "C", "grand": "G", "null": "N"}


@cache
def exam() -> list[Question]:
    return list(questions(144, 1))


def of_kind(kind: str) -> list[tuple[Question, Any]]:
    return [(each, get_game(each.game).state.parse(each.position)) for each in exam() if each.kind == kind]


def contract(question: Question) -> str:
    """The letter of the game that the text says."""
    words = re.search(r"plays? (\w+)|^(\w+) are trumps", question.text, re.MULTILINE)
    assert words is not None
    return LETTERS[(words[1] or words[2]).lower()]


def table(question: Question) -> list[str]:
    """The cards of the text on the table."""
    line = re.search(r"^On the table: (.*)\.$", question.text, re.MULTILINE)
    return [] if line is None else re.findall(r"\b[DHSC][789TJQKA]\b", line[1])


@pytest.mark.slow
def test_all_kinds_come_alike_and_the_same_seed_gives_the_same() -> None:
    for kind in KINDS:
        for game in GAMES:
            assert sum((each.kind, each.game) == (kind, game) for each in exam()) == 12
    assert list(questions(30, 1)) == exam()[:30]
    assert list(questions(12, 2)) != exam()[:12]


def test_nothing_in_a_text_depends_on_hidden_cards() -> None:
    for question in exam():
        if question.kind == "open":
            continue
        state = get_game(question.game).state.parse(question.position)
        name = re.search(r"You are (\w+)", question.text)
        assert name is not None
        seat = get_game(question.game).seats.index(name[1])
        told = set(re.findall(r"\b[DHSC][789TJQKA]\b", question.text.rpartition("Answer in")[0]))
        view = state.view(seat)
        seen = view.played_mask() | view.dealt[seat]
        for cards in view.places:  # its hand, what it laid aside, cards that are shown
            seen |= cards
        known = {CARD_TEXTS[card] for card in range(32) if seen >> card & 1}
        asked = set(re.findall(r"Where can the (\w\w)", question.text))
        trumps = {"CJ", "SJ", "HJ", "DJ"}
        if question.kind != "result":
            assert told <= known | asked | trumps, question.text


def test_legal_cards_and_winners_by_the_plain_rules_from_the_text_alone() -> None:
    for question, _ in [*of_kind("legal"), *of_kind("winner")]:
        game, trick = contract(question), table(question)
        hand = re.search(r"^Your hand: (.*)$", question.text, re.MULTILINE)
        assert hand is not None
        cards = set(hand[1].split())
        if question.kind == "legal" and question.game == "skat":
            following = {card for card in cards if trick and plain_skat.follows(card, trick[0], game)}
            assert question.answer == (following or cards)
        elif question.kind == "legal":
            assert question.answer == plain_klaverjas.allowed(cards, trick, game, "rotterdam")
        else:
            played = re.search(r"You play (\w\w)", question.text)
            seats = re.findall(r"(\w+) [DHSC][789TJQKA]", question.text.rpartition("On the table: ")[2])
            own = re.search(r"You are (\w+)", question.text)
            assert played is not None
            assert own is not None
            trick = [*trick, played[1]]
            beats = plain_skat.beats if question.game == "skat" else plain_klaverjas.beats
            best = 0
            for place, card in enumerate(trick):
                if beats(card, trick[best], game):
                    best = place
            assert question.answer == {[*seats[: len(trick) - 1], own[1]][best]}


def test_places_are_those_of_all_worlds() -> None:
    compared = 0
    for question, state in of_kind("places"):
        name = re.search(r"You are (\w+)", question.text)
        asked = re.search(r"Where can the (\w\w)", question.text)
        assert name is not None
        assert asked is not None
        view = state.view(get_game(question.game).seats.index(name[1]))
        belief, card = Belief(view), CARD_TEXTS.index(asked[1])
        names = struct_of_game(question.game).places
        here = next(place for place, mask in zip(names, state.places, strict=True) if mask >> card & 1)
        assert here in question.answer
        if belief.count > 20_000:
            continue
        rows = np.concatenate([*belief.enumerate()])
        found = {names[place] for place in range(len(names)) if (rows[:, place] >> card & 1).any()}
        assert question.answer == found
        compared += 1
    assert compared > 5


def test_sure_tricks_hold_in_random_worlds_and_others_break_in_one() -> None:
    rng, counted = np.random.default_rng(1), {"yes": 0, "no": 0}
    for question, state in of_kind("wins"):
        seat, view = state.to_act, state.view(state.to_act)
        played = re.search(r"You play (\w\w)", question.text)
        assert played is not None
        lost = False
        for world in Belief(view).states(Belief(view).sample(150, rng), rng):
            before = world.tricks_played
            world.apply(CARD_TEXTS.index(played[1]))
            while world.tricks_played == before:
                world.apply(int(rng.choice(world.legal_actions())))
            lost |= world.to_act != seat
        [answer] = question.answer
        counted[answer] += 1
        assert lost == (answer == "no"), question.text
    assert min(counted.values()) > 5


@pytest.mark.slow
def test_open_values_are_those_of_plain_minimax() -> None:
    for question, state in of_kind("open"):
        aim = "points" if question.game == "skat" else "final_difference"
        assert question.answer == {str(minimax.value(state, aim))}


def test_results_are_those_of_the_plain_rules() -> None:
    for question, final in of_kind("result"):
        names = get_game(question.game).actions
        hands = [set(mask_text(mask).split(".")) for mask in final.dealt]
        if question.game == "skat":
            skat = PlainSkat(hands[:3], hands[3])
            for action in final.history():
                skat.step(names[action])
            assert skat.to_act() == -1
            found = skat.tournament_points()[final.declarer]
        else:
            rules = final.rules
            klaverjas = PlainKlaverjas(
                hands,
                rules.legality,
                rules.choice,
                rules.tie,
                rules.four_jacks,
                rules.pit,
                final.forehand,
            )
            for action in final.history():
                klaverjas.step(names[action])
            assert klaverjas.to_act() == -1
            _, scores = klaverjas.scores()
            found = scores[final.declarer % 2]
        assert question.answer == {str(found)}


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("[CJ SJ]", {"CJ", "SJ"}),
        ("I think [x], no: [jack of clubs, spades jack and 10♦]", {"CJ", "SJ", "DT"}),
        ("[Kreuz-Bube]", {"CJ"}),
        ("[-146]", {"-146"}),
        ("[−24]", {"-24"}),
        ("[**C7**, _north_.]", {"C7", "north"}),
        ("[**CJ**.]", {"CJ"}),
        ("[+90]", {"90"}),
        ("[North]", {"north"}),
        ("[Yes.]", {"yes"}),
        ("yes", None),
        ("[" + "x" * 400 + "]", None),
        ("[]", set()),
    ],
)
def test_replies_are_read(reply: str, answer: set[str] | None) -> None:
    assert read_answer(reply) == (None if answer is None else frozenset(answer))


def right(question: Question) -> str:
    return f"Let me see. [{' '.join(sorted(question.answer))}]"


def test_marks() -> None:
    asked = exam()[:24]
    assert marks(asked, {each.number: right(each) for each in asked}).share == 1
    assert marks(asked, {}).share == 0
    assert "24 of 24 right, 100.0%" in str(marks(asked, {each.number: right(each) for each in asked}))


@pytest.mark.slow
def test_a_model_sits_the_exam_and_goes_on_after_a_stop(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai", reason="language models need the extra 'llm'")
    by_text = {each.text: each for each in exam()}
    out = str(tmp_path / "replies.jsonl")

    def script(messages: list[dict[str, str]], number: int) -> str:
        assert "Skat is played" in messages[0]["content"] or "Klaverjas is played" in messages[0]["content"]
        question = by_text[messages[1]["content"]]
        return right(question) if question.kind != "open" else "[a guess]"

    with chat_server(script) as server:
        model = f"llm(model=x, base_url='{server.address}', budget=4000)"
        assert main(["exam", "--agent", model, "--questions", "24", "--out", out]) == 1
        told = capsys.readouterr().err
        assert "questions were asked" in told
        assert "a larger budget goes on from here; the same command continues" in told
        asked = len(server.requests)
        model = f"llm(model=x, base_url='{server.address}')"
        assert main(["exam", "--agent", model, "--questions", "24", "--out", out, "--json"]) == 0
        assert len(server.requests) == 24
        assert asked < 24
    found = json.loads(capsys.readouterr().out)
    assert (found["right"], found["asked"]) == (20, 24)
    assert main(["exam", "--answers", out, "--questions", "24"]) == 0
    assert "20 of 24 right" in capsys.readouterr().out


def test_the_last_answer_needs_no_end_of_line(tmp_path: Path) -> None:
    path, lines = tmp_path / "answers", ['{"number": 0, "reply": "[x]"}', '{"number": 1, "reply": "[y]"}']
    path.write_text("\n".join(lines))
    assert read_replies(path, 1) == {0: "[x]", 1: "[y]"}
    path.write_text("\n".join([*lines, '{"num']))
    with pytest.raises(ParseError, match="line 3 is no reply"):
        read_replies(path, 1)


def test_a_model_does_not_get_the_marks_of_another(tmp_path: Path) -> None:
    class Model:
        at_once = 8

        def __init__(self, model: str) -> None:
            self.model = model

        def reply(self, game: str, text: str) -> str:
            return "[x]"

    path, asked = tmp_path / "replies.jsonl", list(questions(4, 1))
    for length in (2, 4):
        assert len(sit(Model("a"), asked[:length], 1, path)[0]) == length  # type: ignore[arg-type]
    with pytest.raises(ParseError, match="line 1 is a reply of a: expected b"):
        sit(Model("b"), asked, 1, path)  # type: ignore[arg-type]
    assert len(read_replies(path, 1)) == 4
    path.write_text('{"number": 0, "seed": 1, "reply": "[x]"}\n')
    with pytest.raises(ParseError, match="line 1 is a reply of nobody that is named: expected b"):
        sit(Model("b"), asked, 1, path)  # type: ignore[arg-type]


def test_answers_beside_a_failure_are_kept(tmp_path: Path) -> None:
    exam = list(questions(8, 1))

    class Model:
        at_once, model = 8, "x"

        def reply(self, game: str, text: str) -> str:
            if text == exam[2].text:
                raise EngineError("the server gave no answer")
            return "[x]"

    path = tmp_path / "replies.jsonl"
    replies, failure = sit(Model(), exam, 1, path)  # type: ignore[arg-type]
    assert failure == "the server gave no answer"
    assert replies == read_replies(path, 1) == {each.number: "[x]" for each in exam if each is not exam[2]}


def test_an_exam_that_ends_early_is_marked_on_what_was_answered(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai", reason="language models need the extra 'llm'")
    by_text = {each.text: each for each in exam()}

    def script(messages: list[dict[str, str]], number: int) -> str:
        return right(by_text[messages[1]["content"]])

    with chat_server(script) as server:
        model = f"llm(model=x, base_url='{server.address}', budget=4000, tokens=10)"
        assert main(["exam", "--agent", model, "--questions", "24", "--json"]) == 1
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["right"] == found["asked"] == len(server.requests)
    assert f"{found['asked']} of 24 questions were asked" in told.err


def test_what_is_wrong_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "q.jsonl"
    assert main(["exam", "--write", str(written), "--questions", "6"]) == 0
    lines = [json.loads(line) for line in written.read_text().splitlines()]
    assert [set(line) for line in lines] == [{"number", "game", "kind", "text"}] * 6
    replies = tmp_path / "r.jsonl"
    for text, words in (
        ("x\n", "line 1 is no reply"),
        ('{"number": 1}\n', "line 1 is no reply: expected"),
        ('{"number": 1, "reply": "", "seed": 9}\n', "of an exam with seed 9: expected 1"),
        ('{"number": 1, "reply": ""}\n' * 2, "question 1 is there twice"),
    ):
        replies.write_text(text)
        assert main(["exam", "--answers", str(replies), "--questions", "6"]) != 0
        told = capsys.readouterr().err
        assert words in told
        assert told.count("\n") == 1
    for options, words in (
        ((), "takes one of --agent, --write and --answers"),
        (("--agent", "rule"), "does not answer in words: expected llm(...)"),
        (("--write", str(written)), "is there already"),
        (("--answers", str(tmp_path / "none")), "is no file"),
        (("--answers", str(replies), "--out", str(tmp_path / "out")), "exam with --out"),
        (("--write", str(tmp_path / "new"), "--json"), "exam with --write and --json"),
        (("--write", str(tmp_path / "none" / "new")), f"{tmp_path / 'none'} is no folder"),
    ):
        assert main(["exam", *options]) != 0
        told = capsys.readouterr().err
        assert words in told
        assert told.count("\n") == 1
