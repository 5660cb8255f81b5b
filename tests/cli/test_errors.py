"""A user's mistake is one line and exit code 2; ours is a traceback."""

import errno
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.cli.errors import sentence
from regard.errors import BadArgumentError, DamagedFileError, RegardError


def test_a_mistake_is_one_line_without_a_traceback(regard):
    outcome = regard("translate", "--input", "no/such/file.txt")
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err == (
        "regard: expected a file at no/such/file.txt, but there is no such file. Check the path.\n"
    )


@pytest.mark.parametrize(
    ("command", "end"),
    [
        ("classifi x", "No such command 'classifi'. Did you mean 'classify'?"),
        ("toaster x", "No such command 'toaster'."),
        ("train claxification x", "Did you mean 'classification'?"),
        ("train survive x", "No such command 'survive'."),
        ("classify --lables x", "No such option: --lables. Did you mean --labels?"),
        ("classify --served x", "No such option: --served"),
        ("train classification x --fold 3", "No such option: --fold. Did you mean --folds?"),
        ("train classification x --vile", "No such option: --vile"),
    ],
)
def test_a_near_command_or_option_is_suggested_and_no_far_one(regard, command, end):
    outcome = regard(*command.split())
    assert outcome.code == 2
    assert outcome.err.endswith(f"{end}\n")


@pytest.mark.parametrize("place", [0, 1, 3])
def test_debug_shows_the_traceback_wherever_it_stands(regard, place):
    arguments = ["translate", "--input", "no/such/file.txt"]
    arguments.insert(place, "--debug")
    outcome = regard(*arguments)
    assert outcome.code == 2
    assert "Traceback (most recent call last)" in outcome.err
    assert "NotFoundError" in outcome.err


def test_debug_after_two_dashes_is_text(regard, upper_case):
    assert regard("translate", "--", "--debug").out == "--DEBUG\n"


def test_a_folder_for_a_file_is_named(regard, tmp_path):
    outcome = regard("translate", "--input", tmp_path)
    assert outcome.code == 2
    assert outcome.err == (
        f"regard: {tmp_path} stands for several files. Add --output, a file for all their answers,"
        " or name one of them.\n"
    )


def test_an_empty_file_is_named(regard, tmp_path):
    file = tmp_path / "empty.txt"
    file.touch()
    outcome = regard("translate", "--input", file)
    assert outcome.code == 2
    assert outcome.err == (
        f"regard: expected lines of text in {file}, but it is empty. Check that it is the right"
        " file.\n"
    )


def test_a_full_disk_is_named_and_a_device_stays_a_device(regard, upper_case):
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("this system has no /dev/full")
    outcome = regard("translate", "a", "--output", full)
    assert outcome.code == 2
    assert outcome.err.startswith("regard: the disk is full while writing")
    assert full.is_char_device()


def test_nothing_to_translate_is_said(regard):
    outcome = regard("translate", stdin=None)
    assert outcome.code == 2
    assert outcome.err.startswith("regard: nothing to read: give a sentence in quotes")


def test_a_mistake_of_ours_keeps_its_traceback(regard, upper_case, monkeypatch):
    monkeypatch.setattr(upper_case, "run", lambda *_, **__: 1 / 0)
    outcome = regard("translate", "a")
    assert outcome.code == 1
    assert "ZeroDivisionError" in outcome.err


