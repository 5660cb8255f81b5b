"""Items of many lengths, computed in batches of similar length, results in input order.

A result depends on its own item and never on what else is in the list.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from regard.arrays import finite
from regard.errors import RegardError

Item = TypeVar("Item")
Result = TypeVar("Result")


def by_length(
    groups: Sequence[Sequence[Item]],
    compute: Callable[[list[Item]], Sequence[Result]],
    *,
    length: Callable[[Item], int] = lambda item: 0,
    batch_size: int,
    workers: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> list[list[Result]]:
    """Return the results of every group's items.

    Args:
        groups: what belongs together, such as the windows of one text; the computation may part it.
        compute: a batch of items → a result for each.
        batch_size: items computed together.
        workers: batches computed at the same time, each in a thread.
        progress: called with the number of groups just finished.

    Raises:
        RegardError: what `compute` raised; the `index` that it gave of an item of the batch is that
            of the item's group.
        DamagedFileError: as `finite`, of the items whose results are not.
    """
    flat = [(index, item) for index, group in enumerate(groups) for item in group]
    # The longest first, so that no worker is left with a long one.
    order = sorted(range(len(flat)), key=lambda k: -length(flat[k][1]))
    found: dict[int, Result] = {}
    left = [len(group) for group in groups]
    done = left.count(0)
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]

    def of_batch(chosen: list[int]) -> Sequence[Result]:
        try:
            return read_each(finite, compute([flat[k][1] for k in chosen]))
        except RegardError as error:
            for each in (error, *error.others):
                if each.index is not None:
                    each.index = flat[chosen[each.index]][0]
            raise

    computed = _computed(of_batch, batches, workers)
    for chosen, results in zip(batches, computed, strict=True):
        for k, result in zip(chosen, results, strict=True):
            found[k] = result
            left[flat[k][0]] -= 1
            done += left[flat[k][0]] == 0
        progress(done)
        done = 0
    if done:  # nothing but empty groups
        progress(done)
    together: list[list[Result]] = [[] for _ in groups]
    for k, (index, _) in enumerate(flat):
        together[index].append(found[k])
    return together


def cores() -> int:
    """Return number of processors for this process: $OMP_NUM_THREADS, or all that it runs on."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if limit.isdecimal() and int(limit):
        return int(limit)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _computed(
    compute: Callable[[list[int]], Sequence[Result]], batches: list[list[int]], workers: int
) -> Iterator[Sequence[Result]]:
    """Yield the results of each batch, in order."""
    if workers == 1 or len(batches) < 2:
        yield from map(compute, batches)
        return
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    with ThreadPoolExecutor(workers) as threads:
        yield from threads.map(compute, batches)


def answer_each(
    answer: Callable[[list[Item]], Sequence[Result]],
    items: Sequence[Item],
    refuse: Callable[[int, RegardError], None],
) -> dict[int, Result]:
    """Return the answers to those items that are not refused, by their places.

    Args:
        answer: the answers to some items, as `read_each` refuses them.
        refuse: called with the place of each refused item, and why.

    Raises:
        RegardError: `answer` raised it for no item in particular.
    """
    asked = list(range(len(items)))
    while asked:
        try:
            found = answer([items[k] for k in asked])
        except RegardError as error:
            refused = set()
            for each in (error, *error.others):
                if each.index is None:
                    raise
                refuse(asked[each.index], each)
                refused.add(asked[each.index])
            asked = [k for k in asked if k not in refused]
        else:
            return dict(zip(asked, found, strict=True))
    return {}


def read_each(read: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """`read` of every item.

    Raises:
        RegardError: what `read` raised first, with the refused item's index; those of the other
            refused items are its `others`.
    """
    found, refused = [], []
    for index, item in enumerate(items):
        try:
            found.append(read(item))
        except RegardError as error:
            error.index = index
            refused.append(error)
    if refused:
        first, *others = refused
        first.others = others
        raise first
    return found
