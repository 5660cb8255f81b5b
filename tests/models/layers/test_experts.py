"""A mixture of experts against its definition, token by token, and its gradients."""

import pytest
import torch

from regard import RegardError
from regard.models.layers import MixtureOfExperts


def made(**options: object) -> MixtureOfExperts:
    torch.manual_seed(5)
    settings = {"experts": 5, "per_token": 2} | options
    return MixtureOfExperts(6, 9, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("adds_to_one", [True, False])
@pytest.mark.parametrize("per_token", [1, 2, 5])
@torch.no_grad()
def test_a_token_is_the_sum_of_its_likeliest_experts(adds_to_one: bool, per_token: int) -> None:
    module = made(adds_to_one=adds_to_one, per_token=per_token, bias=True)
    x = torch.randn(2, 3, 6)
    output = module(x)
    for place in [(0, 0), (0, 2), (1, 1)]:
        logits = (module.router.weight @ x[place] + module.router.bias).tolist()
        powers = [torch.tensor(logit).exp().item() for logit in logits]
        likeliest = sorted(range(5), key=lambda number: -powers[number])[:per_token]
        whole = sum(powers[number] for number in likeliest) if adds_to_one else sum(powers)
        expected = sum(
            powers[number] / whole * module.experts[number](x[place]) for number in likeliest
        )
        torch.testing.assert_close(output[place], expected)


def test_experts_that_no_token_chose_have_a_gradient_of_zero() -> None:
    module = made(per_token=1)
    x = torch.randn(1, 1, 6).expand(1, 4, 6)
    module(x).square().sum().backward()
    grads = [expert.inner.weight.grad for expert in module.experts]
    used = [grad is not None and bool(grad.abs().sum() > 0) for grad in grads]
    assert (sum(used), all(grad is not None for grad in grads)) == (1, True)


@torch.no_grad()
def test_only_chosen_experts_compute_where_nothing_is_learned() -> None:
    module, ran = made(per_token=1), []
    for number, expert in enumerate(module.experts):
        expert.register_forward_hook(lambda *_, number=number: ran.append(number))
    x = torch.randn(1, 1, 6)
    module(x)
    assert ran == [int(module.router(x).argmax())]


def test_more_experts_for_a_token_than_there_are_is_refused() -> None:
    with pytest.raises(RegardError, match="per_token must be from 1 to the 5 experts; got 6"):
        made(per_token=6)
