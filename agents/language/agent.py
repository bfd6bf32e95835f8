"""A language model as a player, asked in words."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.language.messages import ASSISTANT, Message, answered, question, refused
from skat_env.errors import EngineError, OptionError
from skat_env.options import MAX_COUNT, Count, NonNegative, Range, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import Abilities, cheats
from skat_env.protocols import Agent, Decision, View
from skat_env.registry import make_agent
from skat_env.text.card_words import Cards
from skat_env.text.describe import Form, describe
from skat_env.text.replies import ReplyError, parse_reply
from skat_env.tools.extras import require_package
from skat_env.tools.parsing import parse_json

KEY: Final = "OPENAI_API_KEY"
"""The variable of the environment with the key of the server."""
NO_KEY: Final = "none"
"""What is sent as the key to a server of one's own, if there is no key."""
FORFEIT: Final = "forfeit"
"""The value of `instead` with which a reply that names no legal move ends the match."""
TRIES: Final = 2
"""How often a request is sent again that the server did not answer; the library waits longer each time."""
CHARACTERS: Final = 3
"""The characters of a token, at least; of most texts there are four."""


class BudgetSpent(EngineError):
    """The tokens that may be spent are spent."""


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said


class _Usage(msgspec.Struct):
    total_tokens: Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)] | None = None


class _Answer(msgspec.Struct):
    """What is read of the body of an answer."""

    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: _Usage | None = None


