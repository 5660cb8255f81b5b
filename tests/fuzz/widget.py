"""A reader of what a notebook's page sends to its widget: messages of the kernel."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz.requests import STUDIO
from fuzz.small_models import TEXT, small_translator
from regard.errors import RegardError

Answers = list[dict[str, Any]]
_widgets: dict[Path, Callable[[Any], Answers]] = {}


def make_widget(folder: Path) -> list[str]:
    from regard.studio.widget import ID, TraceWidget  # needs anywidget

    widget = TraceWidget(small_translator()[0].trace(TEXT, max_new_tokens=4))
    sent: Answers = []

    def send(content: dict[str, Any], buffers: list[bytes]) -> None:
        json.dumps(content, ensure_ascii=False, allow_nan=False).encode()  # as the kernel does
        sent.append(content)

    def asked(content: Any) -> Answers:
        sent.clear()
        widget._receive(widget, content, [])
        widget._worker.submit(lambda: None).result()
        return [*sent]

    widget.send = send  # type: ignore[method-assign,assignment]
    _widgets[folder] = asked
    messages = {}
    for number, (first, body) in enumerate(STUDIO):
        path = first.partition(" /api")[2].replace("/it/", f"/{ID}/")
        if path.startswith(("/explain", f"/traces/{ID}/")) and "export" not in path:
            messages[f"{number}.message"] = {"id": number, "path": path, "body": body or None}
    for name, message in messages.items():
        (folder / name).write_text(json.dumps(message))
    return [*messages]


def tell(folder: Path, name: str) -> None:
    """Send a message, if it is JSON.

    Raises:
        RegardError: it is ignored, or answered by a sentence.
        AssertionError: it is answered by anything else, or more than once.
    """
    try:
        content = json.loads((folder / name).read_bytes())
    except (ValueError, RecursionError) as error:
        raise RegardError("it is not JSON.") from error
    answers = _widgets[folder](content)
    if not answers:
        raise RegardError("it is ignored.")
    [answer] = answers
    detail = answer.get("detail", "")
    if detail.startswith("the kernel failed") or "\n" in detail or answer["id"] != content["id"]:
        raise AssertionError(answer)
    if detail:
        raise RegardError(detail)
