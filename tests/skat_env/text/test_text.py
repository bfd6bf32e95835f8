"""Games in words: nothing hidden, all that is known, and every way to write a move read right or refused.

SKAT_ENV_VIEWS=100000 reads the legal and the illegal moves of so many views of each game.
"""

import os
import re
import time
from collections.abc import Iterator
from itertools import count, islice
from typing import Any, Final, get_args

import numpy as np
import pytest

from skat_env.cards import CARD_TEXTS, cards_of
from skat_env.errors import OptionError
from skat_env.klaverjas import KlaverjasState
from skat_env.registry import game_names, get_game, make_agent, make_belief
from skat_env.rule_options import parse_rules
from skat_env.skat import SkatState
from skat_env.text import ReplyError, describe, parse_reply, rules
from skat_env.text.card_words import Cards, card_writer
from skat_env.text.describe import text_of

GAMES = ("skat", "klaverjas")
CARD_STYLES: Final = get_args(Cards)
VIEWS: Final = int(os.environ.get("SKAT_ENV_VIEWS", "400"))
RULES = {"skat": (None,), "klaverjas": (None, "choice=free", "legality=amsterdam choice=forced")}


def positions(name: str, games: int | None, seed: int) -> Iterator[Any]:
    """All positions of some games, None: without end: random ones, and such as `rule` bids and plays."""
    game, rng, player = get_game(name), np.random.default_rng(seed), make_agent("rule", name)
    for number in count() if games is None else range(games):
        options = RULES[name][number % len(RULES[name])]
        rules_ = parse_rules(options, game) if options else game.rules()
        state: Any = game.state.random(rng, rules_)
        while not state.is_over:
            yield state
            view = state.view(state.to_act)
            random = number % 2 or rng.random() < 0.1
            state.apply(int(rng.choice(state.legal_actions())) if random else player.decide(view, rng).action)
        yield state


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_legal_move_is_read_in_every_style(name: str) -> None:
    words, read = text_of(name), 0
    asked = (state for state in positions(name, None, 1) if not state.is_over)
    for number, state in enumerate(islice(asked, VIEWS)):
        view = state.view(state.to_act)
        legal = view.legal_actions()
        for action in {*range(len(get_game(name).actions))} - {*legal}:
            move = words.move(view, action, card_writer(CARD_STYLES[(number + action) % len(CARD_STYLES)]))
            # A bid's number is the same for bidding and holding, and hand is hand.
            assert parse(f"[{move}]", view) not in legal or action >= 32, move
        for action in legal:
            for style in CARD_STYLES:
                move = words.move(view, action, card_writer(style))
                for written in (f"[{move}]", f"I think. [x] So: [ {move.upper()} ]!", move, f"**[{move}.]**"):
                    assert parse_reply(written, view) == action, written
                    read += 1
            if action < 32:
                suit, rank = CARD_TEXTS[action]
                for written in (
                    f"[{rank}{suit}]",
                    f"[play {suit} {rank}]",
                    f"[{suit.lower()}{rank.lower()}]",
                ):
                    assert parse_reply(written, view) == action, written
    assert read > 20 * VIEWS


def parse(text: str, view: Any) -> int:
    """The action of a reply; -1: it is refused."""
    try:
        return parse_reply(text, view)
    except ReplyError as error:
        assert str(error)
        return -1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "no move in square brackets"),
        (
            "I do not know what to say here, and I go on for a long time without any move at all.",
            "no move in square",
        ),
        ("[]", "the brackets are empty"),
        ("[CJ or SJ]", "names 2 cards"),
        ("[CJ please]", "a card and something else"),
        ("[banana]", "is no move that is known"),
        ("[jack]", "is no move that is known"),
        ("[pass]", "is not legal now: the legal moves are"),
        ("[" + "C" * 100 + "]", "hold 100 characters"),
        ("[D7] [", None),
    ],
)
def test_what_is_no_move_is_one_sentence(reply: str, words: str | None) -> None:
    state = KlaverjasState.random(np.random.default_rng(1))
    view = state.view(state.to_act)
    if words is None:
        assert parse(reply, view) in (-1, CARD_TEXTS.index("D7"))
        return
    with pytest.raises(ReplyError, match=words) as caught:
        parse_reply(reply, view)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suit", ["diamond", "heart", "spade", "club"])
