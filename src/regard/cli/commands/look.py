"""`regard look`: what a model attends to in a text, on a page, in a file or in the terminal."""

import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from regard.checkpoints import hub, shipped
from regard.cli.looked import as_json_of, check_grid, checked, grid_of, head_of, traced
from regard.cli.options import (
    FIGURES,
    Download,
    NoOpen,
    Port,
    argument,
    check_ending,
    flags,
    located,
    option,
)
from regard.cli.progress import waiting
from regard.cli.streams import say
from regard.cli.texts import whole_text
from regard.cli.training_options import takes
from regard.engine.options import TraceRequest
from regard.errors import BadArgumentError
from regard.http import sockets
from regard.options import check_options
from regard.studio import app, browser, early
from regard.tasks import catalog

if TYPE_CHECKING:
    from fastapi import FastAPI

    from regard.inspection.trace import Trace

SAVED = ".safetensors"
LONGEST_LINK = 2000  # characters of a text

READER = "minilm"  # of a text for which no model is named
NAME = re.compile(r"[\w./:~\\-]+", re.ASCII)  # what may be a model's; a sentence is not

Model = Annotated[
    str | None,
    argument(
        "A shipped model's name, a model folder (regard's or one of transformers'), org/name of the"
        f" Hugging Face Hub, or a trace saved as .safetensors. Without one, {READER} reads the"
        " text."
    ),
]
Tap = Annotated[
    str | None, option("Attention layer to show first; see `regard info MODEL --taps`.")
]
HeadName = Annotated[
    str | None,
    option("Head to show first.", default="mean, or the page's own choice", metavar="NUMBER|mean"),
]
Html = Annotated[Path | None, option("Write one self-contained HTML file, which needs no network.")]
Save = Annotated[Path | None, option("Write the trace as .safetensors, for regard look or load.")]
Terminal = Annotated[bool, option("Show the map of words in the terminal.", "--terminal")]
NeededToo = Annotated[
    bool,
    option("Print what each word looked at, and without which word it is lost.", "--needed"),
]
AsJson = Annotated[bool, option("Write a summary of the trace as one JSON object.", "--json")]


@takes(TraceRequest)
def look(
    model: Model = None,
    text: Annotated[
        str | None, argument("Text to look at; otherwise read --file or stdin.")
    ] = None,
    file: Annotated[Path | None, option("Read the text from this file.", "--file", "-f")] = None,
    tap: Tap = None,
    head: HeadName = None,
    html: Html = None,
    save: Save = None,
    figure: Annotated[Path | None, option("Write the map as .svg, .pdf or .png.")] = None,
    terminal: Terminal = False,
    needed: NeededToo = False,
    as_json: AsJson = False,
    download: Download = False,
    port: Port = None,
    no_open: NoOpen = False,
    **options: Any,
) -> None:
    """Look at the attention of one text: on a page in the browser, unless an option says otherwise.

    Nothing leaves this machine but, with --download, the name of the model.
    """
    check_ending("--figure", figure, FIGURES)
    check_ending("--save", save, (SAVED,))
    head_choice = head_of(head)
    model, text = model_and_text(model, text, file)
    saved = Path(model).suffix.lower() == SAVED and not Path(model).is_dir()
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
        if value is not None and value is not False and value != []
    }
    if saved and (options or text is not None or file):
        names = flags(setting.name for setting in fields(TraceRequest) if setting.metadata)
        raise BadArgumentError(
            f"a saved trace cannot be changed; leave out text, --file, {names}, or name a model."
        )
    if not saved:
        model = located(model, download, "look", model, *([] if text is None else [text]))
    input_text = "" if saved else _text(text, file)
    request = TraceRequest(hub.short_name(model), input_text, **options)
    check_options(request)
    if not (html or save or figure or terminal or needed or as_json):

        def make() -> "FastAPI":
            return app.create_app(
                [*catalog.taken_by("studio"), *([] if saved else [model])],
                {request.id: trace},
                requests={} if saved else {request.id: request},
                cache=True,
                download=download,
            )

        # Before the slow part: a port in use is said at once.
        with sockets.bind(port) as listener:
            trace = traced(model, saved, input_text, options)
            checked(trace, tap, head_choice)
            query = _query(_link(trace, request, saved) | {"tap": tap, "head": head})
            browser.announce(listener, path=f"/?{query}", browse=not no_open)
            early.serve(make, listener)
        return
    if terminal:
        check_grid(input_text)
    trace = traced(model, saved, input_text, options)
    chosen = checked(trace, tap, head_choice)
    # What may be refused comes first, so that nothing is written when something is.
    grid = grid_of(trace, chosen, head_choice) if terminal else None
    needs = trace.needed() if needed else None
    if figure:
        with waiting("drawing the figure"):
            trace.figure(figure, tap=chosen, head=head_choice)
    if save:
        trace.save(save)
    if html:
        with waiting("writing the page"):
            left_out = trace.to_html(html, query=_query({"tap": tap, "head": head}))
        for sentence in left_out:
            say(sentence)
    if grid is not None:
        print(grid)
    if needs is not None:
        print(needs)
    if as_json:
        print(as_json_of(trace, request))


def model_and_text(
    model: str | None, text: str | None, file: Path | None
) -> tuple[str, str | None]:
    """Return the arguments, of which the first may be a text without a model, or be left out."""
    is_text = model is not None and not (NAME.fullmatch(model) or Path(model).exists())
    if is_text and text is None and file is None:
        model, text = None, model
    if model is None:
        model = READER
        say(f"{model}, {shipped.SHIPPED[model].what}, reads it; regard look MODEL takes another.")
    return model, text


def _text(text: str | None, file: Path | None) -> str:
    if text is not None and file is not None:
        raise BadArgumentError("give either a text or --file; got both.")
    if text is None:
        nothing = 'there is no text; give one in quotes: regard look MODEL "a text".'
        text = whole_text(nothing, file)
    text = text.strip()
    if not text:
        raise BadArgumentError("the text is empty; give a sentence.")
    return text


def _link(trace: "Trace", request: TraceRequest, saved: bool) -> dict[str, Any]:
    """Return a trace as the page's address names it: by what was asked, so that the link outlives
    the server; by its id where that would be too long, is not a text, or would be refused."""
    from regard.inspection.answers import OF_FILES

    characters = len(trace.text) + len(request.target or "")
    if saved or request.force or trace.task in OF_FILES or characters > LONGEST_LINK:
        return {"trace": request.id}
    return request.address | {"model": trace.model_name, "text": trace.text}


def _query(fields: dict[str, Any]) -> str:
    """Query of the page's address: what to show first."""
    return urlencode({name: value for name, value in fields.items() if value is not None})
