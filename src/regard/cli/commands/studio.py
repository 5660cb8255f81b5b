"""`regard studio`: the page for looking into models, in a browser on this machine."""

from typing import Annotated

from regard import catalog
from regard.cli.options import Download, NoOpen, Port, argument, located


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
    from regard.http.server import bind
    from regard.studio.app import serve

    with bind(port) as listener:  # before the slow imports: a port in use is said at once
        from regard.checkpoints import open_checkpoint
        from regard.studio.app import create_app

        folders = [located(model, download, "studio", model) for model in models or []]
        for model in folders:
            _ = open_checkpoint(model).settings  # refuses a folder without a model now, not later
        offered = [*folders, *catalog.taken_by("studio")]  # the first is looked into at once
        app = create_app(offered, {}, cache=True, download=download)
        serve(app, listener, browse=not no_open)
