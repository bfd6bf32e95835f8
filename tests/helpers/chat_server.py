"""A server on the loopback that speaks OpenAI's chat protocol, for tests of language models without one."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[list[dict[str, str]], int], str | bytes | None]
"""The messages of a request, and its number -> the model's words; bytes: the raw body; None: the connection is cut."""


class Half(bytes):
    """A raw body in which the connection is cut: more is promised."""


class Stalled(Half):
    """The same, but the connection stays open and silent."""


class ChatServer(ThreadingHTTPServer):
    """Answers by a script."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """What `base_url` takes."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """Says nothing: the other side may go when it likes."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(request)
            self.server.keys.add(self.headers.get("Authorization", ""))
            number = len(self.server.requests)
        said = self.server.script(request["messages"], number)
        if said is None:
            self.close_connection = True
            return
        body = said if isinstance(said, bytes) else answer(said, request)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + isinstance(body, Half)))
        self.end_headers()
        self.wfile.write(body)
        if isinstance(body, Stalled):
            self.rfile.read(1)  # until the other side goes
        self.close_connection = isinstance(body, Half)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def answer(words: str, request: dict[str, Any]) -> bytes:
    """The body of an answer; a token is four characters."""
    asked = sum(len(message["content"]) for message in request["messages"]) // 4
    told = len(words) // 4
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}}
    usage = {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": request["model"]}
    return json.dumps({**head, "choices": [choice], "usage": usage}).encode()


@contextmanager
def chat_server(script: Script) -> Iterator[ChatServer]:
    """A running server."""
    server = ChatServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def legal_moves(messages: list[dict[str, str]]) -> list[str]:
    """The moves that a prompt lists."""
    return re.findall(r"\[([^\]]*)\]", messages[1]["content"].rpartition("Legal moves:")[2])


def plays_first(messages: list[dict[str, str]], _: int = 0) -> str:
    """The first legal move, with many words."""
    return f"Let me think. [CJ] would be nice, but I say: [{legal_moves(messages)[0]}]."
