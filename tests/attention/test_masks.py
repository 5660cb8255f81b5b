from itertools import product

import pytest
import torch

from fixtures.attention_masks import LENGTHS, MASKS
from regard.attention import Causal, Documents, Mask, Padding, Prefix, Window, attend
from regard.errors import RegardError


def picture(mask: Mask, queries: int, keys: int) -> list[str]:
    """Each row of batch 0 as a string: x where it may attend."""
    allowed = mask.whole(queries, keys, torch.device("cpu")).allowed
    rows = allowed.expand(-1, -1, queries, keys)[0, 0]
    return ["".join("x" if seen else "." for seen in row) for row in rows.tolist()]


def test_causal_is_aligned_on_the_right():
    assert picture(Causal(), 3, 3) == ["x..", "xx.", "xxx"]
    assert picture(Causal(), 2, 5) == ["xxxx.", "xxxxx"]
    assert picture(Causal(), 3, 2) == ["..", "x.", "xx"]


def test_window_moves_with_the_query():
    assert picture(Window(1, 0), 4, 4) == ["x...", "xx..", ".xx.", "..xx"]
    assert picture(Window(0, 2), 2, 5) == ["...xx", "....x"]


def test_padding_hides_what_is_not_real():
    padding = Padding(torch.tensor([[True, False, True]]))
    assert picture(padding, 2, 3) == ["x.x", "x.x"]
    assert picture(Padding.from_lengths(torch.tensor([2, 3])), 1, 3) == ["xx."]
    assert picture(Padding.from_lengths(torch.tensor([2]), keys=5), 1, 5) == ["xx..."]


def test_documents_see_themselves_only():
    mask = Documents(torch.tensor([[4, 4, 9, 9, 9]]))
    assert picture(mask, 5, 5) == ["xx...", "xx...", "..xxx", "..xxx", "..xxx"]
    assert picture(mask, 2, 5) == ["..xxx", "..xxx"]
    crossed = Documents(torch.tensor([[4, 4, 9]]), query_ids=torch.tensor([[9, 4]]))
    assert picture(crossed, 2, 3) == ["..x", "xx."]


def test_a_prefix_is_seen_by_all():
    assert picture(Causal() | Prefix(2), 3, 3) == ["xx.", "xx.", "xxx"]
    assert picture(Prefix(torch.tensor([1])), 2, 3) == ["x..", "x.."]


def test_masks_compose():
    padding = Padding(torch.tensor([[False, True, True]]))
    assert picture(Causal() & padding, 3, 3) == ["...", ".x.", ".xx"]
    assert picture(~Causal(), 3, 3) == [".xx", "..x", "..."]
    assert picture(~(Causal() | padding), 3, 3) == ["...", "...", "..."]
    tensor = torch.tensor([[True, False], [True, True]])
    assert picture(Window(0, 0) | ~tensor, 2, 2) == ["xx", ".x"]
    assert picture(tensor & Causal(), 2, 2) == ["x.", "xx"]


def test_a_mask_that_hides_nothing_says_so_only_when_it_is_true():
    for make, (queries, keys) in product(MASKS.values(), LENGTHS):
        mask = make(queries, keys)
        masks = [Window(50, 50), Prefix(50), Padding(torch.ones(2, keys, dtype=torch.bool))]
        if isinstance(mask, Mask):
            masks += [mask, mask | Causal(), mask & Causal(), ~mask]
        for mask in masks:
            all_seen = bool(mask.whole(queries, keys, torch.device("cpu")).allowed.all())
            assert all_seen or not mask.allows_all(queries, keys)
        assert all(mask.allows_all(queries, keys) for mask in masks[:3])


@pytest.mark.parametrize(("left", "right"), [(4, 4), (4, 3), (3, 4), (5, 5), (0, 9), (9, 0)])
def test_a_window_hides_nothing_only_where_it_reaches_both_ends(left, right):
    mask = Window(left, right)
    whole = mask.whole(5, 5, torch.device("cpu")).allowed
    assert mask.allows_all(5, 5) == bool(whole.all())


