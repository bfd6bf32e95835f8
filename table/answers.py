"""Routes that answer questions in JSON: what is wrong with one is a sentence; the work is done off the event loop."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from skat_env.errors import OptionError
from skat_env.options import check_option
from skat_env.table.workers import TIME_LIMIT, Workers
from skat_env.tools.extras import explained
from skat_env.tools.parsing import parse_json

try:
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route
except ImportError as error:
    raise explained(error) from None

MAX_BYTES: Final = 16 << 20
"""The largest question: a file of some ten thousand games."""
BODY_SECONDS: Final = 60.0
"""The time in which a question arrives."""
AT_ONCE: Final = 2
"""Questions that are worked on at the same time; the others wait."""

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class NotFound(ValueError):
    """What is asked for is not there."""


class Unfit(ValueError):
    """The body of a request is of another type, or too large."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


async def json_body(request: Request, most: int) -> bytes:
    """The body of a request, which is to be JSON of at most some bytes.

    Raises:
        Unfit: if it is not said to be JSON, is larger, or does not come to its end.
    """
    # A page of another site cannot send this type without asking first.
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Unfit("expected a question of the type application/json", 415)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise Unfit(f"the question has more than {most >> 10:,} kilobytes", 413)
    except TimeoutError:
        raise Unfit(f"the question did not come within {BODY_SECONDS:g} seconds", 408) from None
    except ClientDisconnect:  # nobody reads the answer
        raise Unfit("the question has no end", 400) from None
    return bytes(body)


class JsonRoutes:
    """Makes routes whose questions share the limit of `AT_ONCE`.

    Args:
        time_limit: the seconds that an answer may take.
    """

    def __init__(self, time_limit: float = TIME_LIMIT) -> None:
        self._workers = Workers(AT_ONCE, time_limit)

    def close(self) -> None:
        """Ends the threads."""
        self._workers.close()

    def post(self, path: str, answer: Answer) -> Route:
        """A route for questions that are a JSON object."""

        async def ask(request: Request) -> Response:
            try:
                question = parse_json(await json_body(request, MAX_BYTES))
            except Unfit as error:
                return failed(str(error), error.status)
            except ValueError as error:
                return failed(f"the question is no JSON: {error}")
            if not isinstance(question, dict):
                return failed("the question is no JSON object")
            return await self.answered(answer, question)

        return Route(path, ask, methods=["POST"])

    def get(self, path: str, answer: Answer) -> Route:
        """A route for questions in the words after `?` of the address."""

        async def ask(request: Request) -> Response:
            return await self.answered(answer, dict(request.query_params))

        return Route(path, ask, methods=["GET"])

    async def answered(self, answer: Answer, question: Mapping[str, Any]) -> Response:
        """The answer to a question, or what is wrong with it."""
        try:
            found = await self._workers.work(answer, question)
        except NotFound as error:
            return failed(str(error), 404)
        except (ValueError, OSError, ImportError) as error:
            return failed(_sentence(error))
        return JSONResponse(found, headers={"Cache-Control": "no-store"})


def failed(sentence: str, status: int = 400) -> Response:
    """The answer to a question with which something is wrong."""
    # What a page sent may hold half a character, which has no bytes.
    shown = sentence.encode(errors="replace").decode()
    return JSONResponse({"error": shown}, status, {"Cache-Control": "no-store"})


def whole_number(question: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    """A whole number of a question, which an address holds as text.

    Raises:
        OptionError: if it is none, or out of range.
    """
    value = question.get(name, default)
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 19:
        value = int(value)
    if type(value) is not int or not low <= value <= high:
        raise OptionError(f"{name}={json.dumps(value)}: expected a whole number from {low} to {high}")
    return value


def words(question: Mapping[str, Any], name: str, default: str = "") -> str:
    """A text of a question.

    Raises:
        OptionError: if it is none.
    """
    found: str = check_option("the question", name, str, question.get(name, default))
    return found


def _sentence(error: Exception) -> str:
    """What an error says, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return " ".join(str(error).split())
