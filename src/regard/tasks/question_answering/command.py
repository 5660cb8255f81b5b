"""`regard answer`: questions to the parts of a text that answer them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from regard.cli.lines import Line
from regard.cli.task_command import TaskCommand
from regard.cli.texts import whole_text
from regard.data.inputs import CONTEXT, QUESTION
from regard.errors import BadArgumentError
from regard.lines import json_object
from regard.options import Options, option


class ContextOptions(Options):
    """Options of the text that may hold the answers."""

    context: Path | None = option(
        None,
        "File with the text to search, up to 16 MiB; may be .gz.",
        flag="--context -c",
    )
    text: str | None = option(None, "The text to search.")

    def check(self) -> None:
        if self.context and self.text is not None:
            raise BadArgumentError("give either --context or --text; got both.")


class Answer(TaskCommand):
    """A call of `regard answer`."""

    own, what, blank = ContextOptions, "a question", False
    roles = (QUESTION, CONTEXT)

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        extra = self.extra
        self.searched = whole_text("", extra.context) if extra.context else extra.text

    @property
    def json_lines(self) -> bool:
        return False  # `_asked` reads them

    def answer(self, lines: list[Line], progress: Any) -> Any:
        from regard.engine.batching import read_each

        asked = read_each(self._asked, lines)
        pairs = [(each["question"], each.get("context") or self.searched or "") for each in asked]
        return self.task.run_rows(
            pairs, batch_size=self.common["batch_size"], progress=progress, **self.call
        )

    def json(self, line: Line, result: Any) -> str:
        fields = {"question": line.text} if result is None else self._asked(line)
        return super().json(replace(line, fields=fields), result)

    def _asked(self, line: Line) -> dict[str, Any]:
        """The fields of a line that asks something."""
        asked: Any = line.fields or {"question": line.text}
        if line.text.startswith("{"):
            asked = json_object(line.text)
        if not isinstance(asked.get("question"), str):
            raise BadArgumentError('a question must have a string under "question".')
        if not isinstance(asked.get("context", self.searched), str):
            raise BadArgumentError(
                "a question needs a text to search: --context FILE, --text, or a JSON object with"
                ' "question" and "context".'
            )
        return dict(asked)
