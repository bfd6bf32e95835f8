"""Bad values at every option and every public number: an answer, or one sentence of a documented error, never a hang.

Every call is made in a child process. The values stand in `tests.helpers.bad_values`. By default a few of them are
tried at each argument, others at each; SKAT_ENV_BAD_VALUES=all tries all.
"""

import contextlib
import dataclasses
import importlib
import importlib.metadata
import inspect
import io
import itertools
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import pytest

from skat_env import registry
from skat_env.agents.bench.evaluate import exploitability, points
from skat_env.agents.bench.learner import load_learner
from skat_env.agents.bench.report import interquartile_mean, performance_profile, read_runs
from skat_env.agents.bench.run import Plan
from skat_env.agents.bench.task import get_task
from skat_env.agents.engine.check import check_engine
from skat_env.agents.learners.experience.memory import Memory
from skat_env.audit.play import AuditConfig, audit
from skat_env.beliefs.belief import Belief
from skat_env.beliefs.posterior import Trust
from skat_env.cards import card_text, mask_text
from skat_env.cli import main
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.decisions import Decisions
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.datasets.preview import game_text
from skat_env.datasets.split import split
from skat_env.datasets.survey import survey
from skat_env.deal import Deal
from skat_env.doors.exam.make import questions
from skat_env.doors.patient import PatientSession
from skat_env.doors.sealed import sealed_session
from skat_env.doors.session import Session
from skat_env.encoders import encoders_of
from skat_env.envs.opponents import Pool
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.gauntlet.play import play_gauntlet
from skat_env.klaverjas import KlaverjasState
from skat_env.match.compare import compare
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.statistics import estimate, interval, ratio
from skat_env.play.capabilities import decide
from skat_env.play.starts import PlayedTo, Positions, draw_starts
from skat_env.records import GameRecord, Source
from skat_env.score.play import score
from skat_env.skat import SkatState
from skat_env.skat.iss.client import IssClient, Ledger
from skat_env.skat.iss.server import IssServer
from skat_env.skat.rules import Contract, Declaration
from skat_env.skat.starts import FixedAuction
from tests.conftest import ROOT, random_games
from tests.helpers.bad_values import VALUES, Call, calls, faults

GAMES: Final = ("skat", "klaverjas")
ALL: Final = os.environ.get("SKAT_ENV_BAD_VALUES") == "all"
SHARE: Final = 4
"""One of so many values is tried at an argument."""

both_games = pytest.mark.parametrize("game", GAMES)


def chosen(text: str, name: str) -> tuple[Any, ...]:
    """The values to try at an argument; all arguments together get all."""
    if ALL:
        return VALUES
    first = zlib.crc32(f"{text}.{name}".encode()) % SHARE
    return VALUES[first::SHARE]


REAL: Final = (
    "c", "time", "rollout_share", "minimax", "share", "smoothing", "temper", "floor", "prior", "threshold", "aggression", "scale",
    "illegal_reward", "time_limit", "min_share", "weight", "weights", "differences", "values", "difference", "value",
    "tops", "bottoms", "until", "temperature", "random_cards", "random_declarations", "random_bids",
    "caution", "near", "open_cards", "penalty", "race", "boldness", "close",
)  # fmt: skip
"""The arguments that may be fractions; all other numbers are whole."""
TRUTHS: Final = (
    "claim", "copy", "hand", "ties", "reuse", "sample", "actions", "line", "paranoia", "bad_skats", "play_out",
    "cardplay", "difference", "value", "searches", "quick", "int8", "trusted", "paired",
)  # fmt: skip
"""The arguments that may be true or false."""


def may_be(name: str, value: Any) -> bool:
    """Whether an argument may be a value. Nothing is infinite or not a number, and nothing is an object of any kind."""
    if isinstance(value, bool | np.bool_):
        return name in TRUTHS
    if isinstance(value, float | np.floating):
        return name in REAL and bool(np.isfinite(value))
    return not isinstance(value, bytes | complex | type)


def tried(
    text: str,
    function: Callable[..., object],
    arguments: dict[str, Any],
    names: Iterable[str] | None = None,
    then: Callable[[Any], object] | None = None,
) -> Iterator[Call]:
    """Calls of a function with bad values."""
    if names is None:
        parameters = inspect.signature(function).parameters
        names = [name for name in parameters if name not in ("self", "game", "rng", "of", "step")]
    for name in names:
        yield from calls(text, function, arguments, [name], chosen(text, name), may_be, then)


def require_none(found: Iterable[Call]) -> None:
    wrong = faults(list(found))
    assert not wrong, f"{len(wrong)} calls:\n" + "\n".join(wrong)


@cache
def fresh(game: str) -> Any:
    """A deal on which nothing has been played."""
    return registry.get_game(game).state.random(np.random.default_rng(1))


