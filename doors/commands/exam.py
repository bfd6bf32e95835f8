"""`skat-env exam`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from skat_env.errors import OptionError
from skat_env.options import Range, Seed, check_fields
from skat_env.registry import make_agent
from skat_env.tools.console import Console
from skat_env.tools.files import write_text
from skat_env.tools.interrupts import stopped


@dataclass
class Exam:
    """Ask a language model, or people, questions on both games that have one provable answer, and mark the replies.

    Example: skat-env exam --agent "llm(model='my-model')" --out replies.jsonl

    Questions are about positions of seeded games: legal cards, who wins a trick, what a game is worth, where cards can
    be, whether a card surely wins, what best play gives with open cards. Answers are proved by the rules, the exact
    belief and the solver. With --out the same command goes on with an exam that was stopped. Without --agent, --write
    gives the questions and --answers marks replies.
    """

    agent: str = ""
    """The model, as "llm(model='my-model', base_url='http://127.0.0.1:8000/v1')"."""
    questions: Annotated[int, Range(ge=1, le=100_000)] = 500
    """The number of questions; a shorter exam is the beginning of a longer one."""
    seed: Seed = 1
    """The seed of the questions."""
    out: Path | None = None
    """A file to which the replies are added, one JSON object per line."""
    write: Path | None = None
    """Write the questions into this new file, one JSON object per line, without the answers."""
    answers: Path | None = None
    """Mark the replies in this file: lines {"number": 0, "reply": "[C7 C8]"}."""
    json: bool = False
    """Print the marks as one JSON object."""

    def __post_init__(self) -> None:
        check_fields(self, "exam")

    def run(self) -> int:
        """Asks, writes or marks; returns the exit status."""
        if sum((bool(self.agent), self.write is not None, self.answers is not None)) != 1:
            raise OptionError("exam takes one of --agent, --write and --answers")
        if self.out is not None and not self.agent:
            raise OptionError("exam with --out: replies are written where --agent gives them")
        if self.json and self.write is not None:
            raise OptionError("exam with --write and --json: there are no marks to print")
        ended = ""
        if self.agent:
            model = make_agent(self.agent, "skat")  # it is told the rules of each game as it is asked
            if not hasattr(model, "reply"):
                raise OptionError(f"the agent {model.name} does not answer in words: expected llm(...)")
        if self.write is not None and self.write.exists():
            raise FileExistsError(f"{self.write} is there already: name a new file")
        for path in (self.write, self.out):
            if path is not None and not path.parent.is_dir():
                raise FileNotFoundError(f"{path.parent} is no folder: name a file in one that is there")
        from skat_env.doors.exam.make import questions
        from skat_env.doors.exam.sitting import marks, read_replies, sit

        replies: dict[int, str] = {}
        if self.answers is not None:
            if not self.answers.is_file():
                raise FileNotFoundError(f"{self.answers} is no file")
            replies = read_replies(self.answers, self.seed)
        asked = list(questions(self.questions, self.seed))
        if self.write is not None:
            lines = [
                {"number": each.number, "game": each.game, "kind": each.kind, "text": each.text}
                for each in asked
            ]
            write_text(self.write, "".join(f"{json.dumps(line)}\n" for line in lines))
            print(f"{len(lines)} questions written to {self.write}")
            return 0
        if self.agent:
            try:
                replies, ended = sit(model, asked, self.seed, self.out)  # type: ignore[arg-type]  # it has `reply`
            except KeyboardInterrupt:
                return stopped(None, self.out is not None)
        # An exam that ended early says nothing of the questions that nobody was asked.
        found = marks([each for each in asked if not ended or each.number in replies], replies)
        if self.json:
            print(json.dumps(found.as_json()))
        else:
            found.print_on(Console())
        if ended:
            kept = "; the same command continues" if self.out is not None else ""
            print(
                f"skat-env: {len(replies)} of {len(asked)} questions were asked: {ended}{kept}",
                file=sys.stderr,
            )
            return 1
        return 0