def test_the_whole_is_computed_once_for_all_layers():
    calls = []

    class Counted(Causal):
        def tile(self, queries, keys):
            calls.append(1)
            return super().tile(queries, keys)

    mask = Counted() & Padding(torch.ones(1, 5, dtype=torch.bool))
    for _ in range(3):
        attend(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4), mask=mask)
    assert len(calls) == 1


def test_a_long_whole_is_not_remembered(monkeypatch):
    monkeypatch.setattr("regard.attention.masks.REMEMBERED_ENTRIES", 24)
    mask = Causal()
    mask.whole(5, 5, torch.device("cpu"))
    assert mask._remembered is None
    mask.whole(4, 6, torch.device("cpu"))
    assert mask._remembered is not None


def test_a_mask_remembered_in_inference_mode_still_trains():
    mask, x = Causal(), torch.randn(3, 2, requires_grad=True)
    with torch.inference_mode():
        attend(x, x, x, mask=mask, kernel="plain")
    attend(x, x, x, mask=mask, kernel="plain").sum().backward()
    assert x.grad is not None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, of its rules
@pytest.mark.parametrize("kernel", ["plain", "short", "fused"])
def test_a_mask_that_was_used_inside_torch_func_is_used_again(kernel):
    mask, x = Causal(), torch.randn(4, 3, dtype=torch.float64)

    def energy(x):
        return attend(x, x, x, mask=mask, kernel=kernel).square().sum()

    first = torch.func.hessian(energy)(x)
    energy(x)
    torch.testing.assert_close(torch.func.hessian(energy)(x), first)


X = torch.randn(3, 2, 5, 4)  # batch heads positions head_dim
Y = torch.randn(3, 2, 7, 4)


@pytest.mark.usefixtures("as_in_production")
@pytest.mark.parametrize(
    ("mask", "sentence"),
    [
        (
            torch.ones(7, 5) > 0,
            r"mask must be \(queries, keys\) = \(5, 7\); got \(7, 5\)\. Did you transpose it\?",
        ),
        (torch.ones(5, 6) > 0, r"mask must be \(queries, keys\) = \(5, 7\); got \(5, 6\)\.$"),
        (torch.ones(3, 4, 5, 7) > 0, r"= \(3, 2, 5, 7\); got \(3, 4, 5, 7\)"),
        (torch.ones(5, 7), r"mask must be boolean, .* got float32 .* belong in bias"),
        (Padding(torch.ones(3, 5) > 0), r"\(batch, keys\) = \(3, 7\); got \(3, 5\)"),
        (~(Causal() & Padding(torch.ones(2, 7) > 0)), r"\(3, 7\); got \(2, 7\)"),
        (Documents(torch.ones(3, 6).long()), r"\(batch, keys\) = \(3, 7\); got \(3, 6\)"),
        (
            Documents(torch.ones(3, 7).long(), torch.ones(3, 4).long()),
            r"\(batch, queries\) = \(3, 5\); got \(3, 4\)",
        ),
        (Prefix(torch.tensor([1, 2])), r"Prefix must be \(batch,\) = \(3,\); got \(2,\)"),
    ],
)
def test_a_mask_of_the_wrong_shape_is_refused(mask, sentence):
    with pytest.raises(RegardError, match=sentence):
        attend(X, Y, Y, mask=mask)


@pytest.mark.usefixtures("as_in_production")
def test_masks_refuse_what_they_cannot_be_made_of():
    with pytest.raises(RegardError, match="left and right of at least 0; got left=-1"):
        Window(-1, 0)
    with pytest.raises(RegardError, match=r"attention_mask as \(batch, keys\); got shape \(3,\)"):
        Padding(torch.ones(3) > 0)
    with pytest.raises(
        RegardError, match=r"Padding's .attention_mask. must be boolean, .* got int64"
    ):
        Padding(torch.ones(3, 2).long())
    with pytest.raises(RegardError, match=r"ids as \(batch, positions\); got shape \(3,\)"):
        Documents(torch.ones(3).long())
    with pytest.raises(RegardError, match="mask must be a boolean tensor; got list"):
        attend(X, Y, Y, mask=[[True]])
