"""The encoder–decoder from torch.nn.Transformer, and the usual training step around it."""

import warnings

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.data import Batch
from regard.models import EncoderDecoderConfig
from regard.models.positions import sinusoidal


class PlainTorch(nn.Module):
    """The function of regard's pre-norm model with shared embeddings, and its optimizer.

    Args:
        bf16: run the model under autocast to bfloat16; otherwise all is float32.
    """

    def __init__(self, config: EncoderDecoderConfig, *, bf16: bool, label_smoothing: float):
        super().__init__()
        self.config, self.bf16, self.label_smoothing = config, bf16, label_smoothing
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        nn.init.normal_(self.tokens.weight, std=config.d_model**-0.5)
        self.positions = sinusoidal(config.max_positions, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        sizes = (config.encoder_heads, config.encoder_layers, config.decoder_layers, config.d_ff)
        with warnings.catch_warnings():  # that pre-norm uses no nested tensors
            warnings.simplefilter("ignore")
            self.transformer = nn.Transformer(
                config.d_model, *sizes, config.dropout, batch_first=True, norm_first=True
            )
        for module in self.transformer.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0  # the paper drops out what sub-layers give, not weights
            elif isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout.p = 0.0  # … nor what is inside the feed-forward network
        self.optimizer = torch.optim.AdamW(self.parameters(), 1e-3, (0.9, 0.98), 1e-9, fused=True)

    def step(self, batch: Batch) -> None:
        """One update."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            logits = self(batch.source, batch.target)
        loss = functional.cross_entropy(
            logits.flatten(0, 1).float(),
            batch.target.flatten(),
            ignore_index=self.config.pad_id,
            label_smoothing=self.label_smoothing,
        )
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits, (batch, target length, vocab)."""
        padding = source == self.config.pad_id
        shifted = functional.pad(target[:, :-1], (1, 0), value=self.config.start_id)
        length = target.shape[1]
        hidden = self.transformer(
            self._embed(source),
            self._embed(shifted),
            tgt_mask=torch.ones(length, length, dtype=torch.bool).triu(1),
            tgt_is_causal=True,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )
        return hidden @ self.tokens.weight.T

    def _embed(self, ids: Tensor) -> Tensor:
        scaled = self.tokens(ids) * self.config.d_model**0.5
        return self.dropout(scaled + self.positions[: ids.shape[1]])
