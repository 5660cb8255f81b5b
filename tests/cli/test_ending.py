"""A command that a signal ends leaves nothing behind."""

import signal
import subprocess
import sys
import time

import pytest

from fixtures.capitals import in_capitals
from regard.cli.ending import SIGNALS, ended_by_signals


@pytest.fixture(autouse=True)
def signals_arrive():
    """A shell has what it runs in the background, tests and their children, ignore Ctrl-C; nohup,
    the end of the terminal."""
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in defaults.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.long("starts a process")
@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGINT])
def test_no_part_of_the_output_stays(number, tmp_path):
    (tmp_path / "in.txt").write_text("a text")
    files = ["-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt"]
    command = in_capitals("translate", *files, seconds=600)
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while len(list(tmp_path.iterdir())) == 1 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number, said
    assert b"Traceback" not in said
    assert [file.name for file in tmp_path.iterdir()] == ["in.txt"]


def test_an_ignored_signal_stays_ignored_and_the_handlers_come_back():
    number = SIGNALS[-1]
    before = signal.signal(number, signal.SIG_IGN)
    handler = signal.getsignal(SIGNALS[0])
    try:
        with ended_by_signals():
            assert signal.getsignal(number) == signal.SIG_IGN
            assert signal.getsignal(SIGNALS[0]) not in (signal.SIG_IGN, handler)
        assert signal.getsignal(SIGNALS[0]) == handler
    finally:
        signal.signal(number, before)


class Ending:
    """Ends with a signal: what that raises, Python could only write down with a traceback."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@pytest.mark.parametrize(
    ("number", "kind"), [(signal.SIGINT, KeyboardInterrupt), (SIGNALS[0], SystemExit)]
)
def test_a_signal_where_nothing_can_be_raised_comes_a_moment_later(number, kind, capsys):
    def ended() -> None:
        with ended_by_signals():
            Ending(number)
            for _ in range(500):  # a signal that comes just before a wait does not end that one
                time.sleep(0.01)

    with pytest.raises(kind) as raised:
        ended()
    assert kind is KeyboardInterrupt or raised.value.code == 128 + number
    assert capsys.readouterr().err == ""


def test_another_error_that_cannot_be_raised_is_reported_as_before(monkeypatch):
    class Failing:
        def __del__(self) -> None:
            raise ValueError("gone")

    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: reported.append(str(found.exc_value)))
    with ended_by_signals():
        Failing()
    assert reported == ["gone"]


def test_ctrl_c_while_the_command_is_imported_is_no_traceback():
    program = (
        "import builtins, os, signal\n"
        "plain = builtins.__import__\n"
        "def interrupted(name, *arguments):\n"
        "    if name == 'regard.cli.main':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return plain(name, *arguments)\n"
        "from regard.__main__ import main\n"
        "builtins.__import__ = interrupted\n"
        "main()\n"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert process.returncode == -signal.SIGINT
    assert process.stderr == b""
