"""Batches by length: everything once, in its own place."""

import pytest

from regard.errors import RegardError
from regard.tasks.batching import by_length, read_each

GROUPS = [["ccc", "a"], [], ["bb"], ["dddd", "ee", "f"]]


def test_results_come_back_in_their_groups():
    found = by_length(GROUPS, lambda batch: [each.upper() for each in batch], batch_size=2)
    assert found == [["CCC", "A"], [], ["BB"], ["DDDD", "EE", "F"]]


def test_neighbors_in_length_share_a_batch():
    seen = []
    by_length(GROUPS, lambda batch: seen.append(batch) or batch, length=len, batch_size=2)
    assert seen == [["a", "f"], ["bb", "ee"], ["ccc", "dddd"]]


def test_progress_counts_groups_when_their_last_item_is_done():
    done = []
    by_length(GROUPS, lambda batch: batch, length=len, batch_size=2, progress=done.append)
    assert done == [1, 1, 2]  # the empty one; "bb"; the two whose longest came last
    by_length([[], []], lambda batch: batch, batch_size=2, progress=done.append)
    assert done[-1] == 2


def test_the_item_that_is_refused_is_counted():
    def read(item):
        if item == "c":
            raise RegardError("no c")
        return item.upper()

    assert read_each(read, "ab") == ["A", "B"]
    with pytest.raises(RegardError, match="no c") as refused:
        read_each(read, "abc")
    assert refused.value.index == 2
