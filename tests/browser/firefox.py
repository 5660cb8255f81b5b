"""Firefox by WebDriver BiDi (w3c.github.io/webdriver-bidi), which it speaks without a driver."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PATIENCE = 90  # seconds
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
# What a profile of a release asks the network for.
SETTINGS = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("remote.active-protocols", 1);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("toolkit.telemetry.enabled", false);
"""


class Firefox:
    """One tab, and the errors that its pages wrote to the console."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.errors: list[str] = []
        self._numbers = count(1)
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a command.

        Raises:
            RuntimeError: Firefox refused it.
        """
        number = next(self._numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("method") == "log.entryAdded":
                if message["params"]["level"] == "error":
                    self.errors.append(message["params"]["text"])
            elif message.get("id") == number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]

    def open(self, address: str, *, width: int = 1280, height: int = 800) -> None:
        size = {"width": width, "height": height}
        self.ask("browsingContext.setViewport", context=self.tab, viewport=size)
        self.ask("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def value(self, expression: str) -> Any:
        """Of JavaScript: a text, a number or a truth value.

        Raises:
            RuntimeError: the expression throws.
        """
        found = self.ask(
            "script.evaluate", expression=expression, target={"context": self.tab},
            awaitPromise=True,
        )  # fmt: skip
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Until JavaScript's expression is true.

        Raises:
            TimeoutError: it did not become true.
        """
        end = time.monotonic() + PATIENCE
        while not self.value(f"Boolean({expression})"):
            if time.monotonic() > end:
                text = self.value("document.body.innerText")
                raise TimeoutError(f"{expression} did not become true; the page says: {text}")
            time.sleep(0.05)


@contextmanager
def firefox(executable: str, profile: Path) -> Iterator[Firefox]:
    (profile / "user.js").write_text(SETTINGS)
    command = [executable, "--headless", "--no-remote", "--profile", str(profile)]
    log = profile / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen([*command, "--remote-debugging-port", "0"], stderr=errors)
    try:
        with connect(f"{_address(log)}/session", max_size=None, proxy=None) as socket:
            yield Firefox(socket)
    finally:
        process.terminate()
        process.wait(30)


def _address(log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := LISTENING.search(log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.05)
    raise TimeoutError(f"Firefox did not start: {log.read_text(errors='replace')}")
