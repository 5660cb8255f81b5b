"""`regard serve`: models behind HTTP, for programs."""

import socket
from functools import partial
from typing import Annotated

from regard import serving
from regard.cli.options import Download, Engine, Precision, argument, located, option
from regard.cli.streams import say
from regard.errors import BadArgumentError
from regard.http import guard, sockets

PORT = 8766

ApiKey = Annotated[
    str | None,
    option(
        "What requests must send as Authorization: Bearer KEY. Better in the environment than in"
        " the list of processes.",
        envvar="REGARD_API_KEY",
        show_envvar=True,
        default="none",
    ),
]


def serve(
    models: Annotated[
        list[str],
        argument("Shipped models, model folders or models of the Hub.", metavar="MODEL..."),
    ],
    host: Annotated[str, option("Address to answer on; 0.0.0.0 is every one.")] = "127.0.0.1",
    port: Annotated[int, option("Port; 0 picks a free one.", min=0, max=65535)] = PORT,
    api_key: ApiKey = None,
    no_auth: Annotated[
        bool,
        option("Answer everyone who can connect, from other machines too.", "--no-auth"),
    ] = False,
    allow_origin: Annotated[
        list[str] | None,
        option(
            "Origin of a page that may call without a key, such as https://example.org; * is"
            " every one. With a key, every page that sends it may.",
            default="none",
        ),
    ] = None,
    engine: Engine = "auto",
    precision: Precision = None,
    waiting: Annotated[
        int, option("Texts that may wait for a model; more are refused with 429.", min=1)
    ] = 1024,
    rows: Annotated[
        int, option("Hypotheses that a thread decodes together; each beam is one.", min=1)
    ] = 64,
    max_text: Annotated[
        int, option("Characters that a text may have; a longer one is refused with 413.", min=1)
    ] = 100_000,
    max_request: Annotated[
        int, option("Characters that the texts of a request may have together.", min=1)
    ] = 400_000,
    max_pending: Annotated[
        int,
        option("Bytes of all requests without an answer; more are refused with 429.", min=1),
    ] = 2**23,
    max_new_tokens: Annotated[int, option("Tokens that may be written for a text.", min=1)] = 1024,
    timeout: Annotated[float, option("Seconds that a request may take.", min=1)] = 60.0,
    workers: Annotated[
        int,
        option("Processes that answer on one address; the limits above are of each.", min=1),
    ] = 1,
    notice: Annotated[
        float, option("Seconds from SIGTERM until connections are refused.", min=0)
    ] = 0.0,
    download: Download = False,
) -> None:
    """Serve models over HTTP: translation, generation, classification, embeddings.

    Clients of OpenAI and LibreTranslate work unchanged; /docs lists everything. Only this machine
    can connect unless --host names another address, which needs a key or --no-auth.
    """
    loopback = sockets.is_loopback(host)
    if not loopback and not api_key and not no_auth:
        raise BadArgumentError(
            f"{host} can be reached from other machines; set REGARD_API_KEY, or say --no-auth."
        )
    if api_key and no_auth:
        raise BadArgumentError("--no-auth is for a server without a key; leave one of them out.")
    origins = tuple(map(sockets.checked_origin, allow_origin or ()))
    # Before the slow imports: a port in use is said at once.
    with sockets.bind(port, host) as listener:
        limits = serving.limits.Limits(
            waiting=waiting,
            rows=rows,
            text=max_text,
            request=max_request,
            pending=max_pending,
            new_tokens=max_new_tokens,
            seconds=timeout,
        )
        places = [located(model, download, "serve", model) for model in models]
        access = guard.Access(api_key or None, loopback, origins)
        settings = serving.server.Settings(places, limits, access, engine, precision, notice)
        run = serving.server.serve if workers == 1 else partial(serving.server.serve_by, workers)
        run(settings, listener, say=say, started=lambda: _print_address(listener))


def _print_address(listener: socket.socket) -> None:
    address = listener.getsockname()
    name = f"[{address[0]}]" if ":" in address[0] else address[0]
    print(f"http://{name}:{address[1]}  (SIGTERM or Ctrl-C ends)", flush=True)
