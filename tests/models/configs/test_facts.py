"""What a model says of itself is what its modules are."""

from typing import Any

import pytest

from regard import models
from regard.models.configs.facts import KINDS, Heads, facts_of
from regard.models.layers import MultiHeadAttention
from regard.models.layers.recurrent_decoders import BahdanauAttention, LuongAttention

ATTENTIONS = (MultiHeadAttention, BahdanauAttention, LuongAttention)
CONFIGS: dict[str, list[Any]] = {
    "Encoder": [models.encoder_preset("tiny", 20, head="none")],
    "Decoder": [models.decoder_preset("tiny", 20, num_heads=4, num_key_heads=2, head_dim=24)],
    "EncoderDecoder": [
        models.preset("tiny", 20, decoder_heads=2),
        models.preset("tiny", 20, head="classification", labels=("no", "yes")),
    ],
    "RecurrentEncoderDecoder": [
        models.recurrent_preset("tiny", 20, attention=attention)
        for attention in ("bahdanau", "luong", "none")
    ],
    "SpeechEncoderDecoder": [models.speech_preset("tiny", 20, mel_bins=8, source_positions=6)],
    "VisionTransformer": [
        models.vision_preset("mini", image_size=(28, 28), patch_size=(7, 14), channels=1),
        models.vision_preset("mini", image_size=(28, 28), patch_size=(7, 14), channels=1,
                             head="embedding", class_token=False, pooling="attention"),
    ],
    "DualEncoder": [
        models.DualEncoderConfig(
            models.encoder_preset("tiny", 20, head="embedding", projection=9),
            models.vision_preset("mini", head="embedding", projection=9, pooling="attention"),
        )
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_facts_of_a_config_are_those_of_its_model(kind: str) -> None:
    for config in CONFIGS[kind]:
        facts, model = facts_of(kind, config), getattr(models, kind)(config)
        attentions = {
            path: Heads(layer.num_heads, layer.num_key_heads, layer.head_dim)
            for path, layer in model.named_modules()
            if isinstance(layer, ATTENTIONS)
        }
        assert list(facts.attentions().items()) == list(attentions.items())
        for name in ("axes", "reads", "writes", "rewrites", "task", "stepwise", "head_name"):
            assert getattr(facts, name) == getattr(model, name)
        if kind == "VisionTransformer":
            assert model.grid == facts.grid == model.embed.grid == (4, 2)