class LanguageModel(Delegating):
    """A language model behind any server that speaks OpenAI's chat protocol, as an agent.

    The rules are the system's message, the view in words the user's. A reply that names no legal move is answered with
    the sentence of what is wrong, some times; then another agent decides. The statistics of a decision have `tokens`
    (of prompts and replies), `replies`, and `failure`, the last sentence, where another agent decided.

    Args:
        model: the model's name, as the server has it.
        base_url: the address of the server, `http://127.0.0.1:8000/v1`; empty: OpenAI's, or `OPENAI_BASE_URL`.
        form: how much of the view is told: `long` or `short`.
        cards: how cards are written.
        legal: whether the legal moves are told.
        temperature: of the model's sampling.
        retries: how often a reply without a legal move is answered.
        instead: the agent that decides then; `forfeit`: it is an error.
        timeout: the seconds in which an answer must begin, and then in which it must end.
        tokens: the most tokens of a reply.
        budget: the tokens that this process may spend, prompts included; 0: any number. A request waits while those
            that were sent before it may spend the rest, so that about one reply more is spent at most. What is spent
            ends the match, which goes on with a larger budget after the games that are finished.
        at_once: requests sent at the same time, where many games are played in step; fewer when the budget is near
            its end.
        log: a file to which the prompts and replies of every decision are added, one JSON object per line; empty: none.
        game: the game.

    Raises:
        OptionError: if an option is not what it should be, or the key is missing for OpenAI's own server.
        ImportError: without the extra `llm`.
    """

    @checked_options("llm")
    def __init__(
        self,
        model: str,
        base_url: str = "",
        form: Form = "long",
        cards: Cards = "codes",
        legal: bool = True,
        temperature: NonNegative = 0.0,
        retries: Annotated[int, Range(ge=0, le=10)] = 1,
        instead: Agent | str = "rule",
        timeout: Annotated[float, Range(gt=0, le=86_400)] = 60.0,
        tokens: Count = 1024,
        budget: Annotated[int, Range(ge=0)] = 0,
        at_once: Annotated[int, Range(ge=1, le=256)] = 8,
        log: str = "",
        *,
        game: str,
    ) -> None:
        if not model:
            raise OptionError("llm with an empty model: expected a name, as the server has it")
        if log and (Path(log).is_dir() or not Path(log).parent.is_dir()):
            raise OptionError(f"llm with log={log}: expected a file in a folder that is there")
        require_package("openai")
        address = base_url or os.environ.get("OPENAI_BASE_URL", "")
        if not address and not os.environ.get(KEY):
            raise OptionError(
                f"llm(model={model}) has no key: expected one in the environment, {KEY}, or base_url=, the address "
                "of a server of your own"
            )
        self._instead = None if instead == FORFEIT else make_agent(instead, game)
        if self._instead is not None and cheats(self._instead):
            raise OptionError(f"llm with instead={self._instead.name}: it must see the true cards")
        self.delegate_to(*([] if self._instead is None else [self._instead]), own=Abilities(batched=True))
        self._model, self._address, self._form, self._cards, self._legal = model, address, form, cards, legal
        self._temperature, self._retries, self._timeout, self._tokens = temperature, retries, timeout, tokens
        self._budget, self._at_once, self._log = budget, at_once, log
        self._game = game
        self.spent = 0
        """The tokens that this process has spent."""
        self.name = own_text(self, "llm", instead=self._instead or FORFEIT)
        self._make_ready()

    def _make_ready(self) -> None:
        """Makes what a copy does not share."""
        self._client: Any = None
        self._lock = threading.Condition()
        self._due = 0  # tokens that the requests which are sent may spend

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value for name, value in self.__dict__.items() if name not in ("_client", "_lock", "_due")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_ready()

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The model's move, or that of the other agent with the sentence of what went wrong.

        Raises:
            EngineError: if the budget is spent, or without another agent if there is no legal move in time.
        """
        messages = question(self._game, describe(view, self._form, self._cards, self._legal))
        asked, spent, failure = time.monotonic(), 0, ""
        action = None
        for _ in range(1 + self._retries):
            try:
                reply, used = self._ask(messages)
            except BudgetSpent:
                raise
            except EngineError as error:
                failure = str(error)
                break
            spent += used
            try:
                action = parse_reply(reply, view)
                messages.append(answered(reply))
                break
            except ReplyError as error:
                failure = str(error)
                messages += refused(reply, failure)
        stats: dict[str, Any] = {
            "tokens": spent,
            "replies": sum(message["role"] == ASSISTANT for message in messages),
            "seconds": time.monotonic() - asked,
        }
        if action is None:
            decision = self._decide_instead(view, rng, failure)
            action, stats["failure"] = decision.action, failure
        self._note(view, messages, action, failure if "failure" in stats else "")
        return Decision(action, stats=stats)

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decision for each view, some requests at the same time."""
        with ThreadPoolExecutor(min(self._at_once, max(1, len(views))), "llm") as threads:
            return list(threads.map(self.decide, views, rngs))

    @property
    def model(self) -> str:
        """The model's name, as the server has it."""
        return self._model

    @property
    def at_once(self) -> int:
        """How many requests it sends at the same time."""
        return self._at_once

    def reply(self, game: str, text: str) -> str:
        """The model's words on a text, with the rules of a game as the system's message.

        Raises:
            BudgetSpent: if nothing may be spent any more.
            EngineError: if the server gives no answer.
        """
        return self._ask(question(game, text))[0]

    def _ask(self, messages: list[Message]) -> tuple[str, int]:
        """The reply to some messages, and the tokens of both.

        Raises:
            BudgetSpent: if nothing may be spent any more.
            EngineError: if the server gives no answer.
        """
        import openai

        due = self._tokens + sum(len(message["content"]) for message in messages) // CHARACTERS
        with self._lock:
            while self._budget and self._due and self.spent + self._due >= self._budget:
                self._lock.wait()
            if self._budget and self.spent >= self._budget:
                raise BudgetSpent(
                    f"{self.name} has spent {self.spent:,} of {self._budget:,} tokens: "
                    "a larger budget goes on from here"
                )
            if self._client is None:
                key = os.environ.get(KEY) or NO_KEY
                self._client = openai.OpenAI(
                    api_key=key, base_url=self._address or None, timeout=self._timeout, max_retries=TRIES
                )
            self._due += due
        used = 0
        try:
            answer = self._answer(messages, TRIES)
            used = 0 if answer.usage is None else answer.usage.total_tokens or 0
        except (openai.OpenAIError, OSError, ValueError) as error:
            what = " ".join(str(error).split())[:200] or type(error).__name__
            raise EngineError(f"the server of the model '{self._model}' gave no answer: {what}") from None
        finally:
            with self._lock:
                self.spent += used
                self._due -= due
                self._lock.notify_all()
        return answer.choices[0].message.content or "", used

    def _answer(self, messages: list[Message], tries: int) -> _Answer:
        """The body of an answer, asked for again where the connection breaks in it; before it the library does so."""
        try:
            with self._client.chat.completions.with_streaming_response.create(
                model=self._model, messages=messages, temperature=self._temperature, max_tokens=self._tokens
            ) as response:
                return msgspec.convert(parse_json(self._in_time(response.iter_bytes())), _Answer)
        except ConnectionError:
            if not tries:
                raise
        return self._answer(messages, tries - 1)

    def _in_time(self, body: Iterator[bytes]) -> bytes:
        """The whole body of an answer. The library times each read alone, so that a server that sends blanks while it
        works would never be late.

        Raises:
            TimeoutError: if it takes longer than an answer may.
            ConnectionError: if the connection breaks.
        """
        parts, end, broken = [], time.monotonic() + self._timeout, ""
        try:
            for part in body:
                parts.append(part)
                if time.monotonic() > end:
                    break
        except (
            Exception
        ) as error:  # of the transport below the library, which is another one in other versions
            broken = str(error) or type(error).__name__
        if time.monotonic() > end:
            raise TimeoutError(f"it takes longer than {self._timeout:g} seconds")
        if broken:
            raise ConnectionError(broken)
        return b"".join(parts)

    def _decide_instead(self, view: View, rng: np.random.Generator, failure: str) -> Decision:
        if self._instead is None:
            raise EngineError(f"{self.name} at '{view.text()}': {failure}")
        print(
            f"skat-env: warning: {self.name}: {failure}; {self._instead.name} decides",
            file=sys.stderr,
            flush=True,
        )
        return self._instead.decide(view, rng)

    def _note(self, view: View, messages: list[Message], action: int, failure: str) -> None:
        """Adds a decision to the log, whole or not at all."""
        if not self._log:
            return
        line = json.dumps(
            {"view": view.text(), "messages": messages[1:], "action": action, "failure": failure}
        )
        with self._lock, Path(self._log).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