@cache
def late(game: str) -> Any:
    """A position before the last two tricks."""
    about = registry.get_game(game)
    rng = np.random.default_rng(2)
    while True:
        state = PlayedTo(game, about.stages[-1], "random")(rng)
        while not state.is_over and state.tricks_played < about.place_sizes[0] - 2:
            state.apply(int(rng.choice(state.legal_actions())))
        if not state.is_over:
            return state


@cache
def before_cards(game: str) -> Any:
    """A position before the cardplay."""
    rules = {"choice": "free"} if game == "klaverjas" else {}
    about = registry.get_game(game)
    return about.state.random(np.random.default_rng(1), about.rules(**rules))


def luck() -> np.random.Generator:
    return np.random.default_rng(3)


# --- agents, beliefs and evaluators ---

CHEAP: Final = {"worlds": 2, "simulations": 4, "skats": 1, "k": 4, "bidder": "random"}
"""Options with which a decision is quick."""
WORK: Final = ("worlds", "simulations", "skats", "games", "rollouts", "time", "k", "batch")
"""Options that say how much work a decision is: with large values agents are made, and not asked."""
GROUPS: Final = {
    "agent": (registry.AGENT_GROUP, registry.make_agent),
    "belief": (registry.BELIEF_GROUP, registry.make_belief),
    "evaluator": (registry.EVALUATOR_GROUP, registry.make_evaluator),
}


def untrained(game: str) -> Any:
    """A checkpoint of networks that value cards."""
    from skat_env.agents.networks.card_values import value_layout
    from skat_env.agents.networks.checkpoint import Checkpoint
    from tests.helpers.networks import random_network

    layout = value_layout(game)
    networks = {role.name: random_network(layout.spec(role, (8,))) for role in layout.roles}
    return Checkpoint(game, networks, name="untrained")


