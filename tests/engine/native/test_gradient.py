"""The engine's gradients of embeddings beside torch's."""

from typing import Any

import numpy as np
import pytest
import torch

from regard import models
from regard.engine.native import library
from regard.engine.native.loading import open_native
from regard.errors import BadArgumentError

PAIR: dict[str, Any] = dict(target_vocab_size=50, d_model=120, d_ff=70, tied_output=False)
LLAMA: dict[str, Any] = dict(
    positions="rotary", rotary_share=0.5, norm_kind="rms", gated=True, activation="silu",
    num_heads=4, num_key_heads=2, attention_bias=False, tied_output=False,
)  # fmt: skip
CONFIGS: dict[str, Any] = {
    "pre-norm": models.preset("tiny", 60, norm="pre", **PAIR),
    "post-norm": models.preset(
        *("tiny", 60), norm="post", embedding_norm=True, scale_output=True, score="dot",
        norm_kind="rms", activation="gelu", gated=True, positions="learned", **PAIR,
    ),
    "gpt2": models.decoder_preset("tiny", 60, activation="gelu_new", tied_output=False),
    "llama": models.decoder_preset("tiny", 60, **LLAMA),
    "qwen3": models.decoder_preset("tiny", 60, **LLAMA, query_key_norm="head"),
    "olmo": models.decoder_preset("tiny", 60, **LLAMA, query_key_norm="projection"),
}  # fmt: skip
SOURCE, TARGET, POSITION, TOKEN = [5, 6, 7, 4, 9, 1], [0, 8, 9, 7, 30], 3, 17


def built(config: Any) -> Any:
    kind = models.Decoder if isinstance(config, models.DecoderConfig) else models.EncoderDecoder
    torch.manual_seed(1)
    return kind(config).eval()


def lengths(model: Any) -> list[np.ndarray]:
    """‖∂ log p / ∂x ⊙ x‖ of each token of the source and of the target."""
    packed = open_native(model)
    source = [] if isinstance(model, models.Decoder) else SOURCE
    read = [np.array(ids, np.int32) for ids in (source, TARGET)]
    found = [np.empty(len(ids), np.float32) for ids in read]
    ids = [part for each in read for part in (library.pointer_to(each), len(each))]
    status = library.library().regard_gradient(
        packed.pointer, *ids, POSITION, TOKEN, *map(library.pointer_to, found)
    )
    library.check(status)
    return found


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_gradient_is_torchs(kind: str) -> None:
    model = built(CONFIGS[kind])
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.05 * torch.randn(weight.shape)
    read = {"encoder": torch.tensor([SOURCE]), "decoder": torch.tensor([TARGET])}
    if isinstance(model, models.Decoder):
        del read["encoder"]
        logits = model(read["decoder"])
    else:
        logits = model(read["encoder"], torch.tensor([[*TARGET[1:], TOKEN]]))
    tables = [getattr(model, stack).embed.tokens.weight for stack in read]  # the ids differ
    gradients = torch.autograd.grad(logits[0, POSITION].log_softmax(-1)[TOKEN], tables)
    of_engine = lengths(model)[-len(read) :]
    for found, gradient, table, ids in zip(
        of_engine, gradients, tables, read.values(), strict=True
    ):
        expected = (gradient * table)[ids[0]].norm(dim=-1).detach()
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_a_gradient_that_is_not_known_is_refused() -> None:
    model = built(models.preset("tiny", 60, norm="pre", positions="relative"))
    with pytest.raises(BadArgumentError, match="no gradient of such a model"):
        lengths(model)
