"""Positions as JSON: there and back, the content of the text, and what is wrong in one sentence.

The published schemas in docs/schemas are those of this version; to write them anew:
`python -m tests.skat_env.structs.test_structs`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="structs need the extra 'learn'")
jsonschema = pytest.importorskip("jsonschema", reason="needs the extra 'docs'")

from skat_env.cards import CARD_TEXTS  # noqa: E402
from skat_env.errors import IllegalAction, OptionError, ParseError, UnknownName  # noqa: E402
from skat_env.registry import get_game  # noqa: E402
from skat_env.rule_options import parse_rules  # noqa: E402
from skat_env.structs import read_action, read_position, schema, write_action, write_position  # noqa: E402
from skat_env.text import describe  # noqa: E402
from tests.conftest import ROOT  # noqa: E402

GAMES = ("skat", "klaverjas")
RULES = {"skat": ("", "play_out=true"), "klaverjas": ("", "choice=free", "legality=amsterdam choice=forced")}
both_games = pytest.mark.parametrize("name", GAMES)


def positions(name: str, games: int, seed: int) -> Iterator[Any]:
    """All states of some random games, each with the view of a seat."""
    game, rng = get_game(name), np.random.default_rng(seed)
    for number in range(games):
        rules = parse_rules(RULES[name][number % len(RULES[name])], game)
        state = game.state.random(rng, rules)
        while True:
            yield state, state.view(int(rng.integers(len(game.seats))))
            if state.is_over:
                break
            state.apply(int(rng.choice(state.legal_actions())))


@both_games
def test_a_position_is_the_same_there_and_back(name: str) -> None:
    for state, view in positions(name, 3, 1):
        for position in (state, view):
            text = write_position(position)
            back = read_position(text, name)
            assert type(back) is type(position)
            assert back.text() == position.text()
            assert write_position(back) == text
        assert read_position(write_position(view)) == view


@both_games
def test_the_published_schema_is_this_one_and_all_that_is_written_keeps_it(name: str) -> None:
    published = json.loads(schema_file(name).read_text())
    assert published == schema(name)
    valid = jsonschema.Draft202012Validator(published)
    for number, (state, view) in enumerate(positions(name, 3, 2)):
        if number % 9 == 0 or state.is_over:
            valid.validate(json.loads(write_position(state)))
            valid.validate(json.loads(write_position(view)))
    valid.validate(json.loads(write_action(name, 3)))
    with pytest.raises(jsonschema.ValidationError):
        valid.validate({**json.loads(write_position(state)), "more": 1})


@both_games
def test_a_view_has_what_its_text_says(name: str) -> None:
    """Every card and every number of the text, but those of the line of rules, and the seats."""
    rule_lines = re.compile(r"(Trumps rank|Trumps are the|Null: no trumps).*\n")
    for _, view in positions(name, 4, 3):
        words = rule_lines.sub("", describe(view, legal=True))
        struct = json.loads(write_position(view))
        text = json.dumps(struct)
        cards = set(re.findall(r"\b[DHSC][789TJQKA]\b", words))
        assert cards <= {card for card in CARD_TEXTS if f'"{card}"' in text}
        counted = {f"{len(struct['tricks']) + 1}", "10", "8", *map(str, range(1, len(struct["tricks"]) + 1))}
        won = {
            str(sum(POINTS.get(play["card"][1], 0) for play in trick["plays"])) for trick in struct["tricks"]
        }
        numbers = {word.removeprefix("+") for word in re.findall(r"(?<![\w-])[+-]?\d+\b", words)}
        assert numbers <= set(re.findall(r"-?\d+", text)) | counted | won, words


POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
"""The card points of Skat, which the text adds up by trick."""


@both_games
def test_legal_actions_are_read_and_others_are_refused(name: str) -> None:
    for state, _ in positions(name, 1, 4):
        view = state.view(max(state.to_act, 0))
        for action in range(len(get_game(name).actions)):
            if view.legal() >> action & 1:
                assert read_action(write_action(name, action), view) == action
            else:
                with pytest.raises(IllegalAction, match="is not legal: expected one of"):
                    read_action(write_action(name, action), view)


def changed(view: Any, **fields: Any) -> str:
    return json.dumps({**json.loads(write_position(view)), **fields})


def test_what_is_wrong_is_one_sentence() -> None:
    view = get_game("skat").state.random(np.random.default_rng(1)).view(1)
    other = get_game("klaverjas").state.random(np.random.default_rng(1)).view(1)
    for text, words in (
        (changed(view, schema=2), "has schema 2, expected 1 to 1: a newer skat_env may have written it"),
        (changed(view, schema=0), "has schema 0"),
        (changed(view, game="bridge"), "bridge"),
        (changed(view, legal=["CJ"]), r"contradicts its position in 'legal': expected \[\"pass\",\"yes\"\]"),
        (changed(view, stage="cardplay"), "contradicts its position in 'stage'"),
        (changed(view, seat="forehand"), "contradicts its position in 'seat'"),
        (changed(view, position="x"), "has no legal position"),
        (changed(view, more=1), "no struct"),
        (changed(view, what="action"), "no struct"),
        (write_action("skat", 3), "no position"),
        ("[" * 100_000, "no struct"),
        ("{}", "no struct"),
        ("\x00", "no struct"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            read_position(text)
        assert isinstance(caught.value, ParseError | UnknownName)
        assert "\n" not in str(caught.value)
    with pytest.raises(ParseError, match="no struct"):
        read_position(b"\xff")
    with pytest.raises(ParseError, match="is of the game 'klaverjas': expected one of skat"):
        read_position(write_position(other), "skat")
    with pytest.raises(ParseError, match="no action"):
        read_action(write_position(view), view)
    with pytest.raises(ValueError, match="action 46 is not one of"):
        write_action("skat", 46)
    for action in ("pass", 3.0, True, None):
        with pytest.raises(OptionError, match=r"write_action with action=.*: expected a whole number"):
            write_action("skat", action)  # type: ignore[arg-type]
    assert write_action("skat", np.int64(3)) == write_action("skat", 3)
    with pytest.raises(ValueError, match="no position of a game"):
        write_position(3)  # type: ignore[arg-type]


def schema_file(name: str) -> Any:
    return ROOT / "docs" / "schemas" / f"{name}.json"


if __name__ == "__main__":
    for each in GAMES:
        schema_file(each).write_text(json.dumps(schema(each), indent=1) + "\n")
