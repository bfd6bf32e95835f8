"""Games in step: batch agents are asked once a round, and nothing else changes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.compose.player import Player
from skat_env.agents.klaverjas.rule import RuleAgent
from skat_env.errors import IllegalAction
from skat_env.match import play as match
from skat_env.match.folder import MatchFolder
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.capabilities import is_batched
from skat_env.play.lockstep import GAMES_IN_STEP, Thinking, play_game, play_games
from skat_env.play.randomness import agent_rng
from skat_env.play.starts import PlayedTo, starts_of
from skat_env.protocols import Decision
from skat_env.registry import get_game, make_agent
from tests.conftest import random_games
from tests.helpers.agents import Batched, Sensitive


class Single:
    """The same as `Batched`, one by one."""

    name = "batched"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        return Decision(int(rng.choice(view.legal_actions())))


class Cheat(Batched):
    """Must be shown the state, and is, though it could decide in batches."""

    cheats = True

    def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        assert state.view(view.seat) == view
        return Decision(int(rng.choice(state.legal_actions())))


def fresh(game: str, games: int) -> list[Any]:
    rng = np.random.default_rng(1)
    kind = get_game(game)
    return [kind.state.random(rng, kind.rules()) for _ in range(games)]


def luck(game: int, seats: int) -> list[np.random.Generator]:
    return [agent_rng(0, game, seat) for seat in range(seats)]


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("agent", [Batched(), Cheat()])
def test_games_in_step_are_the_games_one_by_one(game: str, agent: Any) -> None:
    """Agents mixed at the tables, games of different lengths, and one that is over from the start."""
    rule, seats = make_agent("rule", game), len(get_game(game).seats)
    together = [*fresh(game, 30), random_games(get_game(game), 1, 1)[0]]
    alone = [state.clone() for state in together]
    casts = [[agent if number >> seat & 1 else rule for seat in range(seats)] for number in range(31)]
    seen: list[tuple[int, int]] = []
    thinking = play_games(
        together,
        casts,
        [luck(number, seats) for number in range(31)],
        lambda number, state, decision: seen.append((number, decision.action)),
    )
    for number, state in enumerate(alone):
        moves = len(state.history())
        replaced = [Single() if each is agent else each for each in casts[number]]
        counts = [each.moves for each in play_game(state, replaced, luck(number, seats))]
        assert together[number] == state
        assert [each.moves for each in thinking[number]] == counts
        assert [action for at, action in seen if at == number] == state.history()[moves:]
    assert all(each.seconds > 0 for each in thinking[7] if each.moves)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_games_without_an_agent_and_a_generator_for_each_seat(game: str) -> None:
    [state], rule, seats = fresh(game, 1), make_agent("rule", game), len(get_game(game).seats)
    before = state.text()
    with pytest.raises(
        ValueError, match=f"^game 0: {seats - 1} agents and {seats} generators for {seats} seats$"
    ):
        play_game(state, [rule] * (seats - 1), luck(0, seats))
    with pytest.raises(ValueError, match=f"^game 0: {seats} agents and 1 generators for {seats} seats$"):
        play_game(state, [rule] * seats, luck(0, 1))
    with pytest.raises(
        ValueError, match=r"^game 0: the agent 'rule' is a text: expected an object, as make_agent"
    ):
        play_game(state, [rule] * (seats - 1) + ["rule"], luck(0, seats))
    assert state.text() == before


def test_a_batch_agent_is_asked_once_a_round() -> None:
    agent = Batched()
    states = fresh("klaverjas", GAMES_IN_STEP + 10)
    play_games(states, [[agent] * 4] * len(states), [luck(number, 4) for number in range(len(states))])
    assert agent.sizes == [GAMES_IN_STEP] * 32 + [10] * 32


def test_wrong_answers_raise() -> None:
    class Silent(Batched):
        def decide_many(self, views: Any, rngs: Any) -> list[Decision]:
            return []

    class Wrong(Batched):
        def decide_many(self, views: Any, rngs: Any) -> list[Decision]:
            return [Decision(63) for _ in views]

    for agent, error, told in (
        (Silent(), ValueError, "gave 0 decisions for 2 views"),
        (Wrong(), IllegalAction, "63"),
    ):
        with pytest.raises(error, match=told):
            play_games(fresh("skat", 2), [[agent] * 3] * 2, [luck(number, 3) for number in range(2)])


def test_counts_are_summed_and_texts_are_counted() -> None:
    thinking = Thinking()
    for tokens, failure in ((3, "late"), (np.int64(40), "late"), (np.uint8(200), "")):
        thinking.count(Decision(0, stats={"tokens": tokens, "failure": failure, "seconds": 1.5}), 0.5)
    assert thinking.counts == {"tokens": 243, "failure": 3}
    assert all(type(count) is int for count in thinking.counts.values())


def test_players_pass_batches_on() -> None:
    assert not is_batched(Player("random", "random", game="klaverjas"))
    agent = Batched()
    player = Player(RuleAgent(), agent, game="klaverjas")
    assert is_batched(player)
    states = [get_game("klaverjas").state.random(np.random.default_rng(deal)) for deal in range(20)]
    play_games(states, [[player] * 4] * 20, [luck(number, 4) for number in range(20)])
    assert max(agent.sizes) == 20
    assert not is_batched(Player(agent, Cheat(), game="klaverjas"))


@pytest.mark.parametrize(
    ("agents", "deals"),
    [
        (("rule", "random"), 1),
        (("policy", "rule"), match.DEALS_IN_STEP),
        (("policy", "policy(threshold=0.05)"), match.DEALS_IN_LANES),
    ],
)
def test_blocks_are_small_beside_agents_that_may_be_slow(agents: tuple[str, ...], deals: int) -> None:
    assert match.deals_in_block(MatchConfig("skat", agents, 100)) == deals


@pytest.mark.parametrize("mode", ["all-seats", "mirrored"])
def test_matches_of_batch_agents_are_the_same_with_any_workers_and_after_a_stop(
    mode: match.Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "DEALS_IN_STEP", 4)
    config = MatchConfig("skat", ("sensitive", "random"), 10, 3, mode)
    agents = {"sensitive": Sensitive()}

    def positions(games: Any) -> list[tuple[Any, ...]]:
        return sorted((game.spec.deal, game.spec.cast, game.position) for block in games for game in block)

    blocks = list(play_match(config, agents=agents))
    assert [len({game.spec.deal for game in block}) for block in blocks] == [4, 4, 2]
    assert positions(play_match(config, workers=2, agents=agents)) == positions(blocks)

    folder = MatchFolder(tmp_path, config)
    folder.append(blocks[2])
    folder.append(blocks[0][:-1])  # killed in the middle of writing a block
    done = folder.read()
    rest = list(play_match(config, done=frozenset(game.spec for game in done), agents=agents))
    assert [len(block) for block in rest] == [1, len(blocks[1])]
    assert positions([done, *rest]) == positions(blocks)


@pytest.mark.parametrize("kind", [None, "grand"])
def test_starts_are_played_to_in_step(kind: str | None) -> None:
    agent = Batched()
    source = PlayedTo("skat", "cardplay", agent, kind=kind)
    together = starts_of("skat", source, [np.random.default_rng(seed) for seed in range(9)])
    assert agent.sizes[0] == 9
    assert together == [source(np.random.default_rng(seed)) for seed in range(9)]
    assert {state.stage for state in together} == {"cardplay"}
    assert kind is None or {state.kind for state in together} == {kind}
    assert starts_of("skat", source, []) == []


def test_starts_of_other_bidders_are_played_to_one_by_one() -> None:
    """What they keep of a hand serves its next decision."""

    class Noting(Single):
        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            if id(rng) not in order:
                order.append(id(rng))
                kept.append(rng)
            asked.append(order.index(id(rng)))
            return super().decide(view, rng)

    asked: list[int] = []
    order: list[int] = []
    kept: list[np.random.Generator] = []
    starts_of(
        "skat", PlayedTo("skat", "declaration", Noting()), [np.random.default_rng(seed) for seed in range(5)]
    )
    assert asked[:3] == [0, 0, 0]  # nobody's auction is shorter
    assert set(asked) >= set(range(5))  # a deal that ends in the auction is redealt, with other luck


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_agents_hear_the_end_of_a_game_that_is_played(game: str) -> None:
    class Listener(Single):
        def __init__(self) -> None:
            self.heard: list[Any] = []

        def hear_end(self, view: Any, returns: Any) -> None:
            self.heard.append((view, returns))

    [state], listener, seats = fresh(game, 1), Listener(), len(get_game(game).seats)
    play_game(state, [listener] * seats, luck(0, seats))
    ends = [(state.view(seat), state.returns()) for seat in range(seats)]
    assert listener.heard == ends
    play_game(state, [listener] * seats, luck(0, seats))  # was over
    play_games(fresh(game, 1), [[listener] * seats], [luck(0, seats)])  # thought of
    assert listener.heard == ends
