"""Commands of tasks that read images: a folder stands for the images in it."""

from pathlib import Path

from regard.cli.lines import Line
from regard.cli.task_command import ResultT, TaskCommand
from regard.lines import one_line
from regard.tasks import images


class ImageCommand(TaskCommand[ResultT]):
    """A call of a command whose lines may be names of images."""

    what = "an image"

    def begin(self, part: int | None = None) -> None:
        super().begin(part)
        self.named: set[tuple[int, str]] = set()  # line and name of a folder's images

    @property
    def reads_images(self) -> bool:
        """Return whether the lines are names of images."""
        return True

    @property
    def keeps_going(self) -> bool:
        of_folder = self.reads_images and any(Path(text).is_dir() for text in self.texts or ())
        return super().keeps_going or (of_folder and not self.common["strict"])

    def lines(self, group: list[Line]) -> list[Line]:
        """Return the lines, with those of its images in a folder's place."""
        if not self.reads_images:
            return group
        lines: list[Line] = []
        for line in group:
            if line.error is not None or not (line.text.strip() and Path(line.text).is_dir()):
                lines.append(line)
                continue
            files = [str(file) for file in images.task.image_files(Path(line.text))]
            self.named.update((line.number, file) for file in files)
            name = self.roles[0].name
            lines += [Line(line.number, file, line.fields | {name: file}) for file in files]
        return lines

    def plain(self, line: Line, result: ResultT | None) -> str | None:
        """With the name of an image that a folder stood for in front."""
        if (line.number, line.text) not in self.named:
            return super().plain(line, result)
        rows = ["\t"] if result is None else result.lines()
        return "\n".join(f"{one_line(line.text)}\t{row}" for row in rows)
