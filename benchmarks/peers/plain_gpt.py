"""A GPT and its training step in plain torch.nn.functional, as nanoGPT writes them."""

import torch
from torch import Tensor
from torch.nn import functional

from regard.models import Decoder
from regard.tasks.text_generation.blocks import BlockBatch


class PlainGPT:
    """Starts from the weights of one of regard's decoders, whose names it keeps.

    One product makes queries, keys and values; attention is scaled_dot_product_attention;
    AdamW decays matrices only; the gradient is clipped at 1: as nanoGPT's model.py and train.py.
    """

    def __init__(self, model: Decoder, *, betas: tuple[float, float], compiled: bool = False):
        config = model.config
        self.heads, self.layers = config.num_heads, config.num_layers
        self.eps = config.norm_eps
        self.weights = {}
        state = {name: p.detach().clone() for name, p in model.named_parameters()}
        for layer in range(self.layers):
            prefix = f"decoder.layers.{layer}.self_attention"
            for kind in ("weight", "bias"):
                parts = [state.pop(f"{prefix}.{name}.{kind}") for name in ("query", "key", "value")]
                state[f"{prefix}.joined.{kind}"] = torch.cat(parts)
        self.weights = {name: value.requires_grad_() for name, value in state.items()}
        decayed = [p for p in self.weights.values() if p.dim() > 1]
        others = [p for p in self.weights.values() if p.dim() <= 1]
        groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, betas=betas)
        self.forward = torch.compile(self._loss) if compiled else self._loss

    def step(self, batch: BlockBatch, rate: float) -> float:
        """One update; returns the mean loss."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = self.forward(batch.ids, batch.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self.weights.values()), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def prepare(self, batch: BlockBatch) -> None:
        """Compiles what is to be compiled; no weight changes."""
        self.forward(batch.ids, batch.targets).backward()
        self.optimizer.zero_grad(set_to_none=True)

    @torch.no_grad()
    def loss(self, batch: BlockBatch) -> float:
        """The mean loss of a batch."""
        return self._loss(batch.ids, batch.targets).item()

    def _loss(self, ids: Tensor, targets: Tensor) -> Tensor:
        weights = self.weights
        x = weights["decoder.embed.tokens.weight"][ids]
        x = x + weights["decoder.embed.positions.weight"][: ids.shape[1]]
        for layer in range(self.layers):
            x = self._layer(x, f"decoder.layers.{layer}.")
        x = self._norm(x, "decoder.norm")
        logits = x @ weights["decoder.embed.tokens.weight"].T
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def _layer(self, x: Tensor, prefix: str) -> Tensor:
        batch, length, width = x.shape
        joined = self._linear(
            self._norm(x, f"{prefix}self_attention_norm"), f"{prefix}self_attention.joined"
        )
        query, key, value = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in joined.split(width, dim=2)
        )
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        attended = attended.transpose(1, 2).reshape(batch, length, width)
        x = x + self._linear(attended, f"{prefix}self_attention.output")
        inner = self._linear(
            self._norm(x, f"{prefix}feed_forward_norm"), f"{prefix}feed_forward.inner"
        )
        return x + self._linear(functional.gelu(inner), f"{prefix}feed_forward.outer")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(x, weight.shape, weight, bias, self.eps)
