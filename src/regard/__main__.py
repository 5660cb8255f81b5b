"""The command `regard`, also as `python -m regard`."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command; Ctrl-C before it has begun ends it without a traceback."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from regard.cli.main import main as run

    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
