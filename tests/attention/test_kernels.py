"""The kernels are one function: each is held against a loop over the rows of the map."""

import pytest
import torch

from fixtures.attention_masks import LENGTHS, MASKS
from fixtures.covering import parametrize
from regard.attention import KERNELS, Causal, Dense, Mask, additive, attend, gaussian, general
from regard.attention.attend import check
from regard.attention.kernels import blocked as blocked_module
from regard.attention.kernels import choice
from regard.attention.kernels.choice import choose
from regard.errors import RegardError

BATCH, HEADS, KEY_HEADS, HEAD_DIM, VALUE_DIM = 2, 6, 3, 5, 11
ANY_SCORE = ("plain", "blocked")
DOT_PRODUCTS = ("plain", "short", "blocked", "fused")


def tensors(queries, keys, dtype=torch.float64, heads=HEADS, key_heads=KEY_HEADS, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shapes = [
        (BATCH, heads, queries, HEAD_DIM),
        (BATCH, key_heads, keys, HEAD_DIM),
        (BATCH, key_heads, keys, VALUE_DIM),
    ]
    return [torch.randn(s, generator=generator, dtype=torch.float64).to(dtype) for s in shapes]


def by_loops(query, key, value, mask, bias=None):
    """Output, weights, log-sum-exp, with nothing shared with the package but the mask."""
    queries, keys, groups = query.shape[2], key.shape[2], query.shape[1] // key.shape[1]
    query, key, value = query.double(), key.double(), value.double()
    allowed = torch.ones(1, 1, queries, keys, dtype=torch.bool)
    if mask is not None:
        mask = mask if isinstance(mask, Mask) else Dense(mask)
        allowed = mask.tile(torch.arange(queries) + keys - queries, torch.arange(keys))
    allowed = allowed.expand(BATCH, query.shape[1], queries, keys)
    weights = query.new_zeros(BATCH, query.shape[1], queries, keys)
    lse = query.new_full(weights.shape[:-1], float("-inf"))
    output = query.new_zeros(*weights.shape[:-1], value.shape[-1])
    for b, h, i in torch.cartesian_prod(*map(torch.arange, lse.shape)).tolist():
        seen = allowed[b, h, i].nonzero()[:, 0].tolist()
        scores = {j: (query[b, h, i] @ key[b, h // groups, j]) / HEAD_DIM**0.5 for j in seen}
        if bias is not None:
            scores = {j: s + bias.expand_as(weights)[b, h, i, j] for j, s in scores.items()}
        total = sum(s.exp() for s in scores.values())
        for j, s in scores.items():
            weights[b, h, i, j] = s.exp() / total
            lse[b, h, i] = total.log()
        output[b, h, i] = weights[b, h, i] @ value[b, h // groups]
    return output, weights, lse


TOLERANCES = {
    torch.float64: 1e-12,
    torch.float32: 1e-6,
    torch.bfloat16: 3e-2,
    torch.float16: 4e-3,
}


def test_kernels_agree_with_every_mask(make_mask):
    for (queries, keys), (dtype, tolerance) in zip(LENGTHS, TOLERANCES.items(), strict=True):
        query, key, value = tensors(queries, keys, dtype)
        mask = make_mask(queries, keys)
        expected, _, expected_lse = by_loops(query, key, value, mask)
        for kernel in KERNELS:
            output, lse = attend(query, key, value, mask=mask, kernel=kernel, return_lse=True)
            assert output.dtype == dtype
            assert lse.dtype == torch.promote_types(dtype, torch.float32)
            for got, want in ((output, expected), (lse, expected_lse)):
                torch.testing.assert_close(
                    got.double(), want, atol=tolerance, rtol=0, msg=from_kernel(kernel)
                )


def from_kernel(kernel):
    return lambda message: f"kernel {kernel}: {message}"


@pytest.mark.parametrize("kernel", DOT_PRODUCTS)
def test_gradients_in_bfloat16_are_near_the_exact_ones(kernel):
    exact = [tensor.requires_grad_() for tensor in tensors(14, 17)]
    rounded = [tensor.detach().bfloat16().requires_grad_() for tensor in exact]
    attend(*exact, mask=Causal(), kernel="plain").square().sum().backward()
    attend(*rounded, mask=Causal(), kernel=kernel).square().sum().backward()
    for got, want in zip(rounded, exact, strict=True):
        error = (got.grad.double() - want.grad).norm() / want.grad.norm()
        assert error < 0.02


@parametrize("kernel, make_mask", KERNELS, MASKS, strength=1, indirect=["make_mask"])
def test_gradgradcheck_of_each_kernel_and_every_mask(kernel, make_mask):
    inputs = [tensor.requires_grad_() for tensor in tensors(3, 5)]
    mask = make_mask(3, 5)

    def output(*inputs):
        return attend(*inputs, mask=mask, kernel=kernel)

    assert torch.autograd.gradgradcheck(output, inputs, fast_mode=True)


@pytest.mark.parametrize("kernel", ["plain", "blocked", "fused"])
def test_gradgradcheck_of_the_bias_and_the_cosine(kernel):
    inputs = [double(1, 2, 3, 4), double(1, 1, 5, 4), double(1, 1, 5, 3), double(2, 1, 5)]

    def output(query, key, value, bias):
        return attend(query, key, value, score="cosine", bias=bias, kernel=kernel)

    assert torch.autograd.gradgradcheck(output, inputs, fast_mode=True)


def definition_of_self_attention(states):
    return torch.softmax(states @ states.mT / states.shape[-1] ** 0.5, -1) @ states


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_hessian_of_self_attention_is_that_of_the_definition(kernel):
    states = tensors(4, 4, heads=1, key_heads=1)[0][:1]  # query, key and value at once
    expected = torch.autograd.functional.hessian(
        lambda states: definition_of_self_attention(states).square().sum(), states
    )
    got = torch.autograd.functional.hessian(
        lambda states: attend(states, states, states, kernel=kernel).square().sum(), states
    )
    assert expected.norm() > 1
    torch.testing.assert_close(got, expected, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("queries", [14, 150])  # of which "auto" takes short, then fused
def test_a_gradient_penalty_is_that_of_the_definition(queries):
    inputs = [tensor.requires_grad_() for tensor in tensors(queries, queries)]

    def penalty(kernel):
        output = attend(*inputs, mask=Causal(), kernel=kernel)
        first = torch.autograd.grad(output.square().sum(), inputs, create_graph=True)
        return torch.autograd.grad(sum(grad.square().sum() for grad in first), inputs)

    torch.testing.assert_close(penalty("auto"), penalty("plain"), atol=1e-10, rtol=1e-10)


# PyTorch imports its rules for forward mode when they are first used, and warns that they are old.
scripted = pytest.mark.filterwarnings("ignore::DeprecationWarning")

TRANSFORMS = {
    "grad": lambda f, x: torch.func.grad(f)(x),
    "jacrev": lambda f, x: torch.func.jacrev(f)(x),
    "jacfwd": lambda f, x: torch.func.jacfwd(f)(x),
    "hessian": lambda f, x: torch.func.hessian(f)(x),
    "vmap of grad": lambda f, x: torch.func.vmap(torch.func.grad(f))(torch.stack([x, 2 * x])),
    "vmap": lambda f, x: torch.func.vmap(f)(torch.stack([x, 2 * x])),
    "jvp": lambda f, x: torch.func.jvp(f, (x,), (x.cos(),))[1],
}


@scripted
@parametrize("kernel, transform, causal", KERNELS, TRANSFORMS, [False, True])
def test_torch_func_transforms_every_kernel(kernel, transform, causal):
    transform, mask = TRANSFORMS[transform], Causal() if causal else None
    states = tensors(4, 4, heads=1, key_heads=1)[0][0]

    def energy(states, kernel):
        return attend(states, states, states, mask=mask, kernel=kernel).square().sum()

    got = transform(lambda states: energy(states, kernel), states)
    expected = transform(lambda states: energy(states, "plain"), states)
    assert expected.norm() > 1e-3
    torch.testing.assert_close(got, expected, atol=1e-12, rtol=1e-12)


@scripted
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("training", [False, True])
def test_forward_mode_is_that_of_the_definition(kernel, training):
    query, key, value = tensors(4, 7, torch.float64)
    value.requires_grad_(training)

    def tangent(kernel):
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(query, query.cos())
            output = attend(dual, key, value, mask=Causal(), kernel=kernel)
            return torch.autograd.forward_ad.unpack_dual(output).tangent

    torch.testing.assert_close(tangent(kernel), tangent("plain"), atol=1e-12, rtol=0)


@pytest.mark.parametrize("kernel", ["short", "fused"])
def test_ordinary_training_does_not_compute_the_definition(kernel, monkeypatch):
    monkeypatch.delattr(choice, "definition")
    inputs = [tensor.requires_grad_() for tensor in tensors(7, 7)]
    attend(*inputs, mask=Causal(), kernel=kernel).sum().backward()
    assert all(tensor.grad.isfinite().all() for tensor in inputs)


def test_an_output_may_be_changed_in_place():
    inputs = [tensor.requires_grad_() for tensor in tensors(7, 7)]
    doubled = attend(*inputs, kernel="short").mul_(2).sum()
    expected = 2 * attend(*inputs, kernel="plain").sum()
    got = torch.autograd.grad(doubled, inputs)
    torch.testing.assert_close(got, torch.autograd.grad(expected, inputs))


@pytest.mark.slow
@pytest.mark.usefixtures("as_in_production")
@pytest.mark.filterwarnings("ignore")  # the compiler's own
def test_compiling_loses_no_second_derivative():
    state = tensors(3, 3, heads=1, key_heads=1)[0][:1]

    def energy(state):
        return attend(state, state, state, kernel="short").square().sum()

    compiled = torch.compile(energy, backend="eager")
    got, expected = (torch.autograd.functional.hessian(f, state) for f in (compiled, energy))
    torch.testing.assert_close(got, expected)


def double(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("kernel", ANY_SCORE)
@pytest.mark.parametrize(
    ("score", "parameters"),
    [
        ("dot", []),
        ("scaled_dot", []),
        ("cosine", []),
        ("average", []),
        (gaussian, [torch.tensor(1.3, dtype=torch.float64, requires_grad=True)]),
        (general, [double(4, 3)]),
        (additive, [double(6, 4), double(6, 3), double(6)]),
    ],
    ids=["dot", "scaled_dot", "cosine", "average", "gaussian", "general", "additive"],
)
def test_gradcheck_of_each_score_its_parameters_and_the_bias(
    kernel, score, parameters, monkeypatch
):
    monkeypatch.setattr(blocked_module, "rows_per_tile", lambda query: 2)
    monkeypatch.setattr(blocked_module, "KEY_BLOCK", 2)
    key_dim = 3 if score in (general, additive) else 4
    tensors = [double(2, 3, 4), double(2, 5, key_dim), double(2, 5, 2), double(2, 3, 5)]

    def output(query, key, value, bias, *parameters):
        function = score if isinstance(score, str) else score(*parameters)
        return attend(query, key, value, score=function, bias=bias, mask=Causal(), kernel=kernel)

    assert torch.autograd.gradcheck(output, [*tensors, *parameters], fast_mode=True)


@parametrize(
    "kernel, bias_shape, masked",
    ["plain", "blocked", "fused"],
    [(5, 7), (7,), (6, 1, 1), (2, 1, 5, 1), (2, 6, 5, 7), (1, 6, 5, 7)],
    [False, True],
)
def test_a_bias_of_any_shape_that_broadcasts_is_added_to_the_scores(kernel, bias_shape, masked):
    query, key, value = tensors(5, 7)
    mask = (torch.arange(35).view(5, 7) % 4 > 0) if masked else None
    bias = torch.randn(bias_shape, dtype=torch.float64, requires_grad=True)
    expected, _, expected_lse = by_loops(query, key, value, mask, bias.detach())
    output, lse = attend(query, key, value, mask=mask, bias=bias, kernel=kernel, return_lse=True)
    torch.testing.assert_close(output.detach(), expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(lse.detach(), expected_lse, atol=1e-12, rtol=0)
    (got,) = torch.autograd.grad(output.square().sum(), bias)
    definition = attend(query, key, value, mask=mask, bias=bias, kernel="plain")
    (want,) = torch.autograd.grad(definition.square().sum(), bias)
    torch.testing.assert_close(got, want, atol=1e-11, rtol=0)


@pytest.mark.parametrize("kernel", ["plain", "blocked", "fused"])
def test_a_key_with_the_lowest_finite_bias_is_seen_beside_hidden_ones(kernel):
    query, key, value = (tensor.float() for tensor in tensors(3, 4))
    bias = torch.full((3, 4), float("-inf"))
    bias[:, 1] = torch.finfo(torch.float32).min
    output = attend(query, key, value, bias=bias, kernel=kernel)
    torch.testing.assert_close(
        output,
        value[:, :, 1:2].repeat_interleave(query.shape[1] // value.shape[1], 1).expand_as(output),
    )


def test_blocks_of_any_size_give_the_same(make_mask):
    query, key, value = tensors(11, 7)
    mask = make_mask(11, 7)
    expected = attend(query, key, value, mask=mask, kernel="plain", return_lse=True)
    inputs = check(query, key, value, "scaled_dot", mask, None)
    for rows, columns in [(1, 1), (2, 3), (11, 7), (50, 50)]:
        got = blocked_module.blocked(inputs, rows, columns)
        torch.testing.assert_close(got, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_decoding_with_a_cache_gives_the_rows_of_the_whole(kernel):
    query, key, value = tensors(9, 9)
    whole = attend(query, key, value, mask=Causal(), kernel="plain")
    for step in range(9):
        seen = slice(0, step + 1)
        row = attend(
            query[:, :, step : step + 1], key[:, :, seen], value[:, :, seen], mask=Causal(),
            kernel=kernel,
        )  # fmt: skip
        torch.testing.assert_close(row, whole[:, :, step : step + 1])
    last = attend(query[:, :, 5:], key, value, mask=Causal(), kernel=kernel)
    torch.testing.assert_close(last, whole[:, :, 5:])


def test_a_kernel_is_chosen_where_there_are_no_keys_or_no_queries():
    output, lse = attend(*tensors(3, 0), return_lse=True)
    assert output.equal(torch.zeros(BATCH, HEADS, 3, VALUE_DIM, dtype=torch.float64))
    assert lse.isneginf().all()
    assert attend(*tensors(0, 3)).shape == (BATCH, HEADS, 0, VALUE_DIM)


def test_autocast_chooses_the_precision_and_keeps_the_gradient_in_the_inputs_own():
    inputs = [t.requires_grad_() for t in tensors(7, 7, torch.float32)]
    for kernel in DOT_PRODUCTS:
        with torch.autocast("cpu", torch.bfloat16):
            output = attend(*inputs, mask=Causal(), kernel=kernel)
        assert output.dtype == torch.bfloat16
        grads = torch.autograd.grad(output.float().sum(), inputs)
        assert {grad.dtype for grad in grads} == {torch.float32}


@pytest.mark.parametrize("fast_bfloat16", [False, True])
def test_the_choice_follows_what_was_measured(fast_bfloat16, monkeypatch):
    monkeypatch.setattr("regard.attention.kernels.choice._FAST_BFLOAT16", fast_bfloat16)

    def choice(queries, keys, dtype=torch.float32, grad=False, batch=2, **rest):
        query = torch.zeros(1, 1, 1, 1, dtype=dtype).expand(batch, 8, queries, 64)
        key = torch.zeros(1, 1, 1, 1, dtype=dtype).expand(batch, 8, keys, 64)
        if grad:
            query = query.detach().requires_grad_()
        rest = {"score": "scaled_dot", "mask": None, "bias": None} | rest
        return choose(check(query, key, key, rest["score"], rest["mask"], rest["bias"]))

    assert choice(14, 14, torch.bfloat16, grad=True, batch=240) == "short"
    assert choice(100, 100, grad=True) == "short"
    assert choice(200, 200, grad=True) == "fused"
    assert choice(200, 200, torch.bfloat16) == ("short" if fast_bfloat16 else "fused")
    assert choice(200, 200, torch.bfloat16, grad=True) == "short"
    assert choice(2048, 2048, torch.bfloat16, grad=True) == "fused"
    assert choice(1, 200, torch.bfloat16, batch=64) == "short"
    assert choice(1, 20) == "fused"  # a call costs more than the work
    assert choice(100, 100) == "fused"
    assert choice(65_536, 65_536, mask=Causal()) == "fused"  # builds no mask
    assert choice(65_536, 65_536, mask=Causal() | Causal()) == "blocked"
    assert choice(16_384, 65_536, mask=Causal()) == "blocked"  # not square: it would build one
    assert choice(100, 100, score="gaussian") == "plain"
    assert choice(65_536, 65_536, score=lambda query, key: query @ key.mT) == "blocked"


@pytest.mark.usefixtures("as_in_production")
def test_a_kernel_says_which_scores_it_can_do():
    query, key, value = tensors(3, 5)
    for kernel in ("fused", "short"):
        with pytest.raises(
            RegardError, match=f"'{kernel}' supports only the scores scaled_dot, scaled, dot and"
        ):
            attend(query, key, value, score=gaussian(2.0), kernel=kernel)
    with pytest.raises(RegardError, match="'short' takes no bias; use kernel='plain'"):
        attend(query, key, value, bias=torch.zeros(3, 5), kernel="short")
    with pytest.raises(RegardError, match=r"auto, plain, blocked.* Did you mean 'blocked'\?"):
        attend(query, key, value, kernel="blockd")
