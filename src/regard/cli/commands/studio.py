"""`regard studio`: the page for looking into models, in a browser on this machine."""

from typing import Annotated

from regard import catalog
from regard.cli.options import PORT, NoOpen, Port, argument


def studio(
    models: Annotated[
        list[str] | None,
        argument("Model folders, or hub:org/name, to offer in addition to the shipped models."),
    ] = None,
    port: Port = PORT,
    no_open: NoOpen = False,
) -> None:
    """Look into models in the browser: choose a model, write a text, see every head.

    Only this machine can connect, and only the models named here can be opened.
    """
    from regard.studio.serve import bind, serve

    with bind(port) as listener:  # before the slow imports: a port in use is said at once
        from regard.checkpoints import open_checkpoint
        from regard.studio.app import create_app

        for model in models or []:
            _ = open_checkpoint(model).settings  # refuses a folder without a model now, not later
        offered = [*catalog.taken_by("studio"), *(models or [])]
        serve(create_app(offered, {}), listener, browse=not no_open)
