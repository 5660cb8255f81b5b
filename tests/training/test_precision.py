import pytest
import torch
from torch import nn

from regard import RegardError
from regard.training.precision import MasterWeights, choose_device, choose_dtype

CPU = torch.device("cpu")


def model() -> nn.Module:
    torch.manual_seed(5)
    made = nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2))
    made[0].bias.requires_grad_(False)
    return made


def test_names_choose_their_dtype() -> None:
    assert choose_dtype("fp32", CPU) == torch.float32
    assert choose_dtype("bf16", CPU) == torch.bfloat16


@pytest.mark.parametrize(("capable", "expected"), [(True, torch.bfloat16), (False, torch.float32)])
def test_auto_is_bf16_where_the_hardware_multiplies_it(
    capable: bool, expected: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": capable})
    assert choose_dtype("auto", CPU) == expected


def test_in_float32_the_masters_are_the_parameters() -> None:
    net = model()
    weights = MasterWeights(net, torch.float32)
    assert weights.parameters["0.weight"] is net[0].weight
    assert "0.bias" not in weights.parameters


def test_in_bf16_the_masters_keep_what_rounding_takes() -> None:
    net = model()
    exact = net[0].weight.detach().clone()
    weights = MasterWeights(net, torch.bfloat16)
    assert torch.equal(weights.parameters["0.weight"], exact)
    assert torch.equal(net[0].weight, exact.bfloat16())
    with torch.no_grad():
        weights.parameters["0.weight"] += 2**-12  # less than half a step of bf16
    weights.publish()
    assert torch.equal(weights.parameters["0.weight"], exact + 2**-12)
    assert torch.equal(net[0].weight, (exact + 2**-12).bfloat16())


def test_gradients_are_summed_in_float32() -> None:
    # 256 + 1 is 256 in bf16, whose numbers there are two apart.
    net = model()
    weights = MasterWeights(net, torch.bfloat16)
    for gradient in (256.0, 1.0, 1.0):
        net[1].bias.grad = torch.full((2,), gradient, dtype=torch.bfloat16)
        weights.gather_gradients()
        assert net[1].bias.grad is None
    master = weights.parameters["1.bias"].grad
    assert master is not None
    assert master.dtype == torch.float32
    assert master.tolist() == [258, 258]
    assert weights.parameters["0.weight"].grad is None


def test_saved_weights_reach_masters_and_model() -> None:
    net, other = model(), MasterWeights(model(), torch.bfloat16)
    saved = {name: torch.randn_like(p) for name, p in other.parameters.items()}
    weights = MasterWeights(net, torch.bfloat16)
    weights.load(saved)
    assert torch.equal(weights.parameters["1.weight"], saved["1.weight"])
    assert torch.equal(net[1].weight, saved["1.weight"].bfloat16())


def test_the_device_is_the_one_named_or_the_best_there_is() -> None:
    best = "cuda" if torch.cuda.is_available() else "cpu"
    assert choose_device("auto") == torch.device(best)
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(RegardError, match=r"device must be auto.*got 'tpu'"):
        choose_device("tpu")
