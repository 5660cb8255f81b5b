"""The table of docs/reference/numerics.md: each of its cells is a test that reads the cell.

With `NUMERICS_EXAMPLES=1000` each cell whose calls are drawn by chance tries so many, and others
every time.
"""

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.attention_cases import Case, allowed, case, cases, expected, results
from regard.attention import Causal, Padding
from regard.errors import RegardError

pytestmark = pytest.mark.usefixtures("as_in_production")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "numerics.md"
PATHS = ("plain", "short", "blocked", "fused", "attention_weights")
NUMBER = re.compile(r"[\d.]+(e-?\d+)?")
EXAMPLES = os.environ.get("NUMERICS_EXAMPLES")
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64


def table() -> dict[str, tuple[str, ...]]:
    """The cells of each row of the page."""
    text = PAGE.read_text(encoding="utf-8")
    lines = text[text.index("| | " + " | ".join(PATHS)) :].split("\n\n")[0].splitlines()
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines[2:]]
    assert all(len(row) == 1 + len(PATHS) for row in rows)
    return {row[0]: row[1:] for row in rows}


@dataclass(frozen=True)
class Promise:
    """What a cell says."""

    text: str

    def kept(self, got: Tensor, want: Tensor) -> None:
        """Holds a result against what the definition gives."""
        assert got.shape == want.shape
        if self.text == "undefined":
            return
        if self.text == "NaN":
            assert got.isnan().all()
        elif self.text == "exact":
            assert torch.equal(got, want.to(got.dtype))
        else:
            assert NUMBER.fullmatch(self.text), f"no cell says {self.text!r}"
            same = got.double() == want.double()  # infinities too
            error = (got.double() - want.double()).abs().masked_fill(same, 0)
            finite = want.double().nan_to_num(0, 0, 0).abs()
            largest = max(1.0, finite.max().item()) if want.numel() else 1.0
            assert not error.numel() or error.max().item() <= float(self.text) * largest

    def all_kept(self, got: list[Tensor], want: list[Tensor]) -> None:
        for one, other in zip(got, want, strict=True):
            self.kept(one, other)


Row = Callable[[str, Promise], None]
ROWS: dict[str, Row] = {}


def row(name: str, *given: Any, **options: Any) -> Callable[[Callable[..., None]], Any]:
    def add(function: Callable[..., None]) -> Callable[..., None]:
        assert name not in ROWS
        ROWS[name] = partial(function, *given, **options)
        return function

    return add


def by_chance(calls: st.SearchStrategy[Case], examples: int, check: Callable[[Case], None]) -> None:
    """Checks drawn calls: the same ones every time, unless more are asked for."""

    @settings(
        max_examples=int(EXAMPLES or examples),
        deadline=None,
        database=None,
        derandomize=EXAMPLES is None,
        suppress_health_check=list(HealthCheck),
    )
    @given(calls)
    def attempt(call: Case) -> None:
        check(call)

    attempt()


# Any call ----------------------------------------------------------------------------------------


@row("float64", F64)
@row("float32", F32)
@row("bfloat16", BF16)
@row("float16", F16)
def any_call(dtype: torch.dtype, path: str, promise: Promise) -> None:
    def check(call: Case) -> None:
        got = results(path, call)
        promise.all_kept(got, expected(path, call))
        assert got[0].dtype == dtype

    by_chance(cases(dtype, biased=path != "short"), 15, check)


@row("the first derivative in float64, of any of the inputs")
def first_derivative(path: str, promise: Promise) -> None:
    @st.composite
    def calls_and_wanted(draw: st.DrawFn) -> tuple[Case, list[bool]]:
        call = draw(cases(F64, biased=path != "short", most=17))
        count = 2 if path == "attention_weights" else 3
        wanted = draw(st.lists(st.booleans(), min_size=count, max_size=count).filter(any))
        return call, wanted

    def check(drawn: tuple[Case, list[bool]]) -> None:
        call, wanted = drawn
        gradients = [gradients_of(f, path, call, wanted) for f in (results, expected)]
        promise.all_kept(*gradients)

    by_chance(calls_and_wanted(), 10, check)  # type: ignore[arg-type]


