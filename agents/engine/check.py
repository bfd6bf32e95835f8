"""Conformance of engines: a table of what an engine must do."""

import itertools
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.table import Table

from skat_env.agents.engine.agent import Engine
from skat_env.agents.engine.judging import differences
from skat_env.beliefs.belief import Belief
from skat_env.errors import EngineError
from skat_env.options import Count, Seed, checked_options
from skat_env.play.randomness import agent_rng, deal_rng, question_rng
from skat_env.protocols import Game, State
from skat_env.registry import get_game
from skat_env.rule_options import parse_rules, rule_choices
from skat_env.tools.console import Console

PROBES = 3
"""Decisions of a game at which the hidden cards are dealt anew: each takes two processes and the game so far, twice."""
UNKNOWN_GAMES = 20
"""Games of which an engine tells nothing before it is taken not to know their rules."""
HONEST_GAMES = 5
"""Games that are probed."""
REPEATS = 5
"""Times that a question is asked again before a decision that changed is put down to hidden cards, and not to luck."""


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table."""

    game: str
    what: str
    passed: bool | None
    """None: not done, because the engine does not play the game."""
    found: str
    """What was found, in words."""


@checked_options("a check of an engine")
def check_engine(
    command: str,
    game_names: Sequence[str],
    games: Count = 10,
    time: Count = 1000,
    seed: Seed = 0,
    rules: str = "",
    positions: Count = 1000,
    instead: str = "",
) -> list[Check]:
    """What an engine does and fails to do; where it gives no answer, the checks of that game end.

    Honesty: at some decisions the cards that the seat does not see are dealt anew as the rules allow. One fresh process
    is asked all questions of the true game so far, another all of the other; the decision must be the same.

    Args:
        command: the command that starts the engine.
        game_names: the games to play; the engine may refuse all but one.
        games: the number of games.
        time: the milliseconds that a decision may take.
        seed: the seed of the deals and the engine's luck.
        rules: options of the rules by which games are played.
        positions: the positions of random games in which the rules of an engine that tells them are compared, at
            least, by `rules` and with each option changed.
        instead: the agent that decides where the engine fails, so that failures are counted; empty: the first ends it.

    Raises:
        OptionError: if the command names no program.
        UnknownName: if there is no such game.
    """
    checks: list[Check] = []
    refused: list[Check] = []
    for name in game_names:
        engine = Engine(command, time, game=name)
        try:
            engine.start()
            remembers = engine.remembers
        except EngineError as error:
            refused.append(Check(name, "handshake", None, str(error)))
            continue
        finally:
            engine.close()
        checks.append(Check(name, "handshake", True, "remembers its games" if remembers else "ready"))
        checks += _Checks(command, get_game(name), games, time, seed, rules, positions, instead).run()
    if not checks:
        return [Check(row.game, row.what, False, row.found) for row in refused]
    return [*checks, *refused]


@dataclass
class _Checks:
    """The checks of a game that the engine plays, with the arguments of `check_engine`."""

    command: str
    game: Game
    games: int
    time: int
    seed: int
    rules: str
    positions: int
    instead: str
    what: str = "legal play"
    """The check that goes on."""
    rows: list[Check] = field(default_factory=list)

    def run(self) -> list[Check]:
        """All checks, up to one in which the engine gives no answer."""
        engine = self._engine()
        try:
            played = self._play(engine)
            if engine.judges:
                self.what = "rules"
                self.rows += self._rules(engine)
            self._note("luck", True, self._luck(engine, played))
            self.what = "end"
            status = engine.quit()
            words = "had to be killed" if status is None else f"status {status}"
            self._note("end", status == 0, f"{words} after 'quit'")
            self._honesty(played)
        except EngineError as error:
            self._note(self.what, False, str(error))
        finally:
            engine.close()
        return self.rows

    def _engine(self) -> Engine:
        return Engine(self.command, self.time, self.instead, game=self.game.name)

    def _note(self, what: str, passed: bool, found: str) -> None:
        self.rows.append(Check(self.game.name, what, passed, found))

    def _play(self, engine: Engine) -> list[State]:
        """Whole games, in which the engine has all seats; in every other game the actions before the last stage are
        drawn at random after it was asked, as many engines would pass every deal.
        """
        engine.start()
        options, last = parse_rules(self.rules, self.game), self.game.stages[-1]
        played: list[State] = []
        moves = failures = 0
        slowest = 0.0
        for deal in range(self.games):
            state = self.game.state.random(deal_rng(self.seed, deal), options)
            rngs = [agent_rng(self.seed, deal, seat) for seat in range(len(self.game.seats))]
            table = question_rng(self.seed, deal, 0)
            while not state.is_over:
                began = clock.perf_counter()
                decision = engine.decide(state.view(state.to_act), rngs[state.to_act])
                slowest = max(slowest, clock.perf_counter() - began)
                failures += "failure" in decision.stats
                is_drawn = deal % 2 and state.stage != last
                state.apply(int(table.choice(state.legal_actions())) if is_drawn else decision.action)
                moves += 1
            played.append(state)
        failed = f", {failures:,} of them failed" if failures else ""
        self._note("legal play", True, f"{moves:,} decisions in {self.games:,} games{failed}")
        self._note("time", True, f"{1000 * slowest:.1f} ms at most, {self.time:,} allowed")
        return played

    def _rules(self, engine: Engine) -> list[Check]:
        """What the engine's rules say of all positions of random games, by the rules and with each option changed: a
        row each.

        An engine that does not know an option says nothing of these positions.
        """
        checks = []
        for text in [self.rules, *_changed(self.game, self.rules)]:
            judged = facts_told = 0
            wrong: dict[str, list[str]] = {}
            for deal in itertools.count():
                if judged >= self.positions or (deal == UNKNOWN_GAMES and not judged):
                    break
                rng = question_rng(self.seed, deal, 1)
                state = self.game.state.random(rng, parse_rules(text, self.game))
                while True:
                    found = engine.judge(state)
                    judged += bool(found)
                    facts_told += len(found)
                    for each in differences(self.game, state, found):
                        wrong.setdefault(each.split()[0], []).append(f"{each} at '{state.text()}'")
                    if state.is_over:
                        break
                    state.apply(int(rng.choice(state.legal_actions())))
            words = f"{text or 'default'}: {judged:,} positions, {facts_told:,} facts"
            if not judged:
                checks.append(Check(self.game.name, "rules", None, f"{text or 'default'}: not known to it"))
            else:
                summary = f"{words}; {_differing(wrong)}" if wrong else f"{words}, all as ours"
                checks.append(Check(self.game.name, "rules", not wrong, summary))
        return checks

    def _luck(self, engine: Engine, played: Sequence[State]) -> str:
        """How many decisions of games change when they are asked for once more with another seed.

        A program that is given whole deals has the unseen cards dealt by the seed: what it does not decide by chance it
        decides by cards that it should not see.
        """
        asked = changed = 0
        for deal, final in enumerate(played):
            state = _before(final, 0)
            for number, action in enumerate(final.history()):
                if state.legal().bit_count() > 1:
                    view = state.view(state.to_act)
                    decisions = [
                        engine.decide(view, question_rng(self.seed, deal, number + 1000 * other))
                        for other in (1, 2)
                    ]
                    if not any("failure" in each.stats for each in decisions):
                        asked += 1
                        changed += decisions[0].action != decisions[1].action
                state.apply(action)
        return f"{changed:,} of {asked:,} decisions change with the seed ({changed / max(1, asked):.2%})"

    def _honesty(self, played: Sequence[State]) -> None:
        """Whether decisions stay the same when hidden cards change."""
        self.what = "honesty"
        asked = 0
        for deal, state in itertools.islice(enumerate(played), HONEST_GAMES):
            length = len(state.history())
            for number in sorted({length * probe // (PROBES + 1) for probe in range(1, PROBES + 1)}):
                if wrong := self._dishonest(deal, _before(state, number), number):
                    self._note("honesty", False, wrong)
                    return
                asked += 1
        self._note("honesty", True, f"{asked} decisions alike with other hidden cards")

    def _dishonest(self, deal: int, true: State, number: int) -> str:
        """What is wrong with a decision of a game when its hidden cards change; empty if nothing is."""
        view = true.view(true.to_act)
        belief = Belief(view)
        rng = question_rng(self.seed, deal, number)
        other = belief.state(belief.sample(1, rng)[0], rng)
        answers = [self._last_answer(deal, state) for state in (true, other)]
        if answers[0] == answers[1]:
            return ""
        words = "with other hidden cards"
        for _ in range(REPEATS):
            again = self._last_answer(deal, true)
            if again != answers[0]:
                answers[1], words = again, "another time that it is asked with the same seed"
                break
        texts = [self.game.actions[action] for action in answers]
        return f"plays {texts[0]}, but {texts[1]} {words}, at '{view.text()}'"

    def _last_answer(self, deal: int, state: State) -> int:
        """The decision in a state by a fresh process that was asked all questions that led there."""
        actions = state.history()
        past = _before(state, 0)
        engine = self._engine()
        try:
            for number, action in enumerate(actions):
                engine.decide(past.view(past.to_act), question_rng(self.seed, deal, number))
                past.apply(action)
            return engine.decide(past.view(past.to_act), question_rng(self.seed, deal, len(actions))).action
        finally:
            engine.close()


def _before(final: State, number: int) -> State:
    """The position of a game after a number of actions."""
    state = final.clone()
    while len(state.history()) > number:
        state.undo()
    return state


def _differing(wrong: Mapping[str, Sequence[str]]) -> str:
    """The number of differences by fact, and the first."""
    counts = ", ".join(f"{name} of {len(each):,}" for name, each in wrong.items())
    return f"others: {counts}; the first: {next(iter(wrong.values()))[0]}"


def _changed(game: Game, rules: str) -> list[str]:
    """Some rules with each option changed to each of its other values, as texts."""
    given = dict(word.split("=") for word in rules.replace(",", " ").split())
    return [
        " ".join(f"{name}={value}" for name, value in {**given, option.name: choice}.items())
        for option in rule_choices(game)
        for choice in option.choices
        if choice != given.get(option.name, option.default)
    ]


def print_checks(checks: Sequence[Check], console: Console) -> None:
    """Prints the table."""
    table = Table("game", "check", "", "found", box=None)
    words = {True: "passed", False: "FAILED", None: "not played"}
    for check in checks:
        table.add_row(check.game, check.what, words[check.passed], check.found)
    console.print(table, highlight=False)
