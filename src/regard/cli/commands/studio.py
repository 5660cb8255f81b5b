"""`regard studio`: the page for looking into models, in a browser on this machine."""

from typing import TYPE_CHECKING, Annotated

from regard import checkpoints
from regard.cli.options import Download, NoOpen, Port, argument, located
from regard.http import sockets
from regard.studio import app, browser, early
from regard.tasks import catalog

if TYPE_CHECKING:
    from fastapi import FastAPI


def studio(
    models: Annotated[
        list[str] | None,
        argument(
            "Model folders, or models of the Hugging Face Hub, to offer in addition to the shipped"
            " models and those in the Hub's local cache."
        ),
    ] = None,
    download: Download = False,
    port: Port = None,
    no_open: NoOpen = False,
) -> None:
    """Look into models in the browser: choose a model, write a text, see every head.

    Only this machine can connect. The page opens no folder but those named here; with --download,
    it may fetch any model of the Hugging Face Hub.
    """

    def make() -> "FastAPI":
        offered = [*folders, *catalog.taken_by("studio")]  # the first is looked into at once
        return app.create_app(offered, {}, cache=True, download=download)

    with sockets.bind(port) as listener:  # before the slow imports: a port in use is said at once
        folders = [located(model, download, "studio", model) for model in models or []]
        for model in folders:
            # Refuses a folder without a model now, not later.
            _ = checkpoints.open_checkpoint(model).settings
        browser.announce(listener, browse=not no_open)
        early.serve(make, listener)
