"""A gauntlet in one line of Python: where agents stand against programs that others wrote."""

import itertools
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skat_env.call_text import parse_labelled
from skat_env.errors import OptionError, ParseError
from skat_env.gauntlet.report import print_gauntlet
from skat_env.gauntlet.result import Encounter, Gauntlet
from skat_env.match.folder import RESULT, MatchFolder, deals_in
from skat_env.match.play import MatchConfig
from skat_env.match.result import summarise
from skat_env.match.run import kept_match
from skat_env.options import Count, Seed, checked_options
from skat_env.play.casts import MODES, Mode
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.tools.console import Console, Printed
from skat_env.tools.provenance import write_result
from skat_env.tools.run_folder import ADVICE, RunFolder, run_folder, say_finished
from skat_env.tools.workers import Workers, require_workers

HEAD: Final = "gauntlet.json"
FORMS: Final[tuple[Mode, ...]] = ("alone", "all-seats", "mirrored")
"""The forms in which every pair plays, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class PlayedGauntlet(Printed):
    """A gauntlet that was played: printed it is its tables."""

    gauntlet: Gauntlet
    folder: Path

    def print_on(self, console: Console) -> None:
        """Prints a table for each form."""
        print_gauntlet(self.gauntlet, console)


@checked_options("play_gauntlet")
def play_gauntlet(
    out: Path | str,
    agents: Sequence[str],
    engines: Sequence[str],
    game: str = "skat",
    *,
    deals: Count = 300,
    seed: Seed = 0,
    forms: Sequence[Mode] = FORMS,
    rules: str | None = None,
    workers: Workers | int = 1,
) -> PlayedGauntlet:
    """Plays each of some agents against each of some engines, and says where they stand.

    `print(play_gauntlet("results/gauntlet", ["policy"], ["low=engine(command='python3 engines/lowest/lowest.py')"]))`

    All pairs of a form play the same deals. The folder holds a match for each pair and form, so that agents, engines
    and deals can be added later, and games are played once. The result has all matches of the folder that are finished.

    Args:
        out: the folder. The same call goes on with a gauntlet that was stopped.
        agents: the agents, by name; `LABEL=AGENT` gives one a short name.
        engines: the agents against which they play, in the same way.
        game: the game to play.
        deals: the number of deals of each match.
        seed: the seed of the deals and of the agents' randomness.
        forms: the modes of the matches, as `MatchConfig.mode`.
        rules: rule options that differ from the defaults.
        workers: who plays; the games do not depend on it.

    Raises:
        OptionError: if there are no agents, engines or forms, or one is given twice.
        FileExistsError: if the folder holds something else, or the gauntlet of other deals.
        ValueError: if a text described another agent when it came into the folder.
        UnknownName: if there is no such game or agent.
    """
    crew, about = require_workers(workers), get_game(game)
    if rules is not None:
        parse_rules(rules, about)
    ours, theirs = labelled("agents", agents), labelled("engines", engines)
    if not forms or len(set(forms)) < len(forms):
        raise OptionError(
            f"a gauntlet with forms={list(forms)}: expected some of {', '.join(MODES)}, each once"
        )
    if both := {*ours.values()} & {*theirs.values()}:
        raise OptionError(
            f"a gauntlet with {min(both)} as an agent and as an engine: expected different ones"
        )
    names = {text: make_agent(text, game).name for text in (*ours.values(), *theirs.values())}
    folder, found = Path(out), []
    head = {"game": game, "seed": seed, "rules": rules, "engines": theirs}
    with run_folder(folder, "gauntlet", HEAD, head, compared=("game", "seed", "rules")) as work:
        _add(work, ours, theirs, forms, names)
        wanted = {
            folder / place_of(form, agent, engine): MatchConfig(
                game, (agent[1], engine[1]), deals, seed, form, rules=rules
            )
            for form, engine, agent in itertools.product(forms, theirs.items(), ours.items())
        }
        if all((place / RESULT).exists() and deals_in(place) == deals for place in wanted):
            say_finished("gauntlet", folder)
        results = {
            place: kept_match(place, config, workers=crew, extend=True)[0] for place, config in wanted.items()
        }
        all_ours, all_theirs = work.head["agents"].items(), work.head["engines"].items()
        for form, engine, agent in itertools.product(work.head["forms"], all_theirs, all_ours):
            place = folder / place_of(form, agent, engine)
            if place not in results and (place / RESULT).exists():
                config = MatchConfig(game, (agent[1], engine[1]), deals_in(place), seed, form, rules=rules)
                results[place] = summarise(config, MatchFolder(place, config).read())
            if place in results:
                found.append(Encounter.of(agent[0], engine[0], results[place]))
        gauntlet = Gauntlet(about.name, seed, rules, found)
        write_result(folder / RESULT, gauntlet.as_json())
    return PlayedGauntlet(gauntlet, folder)


def _add(
    work: RunFolder,
    ours: dict[str, str],
    theirs: dict[str, str],
    forms: Sequence[Mode],
    names: dict[str, str],
) -> None:
    """Adds agents and engines, their full names and forms to those of a folder.

    Raises:
        ValueError: if a text described another agent when it came.
        ParseError: if the head is damaged.
    """
    head = work.head
    for key, new in (("agents", ours), ("engines", theirs), ("names", names)):
        there = head.get(key, {})
        if not isinstance(there, dict) or not all(isinstance(text, str) for text in there.values()):
            raise ParseError(f"{work.path / HEAD} is damaged: expected its {key} as texts by name; {ADVICE}")
        if key == "names":
            for text, name in new.items():
                if there.get(text, name) != name:
                    raise ValueError(
                        f"the gauntlet in {work.path} has '{text}' when it was {there[text]}; it is {name} here: "
                        f"{ADVICE}"
                    )
        head[key] = {**there, **new}
    known = head.get("forms", [])
    if not isinstance(known, list) or not all(form in MODES for form in known):
        raise ParseError(f"{work.path / HEAD} is damaged: expected forms of {', '.join(MODES)}; {ADVICE}")
    head["forms"] = list(dict.fromkeys((*known, *forms)))
    work.write_head()


def labelled(what: str, texts: Sequence[str]) -> dict[str, str]:
    """The agents of some texts, `LABEL=AGENT` or `AGENT`, by their labels.

    >>> from skat_env.gauntlet.play import labelled
    >>> labelled("agents", ["rule", "quick=champion(quick=true)"])
    {'rule': 'rule', 'quick': 'champion(quick=true)'}

    Raises:
        OptionError: if there are none, or two have the same label or are the same agent.
    """
    found: dict[str, str] = {}
    for text in texts:
        label, agent = parse_labelled(text)
        if label in found or agent in found.values():
            raise OptionError(f"a gauntlet with {what} of which '{label}' is given twice: expected each once")
        found[label] = agent
    if not found:
        raise OptionError(f"a gauntlet without {what}: expected one or more")
    return found


def place_of(form: str, *sides: tuple[str, str]) -> str:
    """The name of the folder of a match, from the labels and texts of both sides: it stays when others are added."""
    words = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-")[:24] for label, _ in sides)
    return f"{form}-{words}-{zlib.crc32(repr([text for _, text in sides]).encode()):08x}"
