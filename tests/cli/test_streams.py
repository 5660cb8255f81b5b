"""Stdin, stdout and stderr as a shell may leave them: closed, or in another encoding."""

import os
import subprocess
import sys

import pytest

from fixtures.capitals import in_capitals
from regard.cli.streams import is_first_process, say
from regard.lines import one_line, several_lines

RUN = "from regard.cli.main import main; main()"


def run(*arguments: str | bytes, shell: str = "", **variables: str) -> subprocess.CompletedProcess:
    """`regard ARGUMENTS` in a process of its own; `shell` is added to the command."""
    command = [sys.executable, "-c", RUN, *arguments]
    return finish(command, shell=shell, **variables)


def finish(
    command: list[str | bytes], *, shell: str = "", **variables: str
) -> subprocess.CompletedProcess:
    if shell:
        command = ["sh", "-c", f'"$@" {shell}', "sh", *command]
    environment = {**os.environ, **variables}
    return subprocess.run(command, capture_output=True, env=environment, stdin=subprocess.DEVNULL)


@pytest.mark.long("starts a process")
@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_a_pipe_gets_utf8_in_any_locale(variables, tmp_path):
    if variables.get("PYTHONUTF8") == "0" and not __file__.isascii():
        pytest.skip("in an ASCII locale Python imports nothing from a path with other letters")
    (tmp_path / "in.txt").write_text("für\nस्टेशन\n", encoding="utf-8")
    found = finish(in_capitals("translate", "--input", tmp_path / "in.txt"), **variables)
    assert found.stdout.decode("utf-8") == "FÜR\nस्टेशन\n"
    assert found.returncode == 0


def test_an_argument_that_is_not_utf8_is_one_sentence():
    found = run("explain", b"caf\xe9", PYTHONUTF8="1")
    assert found.returncode == 2
    [message] = found.stderr.splitlines()
    assert message.startswith(b"regard: the text is not valid Unicode: it has the lone surrogate")


@pytest.mark.long("starts a process")
@pytest.mark.parametrize("command", [("translate",), ("look", "en-de"), ("explain",)])
def test_closed_stdin_is_one_sentence(command):
    found = run(*command, shell="<&-")
    assert found.returncode == 2
    [message] = found.stderr.decode().splitlines()
    assert message.startswith(("regard: nothing to read", "regard: there is no"))


@pytest.mark.long("starts a process")
def test_closed_stdout_is_one_sentence():
    found = run("translate", "a", shell=">&-")
    assert found.returncode == 2
    assert found.stderr == b"regard: stdout is closed. Redirect it to a file or to /dev/null.\n"


def test_messages_do_not_go_to_stdout_because_stderr_is_closed():
    found = run("translate", "--input", "no such file", shell="2>&-")
    assert (found.returncode, found.stdout) == (2, b"")


@pytest.mark.long("starts a process")
def test_a_pipe_without_a_reader_ends_the_command_as_sigpipe_would():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as out:
        found = subprocess.run(
            in_capitals("translate", "a"),
            stdout=out,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
    assert (found.returncode, found.stderr) == (141, b"")


@pytest.mark.parametrize("columns", ["0", "00", ""])
def test_help_is_not_empty_where_the_width_is_unknown(columns, regard, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    assert "--num-beams" in regard("translate", "--help").out


def test_of_several_processes_one_speaks(monkeypatch, capsys):
    variables = {"WORLD_SIZE": "4", "MASTER_ADDR": "a", "MASTER_PORT": "1", "LOCAL_RANK": "0"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RANK", "0")
    assert is_first_process()
    monkeypatch.setenv("RANK", "2")  # the first of another machine
    assert not is_first_process()
    say("it cannot be.")
    assert capsys.readouterr().err == "regard: it cannot be.\n"
    monkeypatch.setenv("LOCAL_RANK", "1")
    say("it cannot be.")
    assert capsys.readouterr().err == ""


def test_one_line_has_no_breaks_and_no_control_characters():
    assert one_line("a\nb\tc\x1b[0m") == "a b c\\x1b[0m"


def test_several_lines_keep_their_breaks_and_no_other_control_character():
    assert several_lines("a\r\n\tb\x1b]0;c\x07\r\x9b") == "a\n\tb\\x1b]0;c\\x07 \\x9b"


def test_a_name_in_a_sentence_writes_nothing_to_the_terminal(capsys):
    say("a \x1b]0;model\x07 of\ntwo lines")
    assert capsys.readouterr().err == "regard: a \\x1b]0;model\\x07 of two lines\n"
