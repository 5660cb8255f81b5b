"""BERT, RoBERTa and DistilBERT: old names, labels, and what is refused; parity is a test apart."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.models import Encoder, EncoderConfig

transformers = pytest.importorskip("transformers")

BATCH, LENGTH, VOCAB, PAD = 3, 7, 31, 1
SIZES = dict(
    hidden_size=15,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=22,
    max_position_embeddings=19,
    hidden_dropout_prob=0.25,
    type_vocab_size=3,
    layer_norm_eps=1e-3,
)
DISTIL_SIZES = dict(
    dim=15,
    n_layers=2,
    n_heads=3,
    hidden_dim=22,
    max_position_embeddings=19,
)


def reference(family: str, head: str, **changes: Any) -> Any:
    """A small random transformers model in which no weight is zero."""
    torch.manual_seed(11)
    sizes = DISTIL_SIZES if family == "DistilBert" else SIZES
    config = getattr(transformers, f"{family}Config")(
        vocab_size=VOCAB, pad_token_id=PAD, **(sizes | changes)
    )
    model = getattr(transformers, f"{family}{head}")(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model.eval()


def texts() -> Tensor:
    """One text without padding, one padded on the right, one on the left."""
    torch.manual_seed(13)
    ids = torch.randint(PAD + 1, VOCAB, (BATCH, LENGTH))
    ids[1, 4:] = PAD
    ids[2, :2] = PAD
    return ids


def test_labels_come_and_go_in_their_order(tmp_path: Path) -> None:
    labels = tuple(f"label {index}" for index in range(11))  # "10" is before "2" as text
    sizes = dict(d_model=15, num_layers=1, num_heads=3, d_ff=22, max_positions=19)
    model = Encoder(EncoderConfig(VOCAB, head="classification", labels=labels, **sizes))  # type: ignore[arg-type]
    save_pretrained(model, tmp_path)
    assert from_pretrained(tmp_path).config == model.config
    assert transformers.BertConfig.from_pretrained(tmp_path).id2label[10] == "label 10"


def test_an_encoder_without_a_pooler_comes_back_without_one(tmp_path: Path) -> None:
    sizes = dict(d_model=15, num_layers=1, num_heads=3, d_ff=22, max_positions=19)
    model = Encoder(EncoderConfig(VOCAB, **sizes)).eval()  # type: ignore[arg-type]
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    assert torch.equal(again(texts()), model(texts()))


def test_old_names_and_the_decoders_second_names_are_understood(tmp_path: Path) -> None:
    theirs = reference("Bert", "ForMaskedLM")
    theirs.save_pretrained(tmp_path)
    before = from_pretrained(tmp_path)(texts())
    file = tmp_path / "model.safetensors"
    weights = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in load_file(file).items()
    }
    weights["cls.predictions.decoder.weight"] = weights[
        "bert.embeddings.word_embeddings.weight"
    ].clone()
    weights["cls.predictions.decoder.bias"] = weights["cls.predictions.bias"].clone()
    weights["bert.pooler.dense.weight"] = torch.ones(15, 15)
    weights["bert.embeddings.position_ids"] = torch.arange(19)[None]
    save_file(weights, file)
    assert torch.equal(from_pretrained(tmp_path)(texts()), before)
    weights["cls.predictions.decoder.weight"][3, 2] += 1
    save_file(weights, file)
    with pytest.raises(RegardError, match=r"cls\.predictions\.decoder\.weight must equal"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("family", "head", "change", "message"),
    [
        ("Bert", "Model", {"position_embedding_type": "relative_key"}, 'must be "absolute"'),
        ("Bert", "Model", {"is_decoder": True}, "is_decoder must be false"),
        ("Bert", "ForMaskedLM", {"tie_word_embeddings": False}, "tie_word_embeddings must be true"),
        ("Bert", "Model", {"architectures": ["BertForMultipleChoice"]}, "BertForMultipleCh"),
        ("Roberta", "ForMaskedLM", {"hidden_act": "relu"}, 'hidden_act must be "gelu"'),
        ("Roberta", "Model", {"pad_token_id": None}, "pad_token_id of a roberta model"),
        ("DistilBert", "ForMaskedLM", {"tie_word_embeddings": False}, "must be true"),
        ("Bert", "Model", {"hidden_act": "mish"}, "activation must be one of"),
    ],
)
def test_what_we_have_not_is_refused_by_name(
    family: str, head: str, change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    reference(family, head).save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        dict(position_offset=2),
        dict(token_types=None, head="pooler"),
        dict(pooler_activation="relu"),
    ],
)
def test_what_no_family_computes_is_not_saved(changes: dict[str, Any], tmp_path: Path) -> None:
    sizes = dict(d_model=15, num_layers=1, num_heads=3, d_ff=22, max_positions=19)
    with pytest.raises(RegardError, match="must be of a family here"):
        save_pretrained(Encoder(EncoderConfig(VOCAB, **(sizes | changes))), tmp_path)
