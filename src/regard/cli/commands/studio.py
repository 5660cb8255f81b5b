"""`regard studio`: the page for looking into models, in a browser on this machine."""

from typing import TYPE_CHECKING, Annotated

from regard.cli.options import Download, NoOpen, Port, argument, located
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
    from regard.http.sockets import bind
    from regard.studio.browser import announce

    def make() -> "FastAPI":
        from regard.studio.app import create_app

        offered = [*folders, *catalog.taken_by("studio")]  # the first is looked into at once
        return create_app(offered, {}, cache=True, download=download)

    with bind(port) as listener:  # before the slow imports: a port in use is said at once
        folders = [located(model, download, "studio", model) for model in models or []]
        for model in folders:
            from regard.checkpoints import open_checkpoint

            _ = open_checkpoint(model).settings  # refuses a folder without a model now, not later
        announce(listener, browse=not no_open)
        from regard.studio.early import serve

        serve(make, listener)
