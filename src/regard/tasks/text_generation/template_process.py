"""Chat templates rendered in a process of their own, which a limit of time or memory may end."""

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from threading import Event, Lock, Timer
from typing import Any

from regard.errors import BadArgumentError, DamagedFileError, UnavailableError, UnsupportedError
from regard.tasks.text_generation import templates
from regard.tasks.text_generation.control_tokens import Codes

SECONDS = 8.0


class Renderer:
    """A process that renders templates one after another; it is started when it is first needed,
    and again after one that had to be ended."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def render(
        self,
        template: str,
        values: dict[str, Any],
        special: Mapping[str, str] | None = None,
        codes: Codes | None = None,
    ) -> str:
        """Return the template's text, with codes where it writes control tokens.

        Args:
            values: the names that the template sees, made of what JSON has.
            special: those that are control tokens, such as eos_token.
            codes: None for a text without.

        Raises:
            BadArgumentError: the template refuses the values, or fails on them.
            DamagedFileError: it is not valid.
            UnsupportedError: it does not end, needs much memory, or tries to leave its sandbox.
            UnavailableError: no process could be started.
        """
        with self._lock:
            kind, text = self._asked(
                dict(
                    template=template,
                    values=values,
                    special=dict(special or {}),
                    codes=codes and asdict(codes),
                )
            )
        if kind == "text":
            return text
        if kind == "refused":
            raise BadArgumentError(f"the chat template refuses these messages: {text}")
        if kind == "failed":
            raise BadArgumentError(
                f"the chat template fails on these messages ({text}). Give each a role that it"
                " knows and a text as its content."
            )
        if kind == "unclear":
            raise BadArgumentError(
                "the chat template acts on a control token that these messages spell out, so that"
                " the two look alike. Leave it out of the messages."
            )
        if kind == "invalid":
            raise DamagedFileError(
                f"the chat template is not valid Jinja ({text})."
                " Copy it again from where the model came from."
            )
        problem = {
            "unsafe": f"tries to access what no template needs ({text})",
            "large": f"needs more than {templates.MEMORY // 2**20} MiB",
            "endless": f"did not end within {SECONDS:g} seconds",
        }[kind]
        raise UnsupportedError(
            f"the chat template {problem}, and was stopped. Do not trust the source of this"
            " checkpoint."
        )

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            with suppress(OSError):  # a pipe that is broken has nothing to flush
                self._process.communicate()
        self._process = None

    def _asked(self, request: dict[str, Any]) -> tuple[str, str]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        ended = Event()

        def end() -> None:
            ended.set()
            process.kill()

        late = Timer(SECONDS, end)
        late.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            late.cancel()
        if not line.endswith("\n"):
            self.close()
            return ("endless" if ended.is_set() else "large"), ""
        kind, text = json.loads(line)
        if kind == "large":
            self.close()
        return kind, text

    def _started(self) -> "subprocess.Popen[str]":
        process = self._process
        if process is not None and self._owner == os.getpid() and process.poll() is None:
            return process
        self.close()
        paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        kept = {name: value for name, value in os.environ.items() if not _is_secret(name)}
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", templates.__name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                env=kept | paths | {"PYTHONIOENCODING": "utf-8"},
            )
        except OSError as error:
            raise _unavailable(error) from error
        self._process, self._owner = process, os.getpid()
        assert process.stdout is not None
        if not process.stdout.readline():
            self.close()
            raise _unavailable(f"{sys.executable} ended")
        return process


def _is_secret(name: str) -> bool:
    """Return True for a variable that no template, if one left its sandbox, should read."""
    return name.upper().endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD"))


def _unavailable(reason: object) -> UnavailableError:
    return UnavailableError(
        f"a chat template runs in a process of its own, which cannot be started ({reason})."
        " Give the model a prompt as plain text."
    )


RENDERER = Renderer()
atexit.register(RENDERER.close)
