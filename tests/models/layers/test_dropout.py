import pytest
import torch

from regard import RegardError
from regard.models.layers import Dropout
from regard.models.layers.dropout import keep_scale


@pytest.mark.parametrize(("probability", "dropped"), [(0.1, 26), (0.3, 77), (0.5, 128)])
def test_the_probability_is_the_nearest_256th(probability: float, dropped: int) -> None:
    torch.manual_seed(7)
    scale = keep_scale(torch.empty(1009, 1013), Dropout(probability).dropped)
    share = (scale == 0).double().mean().item()
    deviation = (dropped / 256 * (1 - dropped / 256) / scale.numel()) ** 0.5
    assert abs(share - dropped / 256) < 4 * deviation
    assert scale.unique().tolist() == pytest.approx([0, 256 / (256 - dropped)])


def test_every_one_of_256_bytes_is_equally_likely() -> None:
    # Were the random words short of a bit, half of the bytes would never come.
    torch.manual_seed(7)
    for dropped in (1, 255):
        scale = keep_scale(torch.empty(2**20), dropped)
        share = (scale == 0).double().mean().item()
        assert share == pytest.approx(dropped / 256, abs=4 * 2**-14)


def test_the_mean_is_preserved() -> None:
    torch.manual_seed(11)
    output = Dropout(0.3).train()(torch.ones(997, 1009))
    assert output.mean().item() == pytest.approx(1, abs=4 * (77 / 179 / output.numel()) ** 0.5)


def test_neighbors_and_calls_are_independent() -> None:
    torch.manual_seed(3)
    first, second = (keep_scale(torch.empty(8 * 50_021), 64) == 0 for _ in range(2))
    both = torch.stack([first & second, first & first.roll(1), first & first.roll(8)])
    torch.testing.assert_close(both.float().mean(1), torch.full((3,), 1 / 16), atol=2e-3, rtol=0)


@pytest.mark.parametrize("shape", [(3, 5, 7), (1,), (0, 3)])
def test_any_shape_is_taken_and_kept(shape: tuple[int, ...]) -> None:
    assert Dropout(0.5)(torch.ones(shape)).shape == shape


def test_gradients_pass_where_values_passed() -> None:
    input = torch.randn(13, 17, dtype=torch.float64, requires_grad=True)
    output = Dropout(0.3)(input)
    (gradient,) = torch.autograd.grad(output.sum(), input)
    torch.testing.assert_close(gradient * input, output)
    assert 0 < (gradient == 0).sum() < gradient.numel()


def test_adding_equals_dropout_and_a_sum() -> None:
    dropout = Dropout(0.3)
    residual, input = torch.randn(2, 13, 17, dtype=torch.float64, requires_grad=True).unbind()
    torch.manual_seed(5)
    together = dropout.add(residual, input)
    torch.manual_seed(5)
    apart = residual + dropout(input)
    torch.testing.assert_close(together, apart)
    weight = torch.randn_like(together)
    for ours, expected in zip(
        torch.autograd.grad((weight * together).sum(), (residual, input)),
        torch.autograd.grad((weight * apart).sum(), (residual, input)),
        strict=True,
    ):
        torch.testing.assert_close(ours, expected)


def test_the_same_seed_gives_the_same_mask() -> None:
    dropout = Dropout(0.3)
    outputs = []
    for _ in range(2):
        torch.manual_seed(23)
        outputs.append(dropout(torch.ones(101)))
    assert torch.equal(*outputs)


@pytest.mark.parametrize("dropout", [Dropout(0.3).eval(), Dropout(0.0).train()])
def test_it_is_the_identity_where_nothing_is_to_drop(dropout: Dropout) -> None:
    input, residual = torch.randn(5, 7), torch.randn(5, 7)
    assert dropout(input) is input
    assert torch.equal(dropout.add(residual, input), residual + input)


def test_bf16_stays_bf16() -> None:
    assert Dropout(0.3)(torch.ones(7, 3, dtype=torch.bfloat16)).dtype == torch.bfloat16


@pytest.mark.parametrize("probability", [-0.1, 1.0, 0.999, float("nan")])
def test_what_leaves_nothing_is_refused(probability: float) -> None:
    with pytest.raises(RegardError, match=f"from 0 to 255/256; got {probability}"):
        Dropout(probability)