def gradients_of(
    function: Callable[[str, Case], list[Tensor]], path: str, call: Case, wanted: list[bool]
) -> list[Tensor]:
    """Of the inputs that are wanted, and the bias where float64; through all but infinities."""
    inputs = [each.detach() for each in call.inputs]
    flags = [*wanted, *[each.dtype == F64 for each in inputs[3:]]]
    for each, flag in zip(inputs, flags, strict=False):
        each.requires_grad_(flag)
    outputs = function(path, call.with_inputs(inputs))
    total = sum((each.masked_fill(each.isinf(), 0) * weight_like(each)).sum() for each in outputs)
    asked = [each for each in inputs if each.requires_grad]
    assert isinstance(total, Tensor)
    grads = torch.autograd.grad(total, asked, materialize_grads=True)
    return [grad for each, grad in zip(asked, grads, strict=True)]


def weight_like(tensor: Tensor) -> Tensor:
    return torch.linspace(-1, 1, tensor.numel(), dtype=F64).view(tensor.shape)


@row("the second derivative in float64")
def second_derivative(path: str, promise: Promise) -> None:
    call = case(3, 4, F64, mask=Causal() & torch.tensor([[True], [False], [True]]).expand(3, 4))

    def products(function: Callable[[str, Case], list[Tensor]]) -> list[Tensor]:
        inputs = [each.detach().requires_grad_() for each in call.inputs]
        output = function(path, call.with_inputs(inputs))[0]
        first = torch.autograd.grad(
            (output * weight_like(output)).sum(), inputs, create_graph=True, materialize_grads=True
        )
        total = sum((each * weight_like(each)).sum() for each in first)
        assert isinstance(total, Tensor)
        return list(torch.autograd.grad(total, inputs, materialize_grads=True))

    promise.all_kept(products(results), products(expected))
    alone = [each[:1, :2].detach().requires_grad_() for each in call.inputs]
    used = alone[:2] if path == "attention_weights" else alone

    def output(*inputs: Tensor) -> Tensor:
        return results(path, call.with_inputs([*inputs, *alone[len(inputs) :]]))[0]

    assert torch.autograd.gradgradcheck(output, used, fast_mode=True)


@row("`torch.func.jvp`, in float64")
def forward_mode(path: str, promise: Promise) -> None:
    call = case(5, 7, F64, mask=Causal())

    def derivative(function: Callable[[str, Case], list[Tensor]]) -> Tensor:
        def output(*inputs: Tensor) -> Tensor:
            return function(path, call.with_inputs(list(inputs)))[0]

        tangents = tuple(weight_like(each) for each in call.inputs)
        return torch.func.jvp(output, tuple(call.inputs), tangents)[1]

    promise.kept(derivative(results), derivative(expected))


# Transformations ---------------------------------------------------------------------------------


@row("`torch.func.vmap` over inputs, masks and padding")
def mapped(path: str, promise: Promise) -> None:
    call = case(6, 9)
    masks = torch.arange(2 * 6 * 9).view(2, 6, 9) % 5 > 1
    for given_masks in (None, masks, masks[:, :1]):  # one row of keys is padding
        mapped_over(path, promise, call, given_masks, None)


@row("`torch.func.vmap` over a bias")
def mapped_bias(path: str, promise: Promise) -> None:
    mapped_over(path, promise, case(6, 9), None, weight_like(torch.empty(2, 6, 9)).float())


def mapped_over(
    path: str, promise: Promise, call: Case, masks: Tensor | None, biases: Tensor | None
) -> None:
    extra = [each for each in (masks, biases) if each is not None]

    def one(query: Tensor, key: Tensor, value: Tensor, *extra: Tensor) -> tuple[Tensor, ...]:
        given = list(extra)
        mask = None if masks is None else given.pop(0)
        as_padding = mask is not None and len(mask) == 1
        return tuple(
            results(
                path,
                Case(
                    query,
                    key,
                    value,
                    Padding(mask) if as_padding and mask is not None else mask,
                    given[0] if given else None,
                ),
            )
        )

    got = torch.func.vmap(one)(*call.inputs, *extra)
    mask = None if masks is None else masks[:, None]
    bias = None if biases is None else biases[:, None]
    promise.all_kept(list(got), expected(path, replace(call, mask=mask, bias=bias)))


def compiled(path: str, call: Case, **options: Any) -> list[Tensor]:
    def function(*inputs: Tensor) -> list[Tensor]:
        return results(path, call.with_inputs(list(inputs)))

    torch._dynamo.reset()
    try:
        return list(torch.compile(function, **options)(*call.inputs))
    finally:
        torch._dynamo.reset()


@row("`torch.compile`, in parts")
def compiled_in_parts(path: str, promise: Promise, backend: str = "eager") -> None:
    call = case(6, 9, mask=Causal())
    promise.all_kept(compiled(path, call, backend=backend), expected(path, call))


