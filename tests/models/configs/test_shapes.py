"""A config's shapes are those of the model that is built from it."""

from typing import Any

import pytest
import torch

from regard import models
from regard.models.configs import config as configs
from regard.models.configs.encoder import POOLER_ACTIVATIONS
from regard.models.configs.heads import ENCODER_HEADS, HEADS, VISION_HEADS, WRITER_HEADS
from regard.models.layers import ACTIVATIONS, NORMS
from regard.models.layers.recurrent import CELLS

SIZES = dict(d_model=12, d_ff=17)


def labels(head: str) -> dict[str, Any]:
    return dict(head=head, labels=("a", "b", "c") if HEADS[head].entries == "label" else ())


WRITES = dict(encoder_layers=2, decoder_layers=3, encoder_heads=2, decoder_heads=3, vocab_size=23)
SHARED = dict(head="embedding", num_heads=3, num_layers=2, projection=7, **SIZES)
DUAL = models.DualEncoderConfig(
    models.EncoderConfig(23, norm_first=True, embedding_norm=False, **SHARED),
    models.VisionConfig((4, 4), (2, 2), 2, class_token=False, patch_bias=False, pooling="attention",
                        embedding_norm=True, projection_bias=False, **SHARED),
    pairwise=True,
)  # fmt: skip
CONFIGS = [
    *(models.EncoderDecoderConfig(**WRITES, **SIZES, **labels(head)) for head in WRITER_HEADS),
    models.EncoderDecoderConfig(
        **WRITES, **SIZES, target_vocab_size=19, embedding_norm=True, norm="pre", gated=True,
        positions="learned", position_offset=2, max_positions=7, tied_output=False,
        logits_bias=True, attention_bias=False,
    ),
    models.EncoderDecoderConfig(
        **WRITES, **SIZES, positions="relative", norm_kind="rms", head_dim=5, norm="pre",
        feed_forward_bias=False,
    ),
    *(
        models.EncoderConfig(23, num_layers=2, num_heads=3, **SIZES, **labels(head))
        for head in ENCODER_HEADS
    ),
    models.EncoderConfig(
        23, num_layers=1, num_heads=3, **SIZES, token_types=None, position_offset=2, max_positions=5
    ),
    models.EncoderConfig(
        23, num_heads=3, num_layers=1, embedding_width=5, head="masked_lm", **SIZES
    ),
    *(
        models.DecoderConfig(23, num_layers=2, num_heads=3, **SIZES, **labels(head))
        for head in WRITER_HEADS
    ),
    models.decoder_preset(
        "qwen2-0.5b", 23, num_layers=1, num_heads=4, num_key_heads=2, d_model=12, tied_output=False,
        head_dim=6,
    ),
    *(
        models.VisionConfig((8, 6), (4, 3), 2, num_layers=2, num_heads=3, **SIZES, **labels(head))
        for head in VISION_HEADS
    ),
    DUAL,
    models.VisionConfig((4, 4), (2, 2), positions="grid", attention_bias=False, num_layers=1,
                        num_heads=3, **SIZES),
]  # fmt: skip
KINDS = {
    models.EncoderDecoderConfig: models.EncoderDecoder,
    models.EncoderConfig: models.Encoder,
    models.DecoderConfig: models.Decoder,
    models.VisionConfig: models.VisionTransformer,
    models.DualEncoderConfig: models.DualEncoder,
}


@pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda config: f"{type(config).__name__}-{config.head}"
)
def test_the_shapes_are_those_of_the_model_in_its_order(config: Any) -> None:
    with torch.device("meta"):
        state = KINDS[type(config)](config).state_dict()
    assert list(config.shapes().items()) == [(name, tuple(w.shape)) for name, w in state.items()]


def test_the_names_that_a_config_may_have_are_those_of_the_layers() -> None:
    assert tuple(ACTIVATIONS) == configs.ACTIVATIONS
    assert tuple(NORMS) == configs.NORMS
    assert tuple(CELLS) == models.RecurrentConfig.__dataclass_fields__["cell"].metadata["names"]
    for name in POOLER_ACTIVATIONS:
        assert models.heads.Pooler(4, name).activation.__name__ == name
