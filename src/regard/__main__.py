"""The command `regard`, also as `python -m regard`."""

import os
import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command; Ctrl-C before it has begun ends it without a traceback."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # numpy's own threads take a third of the time of its import, and nothing here is theirs.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from regard.cli.main import main as run

    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