@row("`torch.compile(fullgraph=True)`")
def compiled_whole(path: str, promise: Promise) -> None:
    compiled(path, case(6, 9, mask=Causal()), backend="eager", fullgraph=True)


@row("autocast of float32 to bfloat16", BF16)
@row("autocast of float32 to float16", F16)
def autocast(dtype: torch.dtype, path: str, promise: Promise) -> None:
    call = case(6, 17, mask=Causal())
    with torch.autocast("cpu", dtype=dtype):
        got = results(path, call)
    assert got[0].dtype == dtype
    rounded = call.with_inputs([each.to(dtype) for each in call.inputs])
    promise.all_kept(got, expected(path, rounded))


@row("autocast leaves float64 alone")
def autocast_of_float64(path: str, promise: Promise) -> None:
    call = case(6, 17, F64, mask=Causal())
    with torch.autocast("cpu", dtype=BF16):
        got = results(path, call)
    assert got[0].dtype == F64
    promise.all_kept(got, results(path, call))


# The same numbers in another way -----------------------------------------------------------------


@row("the same call again")
def again(path: str, promise: Promise) -> None:
    call = case(37, 67, mask=Causal())
    promise.all_kept(results(path, call), results(path, call))


@row("two threads, beside one")
def two_threads(path: str, promise: Promise) -> None:
    call, before, got = case(37, 67, mask=Causal()), torch.get_num_threads(), []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            got.append(results(path, call))
    finally:
        torch.set_num_threads(before)
    promise.all_kept(*got)


@row("one sequence of a batch, beside it alone")
def alone(path: str, promise: Promise) -> None:
    call = case(37, 67, mask=Causal())
    of_one = results(path, call.with_inputs([each[1:] for each in call.inputs]))
    promise.all_kept([each[1:] for each in results(path, call)], of_one)


@row("other strides, the same numbers")
def strides(path: str, promise: Promise) -> None:
    call = case(6, 9)
    other = [each.permute(3, 1, 2, 0).contiguous().permute(3, 1, 2, 0) for each in call.inputs]
    assert not any(each.is_contiguous() for each in other)
    promise.all_kept(results(path, call.with_inputs(other)), results(path, call))


# Little to see -----------------------------------------------------------------------------------


def zero_and_its_gradients(path: str, promise: Promise, call: Case, rows: slice) -> None:
    inputs = [each.detach().requires_grad_() for each in call.inputs]
    output, *lse = results(path, call.with_inputs(inputs))
    seen = output[:, :, rows]
    promise.kept(seen, torch.zeros_like(seen))
    for each in lse:
        promise.kept(each[:, :, rows], torch.full_like(each[:, :, rows], -math.inf))
    for grad in torch.autograd.grad(seen.sum(), inputs, materialize_grads=True):
        promise.kept(grad, torch.zeros_like(grad))


@row("a query that sees no key: zeros, and zero gradients")
def empty_rows(path: str, promise: Promise) -> None:
    mask = (torch.arange(6) > 2)[:, None].expand(6, 9)
    zero_and_its_gradients(path, promise, case(6, 9, mask=mask), slice(0, 3))


@row("no keys at all: zeros, and zero gradients")
def no_keys(path: str, promise: Promise) -> None:
    zero_and_its_gradients(path, promise, case(6, 0), slice(None))
    zero_and_its_gradients(path, promise, case(0, 9), slice(None))


@row("one key: its value, or a weight of one")
def one_key(path: str, promise: Promise) -> None:
    for dtype in (F64, F32, BF16, F16):
        call = case(6, 1, dtype)
        got = results(path, call)[0]
        value = call.value.repeat_interleave(2, 1).expand(-1, -1, 6, -1)
        promise.kept(got, torch.ones_like(got) if path == "attention_weights" else value)


# Large numbers -----------------------------------------------------------------------------------


def large(keys: int) -> Case:
    """float16 scores of up to some 300,000, the highest two of each row near one another."""
    call = case(6, keys, F16)
    query, key = call.query * 200, call.key * 200
    key = torch.cat([key, key.roll(1, -2) / 2, key], -2)
    value = torch.cat([call.value, call.value, call.value / 2], -2)
    scores = query.double() @ key.double().repeat_interleave(2, 1).mT / 8**0.5
    assert scores.abs().max() > 65504
    assert all(each.isfinite().all() for each in (query, key))
    return Case(query, key, value)


