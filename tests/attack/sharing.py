"""Two processes on one folder: each does what it was asked, or says in a sentence why not."""

import shutil
import time
from random import Random

from attack.forks import Child, Row, is_one_sentence, parts_left, scratch
from attack.kills import Killing, contents, difference
from fixtures.tasks import write_data


def trainings(tries: int, seed: int) -> Row:
    """Two starts of the same training: one trains, the other is refused or finds it done."""
    row, random = Row("two trainings in one folder"), Random(seed)
    with scratch() as folder:
        killing = Killing("language-model", folder)
        for _ in range(tries):
            first = Child(killing.command, folder / "first")
            time.sleep(random.choice([0.0, random.uniform(0, killing.seconds)]))
            second = Child(killing.command, folder / "second")
            codes = {first.wait(): first, second.wait(): second}
            row.tries += 1
            row.expect(0 in codes and codes.keys() <= {0, 2}, f"exits {sorted(codes)}")
            if 2 in codes:
                row.expect(is_one_sentence(codes[2].said), codes[2].said[-300:])
            _compare(row, killing)
    return row


def evaluations(tries: int, seed: int) -> Row:
    """A model is scored while it is trained: by one of its states, or not yet."""
    row, random = Row("training and evaluation of one model"), Random(seed)
    with scratch() as folder:
        killing = Killing("classification", folder)
        data = write_data("classification", folder)
        for _ in range(tries):
            training = Child(killing.command, folder / "training")
            time.sleep(random.uniform(0, killing.seconds))
            scoring = Child(["evaluate", killing.run / "model", data], folder / "scoring")
            code = scoring.wait()
            row.tries += 1
            row.expect(code in (0, 2), f"evaluation: exit {code}: {scoring.said[-300:]}")
            if code:
                row.expect(is_one_sentence(scoring.said), f"evaluation: {scoring.said[-300:]}")
            row.expect(training.wait() == 0, f"training: {training.said[-300:]}")
            _compare(row, killing)
    return row


def _compare(row: Row, killing: Killing) -> None:
    changed = difference(killing.whole, contents(killing.run))
    row.expect(not changed, f"not the same bits: {changed}")
    row.expect(not (left := parts_left(killing.run)), f"left behind: {left}")
    shutil.rmtree(killing.run)
