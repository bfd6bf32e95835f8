"""The registry: games, their parts, and agents, beliefs and evaluators, by name.

A name is looked up as `GAME.NAME`, then as `NAME`: each among the values given to `register` in this process, then
among the entry points of its group, where other packages can add theirs. So `GAME.NAME` in either place comes before
`NAME`. The groups are `skat_env.games`, `skat_env.parts`, `skat_env.agents`, `skat_env.beliefs` and
`skat_env.evaluators`.

A new game is a `Game`, registered with `register_game` or in the group `skat_env.games`. Whatever else generic code
needs from it (encoders, objectives of PIMC, networks ...) are its parts, named `GAME.PART`; `PARTS` lists them.
An entry point `GAME.NAME` of any other name is a table of parts: by name, where each is, as `package.module:OBJECT`.

An agent is described by a text such as `pimc(worlds=160, belief=uniform)`. The value of an option is a number, a word,
or a text with options of its own, which the constructor passes to `make_agent`, `make_belief` or `make_evaluator`.
"""

import copyreg
import importlib
import importlib.metadata
import inspect
import pickle
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from skat_env.call_text import parse_call
from skat_env.errors import ParseError, UnknownName
from skat_env.options import check_options
from skat_env.protocols import Agent, Game, WorldSampler
from skat_env.tools.extras import explained
from skat_env.tools.interrupts import interrupts_waiting

GAME_GROUP: Final = "skat_env.games"
PART_GROUP: Final = "skat_env.parts"
AGENT_GROUP: Final = "skat_env.agents"
BELIEF_GROUP: Final = "skat_env.beliefs"
EVALUATOR_GROUP: Final = "skat_env.evaluators"
OURS: Final = {"skat": "skat_env.skat", "klaverjas": "skat_env.klaverjas"}
"""The games of this package and the modules that define them as `GAME`; found without entry points."""
PARTS: Final = {
    "encoders": "the encoders of network inputs, a tuple of `Encoder` in the order of the game's decisions",
    "suit_features": "where the observation says what differs from suit to suit, a `SuitFeatures` of `features`",
    "formats": "the formats of recorded games, a tuple of `LineFormat`",
    "facts": "the result of a recorded game: (record or None) -> the facts by name",
    "picture": "(position, seat at the bottom or None) -> what a picture of it shows, a `Table` of `pictures`",
    "text": "the game in words, a `GameText` of `text`",
    "struct": "what its structs have of their own, a `GameStruct` of `structs`",
    "fresh_heads": "(rules) -> the heads of the positions in which a fresh deal begins, all equally likely",
    "limits": "the most actions of a game and bounds of its returns, a `Limits`",
    "start_table": "the table format with one start per row, a `StartTable`",
    "review": "the open-card values and words of reviews, a `ReviewedGame` of `solvers`",
    "open_card": "lines of open-card positions, an `OpenCardGame` of `solvers`",
    "guaranteed": "lines of what one player knows and is sure of, a `SolvedLines` of `solvers`",
    "endings": "(state in the cardplay) -> what its ending may be played for, by name: each an `Outcome` of `solvers`",
    "sure_claim": "(view, claim) -> whether a claim holds whatever the others hold and play, None: not found out",
    "sure_cards": "() -> (view) -> the cards found to win whatever the others hold and play",
    "objectives": "the objectives of PIMC by name, the first the default: name -> a function that makes one",
    "outcomes": "the outcomes of searches with vectors, an `Outcomes` of `agents`",
    "card_networks": "the networks of the cardplay with a policy and a value, a `CardNetworks`",
    "card_values": "the networks that value cards, a `ValueLayout`",
    "world_values": "the network that values whole worlds of the cardplay, a `WorldLayout`",
    "locations": "the networks of card locations, a `LocationLayout`",
    "past_decisions": "the decisions that the other seats have made, `PastDecisions`",
    "tasks": "the networks that imitate players, an `ImitationTasks`",
    "tables": "statistics of the cards that players hold, a `Counting` of `skat_env.agents.learners.tables`",
    "winning": "statistics of which hands win, a `Counting` of `skat_env.agents.learners.tables`",
    "openings": "statistics of which cards are played, a `Counting` of `skat_env.agents.learners.tables`",
    "value_network": "the network that values positions of the cardplay, a `ValueNetwork`",
    "alike_suits": "(network) -> the interchangeable suits of its rows, and whether their jacks change places too",
    "card_shuffle": "(rows of policy-value networks, rng) -> the rows with their suits shuffled",
    "random_declaration": "(rng, rules=None) -> the start of a cardplay after a declaration drawn at random",
    "scale": "what agents of known strength score, a `Scale`",
    "ladder": "the benchmark, the anchors and the agents of the ladder, a `LadderGame`",
    "quality": "the kinds of game and roles of reports on inference quality, a `QualityGroups`",
}
"""The parts that a game may give to generic code, by name; without one, what needs it does not work for the game."""

