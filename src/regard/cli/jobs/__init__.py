"""The work of a command over whole files, in parts that are written as they are done."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.cli.jobs import cluster, local, run
else:
    cluster, local, run = modules(__name__, "cluster", "local", "run")
