"""The `regard` command: reading its input, writing its output, and its subcommands."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.cli import looked, task_command
else:
    looked, task_command = modules(__name__, "looked", "task_command")
