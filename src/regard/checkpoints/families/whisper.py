"""The names and settings of a model that writes what is said in Hugging Face's Whisper layout."""

from typing import Any

from regard.checkpoints.families import marian
from regard.checkpoints.family import Family, Key, Settings, rename
from regard.checkpoints.heads import check_writes
from regard.models.configs.speech import SpeechConfig

# Replaced in this order, before those of Marian's layout.
SOUND = (
    ("embed.every", "encoder.conv1"),
    ("embed.second", "encoder.conv2"),
    ("embed.positions", "encoder.embed_positions"),
)
_MISSING: dict[str, Any] = dict(  # of config.json, as transformers fills it in
    vocab_size=51865, d_model=384, encoder_layers=4, decoder_layers=4, encoder_attention_heads=6,
    decoder_attention_heads=6, decoder_ffn_dim=1536, encoder_ffn_dim=1536, dropout=0.0,
    activation_function="gelu", pad_token_id=50256, eos_token_id=50256,
    decoder_start_token_id=50257,
)  # fmt: skip
KEYS = {
    name: Key(key.field, _MISSING[name]) for name, key in marian.KEYS.items() if name in _MISSING
} | {
    "max_target_positions": Key("max_positions", 448),
    "max_source_positions": Key("source_positions", 1500),
    "num_mel_bins": Key("mel_bins", 80),
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Refuse what does not write, and sides of two widths."""
    check_writes(settings)
    marian.check_sizes(_MISSING | settings)
    return {}


def place(name: str, config: SpeechConfig) -> str:
    """Return the name of a weight in Whisper's files."""
    if name.startswith("embed."):
        return f"model.{rename(name, SOUND)}"
    return f"model.{rename(name, marian.RENAMES)}"


FAMILY = Family(
    config=SpeechConfig,
    classes={"whisper": "WhisperForConditionalGeneration"},
    keys=KEYS,
    fixed=marian.FIXED
    | {
        "target_vocab_size": None,
        "norm": "pre",
        "positions": "learned",
        "position_offset": 0,
        "scale_embedding": False,
        "embedding_norm": False,
        "logits_bias": False,
        "head": "language_model",
    },
    written=marian.WRITTEN | {"scale_embedding": False},
    refused={"tie_word_embeddings": True},
    read=read,
    place=place,
    aliases=lambda config: {"proj_out.weight": "model.decoder.embed_tokens.weight"},
    base="model.",
)
