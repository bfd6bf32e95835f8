"""Whole games in OpenSpiel's trajectory format and back; SKAT_ENV_TRAJECTORIES=10000 takes so many of each game."""

import json
import os
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest

from skat_env.errors import ParseError
from skat_env.records import GameRecord, Status
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")

from skat_env.openspiel import ending_game, record_of, trajectory_of  # noqa: E402
from tests.helpers.late_positions import late_positions  # noqa: E402

GAMES: Final = int(os.environ.get("SKAT_ENV_TRAJECTORIES", "20"))
RULES = {"skat": ("", "play_out=true"), "klaverjas": ("", "choice=free", "legality=amsterdam choice=forced")}
both_games = pytest.mark.parametrize("name", ["skat", "klaverjas"])


def records(name: str, seed: int) -> Iterator[GameRecord]:
    """Games of `rule` and at random, some broken off, some claimed, some that begin at the cardplay."""
    game, rng, rule = get_game(name), np.random.default_rng(seed), make_agent("rule", name)
    agents = tuple("abcd"[: len(game.seats)])
    for number in range(GAMES):
        state = game.state.random(rng, parse_rules(RULES[name][number % len(RULES[name])], game))
        given = name == "skat" and number % 4 == 3
        if given:
            deal, heads = (
                state.deal.text(),
                ("declarer=0 bids=18,0,0 game=G", "declarer=1 bids=0,18,0 game=CH"),
            )
            state = game.state.parse(f"{deal} {heads[number % 2]} :")
        stop = int(rng.integers(60)) if number % 5 == 4 else 1000
        while not state.is_over and len(state.history()) < stop:
            random = number % 2
            state.apply(
                int(rng.choice(state.legal_actions()))
                if random
                else rule.decide(state.view(state.to_act), rng).action
            )
        record = GameRecord.of(name, state, agents, seed=number)
        if not state.is_over and state.stage == "cardplay" and rng.random() < 0.5:
            record = GameRecord(name, state.clone(), agents, Status.CLAIMED, True)
        yield record


@both_games
def test_games_are_the_same_there_and_back(name: str) -> None:
    for record in records(name, 1):
        trajectory = trajectory_of(record)
        assert record_of(trajectory).text() == record.text()
        assert record_of(trajectory.to_string()).text() == record.text()


@both_games
def test_openspiel_reads_what_is_written(name: str) -> None:
    for record, _ in zip(records(name, 2), range(6), strict=False):
        text = trajectory_of(record).to_string()
        trajectory = pyspiel.Trajectory(text)
        final = trajectory.reconstruct_final_state()
        assert str(final) == record.state.text()
        header = trajectory.header()
        assert header.terminal == record.state.is_over
        if record.state.is_over:
            assert header.returns == list(record.state.returns())
        assert json.loads(header.meta_data)["agents"] == list(record.agents)
        assert len(trajectory.reconstruct_all_states()) == len(json.loads(text)["transitions"]) + 1


def test_a_trajectory_of_openspiel_alone_is_a_record() -> None:
    state = pyspiel.load_game("skat_env_klaverjas(choice=free)").new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    record = record_of(pyspiel.Trajectory(state))
    assert record.status is Status.COMPLETE
    assert record.agents == ("random",) * 4
    assert record.state.text() == str(state)


@both_games
@pytest.mark.parametrize("players", ["seats", "sides"])
def test_an_ending_of_openspiel_alone_is_a_record(name: str, players: str) -> None:
    late = late_positions(name, 2, 1, seed=6)[0]
    state = ending_game(late.view(late.to_act), players).new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    record = record_of(pyspiel.Trajectory(state))
    assert record.agents == ("random",) * len(get_game(name).seats)
    assert record.state.is_over


def test_what_is_wrong_is_one_sentence() -> None:
    record = next(records("klaverjas", 3))
    right: dict[str, Any] = json.loads(trajectory_of(record).to_string())
    steps = right["transitions"]
    header = right["header"]
    for wrong, words in (
        ({}, "no trajectory"),
        ([], "no trajectory"),
        ({**right, "header": {**header, "game_string": "chess"}}, "of the game 'chess': expected one of"),
        ({**right, "header": {**header, "game_string": "skat_env_skat(x=1)"}}, "game is not known"),
        ({**right, "header": {**header, "meta_data": "x"}}, "meta_data is no JSON"),
        ({**right, "header": {**header, "meta_data": '{"game": "skat"}'}}, "meta_data is not what"),
        ({**right, "transitions": steps[:5]}, "ends before the cards are dealt"),
        ({**right, "transitions": [{"action": 9}]}, "action 9 of transition 0 is not legal"),
        ({**right, "transitions": [{"player": 1}]}, "no trajectory"),
        ({**right, "transitions": [*steps, steps[0]]}, "is not legal"),
    ):
        with pytest.raises(ParseError, match=words) as caught:
            record_of(json.dumps(wrong))
        assert "\n" not in str(caught.value)
    with pytest.raises(ParseError, match="no trajectory"):
        record_of("{")
