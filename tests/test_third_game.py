"""A third game, registered in one module, gets all that generic code offers, without a change elsewhere."""

import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test

from skat_env.audit.play import AuditConfig, audit
from skat_env.audit.result import summarise
from skat_env.beliefs.belief import Belief
from skat_env.cards import CARD_TEXTS, mask_of
from skat_env.cli import main
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.generation import GenerationConfig, ShardPlayer, generate
from skat_env.datasets.survey import survey
from skat_env.deal import Deal
from skat_env.envs import aec
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.errors import IllegalAction, ParseError
from skat_env.match.play import MatchConfig, play_match
from skat_env.pictures.table import Hand, Table
from skat_env.protocols import Game
from skat_env.records import GameRecord
from skat_env.registry import PART_GROUP, game_names, make_agent, register
from tests.conftest import ROOT, random_games

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    folder = tmp_path_factory.mktemp("trio")
    source = shutil.copytree(ROOT / "examples" / "own_game", folder / "mygame")  # the page says: copy them
    example = runpy.run_path(str(source / "trio.py"))
    example["build"](folder)
    sys.path.insert(0, str(folder))
    from skat_env import registry

    before = dict(registry._registered)
    yield example["register_trio"]()
    sys.path.remove(str(folder))
    registry._registered.clear()
    registry._registered.update(before)


def test_states_and_views(trio: Game) -> None:
    assert game_names() == ("skat", "klaverjas", "trio")
    for state in random_games(trio, 50, 0):
        assert trio.state.parse(state.text()) == state
        assert len(state.plays()) == 9
        while state.history():
            state.undo()
            for seat in range(3):
                view = state.view(seat)
                assert type(view).parse(view.text()) == view
                assert view.dealt[seat] == state.dealt[seat]
                assert view.legal() == (state.legal() if seat == state.to_act else 0)


def test_views_that_cannot_be_are_refused(trio: Game) -> None:
    state = trio.state.random(np.random.default_rng(1))
    known = state.view(0).text().removesuffix(" seat=0 :")
    own, _, _, up = known.split("/")
    card, other = own.split(".")[0], up.split(".")[0]
    unseen = next(text for text in CARD_TEXTS if text not in known)
    for text, message in {
        "? seat=0 :": "shows its own cards, those face up and two '?'",
        f"{known}/? seat=0 :": "shows its own cards",
        f"{own}/{own}/?/{up} seat=0 :": "shows its own cards",
        f"{own.replace(card, other)}/?/?/{up} seat=0 :": "shows its own cards",
        f"{known} seat=1 :": "shows its own cards",
        f"{known} seat=7 :": "names its seat once",
        f"{known} :": "names its seat once",
        f"{known} seat=0 : Z": "Z",
        f"{known} seat=0 : D7.D8": "D7.D8",
        f"{known} seat=0 : {card}": f"action 1 of the view, {card}, is not possible there",
        f"{known} seat=0 : D D": "action 2 of the view, D, is not",
        f"{known} seat=0 : D {card} {unseen} {unseen}": f"action 4 of the view, {unseen}, is not",
        f"{known} seat=0 : D {card} {other}": f"action 3 of the view, {other}, is not",
        f"{known} seat=0 : D{f' {card}' * 300}": f"action 3 of the view, {card}, is not",
    }.items():
        with pytest.raises(ParseError, match=re.escape(message)):
            trio.view.parse(text)
    with pytest.raises(ParseError, match="Z"):
        trio.state.parse(f"{state.text()} Z")


def test_a_registered_picture_is_drawn(trio: Game, tmp_path: Path) -> None:
    state = trio.state.random(np.random.default_rng(1))
    assert state._repr_svg_() is None
    hands = tuple(Hand(seat, (), ()) for seat in trio.seats)
    table = Table(hands, 0, 0, "a game of three", None, (), (), (), 0)
    register(PART_GROUP, "trio.picture", lambda position, bottom=None: table)
    for number, position in enumerate((state, state.view(1))):
        out = tmp_path / f"{number}.svg"
        assert main(["draw", position.text(), "--out", str(out)]) == 0
        assert "a game of three" in out.read_text()
        assert position._repr_svg_() == position._repr_html_() == out.read_text()


def test_a_position_that_cannot_be_solved(trio: Game, capsys: pytest.CaptureFixture[str]) -> None:
    state = trio.state.random(np.random.default_rng(1))
    assert main(["solve", "--deal", state.text()]) == 2
    assert "game 'trio' has no part 'open_card'" in capsys.readouterr().err


def test_environments(trio: Game) -> None:
    api_test(aec.wrapped(aec.raw_env(trio), -1.0), num_cycles=50)
    check_env(SingleSeatEnv("trio", illegal_action="random_legal"), skip_render_check=True)
    games = SelfPlayVector("trio", 20)
    step = games.reset(seed=0)
    finished = 0
    for _ in range(30):
        step = games.step(step.action_mask.argmax(axis=1))
        finished += int(step.terminations.sum())
    assert finished == 60
    env = SeatVectorEnv("trio", 5, opponents="pimc(worlds=3, bidder=random)")
    observations, _ = env.reset(seed=1)
    for _ in range(10):
        observations, *_ = env.step(observations["action_mask"].argmax(axis=1))


