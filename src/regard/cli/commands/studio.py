"""`regard studio`: the page for looking into models, in a browser on this machine."""

from typing import Annotated

import typer

from regard import catalog

PORT = 8765


def studio(
    models: Annotated[
        list[str] | None,
        typer.Argument(help="Models to offer besides the shipped ones: folders or hub:org/name."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; 0 picks a free one.")
    ] = PORT,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
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
        offered = [*catalog.names(), *(models or [])]
        serve(create_app(offered, {}), listener, browse=not no_open)
