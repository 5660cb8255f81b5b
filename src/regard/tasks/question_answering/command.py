"""`regard answer`: questions to the parts of a text that answer them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.cli.lines import Line
from regard.cli.task_command import TaskCommand
from regard.cli.texts import whole_text
from regard.data.inputs import CONTEXT, QUESTION
from regard.data.roles import Role
from regard.engine import batching
from regard.errors import BadArgumentError
from regard.lines import json_object
from regard.options import Options, option

if TYPE_CHECKING:
    from regard.tasks.question_answering.task import Answers


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


class Answer(TaskCommand["Answers"]):
    """A call of `regard answer`."""

    own, what, blank = ContextOptions, "a question", False
    roles = (QUESTION, CONTEXT)

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common, arguments)
        extra = self.extra
        self.searched = whole_text("", extra.context) if extra.context else extra.text

    @property
    def json_lines(self) -> bool:
        return False  # `_asked` reads them

    @property
    def columns(self) -> tuple[Role, ...]:
        question, context = super().columns
        return question, replace(context, required=self.searched is None or context.required)

    def rows(self, lines: list[Line]) -> list[tuple[str, ...]]:
        return batching.read_each(self._pair, lines)

    def json(self, line: Line, result: "Answers | None") -> str:
        fields = line.fields or {"question": line.text}
        if result is not None and line.text.startswith("{"):
            fields = json_object(line.text)
        return super().json(replace(line, fields=fields), result)

    def _pair(self, line: Line) -> tuple[str, str]:
        """Return the question of a line, and the text to search."""
        question: Any = line.text
        [context] = line.others or [None]
        if line.text.startswith("{"):
            fields = json_object(line.text)
            question, context = fields.get("question"), fields.get("context")
        if not isinstance(question, str):
            raise BadArgumentError('a question must have a string under "question".')
        context = self.searched if context is None else context
        if not isinstance(context, str):
            raise BadArgumentError(
                "a question needs a text to search: --context FILE, --text, or a JSON object with"
                ' "question" and "context".'
            )
        return question, context