@pytest.fixture(scope="module")
def sb3_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of stable-baselines3 for Klaverjas; empty where only some values are tried, as it takes seconds."""
    if not ALL:
        return ""
    pytest.importorskip("sb3_contrib", reason="needs the extra 'learn'")
    sb3_runs = importlib.import_module("tests.helpers.sb3_runs")
    return str(sb3_runs.trained(tmp_path_factory.mktemp("sb3"), game="klaverjas", steps=1))


def factory_of(kind: str, name: str, game: str) -> tuple[Callable[..., Any], Any]:
    """What makes an agent, belief or evaluator with a game, and the signature of its options."""
    factory = registry._factory(GROUPS[kind][0], kind, name, game)
    collected = getattr(factory, "Options", None)
    takes_game = {"game": game} if "game" in inspect.signature(factory).parameters else {}

    def make(**options: Any) -> Any:
        if collected is not None:
            return factory(collected(**options), **takes_game)
        return factory(**registry.check_options(name, factory, options), **takes_game)

    return make, inspect.signature(collected or factory).parameters


def asked(kind: str, name: str, game: str) -> Callable[[Any], object]:
    """What is done with an agent, belief or evaluator that was made."""
    state = before_cards(game) if name.endswith("bidding") else late(game)
    view, rng = state.view(state.to_act), luck()
    if kind == "belief":
        return lambda belief: None if belief.cheats else belief.worlds(view, 3, rng)
    if kind == "agent":
        return lambda agent: decide(agent, view, state, rng)
    ismcts, _ = factory_of("agent", "ismcts", game)
    return lambda evaluator: ismcts(simulations=4, bidder="random", evaluator=evaluator).decide(view, rng)


@pytest.mark.slow
@pytest.mark.parametrize("kind", GROUPS)
@both_games
def test_options_of_all_that_is_registered(kind: str, game: str, sb3_model: str) -> None:
    group, make_by_name = GROUPS[kind]
    checkpoints = {"dmc": untrained(game), "value_bidding": untrained(game)}
    found: list[Call] = []
    for name in registry._names(group, game):
        # They need a server, and a finished run: tests/agents/language, tests/agents/bench.
        if name in ("llm", "learner"):
            continue
        make, parameters = factory_of(kind, name, game)
        good: dict[str, Any] = {key: value for key, value in CHEAP.items() if key in parameters}
        for key, parameter in parameters.items():
            if key != "game" and parameter.default is inspect.Parameter.empty:
                good[key] = {
                    "checkpoint": checkpoints.get(name, f"{game}-policy"),
                    "path": sb3_model,
                    "command": f"{sys.executable} {ROOT / 'engines' / 'lowest' / 'lowest.py'}",
                }.get(key, "random")
        for option in parameters:
            if option == "game" or (name == "sb3" and option != "path" and (game == "skat" or not ALL)):
                continue
            then = None if option in WORK else asked(kind, name, game)
            found += tried(f"{game} {name}", make, good, [option], then)
        text = f"{name}(nix=1)"
        found.append(Call(text, partial(make_by_name, text, game), ("nix",), False))
    require_none(found)


# --- states, views and deals ---


@both_games
def test_states_and_views(game: str) -> None:
    about = registry.get_game(game)
    kind = about.state
    found: list[Call] = []
    for name, state in (("fresh", fresh(game)), ("late", late(game))):
        for method in (
            "apply",
            "view",
            "observe",
            "side",
            "result",
            "is_void",
            "follow_mask",
            "excluded",
            "returns",
        ):
            function = getattr(state.clone(), method, None)
            if function is None:
                continue
            good = {"is_void": {"seat": 0, "group": 0}, "returns": {"unit": None, "claim": True}}.get(
                method, {}
            )
            if method == "result":
                good = {"claim": True}
            names = list(good) or {"apply": ["action"], "follow_mask": ["card"]}.get(method, ["seat"])
            found += tried(f"{game} {name}.{method}", positional(function), good, names)
    rng, deal = luck(), fresh(game).deal
    found += tried(f"{game} random", kind.random, {"rng": rng}, ["rules", "deal"], play_on)
    found += tried(f"{game} new", kind.new, {"deal": deal, **trumps(game)}, None, play_on)
    for parsed in (kind, type(fresh(game).view(0))):
        found += tried(f"{parsed.__name__}.parse", parsed.parse, {}, ["text"])
    found += tried("Deal", Deal, {"places": deal.places})
    found += tried("Deal.places", lambda place: Deal((*deal.places[:-1], place)), {})
    found += tried("Deal.parse", Deal.parse, {"text": deal.text(), "sizes": about.place_sizes}, ["text"])
    found += tried(f"{game} rules", about.rules, {}, None, lambda rules: play_on(kind.random(luck(), rules)))
    require_none(found)


def positional(function: Callable[..., object]) -> Callable[..., object]:
    """A function whose arguments have names here only, as those of methods in C."""
    return lambda **arguments: function(*arguments.values())


def trumps(game: str) -> dict[str, int]:
    return {"forehand": 0, "declarer": 0, "trump": 0} if game == "klaverjas" else {}


def play_on(state: Any) -> Any:
    """Plays a game to its end."""
    rng = luck()
    while not state.is_over:
        state.apply(int(rng.choice(state.legal_actions())))
    return state.returns()


def test_states_of_skat_after_the_auction() -> None:
    deal = fresh("skat").deal
    good = {"deal": deal, "declarer": 0, "declaration": Declaration(Contract.GRAND), "bids": (18, 0, 0)}
    found = [*tried("cardplay", lambda **given: SkatState.cardplay(**given), good, (*good, "rules"), play_on)]
    auction = {name: good[name] for name in ("deal", "declarer", "bids")}
    found += tried("after_auction", SkatState.after_auction, auction, (*auction, "rules"), play_on)
    found += tried("bids", lambda bid: SkatState.after_auction(deal, 0, (18, bid, 0)), {})
    found += tried("FixedAuction", FixedAuction, {}, None, lambda start: play_on(start(luck())))
    for name, values in {"declarer": (-1, 3, "0"), "bid": (0, 19, 265)}.items():
        found += calls("FixedAuction", FixedAuction, {}, [name], values, lambda *_: False)

    def played(declaration: Declaration) -> Any:
        return play_on(SkatState.cardplay(deal, 0, declaration, (18, 0, 0)))

    found += tried("Declaration", Declaration, {"contract": Contract.CLUBS, "hand": True}, None, played)
    require_none(found)


# --- beliefs ---


@both_games
def test_beliefs(game: str) -> None:
    state, rng = late(game), luck()
    view = state.view(state.to_act)
    belief = Belief(view)
    row = belief.row(state)
    weights = np.ones((32, len(state.places)))
    weighted = Belief(view, weights)
    found = [*tried("Belief", Belief, {"view": view}, None, lambda made: made.sample(2, rng))]
    for known in (belief, weighted):
        for name in ("sample", "sample_backtracking", "sample_distinct"):
            found += tried(f"Belief.{name}", getattr(known, name), {"n": 2, "rng": rng})
        found += tried("Belief.enumerate", lambda chunk, of=known: list(of.enumerate(chunk)), {}, ["chunk"])
    found += tried("Belief.state", belief.state, {"row": row, "rng": rng})
    found += tried("Belief.state row", lambda mask: belief.state([mask] * len(row), rng), {})
    found += tried("Belief.probability", belief.probability, {}, ["rows"])
    found += tried("Belief.row", belief.row, {}, ["state"])
    for name in registry._names(registry.BELIEF_GROUP, game):
        sampler = registry.make_belief(name, game)
        if not sampler.cheats:
            draws = tried(f"{name}.worlds", sampler.worlds, {"view": view, "n": 2, "rng": rng}, ["n"])
            found += [call for call in draws if "1000000)" not in call.text]  # as much work as it says
    found += tried("Trust", Trust, {})
    require_none(found)


# --- solvers and encoders ---


@both_games
def test_solvers(game: str) -> None:
    solvers = importlib.import_module(f"solvers.{game}")
    solver, state = solvers.Solver(), late(game)
    question = solvers.Question()
    found = [
        *tried("Question", solvers.Question, {}, None, lambda asked: solver.solve(state, asked)),
        *tried(
            "solve",
            positional(solver.solve),
            {"position": state, "question": question},
            ["position", "question"],
        ),
        *tried(
            "solve_many",
            positional(solver.solve_many),
            {"positions": [state] * 3, "question": question, "threads": 1},
            ["positions", "question", "threads"],
        ),
        *tried(
            "action_values",
            positional(solver.action_values),
            {"positions": [state], "actions": state.legal_actions(), "question": question, "threads": 1},
            ["positions", "actions", "question", "threads"],
        ),
        *tried("action_values of", lambda action: solver.action_values([state], [action]), {}),
    ]
    if game == "skat":
        OpenPosition = importlib.import_module("skat_env.solvers.skat.position").OpenPosition
        position = OpenPosition.of(state)
        good = {field.name: getattr(position, field.name) for field in dataclasses.fields(position)}
        found += tried("OpenPosition", OpenPosition, good, None, solver.solve)
        found += tried("OpenPosition of", lambda hands: OpenPosition(**{**good, "hands": (hands,) * 3}), {})
        found += tried("OpenPosition of", lambda table: OpenPosition(**{**good, "table": (table,)}), {})
    require_none(found)


def position_for(encoder: Any, game: str) -> Any:
    """A position that an encoder reads."""
    rng = np.random.default_rng(5)
    while True:
        state = registry.get_game(game).state.random(rng)
        while not state.is_over:
            try:
                encoder.encode([state])
            except ValueError:
                state.apply(int(rng.choice(state.legal_actions())))
            else:
                return state


def test_paranoia_search() -> None:
    paranoia = importlib.import_module("skat_env.solvers.skat.paranoia").ParanoiaSolver()
    asked = importlib.import_module("skat_env.solvers.skat.question").SureQuestion
    held = importlib.import_module("skat_env.solvers.skat.information_set").InformationSet
    view = late("skat").view(late("skat").to_act)
    known = held.of(view)
    good = {field.name: getattr(known, field.name) for field in dataclasses.fields(known)}
    one = {"position": view, "question": asked()}
    require_none(
        [
            *tried("SureQuestion", asked, {}, None, lambda question: paranoia.solve(view, question)),
            *tried("solve", positional(paranoia.solve), one, one),
            *tried(
                "solve_many",
                positional(paranoia.solve_many),
                {**one, "position": [view], "threads": 1},
                ["threads"],
            ),
            *tried("InformationSet", held, good, None, paranoia.solve),
        ]
    )


@both_games
def test_encoders(game: str) -> None:
    found: list[Call] = []
    for encoder in encoders_of(game):
        state = position_for(encoder, game)
        found += tried(
            f"{encoder.name}.seats",
            lambda seat, encoder=encoder, state=state: encoder.encode([state], [seat]),
            {},
            ["seat"],
        )
        good = {"positions": [state], "seats": [state.to_act], "out": None}
        found += tried(f"{encoder.name}.encode", positional(encoder.encode), good, good)
        found += tried(f"{encoder.name}.labels", positional(encoder.labels), {}, ["positions"])
    require_none(found)


# --- environments ---

AGENT_NUMBERS: Final = (
    "seat",
    "reward",
    "scale",
    "start",
    "bidder",
    "rules",
    "illegal_reward",
    "render_mode",
)


def some_steps(environment: Any) -> Any:
    """Resets a single environment and plays some legal actions."""
    environment.reset(seed=1)
    for _ in range(3):
        mask = environment.action_masks()
        if environment.step(int(np.flatnonzero(mask)[0]))[2]:
            break
    return environment


def some_lanes(environment: Any) -> Any:
    """Resets a vector environment and plays some legal actions."""
    environment.reset(seed=1)
    for _ in range(3):
        environment.step(environment.action_masks().argmax(1))
    return environment


def all_seats(vector: Any) -> Any:
    step = vector.reset(1)
    for _ in range(3):
        step = vector.step(step.action_mask.argmax(1))
    return vector


def players(environment: Any) -> Any:
    """Plays some actions of an AEC environment."""
    environment.reset(seed=1)
    for _ in range(3):
        environment.step(int(environment.observe(environment.agent_selection)["action_mask"].argmax()))
    return environment


@both_games
def test_constructors_of_environments(game: str) -> None:
    module = importlib.import_module(f"skat_env.{game}_v0")
    names = ("render_mode", "reward", "scale", "start", "bidder", "rules")
    found = [
        *tried("raw_env", module.raw_env, {}, names, players),
        *tried("env", module.env, {}, (*names, "illegal_reward"), players),
        *tried("SingleSeatEnv", SingleSeatEnv, {"game": game}, None, some_steps),
        *tried("SeatVectorEnv", SeatVectorEnv, {"game": game, "num_envs": 2}, None, some_lanes),
        *tried("SelfPlayVector", SelfPlayVector, {"game": game, "num_envs": 2}, None, all_seats),
        *tried("SingleSeatEnv", SingleSeatEnv, {}, ["game"], some_steps),
        *tried("Pool", lambda weight: Pool([random_agent(game)], [weight]).draw(luck(), game), {}),
        *tried(
            "SeatVectorEnv opponents",
            lambda opponent: SeatVectorEnv(game, 2, opponents=[opponent] * (3 if game == "klaverjas" else 2)),
            {},
            then=some_lanes,
        ),
    ]
    require_none(found)


def random_agent(game: str) -> Any:
    return registry.make_agent("random", game)


@both_games
def test_the_environment_of_stable_baselines3(game: str) -> None:
    sb3 = pytest.importorskip("skat_env.envs.sb3", reason="needs the extra 'learn'")
    good = {"game": game, "num_envs": 2, "start": "deal"}

    def steps(environment: Any) -> None:
        environment.reset()
        for _ in range(3):
            environment.step(environment.action_masks().argmax(1))

    environment = sb3.Sb3VecEnv(**good)
    environment.reset()
    require_none(
        [
            *tried("Sb3VecEnv", sb3.Sb3VecEnv, good, None, steps),
            *tried("set_starts", environment.set_starts, {}, ["states"]),
            *tried("set_starts of", lambda state: environment.set_starts([state]), {}),
            *tried("step", environment.step, {}, ["actions"]),
            *tried("step of", lambda action: environment.step([action] * 2), {}),
            *tried("state", environment.state, {}, ["index"]),
            *tried("seed", lambda seed: (environment.seed(seed), environment.reset()), {}),
        ]
    )


@both_games
def test_resets_and_steps(game: str) -> None:
    module = importlib.import_module(f"skat_env.{game}_v0")
    found: list[Call] = []
    for name, environment in (("raw_env", module.raw_env()), ("SingleSeatEnv", SingleSeatEnv(game))):
        environment.reset(seed=0)
        found += tried(f"{name}.reset", environment.reset, {}, ["seed", "options"])
        for option in ("deal", "state", "dealer", "seat"):
            if (name, option) not in (("raw_env", "seat"), ("SingleSeatEnv", "dealer")):
                found += tried(
                    f"{name}.reset options",
                    lambda environment=environment, **given: environment.reset(seed=0, options=given),
                    {},
                    [option],
                )
    raw, raising = module.raw_env(), SingleSeatEnv(game, illegal_action="raise")
    raw.reset(seed=0)
    raising.reset(seed=0)
    lanes, vector = SeatVectorEnv(game, 2, render_mode="ansi"), SelfPlayVector(game, 2, render_mode="ansi")
    lanes.reset(seed=0)
    vector.reset(0)
    found += tried("raw_env.step", raw.step, {}, ["action"])
    for method in (raw.observe, raw.view):
        found += tried(f"raw_env.{method.__name__}", method, {}, ["agent"])
    found += tried("SingleSeatEnv.step", raising.step, {}, ["action"])
    found += tried("SeatVectorEnv.reset", lanes.reset, {}, ["seed", "options"])
    found += tried("reset_mask", lambda reset_mask: lanes.reset(options={"reset_mask": reset_mask}), {})
    found += tried("SelfPlayVector.reset", vector.reset, {}, ["seed"])
    found += tried("SelfPlayVector.state", vector.state, {}, ["index"])
    found += tried("SeatVectorEnv.render", lanes.render, {}, ["game"])
    found += tried("SelfPlayVector.render", vector.render, {}, ["game"])
    for name, step in (("SeatVectorEnv", lanes.step), ("SelfPlayVector", vector.step)):
        found += tried(f"{name}.step", step, {}, ["actions"])
        found += tried(f"{name}.step of", lambda action, step=step: step([action] * 2), {})
    require_none(found)


# --- starts, matches and statistics ---


@both_games
def test_starts(game: str) -> None:
    about = registry.get_game(game)
    stage = about.stages[-1]
    good = {"game": game, "stage": stage, "bidder": "random"}
    start = Positions([fresh(game)])
    found = [
        *tried(
            "PlayedTo",
            PlayedTo,
            good,
            ("game", "stage", "bidder", "rules", "kind"),
            lambda made: made(luck()),
        ),
        *tried("Positions", Positions, {}, ["states"], lambda made: made(luck())),
        *tried("Positions of", lambda state: Positions([state])(luck()), {}),
        *tried("draw_starts", draw_starts, {"game": game, "source": start, "count": 2, "seed": 1}),
        *tried("random_games", random_play(game), {"games": 2, "seed": 1}),
    ]
    require_none(found)


def random_play(game: str) -> Callable[..., object]:
    rollout = importlib.import_module("skat_env.play._rollout")
    return lambda games, seed: rollout.random_games(fresh(game), games, seed)


@both_games
def test_matches(game: str) -> None:
    good = {"game": game, "agents": ("random", "exploring(agent=random)"), "deals": 1}
    names = [field.name for field in dataclasses.fields(MatchConfig)]

    def first(config: MatchConfig) -> Any:
        return next(play_match(config))

    config = MatchConfig(**good)
    found = [
        *tried("MatchConfig", MatchConfig, good, names, first),
        *tried("agents", lambda agent: MatchConfig(game, (agent, "random"), 1), {}, then=first),
        *tried(
            "play_match",
            lambda **given: next(play_match(config, **given)),
            {},
            ["workers", "starts", "done", "agents"],
        ),
        *tried(
            "compare",
            lambda **given: compare("rule", "random", **given),
            {
                "game": "klaverjas",
                "deals": 1,
                "seed": 0,
                "mode": "all-seats",
                "kinds": None,
                "rules": None,
                "workers": 1,
            },
            ["game", "seed", "mode", "kinds", "rules", "bidder", "against", "workers"],
        ),
        *tried("estimate", estimate, {}, ["differences"]),
        *tried("interval", interval, {}, ["values"]),
        *tried("estimate of", lambda difference: estimate([difference, 1, 2]), {}),
        *tried("interval of", lambda value: interval([value, 1, 2]), {}),
        *tried("ratio", ratio, {"tops": [1, 2], "bottoms": [1, 1]}, ["tops", "bottoms"]),
    ]
    require_none(found)


@both_games
def test_audits(game: str) -> None:
    good = {"game": game, "agents": ("random", "exploring(agent=random)"), "deals": 1, "players": "random"}
    names = [field.name for field in dataclasses.fields(AuditConfig)]

    def first(config: AuditConfig) -> Any:
        return next(audit(config))

    config = AuditConfig(**good)
    found = [
        *tried("AuditConfig", AuditConfig, good, names, first),
        *tried(
            "audit",
            lambda **given: next(audit(config, **given)),
            {},
            ["workers", "games", "done", "agents"],
        ),
    ]
    require_none(found)


@both_games
def test_gauntlets_scores_and_checks(game: str, tmp_path: Path) -> None:
    numbers = iter(range(10**6))

    def fresh_folder() -> Path:
        return tmp_path / f"made{os.getpid()}_{next(numbers)}"

    def gauntlet(**given: Any) -> object:
        good = {"agents": ["random"], "engines": ["exploring(agent=random)"], "game": game, "deals": 1}
        return play_gauntlet(fresh_folder(), **{**good, **given})

    def checked(**given: Any) -> object:
        command = f"{sys.executable} {ROOT / 'engines/lowest/lowest.py'}"
        return check_engine(**{"command": command, "game_names": [game], "games": 1, "positions": 1, **given})

    found = [
        *tried(
            "play_gauntlet",
            gauntlet,
            {},
            ["agents", "engines", "game", "deals", "seed", "forms", "rules", "workers"],
        ),
        *tried(
            "score",
            score,
            {"agent": "random", "game": game, "deals": 2},
            ["agent", "deals", "seed", "workers"],
        ),
        *tried(
            "check_engine",
            checked,
            {},
            ["command", "game_names", "games", "time", "seed", "rules", "instead"],
        ),
    ]
    require_none(found)


def test_the_client_and_the_server_of_the_iss(tmp_path: Path) -> None:
    client = {
        "agent": registry.make_agent("random", "skat"),
        "user": "me",
        "password": "x",
        "ledger": Ledger(tmp_path / "games.sgf"),
        "games": 1,
    }
    names = [field.name for field in dataclasses.fields(IssClient) if field.init]
    server = {"agents": {}}
    found = [
        *tried("IssClient", IssClient, client, names),
        *tried("IssServer", IssServer, server, ["agents", "seed", "passwords", "clock", "games"]),
    ]
    require_none(found)


@pytest.mark.parametrize("name", ["SkatSuit-v0", "SkatEnding-v0"])
def test_the_benchmark_of_learning(name: str) -> None:
    task = get_task(name)
    agent = registry.make_agent("random", "skat")
    learner = load_learner(ROOT / "examples/learners/reinforce.py")
    plan = {"learner": learner, "task": task}
    found = [
        *tried("get_task", get_task, {}, ["name"]),
        *tried("load_learner", load_learner, {}, ["path"]),
        *tried("points", points, {"task": task, "agent": "random", "deals": 2}, ["task", "agent", "deals"]),
        *tried("exploitability", exploitability, {"task": task, "agent": agent}, ["agent"]),
        *tried("Task.vector", task.vector, {"num_envs": 2}, ["num_envs", "opponents", "starts"]),
        *tried("Task.self_play", task.self_play, {"num_envs": 2}, ["num_envs"]),
        *tried("Task.single", task.single, {}, ["opponents", "starts"]),
        *tried(
            "Plan",
            Plan,
            plan,
            [field.name for field in dataclasses.fields(Plan) if field.name != "changes"],
            lambda made: made.head(),
        ),
        *tried("read_runs", read_runs, {}, ["folders"]),
        *tried("interquartile_mean", interquartile_mean, {"scores": [np.zeros(3)]}, ["scores", "seed"]),
        *tried(
            "performance_profile",
            performance_profile,
            {"scores": [np.zeros(3)], "thresholds": np.zeros(2)},
            ["scores", "thresholds", "seed"],
        ),
        *tried("Memory", Memory, {"name": "some", "size": 5}, ["name", "size", "reservoir"]),
    ]
    require_none(found)


@both_games
def test_the_doors(game: str) -> None:
    session, unit = Session(game), registry.get_game(game).match_unit
    options = ["opponents", "start", "rules", "deal"]
    sealed = {"key": b"x", "game": game, "seed": 1, "seat": "", "agents": "random"}
    found = [
        *tried(
            "Session", Session, {"game": game}, ["seats", "bidder", "seed", "position", "player", *options]
        ),
        *tried("Session.view", session.view, {}, ["seat"]),
        *tried("Session.returns", session.returns, {}, ["unit"]),
        *tried("sealed_session", sealed_session, sealed, ["key", "seed", "seat", "agents", "start", "rules"]),
        *tried("PatientSession", PatientSession, {"session": session}, then=lambda made: made.messages),
        *tried("rewards", PatientSession(session).rewards, {"unit": unit, "penalty": 1.0}),
        *tried("questions", lambda **given: next(questions(**given)), {"count": 2}, ["count", "seed"]),
    ]
    require_none(found)


@both_games
def test_the_door_to_openenv(game: str) -> None:
    pytest.importorskip("openenv", reason="needs the extra 'openenv'")
    from skat_env.doors.openenv.environment import CardEnvironment

    reset = CardEnvironment(b"x").reset
    require_none(tried("CardEnvironment.reset", reset, {"game": game, "seed": 1}))


# --- datasets ---


@both_games
def test_datasets(game: str, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    states = random_games(registry.get_game(game), 5, 1)
    with DatasetWriter(folder, game) as writer:
        for state in states:
            writer.add(GameRecord.of(game, state, ("a",) * len(registry.get_game(game).seats)))
    dataset = Dataset(folder)
    decisions, encoder = Decisions(dataset), encoders_of(game)[-1]
    found_rows = decisions.find(encoder)[:1]
    row = {"games": found_rows["game"], "steps": found_rows["step"]}
    numbers = iter(range(10**6))

    def fresh_folder() -> Path:
        return tmp_path / f"made{os.getpid()}_{next(numbers)}"

    def generated(**given: Any) -> Any:
        good = {"game": game, "agents": ("random",), "deals": 2, "bidder": "random"}
        return GenerationConfig(**{**good, **given})

    def written(games_per_shard: Any) -> None:
        with DatasetWriter(fresh_folder(), game, games_per_shard) as writer:
            writer.add(GameRecord.of(game, states[0], ("a",) * len(registry.get_game(game).seats)))
            writer.copy(dataset, np.arange(3))

    names = [field.name for field in dataclasses.fields(GenerationConfig)]
    source = {"server": "s", "series": 1, "id": 2}
    record = GameRecord.of(game, states[0], ("a",) * len(registry.get_game(game).seats), 1)
    fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    found = [
        *tried(
            "GenerationConfig",
            generated,
            {},
            set(names) - {"deals"},
            lambda made: generate(made, fresh_folder()),
        ),
        *tried("GenerationConfig", generated, {}, ["deals"]),
        *tried("generate", lambda workers: generate(generated(), fresh_folder(), workers=workers), {}),
        *tried("DatasetWriter", written, {}),
        *tried("Dataset", dataset.__getitem__, {}, ["index"]),
        *tried("state", dataset.state, {}, ["index"]),
        *tried("searches", dataset.searches, {}, ["index"]),
        *tried("column", dataset.column, {}, ["name"]),
        *tried("game_text", game_text, {"dataset": dataset, "number": 0}, ["number"]),
        *tried("survey", survey, {"dataset": dataset}, ["max_games"]),
        *tried("split", lambda seed: split(dataset, fresh_folder(), {"a": 0.5, "b": 0.5}, seed), {}),
        *tried("split share", lambda share: split(dataset, fresh_folder(), {"a": share, "b": 0.5}), {}),
        *tried("rows", partial(decisions.rows, encoder), row, ["games", "steps", "seats", "out"]),
        *tried("labelled_rows", partial(decisions.labelled_rows, encoder), row, ["games", "steps"]),
        *tried("places", decisions.places, row, ["games", "steps"]),
        *tried("find", decisions.find, {}, ["encoder", "games"]),
        *tried("outcomes", decisions.outcomes, {}, ["unit"]),
        *tried("Source", Source, source, None),
        *tried("GameRecord", GameRecord, fields, fields, lambda made: made.text()),
        *tried("GameRecord.of", GameRecord.of, {"game": game, "state": states[0], "agents": record.agents}),
        *tried("GameRecord.parse", GameRecord.parse, {}, ["line"]),
    ]
    require_none(found)


# --- commands ---

TEXTS: Final = (
    "nan",
    "inf",
    "-1",
    "0",
    "1.5",
    "1e6",
    "x",
    "",
    str(2**63),
    str(10**30),
    "9" * 5000,
    "true",
    "None",
)


def numbers_of(command: type) -> list[str]:
    """The options of a command that are numbers."""
    return [
        field.name
        for field in dataclasses.fields(command)
        if any(kind in (int, float) for kind in (field.type, *get_args(field.type)))
    ]


def command(words: list[str]) -> None:
    """Runs a command, which is to succeed or to end with one sentence on standard error."""
    errors = io.StringIO()
    sys.stdin = io.StringIO()
    with contextlib.redirect_stderr(errors):
        try:
            status = main(words)
        except SystemExit as error:  # of a text that is no number
            assert error.code == 2
            raise ValueError(words[-2]) from None
    if status:
        raise ValueError(errors.getvalue().strip())


COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "match": ("--agents", "random", "exploring(agent=random)", "--deals", "1"),
    "audit": ("random", "exploring(agent=random)", "--players", "random", "--deals", "1"),
    "exploit": ("random", "--bidder", "random", "--worlds", "1", "--deals", "1", "--roles", "declarer"),
    "generate": ("--agents", "random", "--deals", "2", "--out", "OUT"),
    "play": ("--agents", "random"),
    "solve": ("POSITIONS",),
    "review": ("GAMES",),
    "data import": ("GAMES", "OUT"),
    "data split": ("DATASET", "--out", "OUT"),
    "data sample": ("DATASET",),
    "inference": ("--beliefs", "uniform", "--data", "DATASET", "--part", "all", "--games", "1"),
    "reproduce": (
        "aaldering-tables-6-7",
        "--scale",
        "smoke",
        "--out",
        "OUT",
        "--deals",
        "1",
        "--effort",
        "2",
    ),
}
"""Commands with numbers, and what else they need."""


def entry_of(name: str) -> type:
    """The dataclass of a command."""
    first, _, second = name.partition(" ")
    [entry] = importlib.metadata.entry_points(group="skat_env.commands", name=first)
    found: type = entry.load()
    return getattr(sys.modules[found.__module__], second.capitalize()) if second else found


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_of_commands(name: str, tmp_path: Path) -> None:
    states = random_games(registry.get_game("skat"), 3, 1)
    records = [GameRecord.of("skat", state, ("a", "b", "c")) for state in states]
    (tmp_path / "games.jsonl").write_text("".join(record.text() + "\n" for record in records))
    with DatasetWriter(tmp_path / "dataset", "skat") as writer:
        for record in records:
            writer.add(record)
    deal = KlaverjasState.random(np.random.default_rng(1)).deal
    hands = [mask_text(mask).replace(".", " ") for mask in deal.places]
    state = KlaverjasState.new(deal, declarer=0, trump=3)
    played = []
    while len(state.plays()) < 24:
        played.append(card_text(state.legal_actions()[0]))
        state.apply(state.legal_actions()[0])
    (tmp_path / "positions.jsonl").write_text(
        json.dumps({"trump": "C", "declarer": 0, "forehand": 0, "hands": hands, "played": played}) + "\n"
    )
    numbers = itertools.count()
    places = {"GAMES": "games.jsonl", "DATASET": "dataset", "POSITIONS": "positions.jsonl"}

    def run(option: str, text: str) -> None:
        out = str(tmp_path / f"out{os.getpid()}_{next(numbers)}")
        words = [
            out if word == "OUT" else str(tmp_path / places[word]) if word in places else word
            for word in COMMANDS[name]
        ]
        command([*name.split(), *words, f"--{option.replace('_', '-')}", text])

    calls = [
        Call(
            f"{name} --{option} {text[:20]}",
            partial(run, option, text),
            (option, option.replace("_", "-"), text[:20] or "''", option.rstrip("s")),
            text in ("0", "None", str(2**63), str(10**30)) or (option in REAL and text in ("1.5", "1e6")),
        )
        for option in numbers_of(entry_of(name))
        for text in (TEXTS if ALL else TEXTS[zlib.crc32(f"{name}{option}".encode()) % SHARE :: SHARE])
    ]
    require_none(calls)
