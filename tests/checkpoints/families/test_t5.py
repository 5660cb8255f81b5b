"""T5, original and 1.1: what decides of its output table, old files; parity is a test apart."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from regard import RegardError
from regard.checkpoints import empty_model, from_pretrained, save_pretrained
from regard.checkpoints.families import family_of
from regard.checkpoints.families.t5 import FAMILY
from regard.models import EncoderDecoder, EncoderDecoderConfig

VOCAB, PAD, EOS = 41, 0, 1
SIZES: dict[str, Any] = dict(
    vocab_size=VOCAB,
    d_model=17,
    d_kv=5,
    d_ff=23,
    num_layers=2,
    num_decoder_layers=3,
    num_heads=3,
    relative_attention_num_buckets=6,
    relative_attention_max_distance=7,
    decoder_start_token_id=PAD,
)
VERSIONS: dict[str, dict[str, Any]] = {
    "1.1": {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    "1.1 tied": {"feed_forward_proj": "gated-silu", "tie_word_embeddings": False},
}
SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 23, 8, 19, EOS], [8, 3, 3, 14, EOS, *[PAD] * 5]])
TARGET = torch.tensor([[4, 22, 13, 6, 31, 9, 2, EOS], [17, 2, EOS, *[PAD] * 5]])


def theirs(version: str) -> Any:
    transformers = pytest.importorskip("transformers")
    config = transformers.T5Config(**(SIZES | VERSIONS[version]))
    model = transformers.T5ForConditionalGeneration(config).eval()
    if version == "1.1":  # as a file with both makes it; a new model's are one in transformers 5
        model.lm_head.weight = nn.Parameter(torch.empty_like(model.shared.weight))
    torch.manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.2 + name.endswith("norm.weight"))
    return model


def run_theirs(model: Any, ours: EncoderDecoder) -> Any:
    return model(
        input_ids=SOURCE,
        attention_mask=(SOURCE != PAD).long(),
        decoder_input_ids=ours.shift_right(TARGET),
    )


@pytest.mark.parametrize("version", ["1.1", "1.1 tied"])
def test_the_file_decides_whether_the_output_has_a_table(
    version: str, tmp_path: Path, agree: Any
) -> None:
    model = theirs(version)
    model.save_pretrained(tmp_path)
    expected = run_theirs(model, from_pretrained(tmp_path)).logits
    settings = json.loads((tmp_path / "config.json").read_text())
    assert settings["tie_word_embeddings"] is True  # whatever there is, since 5.2
    # Before 5.2 the false meant both the table and the scale.
    del settings["scale_decoder_outputs"]
    (tmp_path / "config.json").write_text(json.dumps(settings | {"tie_word_embeddings": False}))
    ours = from_pretrained(tmp_path)
    assert ours.config.tied_output is (version == "1.1 tied")
    agree(ours(SOURCE, TARGET), expected)


def test_without_weights_config_json_decides(tmp_path: Path) -> None:
    save_pretrained(
        made_here(scale_output=False, tied_output=False, activation="silu", gated=True), tmp_path
    )
    (tmp_path / "model.safetensors").unlink()
    assert empty_model(tmp_path).config.tied_output is False  # type: ignore[union-attr]


def test_old_files_hold_the_one_table_by_every_name(tmp_path: Path) -> None:
    ours = made_here()
    save_pretrained(ours, tmp_path)
    file = tmp_path / "model.safetensors"
    weights = load_file(file)
    tables = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
    unread = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    more = {name: weights["shared.weight"].clone() for name in tables}
    save_file(weights | more | {unread: torch.ones(6, 3)}, file)
    assert torch.equal(from_pretrained(tmp_path)(SOURCE, TARGET), ours(SOURCE, TARGET))
    more["lm_head.weight"][3, 5] += 1
    save_file(weights | more, file)
    with pytest.raises(RegardError, match=r"lm_head\.weight must equal shared\.weight"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize("projection", ["mish", "gated-mish", "gelu-gated"])
def test_an_activation_that_is_not_here_is_refused(projection: str, tmp_path: Path) -> None:
    save_pretrained(made_here(), tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"feed_forward_proj": projection}))
    with pytest.raises(RegardError, match="activation must be one of"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"gated": True, "activation": "gelu"},  # "gated-gelu" is tanh's in transformers
        {"tied_output": False},  # with a scale
        {"encoder_heads": 2},
        {"norm_kind": "layer"},
    ],
)
def test_a_model_that_t5_cannot_express_is_not_saved_as_one(changes: dict[str, object]) -> None:
    assert family_of(made_here()) is FAMILY
    assert not FAMILY.fits(made_here(**changes).config)


def made_here(**changes: object) -> EncoderDecoder:
    settings: dict[str, Any] = dict(
        d_model=17,
        head_dim=5,
        d_ff=23,
        encoder_layers=2,
        decoder_layers=1,
        encoder_heads=3,
        decoder_heads=3,
        norm="pre",
        norm_kind="rms",
        norm_eps=1e-6,
        feed_forward_bias=False,
        attention_bias=False,
        score="dot",
        positions="relative",
        relative_buckets=6,
        relative_distance=7,
        scale_embedding=False,
        scale_output=True,
    )
    torch.manual_seed(5)
    model = EncoderDecoder(EncoderDecoderConfig(VOCAB, **(settings | changes)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model.eval()
