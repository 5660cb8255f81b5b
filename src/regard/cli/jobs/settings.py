"""Settings that decide on a job's output, and travel to the workers: task, model, columns."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from regard.data.reader import Format


@dataclass(frozen=True)
class Settings:
    """Everything that a worker needs to turn lines of a file into lines of output.

    Args:
        task: a verb of `catalog.VERBS`.
        model: a shipped model's name, a folder or hub:org/name; see `regard.load`.
        input, output: the formats of the files.
        columns: the names of the columns that the task reads, such as question and context.
        id: the column that the output repeats; None: all columns.
        delimiter: between the cells of CSV; None: as the first lines look.
        several: whether the input is several files, so that a line's number needs its file.
        options: of the task.
        engine: as `Task.run_by` takes it.
        precision: of the native engine.
        batch_size: texts computed together.
    """

    task: str
    model: str
    input: Format
    output: Format
    columns: tuple[str, ...]
    id: str | None = None
    delimiter: str | None = None
    several: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    precision: str | None = None
    batch_size: int = 32

    def recorded(self) -> dict[str, Any]:
        """Return the settings that a resumed job must repeat."""
        fields = asdict(self)
        options = fields.pop("options")
        del fields["batch_size"], fields["several"]
        fields["columns"] = list(self.columns)
        return {**fields, **options}
