"""`skat-env play`: a person at the terminal against agents."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from skat_env.cards import SUIT_SYMBOLS
from skat_env.errors import ParseError
from skat_env.options import MAX_COUNT, Range, Seed, check_fields, shown
from skat_env.play.capabilities import decide
from skat_env.play.randomness import sealed_rng
from skat_env.protocols import Agent, Game, State
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules

HELP = "a number or a name (SJ, s10, pass, H, hearts ...) plays it; h hint, u undo, q quit"


@dataclass
class Play:
    """Play a game at the terminal against named agents, with undo and hints.

    Example: skat-env play --game klaverjas --agents rule
    """

    game: str = "skat"
    """The game to play."""
    agents: tuple[str, ...] = ("rule",)
    """The other players: one agent for all, or one for each in the order of play after you."""
    seat: int | None = None
    """Your seat, counted from 0; default: the next one with every deal."""
    seed: Seed | None = None
    """The seed of the deals and of the agents' randomness; default: a new one each time."""
    rules: str = ""
    """Rule options that differ from the defaults, such as "legality=amsterdam choice=free"."""
    hint: str = "rule"
    """The agent that gives hints."""
    deals: Annotated[int, Range(ge=0, le=MAX_COUNT)] = 0
    """The number of deals to play; 0: until you quit."""

    def __post_init__(self) -> None:
        check_fields(self, "play")

    def run(self) -> int:
        """Plays until the person quits and returns the exit status."""
        game = get_game(self.game)
        table = Table(
            game,
            self._others(game),
            make_agent(self.hint, self.game),
            np.random.default_rng(self.seed),
            input,
            print,
            parse_rules(self.rules, game),
        )
        deal, points = 0, 0
        while not self.deals or deal < self.deals:
            seat = deal % len(game.seats) if self.seat is None else self.seat
            result = table.play_deal(seat, deal)
            if result is None:
                break
            deal, points = deal + 1, points + result
            print(f"\nYou have {points} points after {deal} {'deal' if deal == 1 else 'deals'}.\n")
        return 0

    def _others(self, game: Game) -> list[Agent]:
        seats = len(game.seats)
        if self.seat is not None and not 0 <= self.seat < seats:
            raise ValueError(f"seat {self.seat} is not one of 0..{seats - 1}")
        names = self.agents * (seats - 1) if len(self.agents) == 1 else self.agents
        if len(names) != seats - 1:
            raise ValueError(f"{len(names)} agents given: expected one, or {seats - 1}")
        return [make_agent(name, game.name) for name in names]


class Table:
    """A person and agents playing a game; two functions read the person's input and show text."""

    def __init__(
        self,
        game: Game,
        others: list[Agent],
        adviser: Agent,
        rng: np.random.Generator,
        read: Callable[[str], str],
        show: Callable[[str], None],
        rules: Any = None,
    ) -> None:
        self.game, self.others, self.adviser, self.rng = game, others, adviser, rng
        self.agents_rng = sealed_rng(rng)
        self.read, self.show = read, show
        self.rules = rules or game.rules()

    def play_deal(self, seat: int, number: int) -> int | None:
        """Plays a deal with the person at a seat; returns the person's points, or None after quitting."""
        state: State = self.game.state.random(self.rng, self.rules)
        self.show("─" * min(78, shutil.get_terminal_size().columns))
        partners = [self.game.seats[each] for team in self.game.teams for each in team if seat in team]
        partner = "".join(f", {name} is your partner" for name in partners if name != self.game.seats[seat])
        self.show(f"Deal {number + 1}: you are {self.game.seats[seat]}{partner}.\n")
        own_moves: list[int] = []  # lengths of the history at the person's turns, for undo
        while not state.is_over:
            if state.to_act != seat:
                self._others_move(state, seat)
                continue
            self.show("\n" + self.game.render(state, seat))
            answer = self._ask(state)
            if answer == "q":
                return None
            if answer == "u":
                if not own_moves:
                    self.show("There is nothing to undo.")
                    continue
                back = own_moves.pop()
                while len(state.history()) > back:
                    state.undo()
            elif answer == "h":
                decision = decide(self.adviser, state.view(seat), state, self.agents_rng)
                self.show(f"{self.adviser.name} would choose: {self.game.label(state, decision.action)}")
            else:
                own_moves.append(len(state.history()))
                state.apply(int(answer))
        self.show("\n" + self.game.render(state, None))
        return state.returns()[seat]

    def _others_move(self, state: State, seat: int) -> None:
        mover = state.to_act
        agent = self.others[(mover - seat - 1) % len(self.game.seats)]
        action = decide(agent, state.view(mover), state, self.agents_rng).action
        shown = self.game.label(state, action)
        state.apply(action)
        if state.view(seat).history()[-1] != action:
            shown = "discards a card"
        self.show(f"{self.game.seats[mover]:<11} {shown}")

    def _ask(self, state: State) -> str:
        """Asks until the answer is `q`, `u`, `h` or a legal action; returns it, an action as its number."""
        legal = self.game.arrange(state, state.legal_actions())
        labels = [self.game.label(state, action) for action in legal]
        self.show(_wrapped([f"{i}: {label}" for i, label in enumerate(labels, start=1)]))
        while True:
            try:
                words = self.read("> ").strip()
            except EOFError:
                return "q"
            # Where `H` names hearts, only a small `h` asks for a hint.
            is_name = words in (self.game.actions[action] for action in legal)
            if not is_name and words.lower() in ("q", "u", "h"):
                return words.lower()
            try:
                return str(self._choice(words, legal, labels))
            except ParseError as error:
                self.show(f"{error}; {HELP}")

    def _choice(self, words: str, legal: list[int], labels: list[str]) -> int:
        """The legal action that the input names, by its number in the list or by its name."""
        # Python reads no numbers of thousands of digits.
        if words.isdecimal() and len(words) < 4:
            if not 1 <= int(words) <= len(legal):
                raise ParseError(f"{words} is not one of 1..{len(legal)}")
            return legal[int(words) - 1]
        name = words.upper().replace("10", "T")
        for action, label in zip(legal, labels, strict=True):
            symbol, _, word = label.partition(" ")
            word = word if symbol in SUIT_SYMBOLS else label
            if name in (each.upper().replace("10", "T") for each in (self.game.actions[action], label, word)):
                return action
        raise ParseError(f"{shown(words)} is not a legal action")


def _wrapped(choices: list[str], width: int = 78) -> str:
    """The choices in lines of at most `width` characters, broken between choices."""
    lines = [choices[0]]
    for choice in choices[1:]:
        if len(lines[-1]) + len(choice) + 3 > width:
            lines.append(choice)
        else:
            lines[-1] += "   " + choice
    return "\n".join(lines)
