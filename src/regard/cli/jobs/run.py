"""Commands that read files and write one: the job, and what is said of it."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from regard.cli.jobs.job import Job, Summary
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.cli.task_command import TaskCommand


def answer_files(command: TaskCommand) -> None:
    """Answer the lines of files; exit with 2 if there are bad ones."""
    job = Job(command)
    with _keeping(job):
        summary = job.run(bar=partial(_bar, rate="lines" if job.store.folder else ""))
    if command.files.summary:
        _write(summary)
    elif job.store.folder or summary.bad:
        _show(summary)
    if summary.bad:
        sys.exit(2)


def _bar(
    total: int, done: int, rate: str = "lines"
) -> AbstractContextManager[Callable[[int], None]]:
    if done:
        say(f"{done:,} of {_lines(total)} {'is' if done == 1 else 'are'} done already.")
    return progress_bar(total, "answering", done=done, rate=rate)


@contextmanager
def _keeping(job: Job) -> Iterator[None]:
    """Says, where a signal ends the job, what is kept of it."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if done := job.done:
            lines, are = _lines(job.input.lines), "is" if done == 1 else "are"
            say(f"{done:,} of {lines} {are} done; the same command continues.")
        raise


def _write(summary: Summary) -> None:
    fields = {
        "in": summary.read,
        "out": summary.written,
        "bad": summary.bad,
        "resumed": summary.resumed,
        "seconds": round(summary.seconds, 3),
        "output": str(summary.output),
        "bad_file": None if summary.bad_file is None else str(summary.bad_file),
    }
    print(json.dumps(fields, ensure_ascii=False))


def _show(summary: Summary) -> None:
    rate = (summary.read - summary.resumed) / max(summary.seconds, 1e-9)
    text = f"{_lines(summary.read)} in, {summary.written:,} out, {summary.bad:,} bad"
    say(f"{text}; {summary.seconds:,.1f} seconds, {rate:,.1f} lines/s.")
    if summary.bad_file is not None:
        lines = "the bad line" if summary.bad == 1 else "the bad lines"
        say(f"{summary.bad_file} names {lines}, and why.")


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number:,} lines"
