"""Public objects in the middle of their work, pickled and deep-copied: what comes out goes on as the original does.

Agents have their own page, `agents/test_copies.py`.
"""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from skat_env import klaverjas_v0, skat_v0
from skat_env.beliefs.belief import Belief, ThesisSampler, UniformSampler
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import encoders_of
from skat_env.envs.opponents import Pool
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.play.players import Players
from skat_env.play.starts import Positions, RandomDeals, StartsInTurn, start_source
from skat_env.records import GameRecord
from skat_env.registry import get_game, make_agent
from skat_env.solvers import klaverjas as klaverjas_solver
from skat_env.solvers import skat as skat_solver
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.policy import UniformPolicy
from skat_env.solvers.endings.response import best_response
from tests.helpers.late_positions import late_positions
from tests.helpers.records import make_records, write_dataset

GAMES = ("skat", "klaverjas")
MODULES = {"skat": skat_v0, "klaverjas": klaverjas_v0}
MATCHES = {game: MatchConfig(game, ("rule", "random"), 3, 1) for game in GAMES}
SOLVERS: dict[str, Any] = {"skat": skat_solver, "klaverjas": klaverjas_solver}


def position(game: str) -> Any:
    """A position in the cardplay."""
    return late_positions(game, 5, 1, seed=3)[0]


def opponents(game: str) -> list[Any]:
    """Different ones, in a pool too."""
    pool = Pool([make_agent("rule", game), make_agent("random", game)], [1.0, 2.0])
    return ["rule", pool, "random"][: len(get_game(game).seats) - 1]


# How things are begun, and what they do afterwards.


def step_agents(env: Any) -> Iterator[Any]:
    """PettingZoo."""
    for agent in env.agent_iter(200):
        observation, reward, termination, truncation, info = env.last()
        env.step(None if termination else int(np.flatnonzero(observation["action_mask"])[0]))
        yield agent, observation["observation"].tobytes(), reward, termination, truncation, sorted(info)
    env.reset()
    yield env.state().tobytes()


def step_seat(env: Any) -> Iterator[Any]:
    """Gymnasium, one game."""
    for _ in range(30):
        mask = env.unwrapped.action_masks()
        observation, reward, over, _, info = env.step(int(np.flatnonzero(mask)[0]))
        yield observation["observation"].tobytes(), reward, over, info
        if over:
            yield env.reset()[1]


def step_vector(env: Any) -> Iterator[Any]:
    """Gymnasium's vectors, and stable-baselines3's."""
    for _ in range(60):
        actions = env.action_masks().argmax(1)
        yield [
            value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else repr(value)
            for value in flat(env.step(actions))
        ]


def flat(value: Any) -> Iterator[Any]:
    """The parts of what a step returns; times depend on the clock."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name != "t":
                yield from flat(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from flat(each)
    else:
        yield value


def step_self_play(env: SelfPlayVector) -> Iterator[Any]:
    for number in range(120):
        state = [env.state(lane) for lane in range(env.num_envs)]
        actions = [
            0 if each.is_over else each.legal_actions()[number % len(each.legal_actions())] for each in state
        ]
        step = env.step(np.array(actions))
        yield [getattr(step, name).tobytes() for name in step.__slots__]


def draw(source: Any) -> Iterator[Any]:
    """Starts."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        yield source(rng).text()


def play_out(state: Any) -> Iterator[Any]:
    """A state, from where it is."""
    while not state.is_over:
        yield state.view(state.to_act).text()
        state.apply(state.legal_actions()[0])
    yield state.returns()


def drawn(belief: Any) -> Iterator[Any]:
    yield belief.count, belief.marginals().tobytes()
    yield belief.sample(20, np.random.default_rng(2)).tobytes()


def begun(env: Any, steps: Callable[[Any], Iterator[Any]], count: int = 3, **options: Any) -> Any:
    """An environment some steps into a game."""
    env.reset(**options)
    for _, _ in zip(range(count), steps(env), strict=False):
        pass
    return env


@dataclass(frozen=True)
class Copied:
    """A public object, made and used, and what it does from then on."""

    name: str
    make: Callable[[str, Path], Any]
    go_on: Callable[[Any], Iterator[Any]]


def values_of(value: Any) -> Iterator[Any]:
    yield value


def dataset(folder: Path) -> Dataset:
    if not folder.joinpath("games").exists():
        write_dataset(folder / "games", make_records()[:9])
    return Dataset(folder / "games")


def find(decisions: Decisions) -> Iterator[Any]:
    found = decisions.find()
    yield found.tobytes(), decisions.outcomes().returns.tobytes()


def sb3(game: str, _: Path) -> Any:
    module = pytest.importorskip("skat_env.envs.sb3")
    env = module.Sb3VecEnv(game, 5, opponents=opponents(game), seed=4)
    return begun(env, step_vector)


def respond(ending: Ending) -> Iterator[Any]:
    policies = dict.fromkeys(range(len(ending.game.seats)), UniformPolicy())
    yield best_response(ending, 0, policies).value


