"""A browser and a server of tables for tests."""

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("playwright", reason="needs playwright")

import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.types import ASGIApp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 30
"""The longest that a test waits for anything."""

NewPage = Callable[..., Page]


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """The address of a server of an application, which stops at the end."""
    with socket.socket() as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(("127.0.0.1", port))
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{place.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """It ends with its module: while playwright runs, no other test of the process can call `asyncio.run`."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    expect.set_options(timeout=1000 * SECONDS)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes pages in which no script fails and nothing is refused by the policy; each is another person's."""
    wrong: list[str] = []
    with ExitStack() as contexts:

        def make(**options: Any) -> Page:
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(1000 * SECONDS)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on(
                "console",
                lambda message: wrong.append(message.text) if "Security Policy" in message.text else None,
            )
            return page

        yield make
    assert wrong == []
