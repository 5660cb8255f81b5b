"""BART and mBART: files without a head, and what is refused; parity is a test apart."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.models import EncoderDecoder, EncoderDecoderConfig

VOCAB, PAD, EOS = 41, 1, 2
SIZES: dict[str, Any] = dict(
    vocab_size=VOCAB,
    d_model=18,
    encoder_layers=2,
    decoder_layers=3,
    encoder_attention_heads=3,
    decoder_attention_heads=2,
    encoder_ffn_dim=23,
    decoder_ffn_dim=23,
    max_position_embeddings=19,
    decoder_start_token_id=EOS,
    forced_eos_token_id=None,
)
SOURCE = torch.tensor([[0, 9, 17, 30, 7, 11, EOS], [0, 3, 3, 14, EOS, PAD, PAD]])
TARGET = torch.tensor([[4, 22, 13, 6, EOS], [17, 5, EOS, PAD, PAD]])


@pytest.mark.parametrize(
    "changes", [{"norm": "pre", "scale_embedding": True}, {"logits_bias": False}]
)
def test_what_is_saved_here_comes_back_the_same(changes: dict[str, object], tmp_path: Path) -> None:
    ours = made_here(**changes)
    save_pretrained(ours, tmp_path)
    after = from_pretrained(tmp_path)
    assert after.config == ours.config
    assert torch.equal(after(SOURCE, TARGET), ours(SOURCE, TARGET))


def test_a_file_of_the_model_without_its_head_is_read(tmp_path: Path, agree: Any) -> None:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(7)
    model = transformers.BartForConditionalGeneration(transformers.BartConfig(**SIZES)).eval()
    model.model.save_pretrained(tmp_path)  # no prefix, no bias, and no table but the shared one
    assert "shared.weight" in load_file(tmp_path / "model.safetensors")
    ours = from_pretrained(tmp_path)
    expected = model(
        input_ids=SOURCE,
        attention_mask=(SOURCE != PAD).long(),
        decoder_input_ids=ours.shift_right(TARGET),
    )
    agree(ours(SOURCE, TARGET), expected.logits)


def test_an_output_table_of_its_own_is_refused(tmp_path: Path) -> None:
    save_pretrained(made_here(), tmp_path)
    file = tmp_path / "model.safetensors"
    weights = load_file(file)
    save_file(weights | {"lm_head.weight": weights["model.shared.weight"] + 1}, file)
    with pytest.raises(RegardError, match=r"lm_head\.weight must equal model\.shared\.weight"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("tie_word_embeddings", False, "tie_word_embeddings must be true for a bart"),
        ("decoder_ffn_dim", 29, "must be equal; got 20 and 29"),
        ("activation_function", "mish", "activation must be one of .*; got 'mish'"),
    ],
)
def test_settings_that_would_change_the_function_are_refused(
    setting: str, value: object, message: str, tmp_path: Path
) -> None:
    save_pretrained(made_here(), tmp_path)
    change(tmp_path, {setting: value})
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)


def test_an_mbart_that_names_no_start_starts_from_eos(tmp_path: Path) -> None:
    save_pretrained(made_here(norm="pre", start_id=5), tmp_path)
    change(tmp_path, {"decoder_start_token_id": None})
    assert from_pretrained(tmp_path).config.start_id == EOS


def made_here(**changes: object) -> EncoderDecoder:
    settings: dict[str, Any] = dict(
        d_model=18,
        encoder_layers=1,
        decoder_layers=2,
        encoder_heads=3,
        decoder_heads=2,
        d_ff=20,
        max_positions=19,
        activation="gelu",
        positions="learned",
        position_offset=2,
        embedding_norm=True,
        scale_embedding=False,
        logits_bias=True,
        pad_id=PAD,
        eos_id=EOS,
        start_id=EOS,
    )
    torch.manual_seed(5)
    model = EncoderDecoder(EncoderDecoderConfig(VOCAB, **(settings | changes)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model.eval()


def change(folder: Path, settings: dict[str, object]) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))
