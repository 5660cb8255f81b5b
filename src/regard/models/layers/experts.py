"""A mixture of experts: several feed-forward networks, of which a router chooses for each token
(Shazeer et al. 2017, Outrageously Large Neural Networks; Jiang et al. 2024, Mixtral of Experts)."""

import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.models.layers.transformer import FeedForward


class MixtureOfExperts(nn.Module):
    """Σ share_e · FeedForward_e(x), over the experts e that are likeliest by softmax(x W_R + b_R).

    >>> experts = MixtureOfExperts(64, 128, experts=4, per_token=2)
    >>> experts(torch.randn(2, 5, 64)).shape
    torch.Size([2, 5, 64])

    Args:
        d_model: width of input and output.
        d_ff: width of an expert's inner layer.
        experts: how many there are.
        per_token: how many of them compute a token.
        adds_to_one: whether the shares are the probabilities of the chosen experts divided by
            their sum, not as they are.
        bias: whether the router and the experts have biases.
        activation, gated, gate_limit: of the experts, as FeedForward takes them.

    Raises:
        BadArgumentError: more experts for a token than there are.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        experts: int,
        per_token: int,
        adds_to_one: bool = True,
        bias: bool = False,
        activation: str = "silu",
        gated: bool = True,
        gate_limit: float | None = None,
    ):
        super().__init__()
        if not 1 <= per_token <= experts:
            raise BadArgumentError(
                f"per_token must be from 1 to the {experts} experts; got {per_token}."
            )
        self.per_token, self.adds_to_one = per_token, adds_to_one
        self.router = nn.Linear(d_model, experts, bias=bias)
        self.experts = nn.ModuleList(
            FeedForward(
                d_model,
                d_ff,
                activation=activation,
                gated=gated,
                bias=bias,
                gate_limit=gate_limit,
            )
            for _ in range(experts)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(…, d_model) → the same shape."""
        tokens, probabilities = x.flatten(0, -2), self.router(x).softmax(-1, dtype=torch.float32)
        shares, chosen = probabilities.flatten(0, -2).topk(self.per_token, -1)
        if self.adds_to_one:
            shares = shares / shares.sum(-1, keepdim=True)
        output = torch.zeros_like(tokens)
        # Each expert has a gradient, which is zero where no token chose it.
        everyone = torch.is_grad_enabled()
        numbers = range(len(self.experts)) if everyone else chosen.unique().tolist()
        for number in numbers:
            rows, places = (chosen == number).nonzero(as_tuple=True)
            states = self.experts[number](tokens[rows])
            output.index_add_(0, rows, (states * shares[rows, places, None]).to(output.dtype))
        return output.view_as(x)