_registered: dict[tuple[str, str], Any] = {}


def register(group: str, name: str, value: Any) -> None:
    """Adds a value to a group in this process; worker processes find entry points only.

    Args:
        group: one of the groups of this module.
        name: `NAME`, or `GAME.NAME` if it is for one game.
        value: the object that an entry point of that name would load.
    """
    _registered[group, name] = value


def register_game(game: Game) -> None:
    """Adds a game in this process; see `register`.

    Raises:
        ValueError: if its name is that of a game of this package.
    """
    if game.name in OURS:
        raise ValueError(f"the game '{game.name}' is this package's own: expected another name")
    register(GAME_GROUP, game.name, game)


def game_names() -> tuple[str, ...]:
    """The names of all games.

    >>> game_names()
    ('skat', 'klaverjas')
    """
    return tuple(dict.fromkeys((*OURS, *_known(GAME_GROUP))))


def get_game(name: str) -> Game:
    """The game with a name.

    >>> get_game("klaverjas").seats
    ('south', 'west', 'north', 'east')

    Raises:
        UnknownName: if there is none.
    """
    game: Game
    if isinstance(name, str) and name in OURS:
        game = importlib.import_module(OURS[name]).GAME
        return game
    found = _find(GAME_GROUP, name) if isinstance(name, str) else None
    if found is None:
        raise UnknownName("game", name, game_names())
    game = found
    return game


def game_of(position: object) -> Game | None:
    """The game that a State or a View is of; None: of none.

    >>> from skat_env.registry import game_of
    >>> game_of(get_game("skat").state.random(np.random.default_rng(1)).view(0)).name
    'skat'
    """
    games = map(get_game, game_names())
    return next((game for game in games if isinstance(position, game.state | game.view)), None)


def _game_by_name(game: Game) -> Any:
    """How to pickle a game: by its name, as it holds functions; one that is not the registry's has no name."""
    if get_game(game.name) is not game:
        raise pickle.PicklingError(
            f"a game of another kind than the registry's '{game.name}' cannot be copied"
        )
    return get_game, (game.name,)


copyreg.pickle(Game, _game_by_name)


def has_part(game: str, part: str) -> bool:
    """Whether a game has a part."""
    return (PART_GROUP, f"{game}.{part}") in _registered or part in _part_homes(game)


def get_part(game: str, part: str) -> Any:
    """A part of a game, by a name in `PARTS`.

    Raises:
        UnknownName: if there is no such game, or no game has such a part.
        ValueError: if the game lacks this part.
    """
    if (PART_GROUP, f"{game}.{part}") in _registered:
        return _registered[PART_GROUP, f"{game}.{part}"]
    home = _part_homes(game).get(part)
    if home is None:
        get_game(game)
        if part not in PARTS:
            raise UnknownName("part of a game", part, PARTS)
        raise ValueError(f"the game '{game}' has no part '{part}': {PARTS[part]}")
    return _loaded(home)


def agent_names(game: str) -> list[str]:
    """The names that `make_agent` knows for a game.

    >>> "pimc" in agent_names("skat")
    True

    Raises:
        UnknownName: if there is no such game.
    """
    return _names(AGENT_GROUP, game)


def make_agent(spec: str | Agent, game: str) -> Agent:
    """The agent that a text describes; an agent object is returned as it is.

    >>> make_agent("pimc(worlds=40)", "klaverjas").name
    'pimc(worlds=40, belief=uniform, objective=made)'

    Raises:
        ParseError: if the text is malformed or an option is missing or given twice.
        UnknownName: if there is no such game or agent, or it has no such option.
    """
    if not isinstance(spec, str):
        return spec
    agent: Agent = _make(AGENT_GROUP, "agent", spec, game)
    return agent


def make_belief(spec: str | WorldSampler, game: str) -> WorldSampler:
    """The world sampler that a text describes; a sampler is returned as it is.

    >>> make_belief("uniform", "skat").name
    'uniform'

    Raises:
        ParseError, UnknownName: as `make_agent`.
    """
    if not isinstance(spec, str):
        return spec
    sampler: WorldSampler = _make(BELIEF_GROUP, "belief", spec, game)
    return sampler


def make_evaluator(spec: str | Any, game: str) -> Any:
    """The evaluator of a tree search's leaves that a text describes; an evaluator is returned as it is.

    Raises:
        ParseError, UnknownName: as `make_agent`.
    """
    return _make(EVALUATOR_GROUP, "evaluator", spec, game) if isinstance(spec, str) else spec


