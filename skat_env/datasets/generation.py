"""Generating datasets by self-play: whole files of a fixed number of games, to be stopped and resumed.

Every game is determined by the seed, its number and the agents, as the games of a match are. While the generation is
unfinished, `generation.json` holds what it was begun with; it goes when `dataset.json` is written.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from skat_env.datasets.dataset import (
    GENERATION,
    MANIFEST,
    Dataset,
    packed_shard,
    shard_path,
    shards_so_far,
    write_manifest,
    write_shard,
)
from skat_env.datasets.packing import Arrays, Packer
from skat_env.datasets.searches import Found, Searches, found
from skat_env.errors import ParseError
from skat_env.options import MAX_COUNT, check_fields
from skat_env.play._lanes import LanePlayer
from skat_env.play.capabilities import decide, tell_end
from skat_env.play.casts import Cast, team_cast
from skat_env.play.lanes import lane_players, play_in_lanes
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng
from skat_env.play.starts import StartsInTurn, require_kinds, starts_by_kind
from skat_env.protocols import Agent, Decision, State
from skat_env.records import MAX_SEED, GameRecord, Source
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.provenance import provenance
from skat_env.tools.run_folder import run_folder
from skat_env.tools.workers import Workers, map_ordered, require_workers

SERVER: Final = "generate"
"""The server of the records; their id is the number of the game."""

Progress = Callable[[int], None]
"""Called with the number of games made so far."""


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """What determines the games of a generated dataset."""

    game: str
    agents: tuple[str, ...]
    """The players. A single agent plays every seat; of several, each game draws one for each team."""
    deals: int
    seed: int = 0
    start: str = "deal"
    """Where the recorded games begin, by the name of a start source: `deal`, or a later stage, up to which `bidder`
    plays, or `random_declaration`."""
    bidder: str = "rule"
    rules: str | None = None
    """Options of the game's rules as `parse_rules` reads them; None: its defaults."""
    mark: str | None = None
    """A teacher: its searches of the players' decisions are kept in place of their own."""
    games_per_shard: int = 1000
    """Games per file. A killed generation loses at most one unfinished file per worker."""
    kinds: tuple[str, ...] | None = None
    """The kinds of game, made in turn, where games begin at the cardplay; None: whatever the bidder declares."""
    searches: bool = True
    """Whether the players' weights and values are kept. Without them a game takes a fifth of the room in Skat, a
    quarter in Klaverjas."""
    against: tuple[str, ...] | None = None
    """The players of all teams but one, drawn for each game as those of `agents` are; None: they are `agents` too."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        check_fields(self, "a generation")
        self.starts()
        if self.kinds is not None:
            require_kinds(game, self.kinds)
            if self.start != game.stages[-1]:
                raise ValueError(
                    f"kinds of game can be chosen from the cardplay on only: with --start {game.stages[-1]}"
                )
        if not self.agents or self.against == () or len(set(self.players)) < len(self.players):
            others = "" if self.against is None else f" against {' '.join(self.against) or 'none'}"
            raise ValueError(
                f"games need one or more different agents, got {' '.join(self.agents) or 'none'}{others}"
            )
        if self.mark is not None and not self.searches:
            raise ValueError("a teacher's searches are kept: --mark goes without --no-searches")
        for name in ("deals", "games_per_shard"):
            if not 1 <= getattr(self, name) <= MAX_COUNT:
                raise ValueError(
                    f"{name} {getattr(self, name)}: expected at least 1 and at most {MAX_COUNT:,}"
                )
        if not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"seed {self.seed} is not in 0..{MAX_SEED}")

    def facts(self) -> dict[str, Any]:
        """What `generation.json` and `dataset.json` tell of the config: `searches` only if they are left out, and
        `against` only if it names players.
        """
        facts = dataclasses.asdict(self)
        if self.searches:
            del facts["searches"]
        if self.against is None:
            del facts["against"]
        return facts

    @property
    def players(self) -> tuple[str, ...]:
        """All agents that play."""
        return (*self.agents, *(self.against or ()))

    @property
    def names(self) -> tuple[str, ...]:
        """All agents that decide or mark."""
        return (*self.players, *([] if self.mark is None else [self.mark]))

    def starts(self, bidder: Agent | None = None) -> StartsInTurn:
        """Where the games start, by number."""
        game = get_game(self.game)
        rules = None if self.rules is None else parse_rules(self.rules, game)
        return starts_by_kind(game, self.seed, self.start, bidder or self.bidder, rules, self.kinds)

    def numbers(self, shard: int) -> range:
        """The games of a file, by number."""
        return range(shard * self.games_per_shard, min((shard + 1) * self.games_per_shard, self.deals))

    def cast(self, number: int) -> Cast:
        """Who plays a game, by seat."""
        if len(self.players) == 1:
            return self.agents * len(get_game(self.game).seats)
        # One word more than the deal's generator and one less than the agents': none of them draws the same numbers.
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, 0)))
        teams = len(get_game(self.game).teams)
        others = self.agents if self.against is None else self.against
        by_team = [others[index] for index in rng.integers(len(others), size=teams)]
        if self.against is not None:
            by_team[rng.integers(teams)] = self.agents[rng.integers(len(self.agents))]
        return team_cast(self.game, by_team)


class ShardPlayer:
    """Plays the games of one file after another; what a worker process keeps.

    Args:
        config: what to play.
        agents: agent objects by name, for names that the registry does not know.
        in_lanes: whether games of networks alone, without a teacher, are played in lanes.
    """

    def __init__(
        self, config: GenerationConfig, agents: dict[str, Agent] | None = None, in_lanes: bool = True
    ) -> None:
        self.config = config
        self._agents = dict(agents or {})
        self._starts: StartsInTurn | None = None
        self.in_lanes = in_lanes
        self.players: list[LanePlayer] | None = None

    def __call__(self, shard: int) -> tuple[dict[str, Any], Arrays]:
        """The header and the arrays of a file."""
        config = self.config
        for name in config.names:
            if name not in self._agents:
                self._agents[name] = make_agent(name, config.game)
        self._starts = self._starts or config.starts(self._agents.get(config.bidder))
        numbers = config.numbers(shard)
        states: list[State] = self._starts(numbers)
        casts = [config.cast(number) for number in numbers]
        packer = Packer(get_game(config.game), {name: index for index, name in enumerate(config.players)})
        agents = [self._agents[name] for name in config.players]
        if self.in_lanes and config.mark is None and self.players is None:
            self.players = lane_players(agents)
        if self.players is None:
            self._play_in_step(numbers, states, casts, packer)
        else:
            seated = np.array([[packer.players[name] for name in cast] for cast in casts], np.int16)
            decided, _, _ = play_in_lanes(
                states,
                agents,
                self.players,
                seated,
                lambda game, seat: agent_rng(config.seed, numbers[game], seat),
                get_game(config.game).stages,
            )
            kept = Searches.packed(*decided) if config.searches else None
            packer.add_finished(states, seated, config.seed, SERVER, numbers.start, kept)
        for state, cast in zip(states, casts, strict=True):
            tell_end(state, [self._agents[name] for name in cast])
        return packed_shard(packer, numbers.start)

    def _play_in_step(self, numbers: range, states: list[State], casts: list[Cast], packer: Packer) -> None:
        """Plays games of any agents."""
        config = self.config
        marker = None if config.mark is None else self._agents[config.mark]
        unit = get_game(config.game).match_unit
        searches: list[list[Found]] = [[(None, None)] * len(state.history()) for state in states]

        # The marker has the generator of a seat that the game lacks, so that the players' luck does not depend on it.
        luck = [agent_rng(config.seed, n, len(get_game(config.game).seats)) for n in numbers]

        def observe(game: int, state: State, decision: Decision) -> None:
            actions = state.legal_actions()
            if marker is not None and len(actions) > 1:
                decision = decide(marker, state.view(state.to_act), state, luck[game])
            searches[game].append(found(actions, decision, unit))

        play_games(
            states,
            [[self._agents[name] for name in cast] for cast in casts],
            [
                [agent_rng(config.seed, number, seat) for seat in range(len(cast))]
                for number, cast in zip(numbers, casts, strict=True)
            ],
            observe,
        )
        for number, state, cast, steps in zip(numbers, states, casts, searches, strict=True):
            record = generated(config, number, state, cast)
            packer.add(record, Searches.of(steps) if config.searches else None)


def generated(config: GenerationConfig, number: int, state: State, cast: Cast) -> GameRecord:
    """The record of a finished game."""
    record = GameRecord.of(config.game, state, cast, config.seed)
    return dataclasses.replace(record, source=Source(SERVER, 0, number))


def generate(
    config: GenerationConfig,
    folder: Path,
    workers: Workers | int = 1,
    progress: Progress | None = None,
    agents: dict[str, Agent] | None = None,
) -> Dataset:
    """The dataset of games that agents play against each other, with what their searches found.

    A generation of the same config goes on where it was stopped; a finished one is left as it is.

    Args:
        config: what to play.
        folder: where the dataset goes.
        workers: who plays, or the number of processes; the games and their files do not depend on it.
        progress: is called at first and after every file.
        agents: agent objects by name, for names that the registry does not know.

    Raises:
        UnknownName, ParseError: as `make_agent`, before anything is written.
        ValueError: if these cannot be workers.
        FileExistsError: if the folder holds something else.
    """
    require_workers(workers)
    for name in (*config.names, *([config.bidder] if config.start in get_game(config.game).stages else [])):
        make_agent((agents or {}).get(name, name), config.game)
    begun = {**provenance(), "config": config.facts(), "resumed": []}
    with run_folder(
        folder, "generated dataset", GENERATION, begun, compared=("config",), finished=MANIFEST
    ) as opened:
        if not opened.is_finished:
            done = _done(folder, config)
            if not opened.is_new:
                opened.head["resumed"].append(provenance())
                opened.write_head()
            _play(folder, config, done, opened.head, workers, progress, agents)
        opened.clear()
    return Dataset(folder)


def _play(
    folder: Path,
    config: GenerationConfig,
    done: int,
    begun: dict[str, Any],
    workers: Workers | int,
    progress: Progress | None,
    agents: dict[str, Agent] | None,
) -> None:
    """Makes the files that are missing after those that are done, and finishes the dataset."""
    game = get_game(config.game)
    shards = range(-(-config.deals // config.games_per_shard))
    if progress:
        progress(min(done * config.games_per_shard, config.deals))
    played = map_ordered(ShardPlayer(config, agents), shards[done:], workers)
    for shard, (header, arrays) in zip(shards[done:], played, strict=True):
        write_shard(shard_path(folder, shard), game, header, arrays)
        if progress:
            progress(config.numbers(shard).stop)
    write_manifest(folder, game, [len(config.numbers(shard)) for shard in shards], config.players, **begun)


def _done(folder: Path, config: GenerationConfig) -> int:
    """How many files are there already.

    Raises:
        ParseError: if one of them is damaged, or not of these games.
    """
    done = 0
    for shard in shards_so_far(folder, get_game(config.game)):
        wrong = ""
        if len(shard) != len(config.numbers(done)):
            wrong = f"{len(shard)} games, expected {len(config.numbers(done))}"
        elif np.any(shard.rows.column("seed") != 1 + config.seed):
            wrong = f"games of another seed than {config.seed}"
        if wrong:
            raise ParseError(
                f"{shard.path} has {wrong}; nothing is changed: delete the file to make it again"
            )
        done += 1
    return done
