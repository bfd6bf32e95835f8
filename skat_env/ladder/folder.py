"""The folder of a ladder: `ladder.json` says which benchmark and which agents, and each agent has a match of each track
in a folder of its own, in which it resumes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from skat_env.errors import ParseError
from skat_env.ladder.benchmark import TRACKS, Benchmark, Track, ladder_game
from skat_env.ladder.row import Row, Standing, standing
from skat_env.match.folder import RESULT, MatchFolder, deals_in
from skat_env.match.play import MatchConfig
from skat_env.match.result import summarise
from skat_env.match.run import kept_match
from skat_env.play.casts import Mode
from skat_env.registry import make_agent
from skat_env.tools.json_file import read_object
from skat_env.tools.run_folder import ADVICE, RunFolder, run_folder
from skat_env.tools.workers import Workers

HEAD: Final = "ladder.json"
SEED: Final = 1
"""The seed of the agents' randomness in all ladders."""
MODES: Final[dict[Track, Mode]] = {"deals": "all-seats", "cardplay": "mirrored"}


@contextmanager
def ladder_folder(path: Path, benchmark: Benchmark) -> Iterator["LadderFolder"]:
    """Opens the folder of a ladder, or makes it; one process at a time has it open.

    Raises:
        FileExistsError: if it holds something else than a ladder on this benchmark.
        BlockingIOError: if another process is working in it.
        ParseError: if it is damaged.
    """
    anchors = ladder_game(benchmark.game).anchors
    head = {
        "game": benchmark.game,
        "sha256": benchmark.sha256,
        "anchors": list(anchors),
        "agents": {anchor: make_agent(anchor, benchmark.game).name for anchor in anchors},
    }
    with run_folder(path, "ladder", HEAD, head, compared=("game", "sha256", "anchors")) as work:
        yield LadderFolder(path, benchmark, anchors, work)


class LadderFolder:
    """Keeps the matches of a ladder."""

    def __init__(self, path: Path, benchmark: Benchmark, anchors: tuple[str, ...], work: RunFolder) -> None:
        self.path, self.benchmark, self.anchors, self._work = path, benchmark, anchors, work
        self.agents: dict[str, str] = work.head["agents"]
        """The agents in the order in which they came, anchors first, and the full name that each had then."""
        if not all(isinstance(name, str) for name in self.agents.values()) or not {*anchors} <= {
            *self.agents
        }:
            raise ParseError(
                f"{path / HEAD} is damaged: expected its anchors and agents with their names; {ADVICE}"
            )

    def find(self, agent: str) -> str | None:
        """The agent of the ladder that a text describes; None: it has none such.

        Raises:
            ValueError: if the text described another agent when it came; UnknownName, ParseError: as `make_agent`.
        """
        name = make_agent(agent, self.benchmark.game).name
        if self.agents.get(agent, name) != name:
            raise ValueError(
                f"the ladder in {self.path} has '{agent}' when it was {self.agents[agent]}; it is {name} here: {ADVICE}"
            )
        return next((each for each, known in self.agents.items() if known == name), None)

    def add(self, agent: str) -> None:
        """Gives an agent a place in the ladder."""
        self.agents[agent] = make_agent(agent, self.benchmark.game).name
        self._work.write_head()

    def has_played(self, agent: str, deals: int = 1) -> bool:
        """Whether an agent of the ladder has finished its match of each track, of at least so many deals."""
        places = [self._place(agent, track) for track in TRACKS]
        return all((place / RESULT).exists() and deals_in(place) >= deals for place in places)

    def play(self, agent: str, deals: int, workers: Workers) -> None:
        """Plays an agent against the anchors, or goes on with it; more deals that were begun are played, too.

        The anchors play one match with each other.
        """
        for track in TRACKS:
            wanted = max(deals, deals_in(self._place(agent, track)))
            config = self._config(agent, track, wanted)
            starts = list(self.benchmark.starts[track][:wanted])
            kept_match(self._place(agent, track), config, starts, workers, extend=True)

    def rows(self) -> list[Row]:
        """A row for each agent that has finished a match."""
        rows = []
        for agent, name in self.agents.items():
            tracks = {track: found for track in TRACKS if (found := self._standing(agent, track)) is not None}
            if tracks:
                rows.append(Row(agent, name, tracks))
        return rows

    def _standing(self, agent: str, track: Track) -> Standing | None:
        """What an agent reached in its finished match of a track; None if it has none."""
        place = self._place(agent, track)
        if not (place / RESULT).exists():
            return None
        config = self._config(agent, track, deals_in(place))
        result = summarise(config, MatchFolder(place, config).read())
        commit = read_object(place / RESULT, ADVICE).get("commit")
        return standing(result, agent, self.anchors, commit)

    def _place(self, agent: str, track: Track) -> Path:
        """The folder of an agent's match; the anchors share theirs."""
        number = 0 if agent in self.anchors else 1 + list(self.agents).index(agent) - len(self.anchors)
        return self.path / f"{number:02}-{track}"

    def _config(self, agent: str, track: Track, deals: int) -> MatchConfig:
        together = agent in self.anchors
        return MatchConfig(
            self.benchmark.game,
            self.anchors if together else (agent, *self.anchors),
            deals,
            SEED,
            MODES[track],
            source=self.benchmark.file,
            against=None if together else agent,
        )
