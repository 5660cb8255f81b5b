from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import family_of
from regard.checkpoints.families.electra import FAMILY
from regard.models import Encoder, EncoderConfig

SIZES: dict[str, Any] = dict(d_model=12, num_layers=1, num_heads=3, d_ff=14, max_positions=9)
SETTINGS: dict[str, Any] = dict(
    model_type="electra",
    vocab_size=31,
    hidden_size=12,
    intermediate_size=14,
    num_hidden_layers=1,
    num_attention_heads=3,
    max_position_embeddings=9,
)
IDS = torch.tensor([[5, 9, 2, 30, 7]])


def config(**changes: Any) -> EncoderConfig:
    return EncoderConfig(31, **SIZES | dict(pooler_activation="gelu", head_dropout=0.0) | changes)


@pytest.mark.parametrize("width", [None, 5])
@pytest.mark.parametrize("head", ["none", "masked_lm", "question_answering"])
def test_a_model_comes_back_as_it_was(width: int | None, head: str, tmp_path: Path) -> None:
    model = Encoder(config(embedding_width=width, head=head)).eval()
    assert family_of(model) is FAMILY
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    with torch.no_grad():
        assert torch.equal(again(IDS), model(IDS))


def test_a_discriminator_is_read_without_its_head(tmp_path: Path) -> None:
    model = Encoder(config(embedding_width=5)).eval()
    save_pretrained(model, tmp_path)
    path = tmp_path / "model.safetensors"
    head = {"discriminator_predictions.dense.weight": torch.ones(12, 12)}
    save_file(load_file(path) | head, path)
    text = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(text.replace("ElectraModel", "ElectraForPreTraining"))
    with torch.no_grad():
        assert torch.equal(from_pretrained(tmp_path)(IDS), model(IDS))


def test_the_width_of_tables_is_128_where_config_json_does_not_say() -> None:
    assert FAMILY.from_config(SETTINGS).embedding_width == 128
    assert FAMILY.from_config(SETTINGS | dict(embedding_size=12)).embedding_width is None


def test_what_it_does_not_compute_is_not_saved_as_one_nor_read() -> None:
    for change in (
        dict(head="pooler"),
        dict(token_types=None),
        dict(position_offset=2),
        dict(pooler_activation="tanh"),
        dict(head="masked_lm", activation="relu"),
    ):
        assert not FAMILY.fits(config(**change))
    masked = dict(architectures=["ElectraForMaskedLM"], hidden_act="relu")
    with pytest.raises(RegardError, match='hidden_act must be "gelu" for a electra model'):
        FAMILY.from_config(SETTINGS | masked)