def test_an_interrupt_is_one_line_and_130(regard, upper_case, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(upper_case, "run", interrupt)
    outcome = regard("translate", "a")
    assert (outcome.code, outcome.err) == (130, "regard: interrupted.\n")


def test_an_interrupt_that_a_library_made_an_error_of_is_one_too(regard, upper_case, monkeypatch):
    def damaged(*_: object, **__: object) -> None:
        try:
            raise RuntimeError("KeyboardInterrupt: ")  # as C++ says it
        except RuntimeError as error:
            raise RegardError("model.safetensors is damaged.") from error

    def cleaning_up_fails(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise OSError("closed")

    for interrupted in (damaged, cleaning_up_fails):
        monkeypatch.setattr(upper_case, "run", interrupted)
        outcome = regard("translate", "a")
        assert (outcome.code, outcome.err) == (130, "regard: interrupted.\n")


def test_an_unknown_option_is_named(regard):
    outcome = regard("translate", "--beams", 3)
    assert outcome.code == 2
    assert "--beams" in outcome.err


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RegardError("expected a,\n  got b."), "expected a, got b."),
        (PermissionError(errno.EACCES, "x", "runs/a"), "runs/a may not be read or written"),
        (OSError(errno.ENOSPC, "x", "runs/a"), "the disk is full while writing runs/a. Make room"),
        (OSError(errno.ENOSPC, "x"), "the disk is full while writing a file. Make room"),
        (FileExistsError(errno.EEXIST, "x", "runs/a"), "runs/a is a file; a folder was expected."),
        (NotADirectoryError(errno.ENOTDIR, "x", "a/b"), "a/b cannot exist: part of its path is a"),
        (OSError(errno.EROFS, "x", b"runs/a"), "runs/a is on a read-only disk"),
        (OSError(errno.EIO, "Input/output error", "runs/a"), "runs/a: Input/output error."),
        (OSError("no number"), "a file: no number."),
    ],
)
def test_every_error_of_the_system_is_a_sentence(error, expected):
    assert str(sentence(error)).startswith(expected)


def test_safetensors_errors_count_as_the_systems():
    import safetensors

    assert "safetensors" in sys.modules
    message = sentence(safetensors.SafetensorError("I/O error: No space\nleft on device"))
    assert message == (
        "the weights could not be read or written: I/O error: No space left on device"
    )


def test_control_characters_of_a_name_do_not_reach_the_terminal():
    assert sentence(RegardError("a\nb\t\x1b]0;c\x07")) == "a b \\x1b]0;c\\x07"
    assert "\x1b" not in sentence(FileNotFoundError(errno.ENOENT, "none", "a\x1b[31m"))


def _too_much_for_torch() -> None:
    torch.empty(2**60)


def _too_much_for_numpy() -> None:
    np.empty(2**58)


@pytest.mark.parametrize("fill", [_too_much_for_torch, _too_much_for_numpy])
def test_memory_that_is_not_there_is_a_sentence(fill):
    with pytest.raises((RuntimeError, MemoryError)) as error:
        fill()
    assert str(sentence(error.value)).startswith("there is not enough memory for this. Lower")
    assert sentence(RuntimeError("shapes do not match")) is None


def test_an_error_of_ours_has_no_sentence():
    assert sentence(KeyError("x")) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("max_length must be from 1 to 9; got 10.", "--max-length must be from 1 to 9; got 10."),
        ("seed must be from 0 to 9; got -1.", "--seed must be from 0 to 9; got -1."),
        ("a seed must sprout", "a seed must sprout"),
        ("give another `output`; now 3.", "give another --output; now 3."),
        ("do_sample=True needs num_beams=1.", "--do-sample needs --num-beams=1."),
        ("got seed=3 with do_sample=False.", "got --seed=3 with no --do-sample."),
        ("seed acts with seed=3", "seed acts with --seed=3"),
        ("got 'max_length' in a/max_length.txt", "got 'max_length' in a/max_length.txt"),
        ("lower max_length.", "lower --max-length."),
        ("evaluate_every must be above 0", "--eval-every must be above 0"),
    ],
)
def test_a_librarys_parameters_are_a_commands_options(message, expected):
    options = {
        "max_length": "--max-length",
        "seed": "--seed",
        "output": "--output",
        "do_sample": "--do-sample",
        "num_beams": "--num-beams",
        "evaluate_every": "--eval-every",
    }
    assert sentence(BadArgumentError(message), options) == expected
    assert sentence(BadArgumentError(message)) == message
    assert sentence(DamagedFileError(message), options) == message


def test_a_commands_own_options_are_named(regard, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\n")
    outcome = regard("train", "translation", pairs, "--learning-rate", -1)
    assert outcome.err == "regard: --learning-rate must be above 0; got -1.0.\n"
    outcome = regard("generate", "a", "--do-sample", "--num-beams", 3, "--model", "gone")
    assert outcome.err.startswith("regard: there is no folder gone")


def test_ctrl_c_before_a_command_begins_is_one_line_too(regard, monkeypatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("typer.main.get_command", interrupt)
    monkeypatch.setattr("regard.cli.task_command.TaskCommand.run", interrupt)
    for options in ((), ("--num-beams", 2)):  # read without typer, and by it
        outcome = regard("translate", "a", *options)
        assert (outcome.code, outcome.err) == (130, "regard: interrupted.\n")
