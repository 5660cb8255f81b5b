import pytest
import torch
from torch import Tensor

from regard.layers import KeyValueCache


def new(length: int, rows: int = 3) -> tuple[Tensor, Tensor]:
    return torch.randn(rows, 2, length, 5), torch.randn(rows, 2, length, 7)


def test_steps_are_kept_in_order() -> None:
    cache = KeyValueCache()
    steps = [new(length) for length in (4, 1, 1, 3)]
    for key, value in steps:
        held = cache.append(key, value)
    keys, values = (torch.cat(part, dim=2) for part in zip(*steps, strict=True))
    assert torch.equal(held[0], keys)
    assert torch.equal(held[1], values)
    assert torch.equal(cache.key, keys)
    assert torch.equal(cache.value, values)
    assert cache.length == 9


def test_rows_are_kept_repeated_and_reordered() -> None:
    cache = KeyValueCache()
    key, value = new(4)
    cache.append(key, value)
    cache.select(torch.tensor([2, 0, 2, 1]))
    assert torch.equal(cache.key, key[[2, 0, 2, 1]])
    more = new(1, rows=4)
    cache.append(*more)
    assert torch.equal(cache.value, torch.cat([value[[2, 0, 2, 1]], more[1]], dim=2))
    cache.select(torch.tensor([1]))
    assert cache.key.shape == (1, 2, 5, 5)


def test_storage_doubles_so_that_copies_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    empty = torch.empty
    cache = KeyValueCache()
    step = new(1)
    monkeypatch.setattr(
        torch, "empty", lambda *size, **how: made.append(size) or empty(*size, **how)
    )
    for _ in range(100):
        cache.append(*step)
    assert [size[2] for size in made[::2]] == [1, 16, 32, 64, 128]


def test_an_empty_cache_may_be_selected_from() -> None:
    cache = KeyValueCache()
    cache.select(torch.tensor([1, 0]))
    assert cache.length == 0
    with pytest.raises(AssertionError, match="the cache is empty"):
        cache.key  # noqa: B018
