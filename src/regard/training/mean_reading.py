"""Encoders whose first state says nothing, such as those whose vectors are means: a layer on top in
which every token attends to all tokens alike gives the head the mean in that state's place.

The result is still a BERT, of one layer more, for every program that reads one.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from regard.engine.reading import Batch, inputs_of
from regard.models import Encoder, TextReader
from regard.models.heads import ClassificationHead
from regard.models.layers import TransformerLayer

SILENT = 0.1  # how much the first state varies over texts, as a share of how much the mean does
WEIGHT = 10.0  # of the mean over the state that it is added to
LINEAR = {"tanh": (0.3, 0.0), "gelu": (1.0, 4.0), "relu": (1.0, 4.0)}  # factor and shift: f(x) ≈ x


@torch.no_grad()
def reads_by_mean(model: TextReader, batch: Batch) -> bool:
    """Return whether the first states of texts are nearly alike, though their means are not."""
    if not isinstance(model, Encoder) or model.config.norm_first or len(batch.ids) < 2:
        return False
    if model.config.positions != "learned" or model.config.window is not None:
        return False
    states = model.eval().hidden(**inputs_of(model, batch))
    weights = torch.as_tensor(batch.attention_mask)[..., None].to(states.dtype)
    mean = (states * weights).sum(1) / weights.sum(1)
    return _variation(states[:, 0]) < SILENT * _variation(mean)


def _variation(states: Tensor) -> float:
    """Return the variance of states, (texts, d_model), over their mean square."""
    return float((states - states.mean(0)).square().sum() / states.square().sum())


def with_mean_layer(model: Encoder) -> Encoder:
    """Return the encoder without a head, of one layer more, whose output's first state is the mean
    state, normalized."""
    config = replace(model.config, num_layers=model.config.num_layers + 1, head="none", labels=())
    deeper = Encoder(config)
    state = {name: weight for name, weight in model.state_dict().items() if name[:5] != "head."}
    deeper.load_state_dict(state, strict=False)
    _attend_alike(deeper.encoder.layers[-1])
    return deeper


@torch.no_grad()
def _attend_alike(layer: nn.Module) -> None:
    assert isinstance(layer, TransformerLayer)
    attention = layer.self_attention
    nn.init.zeros_(attention.key.weight)  # all scores are then equal, and can still be learned
    nn.init.eye_(attention.value.weight)
    nn.init.eye_(attention.output.weight).mul_(WEIGHT)
    nn.init.zeros_(layer.feed_forward.outer.weight)  # type: ignore[union-attr,arg-type]


@torch.no_grad()
def pass_on(model: TextReader) -> None:
    """Let a new head's pooler pass the state on nearly as it is."""
    if isinstance(model.head, ClassificationHead):
        factor, shift = LINEAR[model.config.pooler_activation]
        dense = model.head.pooler.dense
        nn.init.eye_(dense.weight).mul_(factor)
        nn.init.constant_(dense.bias, shift)