@row("float16, scores above 65504")
def overflow(path: str, promise: Promise) -> None:
    for keys in (3, 16, 17):
        for mask in (None, torch.arange(3 * keys).expand(6, -1) % 4 > 0):
            call = replace(large(keys), mask=mask)
            promise.all_kept(results(path, call), expected(path, call))
            inputs = [each.requires_grad_() for each in call.inputs]
            output = results(path, call)[0]
            grads = torch.autograd.grad(output.float().sum(), inputs, materialize_grads=True)
            assert all(grad.isfinite().all() for grad in grads)


@row("the same under autocast")
def overflow_under_autocast(path: str, promise: Promise) -> None:
    call = large(5)
    given = call.with_inputs([each.float() for each in call.inputs])
    with torch.autocast("cpu", dtype=F16):
        got = results(path, given)
    promise.all_kept(got, expected(path, call))


@row("float32 and bfloat16, scores above 3e38")
def overflow_of_float32(path: str, promise: Promise) -> None:
    for dtype in (F32, BF16):
        call = case(6, 9, dtype)
        inputs = [each * 1e30 for each in call.inputs[:2]] + [call.value]
        promise.all_kept(results(path, call.with_inputs(inputs)), expected(path, call))


@row("bfloat16, a float32 bias of 1000.3", BF16, 1000.0)
@row("float16, a float32 bias of 1e5", F16, 1e5)
def large_bias(dtype: torch.dtype, size: float, path: str, promise: Promise) -> None:
    bias = torch.arange(9.0).mul(0.3).sin().expand(6, 9) + size
    bias = torch.where(torch.arange(9) % 3 == 0, -size, bias)
    for call in (case(6, 9, dtype, bias=bias), case(6, 9, dtype, bias=bias, mask=Causal())):
        promise.all_kept(results(path, call), expected(path, call))


# Numbers that are not finite ---------------------------------------------------------------------


def with_bias(number: float) -> Case:
    return case(6, 9, bias=torch.zeros(6, 9).index_fill(1, torch.tensor([3, 5]), number))


@row("a bias of -inf hides")
def bias_that_hides(path: str, promise: Promise) -> None:
    call = with_bias(-math.inf)
    hidden = replace(call, bias=None, mask=torch.isfinite(call.bias))  # type: ignore[arg-type]
    promise.all_kept(results(path, call), expected(path, hidden))


@row("a bias of +inf, its row; of the weights, its own")
def bias_of_infinity(path: str, promise: Promise) -> None:
    got = results(path, with_bias(math.inf))[0]
    shown = got[..., [3, 5]] if path == "attention_weights" else got
    promise.kept(shown, shown)


def spoiled(call: Case, which: int, place: int) -> Case:
    """NaN in one number of one head of the second sequence."""
    inputs = [each.clone() for each in call.inputs]
    inputs[which][1, 1, place, 2] = math.nan
    return call.with_inputs(inputs)


@row("NaN in a query, its row")
def nan_in_a_query(path: str, promise: Promise) -> None:
    for keys in (7, 16, 33):
        got = results(path, spoiled(case(6, keys), 0, 4))
        for each in got:
            promise.kept(each[1, 1, 4], each[1, 1, 4])
            assert each.isnan().sum() == each[1, 1, 4].numel()  # and nowhere else


@row("NaN in a key, the rows that see it")
def nan_in_a_key(path: str, promise: Promise) -> None:
    for keys in (7, 16, 33):
        call = spoiled(case(6, keys, mask=Causal()), 1, keys - 3)
        sees = allowed(Causal(), 6, keys)[0, 0, :, keys - 3]
        assert sees.sum() == 3
        shown = results(path, call)[0][1, 2:4, sees]  # the two heads that share the key
        if path == "attention_weights":  # of the keys that they see
            shown = shown[..., : keys - 2]
        promise.kept(shown, shown)


@row("NaN in a value, its column")
def nan_in_a_value(path: str, promise: Promise) -> None:
    for keys in (7, 16, 33):
        got = results(path, spoiled(case(6, keys), 2, 4))[0]
        promise.kept(got[1, 2:4, :, 2], got[1, 2:4, :, 2])
        assert got.isnan().sum() == 2 * 6


@row("NaN in one sequence, the others of the batch")
def nan_in_one_sequence(path: str, promise: Promise) -> None:
    for dtype in (F32, BF16, F16):
        for which in range(3):
            for keys in (7, 16, 33):
                call = case(6, keys, dtype, mask=Causal())
                got, want = results(path, spoiled(call, which, 4)), results(path, call)
                promise.all_kept([each[0] for each in got], [each[0] for each in want])