def test_an_article_is_no_ace(suit: str) -> None:
    for seed in range(8):
        state = KlaverjasState.random(np.random.default_rng(seed))
        view = state.view(state.to_act)
        for reply in (f"I play a {suit}", f"[a {suit}]", f"[A {suit.capitalize()}.]"):
            with pytest.raises(ReplyError, match="no move that is known"):
                parse_reply(reply, view)
        ace = f"{suit[0].upper()}A"
        for reply in (
            f"[A of {suit}s]",
            f"[a {suit}s]",
            f"[A of {suit}]",
            f"[a{suit[0]}]",
            f"[a {suit[0]}]",
            f"[{suit} a]",
        ):
            action = CARD_TEXTS.index(ace)
            assert parse(reply, view) == (action if action in view.legal_actions() else -1), reply


def test_bids_and_declarations_in_many_words() -> None:
    state = SkatState.random(np.random.default_rng(3))
    view = state.view(state.to_act)
    actions = get_game("skat").actions
    for reply, wanted in (
        ("[18]", "yes"), ("[bid 18]", "yes"), ("[Yes]", "yes"), ("[pass]", "pass"), ("[passe]", "pass"),
        ("[weg]", "pass"), ("pass", "pass"), ("18", "yes"),
    ):  # fmt: skip
        assert actions[parse_reply(reply, view)] == wanted
    with pytest.raises(ReplyError, match="the bid that is asked for is 18"):
        parse_reply("[20]", view)
    nothing = ("[...]", "[move]", "I am not sure [my answer]", "[?]", "-", "[12345]", "[\u0662\u0660]")
    for reply in nothing:
        with pytest.raises(ReplyError, match="no move that is known"):
            parse_reply(reply, view)
    with pytest.raises(ReplyError, match="not legal now"):
        parse_reply("[CJ]", view)
    for word in ("yes", "yes", "pass", "pass"):
        state.apply(actions.index(word))
    view = state.view(state.to_act)
    for reply in (
        "[pick up the skat]",
        "[I will pick up the skat]",
        "[I'll take it]",
        "[pick up the two cards]",
    ):
        assert actions[parse_reply(reply, view)] == "pick-up"
    assert actions[parse_reply("[grand hand]", view)] == "hand"
    with pytest.raises(ReplyError, match="several moves"):
        parse_reply("[pick up or hand]", view)
    for reply in ("[don't pick up]", "[never pick up]", "[not hand]", "[don't play hand]"):
        with pytest.raises(ReplyError, match="no move that is known"):
            parse_reply(reply, view)
    state.apply(actions.index("hand"))
    view = state.view(state.to_act)
    for reply, wanted in (
        ("[grand hand]", "G"),
        ("[Kreuz]", "C"),
        ("[♠]", "S"),
        ("[null]", "N"),
        ("[hearts]", "H"),
        ("[null ouvert]", "N"),
        ("[clubs are trumps]", "C"),
        ("[I choose spades]", "S"),
        ("[I will play grand]", "G"),
    ):
        assert actions[parse_reply(reply, view)] == wanted
    with pytest.raises(ReplyError, match="several moves"):
        parse_reply("[clubs or grand]", view)
    for reply in ("[not grand]", "[anything but null]", "[I don't want clubs]", "[grand without matadors]"):
        with pytest.raises(ReplyError, match="no move that is known"):
            parse_reply(reply, view)
    state.apply(actions.index("G"))
    view = state.view(state.to_act)
    for reply, wanted in (
        ("[none]", "plain"),
        ("[no announcement]", "plain"),
        ("[I announce nothing]", "plain"),
        ("[none please]", "plain"),
        ("[schneider and schwarz]", "schwarz"),
        ("[schneider announced]", "schneider"),
        ("[ouvert]", "ouvert"),
        ("[I announce schneider]", "schneider"),
    ):
        assert actions[parse_reply(reply, view)] == wanted
    for reply in ("[not ouvert]", "[null ouvert]", "[...]"):
        with pytest.raises(ReplyError, match="no move that is known"):
            parse_reply(reply, view)
    assert actions[parse_reply("[grand schneider schwarz]", view)] == "schwarz"
    with pytest.raises(ReplyError, match="several moves"):
        parse_reply("[schneider or schwarz]", view)


