"""Options of the tasks' commands that are of files."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from regard.data.roles import Role
from regard.errors import BadArgumentError
from regard.options import Options, option

_column = partial(option, None, metavar="COLUMN", panel="Files")
_file = partial(option, panel="Files")

OF_INPUT = ("id", "delimiter")  # and the columns
OF_OUTPUT = ("overwrite",)


class FileOptions(Options):
    """Options of --input and --output.

    With both, a file is answered in parts; those that are done stay there until all are.
    """

    text_column: str | None = _column("Column of the text.", shown="text, or a like name")
    text_pair_column: str | None = _column("Column of the second text, for a model of pairs.")
    question_column: str | None = _column("Column of the question.", shown="question or query")
    context_column: str | None = _column("Column of the text to search.", shown="context")
    id: str | None = _column("Column of the records' ids: the output repeats it alone.")
    delimiter: str | None = _file(
        None, "Between the cells of CSV.", shown="as the first lines look", metavar="CHARACTER"
    )
    overwrite: bool = _file(False, "Replace an output that is there.")
    resume: bool = _file(
        True, "Go on with the parts that an earlier call left.", flag="--resume/--no-resume"
    )
    workers: int = _file(
        1, "Workers; each holds the model where torch computes, and on Ray.", min=1
    )
    runner: str = _file(
        "local", "Where the workers are: here, or actors of Ray.", choices=("local", "ray")
    )
    address: str | None = _file(
        None,
        "Of a Ray cluster, such as auto or ray://host:10001.",
        shown="Ray is started here",
        metavar="ADDRESS",
    )
    shard_size: int | None = _file(
        None,
        "Lines per part; a crash loses at most one part per worker.",
        shown="1,000, or 100 where answers take long",
        min=1,
    )
    summary: bool = _file(False, "Write the numbers of lines as a JSON object to stdout.")

    def check(self) -> None:
        if self.address is not None and self.runner != "ray":
            raise BadArgumentError("`address` is of a Ray cluster. Add --runner ray.")

    def check_use(self, *, input: bool, output: bool, job: bool) -> None:
        """Refuse an option that would do nothing.

        Args:
            input, output: whether there are such files.
            job: whether both are files that can be read and written again.

        Raises:
            BadArgumentError: an option that needs what is not there.
        """
        for name, setting in self.settings().items():
            needs = "both --input and --output, files and no pipes"
            fits = job
            if name in OF_INPUT or name.endswith("_column"):
                needs, fits = "--input", input
            elif name in OF_OUTPUT:
                needs, fits = "--output", output
            if not fits and getattr(self, name) != setting.default:
                raise BadArgumentError(f"`{name}` needs {needs}. Give them, or leave it out.")

    def columns(self, roles: Sequence[Role]) -> tuple[Role, ...]:
        """Return the roles, with the columns that were asked for."""
        return tuple(
            replace(role, column=getattr(self, f"{role.name}_column"), required=True)
            if getattr(self, f"{role.name}_column") is not None
            else role
            for role in roles
        )


def without(roles: Sequence[Role]) -> frozenset[str]:
    """Return the columns that a command of other roles does not have."""
    of_roles = {f"{role.name}_column" for role in roles}
    names = FileOptions.settings()
    return frozenset(name for name in names if name.endswith("_column") and name not in of_roles)
