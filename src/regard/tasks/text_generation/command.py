"""`regard generate`: continue a text (streamed), answer a chat, or process a file."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from regard.cli.lines import Line
from regard.cli.task_command import TaskCommand
from regard.errors import BadArgumentError
from regard.lines import several_lines
from regard.options import Options, option

if TYPE_CHECKING:
    from regard.tasks.text_generation.task import Continuation, Prompt


class ChatOptions(Options):
    """Options of a chat in the terminal."""

    interactive: bool = option(
        False, "Chat line by line. Ctrl-C stops an answer, Ctrl-D ends the chat."
    )


class Generate(TaskCommand["Continuation"]):
    """A call of `regard generate`."""

    own, what = ChatOptions, "a prompt"

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        interactive = arguments["interactive"]
        if arguments["system"] is not None and not (arguments["chat"] or interactive):
            raise BadArgumentError("--system belongs to a chat; add --chat or --interactive.")
        super().__init__(verb, common, arguments | {"chat": arguments["chat"] or interactive})
        self.chat = self.chosen.get("chat", False)
        self.written = ""  # what has been streamed

    def begin(self, part: int | None = None) -> None:
        super().begin(part)
        self.begun = bool(part)  # whether a text has been written, which an empty line ends

    def run(self) -> None:
        if not self.extra.interactive:
            super().run()
            return
        if self.texts or self.common["input"] or self.output or self.as_json:
            raise BadArgumentError(
                "--interactive reads its messages from you; leave prompts and files out."
            )
        self.open()
        self._converse()

    def answer(
        self, lines: list[Line], progress: Callable[[int], None]
    ) -> "Sequence[Continuation | None]":
        """Return the results; one prompt is written as it comes, and has none."""
        config = self.task.generation.updated(**self.decoding)
        one = len(self.texts or ()) == config.rows == 1
        if not one or self.as_json or self.output:
            return super().answer(lines, progress)
        if not self.chat:
            print(lines[0].text, end="", flush=True)
        messages = [*self.opening, {"role": "user", "content": lines[0].text}]
        result = self._stream(messages if self.chat else lines[0].text)
        if result is not None:
            self._warn(result, "the text")
        return [None]

    @property
    def opening(self) -> list[dict[str, str]]:
        """The first messages of a chat."""
        system = self.call.get("system")
        return [] if system is None else [{"role": "system", "content": system}]

    def warn(self, line: Line, result: "Continuation") -> None:
        self._warn(result, f"the text of line {line.number}")

    def plain(self, line: Line, result: "Continuation | None") -> str | None:
        """Whole texts, with an empty line between them."""
        if result is None:
            return None
        texts = [each.text for each in result.alternatives or [result]]
        start = "\n" if self.begun else ""
        self.begun = True
        shown = (several_lines(text if self.chat else f"{line.text}{text}") for text in texts)
        return start + "\n\n".join(shown)

    def _stream(self, prompt: "Prompt") -> "Continuation | None":
        """Print a text as it is written; its result, if nothing stopped it."""
        stop = self.call.get("stop") or ()
        pieces = self.task.stream(prompt, stop_strings=stop, **self.decoding)
        try:
            for piece in pieces:
                self.written += piece
                print(several_lines(piece), end="", flush=True)
        finally:  # whatever stops it, what has been written stays, on a line that ends
            print(flush=True)
        result: Continuation | None = pieces.result
        return result

    def _converse(self) -> None:
        messages = self.opening
        while True:
            try:
                message = input("> ")
            except (EOFError, RuntimeError):  # the latter if stdin is closed
                print()
                return
            if not message.strip():
                continue
            messages.append({"role": "user", "content": message})
            self.written = ""
            try:
                result = self._stream(messages)
                if result is not None:
                    self._warn(result, "the answer")
            except KeyboardInterrupt:  # the chat continues with what is there of this answer
                pass
            messages.append({"role": "assistant", "content": self.written})

    def _warn(self, result: "Continuation", what: str) -> None:
        """Say of a cut where it surprises: an answer should end; a text may never do."""
        if result.full:
            self.say(f"{what} was cut at the model's maximum length.")
        elif self.chat and not result.finished:
            self.say(f"{what} was cut at --max-new-tokens; raise it.")
