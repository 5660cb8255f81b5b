"""`regard transcribe`: what is said in sounds, as text or as subtitles."""

from typing import TYPE_CHECKING, Any

from regard.cli.lines import Line
from regard.cli.task_command import TaskCommand
from regard.data.inputs import SOUND
from regard.errors import BadArgumentError
from regard.options import Options, option

if TYPE_CHECKING:
    from regard.tasks.transcription.task import Transcription


class SubtitleOptions(Options):
    """Options of what is printed."""

    srt: bool = option(False, "Print subtitles (SubRip), of one sound.")


class Transcribe(TaskCommand["Transcription"]):
    """A call of `regard transcribe`."""

    own, what, roles = SubtitleOptions, "a sound file", (SOUND,)

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common, arguments)
        if self.extra.srt:
            if len(self.texts or ()) != 1 or self.as_json:
                raise BadArgumentError("--srt is for one sound file, and without --json.")
            self.chosen["timestamps"] = True

    def plain(self, line: Line, result: "Transcription | None") -> str | None:
        if result is None or not self.chosen.get("timestamps"):
            return super().plain(line, result)
        if not self.extra.srt:
            return "\n".join(
                f"{_clock(segment.start)} {_clock(segment.end)}\t{segment.line()}"
                for segment in result.segments
            )
        return "\n".join(
            f"{number}\n{_clock(part.start, ',')} --> {_clock(part.end, ',')}\n{part.line()}\n"
            for number, part in enumerate(result.segments, 1)
        )


def _clock(seconds: float, point: str = ".") -> str:
    """Hours, minutes, seconds and thousandths: 00:01:02.340."""
    thousandths = round(1000 * seconds)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"
