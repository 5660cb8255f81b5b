import pytest
import torch
from torch.nn import functional

from regard.errors import RegardError
from regard.training import cross_entropy
from regard.training import loss as loss_module


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows_per_block", [1, 5, 100])
def test_loss_and_gradients_equal_torchs(
    smoothing: float, rows_per_block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, d_model, vocab = 13, 7, 29
    monkeypatch.setattr(loss_module, "BLOCK_ELEMENTS", rows_per_block * vocab)
    hidden = torch.randn(rows, d_model, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(vocab, d_model, dtype=torch.float64, requires_grad=True)
    target = torch.randint(0, vocab, (rows,))

    ours = cross_entropy(hidden, weight, target, label_smoothing=smoothing)
    gradients = torch.autograd.grad(3 * ours, (hidden, weight))
    theirs = functional.cross_entropy(
        hidden @ weight.T, target, label_smoothing=smoothing, reduction="sum"
    )
    expected = torch.autograd.grad(3 * theirs, (hidden, weight))

    torch.testing.assert_close(ours, theirs)
    for gradient, other in zip(gradients, expected, strict=True):
        torch.testing.assert_close(gradient, other)


def test_a_value_computed_by_hand() -> None:
    # logits (0, ln 3): p = (1/4, 3/4); target 1, ε = 0.2:
    # 0.8 · ln(4/3) + 0.2 · (ln 4 + ln(4/3)) / 2
    hidden = torch.tensor([[1.0]])
    weight = torch.tensor([[0.0], [1.0986123]])
    loss = cross_entropy(hidden, weight, torch.tensor([1]), label_smoothing=0.2)
    assert loss.item() == pytest.approx(0.8 * 0.2876821 + 0.2 * (1.3862944 + 0.2876821) / 2)


def test_bf16_is_within_its_rounding_of_float32() -> None:
    hidden, weight = torch.randn(211, 64), torch.randn(307, 64) * 0.2
    target = torch.randint(0, 307, (211,))
    exact = cross_entropy(hidden.bfloat16().float(), weight.bfloat16().float(), target)
    rounded = cross_entropy(hidden.bfloat16(), weight.bfloat16(), target)
    assert abs(exact - rounded) / 211 < 0.004


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_loss_of_an_impossible_token_is_its_whole_gap(
    dtype: torch.dtype, smoothing: float
) -> None:
    hidden = torch.tensor([[100.0]], dtype=dtype)
    weight = torch.tensor([[-8.0], [8.0], [0.0]], dtype=dtype)  # logits -800, 800 and 0
    target = torch.tensor([0])
    loss = cross_entropy(hidden, weight, target, label_smoothing=smoothing)
    theirs = functional.cross_entropy(
        hidden.float() @ weight.float().T, target, label_smoothing=smoothing
    )
    assert loss.item() == pytest.approx(
        theirs.item(), rel=0.004 if dtype == torch.bfloat16 else 1e-6
    )


def test_a_second_derivative_is_refused_and_not_left_out() -> None:
    hidden = torch.randn(5, 3, requires_grad=True)
    loss = cross_entropy(hidden, torch.randn(7, 3), torch.tensor([1, 6, 0, 2, 2]))
    with pytest.raises(RegardError, match=r"once, and create_graph=True .* use torch\.nn"):
        torch.autograd.grad(loss, hidden, create_graph=True)