def agent_factory(name: str, game: str) -> Callable[..., Any]:
    """What makes the agents of a name: a class, or a function.

    Raises:
        UnknownName: if there is no such game or agent.
        ImportError: if it needs an extra that is missing; names it.
    """
    return _factory(AGENT_GROUP, "agent", name, game)


def agent_options(spec: str, game: str) -> dict[str, Any]:
    """The options of the agent that a text describes, with their values in the text or by default; an option that must
    be given and is not, is left out.

    >>> agent_options("exploring(rule, share=0.2)", "skat")["share"]
    0.2

    Raises:
        ParseError, UnknownName: as `make_agent`.
    """
    _, factory, given = _read(AGENT_GROUP, "agent", spec, game)
    values = {
        name: given.get(name, parameter.default) for name, parameter in option_parameters(factory).items()
    }
    return {name: value for name, value in values.items() if value is not inspect.Parameter.empty}


def option_parameters(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The options of what makes an agent, by name: its parameters, or the fields of its class `Options` if it takes one
    object; without the game.
    """
    parameters = inspect.signature(getattr(factory, "Options", None) or factory).parameters
    return {name: parameter for name, parameter in parameters.items() if name != "game"}


def _read(group: str, kind: str, spec: str, game: str) -> tuple[str, Callable[..., Any], dict[str, Any]]:
    """What a text names: the name, the factory, and the options that are given."""
    name, arguments, given = parse_call(spec)
    factory = _factory(group, kind, name, game)
    known = list(option_parameters(factory))
    if len(arguments) > len(known):
        raise ParseError(f"{kind} '{name}' takes at most {len(known)} options, got {len(arguments)}")
    options = dict(zip(known, arguments, strict=False))
    for option in given:
        if option not in known:
            raise UnknownName(f"option of {kind} '{name}'", option, known)
        if option in options:
            raise ParseError(f"{kind} '{name}' is given its option '{option}' twice")
    return name, factory, options | given


def _make(group: str, kind: str, spec: str, game: str) -> Any:
    """The object that a text describes, made by an entry of a group."""
    name, factory, options = _read(group, kind, spec, game)
    for option, parameter in option_parameters(factory).items():
        if parameter.default is inspect.Parameter.empty and option not in options:
            raise ParseError(f"{kind} '{name}' needs its option '{option}'")
    collected = getattr(factory, "Options", None)
    options = check_options(name, collected or factory, options)
    if collected is not None:
        return factory(collected(**options), game=game)
    if "game" in inspect.signature(factory).parameters:
        options["game"] = game
    return factory(**options)


def _known(group: str) -> list[str]:
    """All full names of a group."""
    return [*(name for known, name in _registered if known == group), *_entries(group)]


@cache
def _entries(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    """The entry points of a group by name."""
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=group)}


@cache
def _part_homes(game: str) -> dict[str, importlib.metadata.EntryPoint]:
    """Where the parts of a game are, by name. Its entry points are parts, or tables that say where parts are."""
    homes: dict[str, importlib.metadata.EntryPoint] = {}
    for full_name, entry in _entries(PART_GROUP).items():
        owner, _, name = full_name.partition(".")
        if owner == game and name in PARTS:
            homes[name] = entry
        elif owner == game:
            table: Mapping[str, str] = _loaded(entry)
            homes |= {
                part: importlib.metadata.EntryPoint(part, home, PART_GROUP) for part, home in table.items()
            }
    return homes


def _find(group: str, full_name: str) -> Any:
    """The object with a full name; None if there is none."""
    if (group, full_name) in _registered:
        return _registered[group, full_name]
    entry = _entries(group).get(full_name)
    return None if entry is None else _loaded(entry)


@cache
def _loaded(entry: importlib.metadata.EntryPoint) -> Any:
    """The object of an entry point."""
    try:
        with interrupts_waiting():
            return entry.load()
    except ImportError as error:
        raise explained(error) from None


def _names(group: str, game: str) -> list[str]:
    """The names of a group for a game; raises an UnknownName if there is no such game."""
    get_game(game)
    prefix = f"{game}."
    names = _known(group)
    return sorted({name.removeprefix(prefix) for name in names if "." not in name or name.startswith(prefix)})


def _factory(group: str, kind: str, name: str, game: str) -> Callable[..., Any]:
    """The factory with a name; raises an UnknownName if there is none, or no such game."""
    get_game(game)
    for full_name in (f"{game}.{name}", name):
        factory: Callable[..., Any] | None = _find(group, full_name)
        if factory is not None:
            return factory
    raise UnknownName(f"{kind} for {game}", name, _names(group, game))