def played(players: Players) -> Iterator[Any]:
    state = late(players._game.name)
    rng = np.random.default_rng(1)
    players.play([state], lambda number, seat: rng)
    yield state.text()


def late(game: str) -> Any:
    """An ending, small enough for exact answers."""
    return late_positions(game, 2, 1, seed=6)[0]


def used(thing: Any, go_on: Callable[[Any], Iterator[Any]]) -> Any:
    list(go_on(thing))
    return thing


def worlds(sampler: Any) -> Iterator[Any]:
    view = position("skat").view(0)
    yield [world.state.text() for world in sampler.worlds(view, 5, np.random.default_rng(3))]


def solved(solver: Any) -> Any:
    for game, module in SOLVERS.items():
        if isinstance(solver, module.Solver):
            return repr(solver.solve(position(game), module.Question()))
    raise AssertionError


def solver(game: str, _: Path) -> Any:
    made = SOLVERS[game].Solver()
    solved(made)
    return made


def dealt(game: str, rng: np.random.Generator) -> Any:
    """A source of starts, of which more are drawn as games begin."""
    return get_game(game).state.random(rng)


def self_play(env: SelfPlayVector) -> SelfPlayVector:
    return begun(env, step_self_play, seed=3)


CASES = [
    Copied("env", lambda game, _: begun(MODULES[game].env(), step_agents, seed=3), step_agents),
    Copied("raw_env", lambda game, _: begun(MODULES[game].raw_env(), step_agents, 9, seed=3), step_agents),
    Copied(
        "raw_env from the cardplay",
        lambda game, _: begun(MODULES[game].raw_env(start="cardplay"), step_agents, seed=3),
        step_agents,
    ),
    Copied(
        "SingleSeatEnv",
        lambda game, _: begun(SingleSeatEnv(game, opponents="rule"), step_seat, seed=3),
        step_seat,
    ),
    Copied(
        "gymnasium.make",
        lambda game, _: begun(gymnasium.make(f"skat_env/{game.capitalize()}-v0"), step_seat, seed=3),
        step_seat,
    ),
    Copied(
        "gymnasium.make_vec",
        lambda game, _: begun(gymnasium.make_vec(f"skat_env/{game.capitalize()}-v0", 5), step_vector, seed=3),
        step_vector,
    ),
    Copied(
        "SeatVectorEnv",
        lambda game, _: begun(
            SeatVectorEnv(game, 5, opponents=opponents(game), autoreset_mode=AutoresetMode.SAME_STEP),
            step_vector,
            seed=3,
        ),
        step_vector,
    ),
    Copied("Sb3VecEnv", sb3, step_vector),
    Copied("SelfPlayVector", lambda game, _: self_play(SelfPlayVector(game, 5)), step_self_play),
    Copied(
        "SelfPlayVector in buffers",
        lambda game, _: self_play(
            SelfPlayVector(game, 5, autoreset_mode=AutoresetMode.NEXT_STEP, copy=False, allocate=np.zeros)
        ),
        step_self_play,
    ),
    Copied(
        "SelfPlayVector from positions",
        lambda game, _: self_play(
            SelfPlayVector(game, 5, start=Positions([position(game), late(game)]), scale=0.5)
        ),
        step_self_play,
    ),
    Copied(
        "SelfPlayVector from a source",
        lambda game, _: self_play(SelfPlayVector(game, 100, start=partial(dealt, game))),
        step_self_play,
    ),
    Copied("State", lambda game, _: position(game), play_out),
    Copied("View", lambda game, _: position(game).view(0), values_of),
    Copied("Game", lambda game, _: get_game(game), values_of),
    Copied("rules", lambda game, _: get_game(game).rules(), values_of),
    Copied("Deal", lambda game, _: position(game).deal, values_of),
    Copied(
        "GameRecord",
        lambda game, _: GameRecord.of(game, position(game), ("a",) * len(get_game(game).seats)),
        values_of,
    ),
    Copied("Belief", lambda game, _: Belief(position(game).view(0)), drawn),
    Copied(
        "Belief with weights",
        lambda game, _: Belief(
            position(game).view(0), np.random.default_rng(1).random((32, len(get_game(game).place_sizes)))
        ),
        drawn,
    ),
    *(
        Copied(type(sampler).__name__, lambda game, _, sampler=sampler: sampler, worlds)
        for sampler in (UniformSampler(), ThesisSampler())
    ),
    Copied("Encoder", lambda game, _: encoders_of(game)[0], lambda encoder: values_of(encoder.name)),
    Copied("Solver", solver, lambda solver: values_of(solved(solver))),
    Copied("Ending", lambda game, _: Ending.of_view(late(game).view(0), game=game), respond),
    Copied("RandomDeals", lambda game, _: RandomDeals(game), draw),
    Copied("PlayedTo", lambda game, _: used(start_source(get_game(game), "cardplay", "rule"), draw), draw),
    Copied("Positions", lambda game, _: Positions([position(game), late(game)]), draw),
    Copied(
        "StartsInTurn",
        lambda game, _: StartsInTurn(game, 3, (RandomDeals(game),)),
        lambda starts: values_of([state.text() for state in starts([0, 4])]),
    ),
    Copied("Players", lambda game, _: Players(get_game(game), [make_agent("rule", game)]), played),
    Copied("Pool", lambda game, _: opponents(game)[1], lambda pool: values_of(pool.weights)),
    Copied("MatchConfig", lambda game, _: MATCHES[game], values_of),
    Copied(
        "MatchResult",
        lambda game, _: summarise(MATCHES[game], chain.from_iterable(play_match(MATCHES[game]))),
        lambda result: values_of(repr(result)),
    ),
    Copied("Dataset", lambda _, folder: dataset(folder), lambda games: values_of(list(games))),
    Copied("Decisions", lambda _, folder: Decisions(dataset(folder)), find),
]
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_copy_goes_on_as_the_original(case: Copied, game: str, tmp_path: Path) -> None:
    thing = case.make(game, tmp_path)
    copies = [copied(thing) for copied in COPIES.values()]
    expected = list(case.go_on(thing))
    assert expected
    for name, made in zip(COPIES, copies, strict=True):
        assert type(made) is type(thing)
        # What the original did in the meantime must not show: nothing is shared.
        assert list(case.go_on(made)) == expected, name


