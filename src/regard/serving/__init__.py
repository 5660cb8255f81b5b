"""`regard serve`: models behind HTTP, for programs.

A model that writes runs in `decoding.Loop`, where requests share each step; one that reads runs in
`batches.Batches`. `served.Served` has the models, and the modules of routes speak to clients.
"""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.serving import app, limits, logs, metrics, process, served, server
else:
    app, limits, logs, metrics, process, served, server = modules(
        __name__, "app", "limits", "logs", "metrics", "process", "served", "server"
    )