def test_belief_counts_every_world(trio: Game) -> None:
    """The worlds are those whose other two hands make all plays legal: tried one by one."""
    rng = np.random.default_rng(0)
    for state in random_games(trio, 20, 1):
        for _ in range(int(rng.integers(4, 9))):
            state.undo()
        if not state.plays() and state.stage == "choice":
            continue
        view = state.view(state.to_act)
        belief = Belief(view)
        cards, slots = belief.cards, belief.slots
        others = [seat for seat in range(3) if seat != view.seat]
        found = set()
        for order in permutations(cards):
            masks = [0, 0, 0, 0]
            masks[others[0]] = sum(1 << card for card in order[: slots[others[0]]])
            masks[others[1]] = sum(1 << card for card in order[slots[others[0]] :])
            if tuple(masks) in found:
                continue
            dealt = list(view.dealt)
            for seat in others:
                dealt[seat] = masks[seat] | mask_of(card for player, card in view.plays() if player == seat)
            try:
                trio.state.parse(f"{Deal(tuple(dealt)).text()} {state.text().split(' ', 1)[1]}")
            except IllegalAction:
                continue
            found.add(tuple(masks))
        assert belief.count == len(found)
        assert {tuple(row.tolist()) for chunk in belief.enumerate() for row in chunk} == found


@pytest.mark.parametrize("agent", ["pimc(worlds=8, bidder=random)", "ismcts(simulations=60, bidder=random)"])
def test_searchers_beat_random(trio: Game, agent: str) -> None:
    config = MatchConfig("trio", (agent, "random"), deals=60, seed=1)
    games = [game for deal in play_match(config) for game in deal]
    gained = sum(
        game.returns[seat] for game in games for seat in range(3) if game.agents[seat] == agent
    ) - sum(game.returns[seat] for game in games for seat in range(3) if game.agents[seat] != agent)
    assert len(games) == 60 * 6
    assert gained > 0


def test_audits(trio: Game) -> None:
    agents = ("pimc(worlds=8, bidder=random)", "random")
    results = []
    for worlds in (None, 2):
        belief = {} if worlds is None else {"belief": "cheating"}
        config = AuditConfig(
            "trio", agents, 60, 1, players="random", bidder="random", worlds=worlds, **belief
        )
        results.append(summarise(config, [game for games in audit(config) for game in games]))
    assert results[0].groups == results[1].groups
    assert list(results[0].groups["trick"]) == ["1", "2"]
    assert results[0].whole.points_a_game.mean > 0


def test_pimc_that_sees_all_cards_plays_the_best_card(trio: Game) -> None:
    from skat_env.solvers.brute_force import action_returns

    agent, rng = make_agent("pimc(belief=cheating, bidder=random)", "trio"), np.random.default_rng(0)
    for state in random_games(trio, 20, 3):
        for _ in range(7):
            state.undo()
        values = action_returns(state)
        action = agent.decide_knowing(state.view(state.to_act), state, rng).action
        assert values[action] == max(values.values())


def test_records_and_datasets(trio: Game, tmp_path: Path) -> None:
    for state in random_games(trio, 5, 4):
        record = GameRecord.of("trio", state, ("a", "b", "c"), seed=1)
        assert GameRecord.parse(record.text()) == record
    config = GenerationConfig("trio", ("pimc(worlds=2, bidder=random)", "random"), deals=20, seed=2)
    generate(config, tmp_path / "games")
    dataset = Dataset(tmp_path / "games")
    assert len(dataset) == 20
    assert all(record.differences() == () for record in dataset)
    found = survey(dataset)
    assert found.games == 20
    assert found.stages["cardplay"].decisions == 20 * 9
    assert found.labels == {}


def test_a_policy_network(trio: Game, tmp_path: Path) -> None:
    from skat_env.agents.networks.card_networks import card_networks
    from skat_env.agents.networks.checkpoint import save_checkpoint
    from tests.helpers.networks import random_network

    network = random_network(card_networks("trio").spec("cardplay", (16,)))
    save_checkpoint(tmp_path / "net", "trio", {"cardplay": network})
    agents = (f"policy(checkpoint={tmp_path / 'net'}, bidder=random)", "random")
    games = [game for deal in play_match(MatchConfig("trio", agents, deals=5, seed=1)) for game in deal]
    assert len(games) == 30
    config = GenerationConfig("trio", agents[:1], 50, 1)
    lanes, python = ShardPlayer(config), ShardPlayer(config, in_lanes=False)
    (_, found), (_, expected) = lanes(0), python(0)
    assert lanes.players is not None
    assert found.keys() == expected.keys()
    for name in found.keys() - {"weights", "values"}:
        assert (found[name] == expected[name]).all()


def test_a_part_that_is_missing_is_one_sentence(trio: Game) -> None:
    with pytest.raises(ValueError, match="game 'trio' has no part 'past_decisions'"):
        make_agent("pimc(belief=policy)", "trio")