def test_a_game_that_is_not_the_registrys_is_refused() -> None:
    changed = replace(get_game("skat"), reward_units=("other",))
    with pytest.raises(pickle.PicklingError, match="'skat' cannot be copied"):
        pickle.dumps(changed)


def test_a_pickle_of_lanes_of_another_size_is_refused() -> None:
    batch = SelfPlayVector("skat", 3)._vector.batch
    states, *rest = batch.__reduce__()[2]
    with pytest.raises(ValueError, match="from another version"):
        batch.__setstate__((states[:-1], *rest))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_openspiel_games_states_and_bots(game: str, tmp_path: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra skat_env[interop]")
    from skat_env.openspiel import AgentBot, OpenSpielGame, Resampler, ending_game, spiel_name

    rules = {"skat": {"play_out": True}, "klaverjas": {"legality": "amsterdam"}}
    games: list[OpenSpielGame] = [
        pyspiel.load_game(spiel_name(game)),
        pyspiel.load_game(spiel_name(game), rules[game]),
        ending_game(late(game), players="sides"),
        ending_game(late(game).view(0)),
    ]

    def traced(state: Any) -> list[str]:
        found = []
        while not state.is_terminal():
            outcomes = state.chance_outcomes() if state.is_chance_node() else []
            state.apply_action(outcomes[0][0] if outcomes else state.legal_actions()[-1])
            found.append(str(state))
        return [*found, str(state.returns())]

    pickles = []
    for each in games:
        states = [each.new_initial_state()]
        while states[-1].is_chance_node() or len(states) < 4:
            states.append(states[-1].clone())
            outcomes = states[-1].chance_outcomes() if states[-1].is_chance_node() else []
            states[-1].apply_action(outcomes[-1][0] if outcomes else states[-1].legal_actions()[0])
        for thing in (each, each.new_initial_state(), *states[1::7], states[-1]):
            begun_at = (lambda made: made.new_initial_state()) if thing is each else (lambda made: made)
            data = pickle.dumps(thing)
            copies = [pickle.loads(data), copy.deepcopy(thing)]
            expected = traced(begun_at(thing).clone())
            assert all(type(made) is type(thing) for made in copies)
            assert all(traced(begun_at(made)) == expected for made in copies)
            pickles.append((data, expected[-1]))
        assert pickle.loads(pickle.dumps(each)).get_parameters() == each.get_parameters()
    start = games[0].new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.chance_outcomes()[0][0])
    for made in (AgentBot("random", games[0], 3), Resampler(5)):
        again = [pickle.loads(pickle.dumps(made)), copy.deepcopy(made)]
        ask = made.step if isinstance(made, AgentBot) else lambda state, made=made: str(made(state, 0))
        expected = [ask(start) for _ in range(5)]
        for other in again:
            ask = (
                other.step if isinstance(other, AgentBot) else lambda state, other=other: str(other(state, 0))
            )
            assert [ask(start) for _ in range(5)] == expected
    # Another process has not imported anything of ours: the pickle does.
    (tmp_path / "games").write_bytes(pickle.dumps([data for data, _ in pickles]))
    script = (
        "import pickle, sys\n"
        f"for data in pickle.load(open({str(tmp_path / 'games')!r}, 'rb')):\n"
        "    thing = pickle.loads(data)\n"
        "    state = thing.new_initial_state() if hasattr(thing, 'new_initial_state') else thing\n"
        "    while not state.is_terminal():\n"
        "        chance = state.is_chance_node()\n"
        "        state.apply_action(state.chance_outcomes()[0][0] if chance else state.legal_actions()[-1])\n"
        "    print(state.returns())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [expected for _, expected in pickles]