@pytest.mark.parametrize(
    ("actions", "needed"),
    [
        ("pick-up C D7 D8", "61 of 120 card points"),
        ("hand C plain", "61 of 120 card points"),
        ("hand C schneider", "90 of 120 card points"),
        ("hand C schwarz", "all tricks"),
        ("hand G ouvert", "all tricks"),
    ],
)
def test_the_soloist_is_told_what_wins(actions: str, needed: str) -> None:
    deal = "D7.D8.CK.CA.HA.HT.H9.S7.SJ.CJ/C7.C8.D9.DQ.DK.H7.H8.S8.S9.ST/C9.CT.CQ.DT.DA.HQ.HK.SQ.SK.SA/DJ.HJ"
    assert f"the soloist needs {needed}." in describe(
        SkatState.parse(f"{deal} : pass pass yes {actions}").view(1)
    )


def test_the_options_of_klaverjas_are_told() -> None:
    deal = "D7.D8.DA.H8.HQ.S9.ST.C7/D9.DT.H7.HJ.S7.S8.CT.CA/DJ.H9.HT.SJ.SQ.C8.C9.CJ/DQ.DK.HK.HA.SK.SA.CQ.CK"
    plain = describe(KlaverjasState.parse(f"{deal} declarer=0 trump=H :").view(0))
    assert "needs more than the others" in plain
    assert "Four jacks" not in plain
    others = describe(
        KlaverjasState.parse(f"{deal} declarer=0 trump=H tie=made pit=both four_jacks=100 :").view(0)
    )
    assert "needs as much as the others." in others
    assert "Four jacks in a trick are worth 100.\nEither team gets 100 for all eight tricks." in others
    for actions, asked in (("", "or do you pass?"), ("pass pass pass pass", "Which suit is trumps?")):
        state = KlaverjasState.parse(f"{deal} choice=free : {actions}")
        assert asked in describe(state.view(0))


@pytest.mark.parametrize("name", GAMES)
def test_texts_depend_on_the_view_alone(name: str) -> None:
    """The worlds of a view have the same texts: no hidden card is in them."""
    belief, rng, compared = make_belief("uniform", name), np.random.default_rng(2), 0
    for number, state in enumerate(positions(name, 30, 2)):
        seat = int(rng.integers(len(get_game(name).seats)))
        if number % 7 or state.is_over or not state.plays():
            continue
        view = state.view(seat)
        for world in belief.worlds(view, 3, rng):
            for form in ("long", "short"):
                assert describe(world.state.view(seat), form) == describe(view, form)
                compared += 1
    assert compared > 100


@pytest.mark.parametrize("name", GAMES)
def test_the_long_form_has_all_that_is_known(name: str) -> None:
    for state in positions(name, 12, 3):
        for seat in range(len(get_game(name).seats)):
            view = state.view(seat)
            text = describe(view)
            for card in [*cards_of(view.hand), *(card for _, card in view.plays())]:
                assert CARD_TEXTS[card] in text
            assert text.count("\n") < 40


@pytest.mark.parametrize("name", game_names())
def test_rules_are_short(name: str) -> None:
    assert len(rules(name).split()) <= 900
    assert len(set(re.findall(r"\S+", rules(name)))) > 150


@pytest.mark.parametrize("name", GAMES)
def test_hostile_replies_change_nothing(name: str) -> None:
    rng = np.random.default_rng(4)
    pieces = [
        "[", "]", "[[", "]]", "[CJ]", "[pass]", "CJ", "\x00", "\x1b[31m", "\u202e", "the hidden cards are ", "♣", "J",
        "[18]", "[grand]", "10", "of", " ", "\n", "ß", "\ufe0f", "[" * 50, "²", "٣", "[٣]", "[²]",
    ]  # fmt: skip
    views = [state.view(state.to_act) for state in positions(name, 4, 5) if not state.is_over]
    for _ in range(3000):
        view = views[rng.integers(len(views))]
        reply = "".join(rng.choice(pieces) for _ in range(rng.integers(1, 30)))
        before = view.text()
        assert parse(reply, view) in (-1, *view.legal_actions())
        assert view.text() == before
    started = time.process_time()
    for reply in ("[" * 100_000, "[]" * 50_000, "]" * 100_000, "[a" * 50_000, "x" * 100_000):
        parse(reply, views[0])
    assert time.process_time() - started < 5  # linear in the length; quadratic would take minutes


def test_wrong_options_are_one_sentence() -> None:
    view = KlaverjasState.random(np.random.default_rng(1)).view(0)
    with pytest.raises(OptionError, match="form=middle"):
        describe(view, "middle")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="cards=fr"):
        describe(view, cards="fr")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="View of no game"):
        describe(np.zeros(3))  # type: ignore[arg-type]