@row("NaN in a key that the mask hides", 1)
@row("NaN in a value that the mask hides", 2)
def nan_that_is_hidden(which: int, path: str, promise: Promise) -> None:
    mask = (torch.arange(9) != 4).expand(6, 9)
    call = case(6, 9, mask=mask)
    promise.all_kept(results(path, spoiled(call, which, 4)), results(path, call))


# Refused -----------------------------------------------------------------------------------------


@row("a batch of one for the key, of two for the query")
def batch_of_one(path: str, promise: Promise) -> None:
    call = case(6, 9)
    results(path, call.with_inputs([call.query, call.key[:1], call.value[:1]]))


NO_TENSORS: dict[str, Callable[[Tensor], Any]] = {
    "integers": Tensor.int,
    "complex": Tensor.cfloat,
    "lists": Tensor.tolist,
    "sparse": Tensor.to_sparse,
    "another device": lambda tensor: tensor.to("meta"),
}


@row("integers, complex numbers, lists, sparse tensors, another device")
def no_such_numbers(path: str, promise: Promise) -> None:
    call = case(6, 9)
    for change in NO_TENSORS.values():
        for which in range(3):
            if path == "attention_weights" and which == 2:
                continue
            inputs: list[Any] = list(call.inputs)
            inputs[which] = change(inputs[which])
            with pytest.raises(RegardError) as refused:
                results(path, call.with_inputs(inputs))
            assert "\n" not in str(refused.value)
    results(path, call.with_inputs([each.int() for each in call.inputs]))


# The table ---------------------------------------------------------------------------------------

CELLS = [
    pytest.param(
        *(name, path, text),
        id=f"{name} | {path}",
        marks=[pytest.mark.slow] if "torch.compile" in name and path != "plain" else [],
    )
    for name, cells in table().items()
    for path, text in zip(PATHS, cells, strict=True)
    if text != "–"
]
NOT_THERE = {
    ("NaN in a value, its column", "attention_weights"),
    ("NaN in a value that the mask hides", "attention_weights"),
}


@pytest.mark.parametrize(("name", "path", "text"), CELLS)
def test_a_cell_of_the_table_holds(name: str, path: str, text: str) -> None:
    if text == "refused":
        with pytest.raises(RegardError) as refused:
            ROWS[name](path, Promise(text))
        assert "\n" not in str(refused.value)
    elif text == "PyTorch's error":
        with pytest.raises(torch._dynamo.exc.TorchDynamoException):
            ROWS[name](path, Promise(text))
    else:
        ROWS[name](path, Promise(text))


def test_the_table_and_the_tests_have_the_same_rows_and_columns():
    assert set(table()) == set(ROWS)
    empty = {
        (name, path)
        for name, cells in table().items()
        for path, text in zip(PATHS, cells, strict=True)
        if text == "–"
    }
    assert empty == NOT_THERE


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("exact", [1.0, 2.0000002]),
        ("1e-5", [1.0, 2.1]),
        ("1e-5", [1.0, math.nan]),
        ("NaN", [math.nan, 2.0]),
        ("undefined", [1.0]),
        ("good", [1.0, 2.0]),
    ],
)
def test_a_promise_that_is_broken_is_noticed(text: str, got: list[float]) -> None:
    with pytest.raises(AssertionError):
        Promise(text).kept(torch.tensor(got), torch.tensor([1.0, 2.0]))


def test_the_definition_is_pytorchs_own_in_float64():
    def check(call: Case) -> None:
        query, key, value = (each[(None,) * (4 - each.ndim)] for each in call.inputs[:3])
        whole = (*query.shape[:3], key.shape[2])
        added = torch.zeros(whole, dtype=F64) if call.bias is None else call.bias.double()
        added = added.expand(whole)
        if call.mask is not None:
            added = added.masked_fill(~allowed(call.mask, *whole[2:]), -math.inf)
        live = (added != -math.inf).any(-1)
        want = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=added, enable_gqa=True
        )
        got = expected("plain", call)[0]
        got = got[(None,) * (4 - got.ndim)]
        Promise("1e-12").kept(got[live], want[live])
        assert not got[~live].any()

    by_chance(cases(F64), 60, check)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the compiler's own
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_other_back_ends_of_the_compiler_give_the_same(path: str, backend: str) -> None:
    compiled_in_parts(path, Promise("1e-5"), backend=backend)
