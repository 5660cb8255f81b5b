from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from fixtures.families import ENCODERS
from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families.deberta import FAMILY
from regard.models import Encoder, EncoderConfig

# config.json of microsoft/deberta-v3-base, which names no class
PUBLISHED: dict[str, Any] = dict(
    model_type="deberta-v2",
    attention_probs_dropout_prob=0.1,
    hidden_act="gelu",
    hidden_dropout_prob=0.1,
    hidden_size=768,
    initializer_range=0.02,
    intermediate_size=3072,
    max_position_embeddings=512,
    relative_attention=True,
    position_buckets=256,
    norm_rel_ebd="layer_norm",
    share_att_key=True,
    pos_att_type="p2c|c2p",
    layer_norm_eps=1e-7,
    max_relative_positions=-1,
    position_biased_input=False,
    num_attention_heads=12,
    num_hidden_layers=12,
    type_vocab_size=0,
    vocab_size=128100,
)
IDS = torch.tensor([[5, 9, 2, 30, 7]])


def config(**changes: Any) -> EncoderConfig:
    sizes: Any = dict(d_model=12, num_layers=1, num_heads=3, d_ff=14, head_dropout=0.0)
    return EncoderConfig(31, **sizes | ENCODERS["deberta"] | changes)


def test_the_published_config_is_read() -> None:
    published = FAMILY.from_config(PUBLISHED)
    assert (published.longest_distance, published.distance_buckets) == (512, 256)
    assert (published.score_width, published.token_types, published.head) == (192, None, "none")
    parameters = sum(torch.Size(shape).numel() for shape in published.shapes().values())
    assert parameters == 183_831_552  # 184 million, of which 98 are the embedding's


@pytest.mark.parametrize("head", ["masked_lm", "classification", "token_classification"])
def test_a_model_comes_back_as_it_was_under_the_published_names(head: str, tmp_path: Path) -> None:
    labels = () if head == "masked_lm" else ("no", "yes")
    dropout = None if head == "token_classification" else 0.0
    model = Encoder(config(head=head, labels=labels, head_dropout=dropout)).eval()
    save_pretrained(model, tmp_path)
    file = load_file(tmp_path / "model.safetensors")
    table = model.encoder.distances.table.weight
    assert torch.equal(file["deberta.encoder.rel_embeddings.weight"], table)
    assert "deberta.encoder.layer.0.attention.self.query_proj.weight" in file
    assert ("classifier.weight" in file) == bool(labels)
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    with torch.no_grad():
        torch.testing.assert_close(again(IDS), model(IDS))


def test_the_head_of_words_has_other_names_in_later_files(tmp_path: Path) -> None:
    model = Encoder(config(head="masked_lm")).eval()
    save_pretrained(model, tmp_path)
    path = tmp_path / "model.safetensors"
    later = {
        name.replace("cls.predictions.transform.", "cls.predictions.").replace(
            "cls.predictions.", "lm_predictions.lm_head."
        ): weight
        for name, weight in load_file(path).items()
    }
    save_file(later | {"mask_predictions.dense.weight": torch.ones(12, 12)}, path)
    with torch.no_grad():
        torch.testing.assert_close(from_pretrained(tmp_path)(IDS), model(IDS))
    del later["deberta.encoder.layer.0.attention.self.key_proj.bias"]
    later["deberta.encoder.LayerNorm.bias"] = torch.ones(13)
    save_file(later, path)
    with pytest.raises(RegardError, match=r"missing deberta\.encoder\.layer\.0\..*key_proj"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("relative_attention", False),
        ("position_biased_input", True),
        ("share_att_key", False),
        ("pos_att_type", ["c2p"]),
        ("norm_rel_ebd", "none"),
        ("conv_kernel_size", 3),  # of v2-xlarge
        ("embedding_size", 64),
        ("attention_head_size", 32),
        ("pooler_hidden_size", 64),
        ("pooler_dropout", 0.1),
    ],
)
def test_what_it_does_not_compute_is_refused_in_a_sentence(key: str, value: object) -> None:
    with pytest.raises(RegardError, match=f"{key} must be .* for a deberta-v2 model here"):
        FAMILY.from_config(PUBLISHED | {key: value})


def test_settings_that_must_be_said_are_missed() -> None:
    for key in ("relative_attention", "share_att_key", "pos_att_type", "norm_rel_ebd"):
        rest = {name: value for name, value in PUBLISHED.items() if name != key}
        with pytest.raises(RegardError, match=f"{key} must be"):
            FAMILY.from_config(rest)
    rest = {name: value for name, value in PUBLISHED.items() if name != "position_buckets"}
    with pytest.raises(RegardError, match="distance_buckets must be at least 2"):
        FAMILY.from_config(rest)
    assert not FAMILY.fits(config(head="pooler"))
