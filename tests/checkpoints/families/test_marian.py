"""Marian's and Pegasus's files have a bias on the logits, which models trained here lack."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from regard.checkpoints import empty_model, from_pretrained, save_pretrained

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 1], [8, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])
SIZES: dict[str, Any] = dict(
    vocab_size=31, d_model=12, encoder_layers=1, decoder_layers=2, encoder_attention_heads=3,
    decoder_attention_heads=2, encoder_ffn_dim=11, decoder_ffn_dim=11, max_position_embeddings=19,
    pad_token_id=0, eos_token_id=1, decoder_start_token_id=0, scale_embedding=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("family", "name", "separate", "scaled"),
    [
        ("Marian", "MarianMTModel", False, True),
        ("Marian", "MarianMTModel", True, True),
        ("Marian", "MarianMTModel", False, False),
        ("Pegasus", "PegasusForConditionalGeneration", False, True),
        ("Pegasus", "PegasusForConditionalGeneration", False, False),
    ],
)
def test_the_bias_on_the_logits_is_read_counts_and_is_written(
    family: str, name: str, separate: bool, scaled: bool, tmp_path: Path, agree: Any
) -> None:
    transformers = pytest.importorskip("transformers")
    own = dict(decoder_vocab_size=29, share_encoder_decoder_embeddings=False) if separate else {}
    torch.manual_seed(2)
    theirs = getattr(transformers, name)(
        getattr(transformers, f"{family}Config")(**SIZES | own | {"scale_embedding": scaled})
    ).eval()
    theirs.final_logits_bias.normal_()
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    with torch.no_grad():
        expected = theirs(
            input_ids=SOURCE,
            attention_mask=(SOURCE != 0).long(),
            decoder_input_ids=ours.shift_right(TARGET),
        ).logits
        agree(ours(SOURCE, TARGET), expected)
        save_pretrained(ours, tmp_path / "ours")
        back = getattr(transformers, name).from_pretrained(tmp_path / "ours").eval()
        assert torch.equal(back.final_logits_bias, theirs.final_logits_bias)
        assert back.config.scale_embedding is ours.config.scale_embedding is scaled
        assert torch.equal(from_pretrained(tmp_path / "ours")(SOURCE, TARGET), ours(SOURCE, TARGET))


def test_without_one_in_the_file_there_is_none(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.MarianConfig(**SIZES)
    (tmp_path / "config.json").write_text(json.dumps(config.to_dict()))
    ours = empty_model(tmp_path)  # nor where there is no file yet
    assert ours.logits_bias is None
    transformers.MarianMTModel(config).save_pretrained(tmp_path)
    assert empty_model(tmp_path).logits_bias.shape == (31,)
    model = from_pretrained(tmp_path)
    model.config = ours.config
    model.logits_bias = None
    save_pretrained(model, tmp_path / "copy")
    assert "final_logits_bias" not in load_file(tmp_path / "copy" / "model.safetensors")
    assert from_pretrained(tmp_path / "copy").logits_bias is None
