"""Batches by length: everything once, in its own place."""

import os
from threading import Barrier

import pytest

from regard.engine.batching import by_length, cores, read_each
from regard.errors import RegardError

GROUPS = [["ccc", "a"], [], ["bb"], ["dddd", "ee", "f"]]


def test_results_come_back_in_their_groups():
    found = by_length(GROUPS, lambda batch: [each.upper() for each in batch], batch_size=2)
    assert found == [["CCC", "A"], [], ["BB"], ["DDDD", "EE", "F"]]


def test_neighbors_in_length_share_a_batch():
    seen = []
    by_length(GROUPS, lambda batch: seen.append(batch) or batch, length=len, batch_size=2)
    assert seen == [["dddd", "ccc"], ["bb", "ee"], ["a", "f"]]


def test_progress_counts_groups_when_their_last_item_is_done():
    done = []
    by_length(GROUPS, lambda batch: batch, length=len, batch_size=2, progress=done.append)
    assert done == [1, 1, 2]  # the empty one; "bb"; the two whose longest came last
    by_length([[], []], lambda batch: batch, batch_size=2, progress=done.append)
    assert done[-1] == 2


def test_several_batches_are_computed_at_the_same_time():
    together = Barrier(2, timeout=20)  # passed only where two wait

    def compute(batch):
        together.wait()
        return [each.upper() for each in batch]

    found = by_length(GROUPS, compute, length=len, batch_size=3, workers=2)
    assert found == [["CCC", "A"], [], ["BB"], ["DDDD", "EE", "F"]]


def test_an_error_in_one_of_them_is_raised():
    def compute(batch):
        if "bb" in batch:
            raise RegardError("no bb")
        return batch

    with pytest.raises(RegardError, match="no bb"):
        by_length(GROUPS, compute, batch_size=1, workers=2)


def test_the_processors_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert cores() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "0")
    assert 1 <= cores() <= os.cpu_count()


def test_the_item_that_is_refused_is_counted():
    def read(item):
        if item == "c":
            raise RegardError("no c")
        return item.upper()

    assert read_each(read, "ab") == ["A", "B"]
    with pytest.raises(RegardError, match="no c") as refused:
        read_each(read, "abc")
    assert refused.value.index == 2


def test_all_refused_items_are_named_by_their_index():
    def read(item):
        if item < 0:
            raise RegardError(f"{item} is negative")
        return item

    with pytest.raises(RegardError, match="-2 is negative") as refused:
        read_each(read, [1, -2, 3, -4, -5])
    assert refused.value.index == 1
    assert [each.index for each in refused.value.others] == [3, 4]


def test_an_item_refused_in_its_batch_has_the_index_of_its_group():
    def refuse(batch):
        def read(item):
            if item in ("dddd", "a"):
                raise RegardError(item)
            return item

        return read_each(read, batch)

    with pytest.raises(RegardError) as refused:
        by_length(GROUPS, refuse, length=len, batch_size=6)
    assert [each.index for each in (refused.value, *refused.value.others)] == [3, 0]
