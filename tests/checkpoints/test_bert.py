"""BERT, RoBERTa and DistilBERT: what transformers saves opens here, and the other way round."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import family_for
from regard.models import Encoder, EncoderConfig

transformers = pytest.importorskip("transformers")

BATCH, LENGTH, VOCAB, PAD = 3, 7, 31, 1
HEADS = ["Model", "ForMaskedLM", "ForSequenceClassification", "ForQuestionAnswering"]
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
KINDS = [(family, head) for family in ("Bert", "Roberta", "DistilBert") for head in HEADS]
KINDS.append(("Bert", "ForPreTraining"))
every_kind = pytest.mark.parametrize(("family", "head"), KINDS)


def reference(family: str, head: str, **changes: Any) -> Any:
    """A small random transformers model in which no weight is zero."""
    torch.manual_seed(11)
    sizes = DISTIL_SIZES if family == "DistilBert" else SIZES
    config = getattr(transformers, f"{family}Config")(
        vocab_size=VOCAB, pad_token_id=PAD, **(sizes | changes)
    )
    if head == "ForSequenceClassification":
        config.id2label = {index: f"label {index}" for index in range(5)}
    model = getattr(transformers, f"{family}{head}")(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    model.set_attn_implementation("eager")  # its own arithmetic, not the kernel that we call too
    return model.eval()


def texts() -> Tensor:
    """One text without padding, one padded on the right, one on the left."""
    torch.manual_seed(13)
    ids = torch.randint(PAD + 1, VOCAB, (BATCH, LENGTH))
    ids[1, 4:] = PAD
    ids[2, :2] = PAD
    return ids


def real_rows(states: Tensor, ids: Tensor) -> Tensor:
    """What real tokens have; padding's own states are nobody's."""
    return states[ids != PAD]


def segments_for(family: str) -> dict[str, Tensor]:
    if family == "DistilBert":
        return {}
    torch.manual_seed(17)
    return {"segments": torch.randint(0, 3, (BATCH, LENGTH))}


def run_theirs(model: Any, ids: Tensor, segments: dict[str, Tensor]) -> Any:
    types = {"token_type_ids": segments["segments"]} if segments else {}
    mask = (ids != PAD).long()
    return model(input_ids=ids, attention_mask=mask, output_hidden_states=True, **types)


def answer(output: Any, head: str) -> Tensor:
    """The reference's output, as Encoder gives it."""
    if head == "ForQuestionAnswering":
        return torch.stack([output.start_logits, output.end_logits], dim=-1)
    if head == "ForPreTraining":
        return output.prediction_logits
    if head == "Model":
        pooled = output.get("pooler_output")
        return output.last_hidden_state if pooled is None else pooled
    return output.logits


def run_ours(model: Encoder, ids: Tensor, segments: dict[str, Tensor]) -> tuple[Tensor, list]:
    """The output and every hidden state, the embeddings' first."""
    hidden: list[Tensor] = []
    hooks = [
        module.register_forward_hook(lambda _module, _inputs, output: hidden.append(output))
        for module in (model.embed, *model.encoder.layers)
    ]
    output = model(ids, **segments)
    for hook in hooks:
        hook.remove()
    return output, hidden


@every_kind
def test_logits_and_every_hidden_state_are_those_of_transformers(
    family: str, head: str, tmp_path: Path
) -> None:
    theirs = reference(family, head)
    theirs.save_pretrained(tmp_path)
    ours = from_pretrained(tmp_path)
    ids, segments = texts(), segments_for(family)
    with torch.no_grad():
        output, hidden = run_ours(ours, ids, segments)
        expected = run_theirs(theirs, ids, segments)
    assert len(hidden) == len(expected.hidden_states) == 3
    for mine, wanted in zip(hidden, expected.hidden_states, strict=True):
        torch.testing.assert_close(real_rows(mine, ids), real_rows(wanted, ids), atol=1e-5, rtol=0)
    wanted = answer(expected, head)
    if output.ndim == 3:
        output, wanted = real_rows(output, ids), real_rows(wanted, ids)
    torch.testing.assert_close(output, wanted, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("family", "head"),
    [("Bert", "ForMaskedLM"), ("Roberta", "ForSequenceClassification"), ("DistilBert", "Model")],
)
def test_gradients_are_those_of_transformers(family: str, head: str, tmp_path: Path) -> None:
    theirs = reference(family, head)
    theirs.save_pretrained(tmp_path)
    ours = from_pretrained(tmp_path)
    ids, segments = texts(), segments_for(family)
    ids[2, :2] = PAD + 1  # padding first would be what a classifier reads
    real = (ids != PAD)[..., None]
    for output in (ours(ids, **segments), answer(run_theirs(theirs, ids, segments), head)):
        kept = output * real if output.ndim == 3 else output
        kept.square().sum().mul(0.01).backward()
    reference_of = dict(theirs.named_parameters())
    prefix = f"{family.lower()}."
    table = family_for(family.lower(), where="the test").names(ours)
    for name, parameter in ours.named_parameters():
        their_name = str(table[name])
        if their_name not in reference_of:  # a bare model's have no prefix
            their_name = their_name.removeprefix(prefix)
        wanted = reference_of[their_name].grad
        torch.testing.assert_close(
            parameter.grad, wanted, atol=1e-4, rtol=0, msg=lambda text, name=name: f"{name}: {text}"
        )
        assert wanted is not None
        assert wanted.any() or name.endswith("key.bias")  # the softmax takes that one out


@every_kind
def test_what_is_saved_here_opens_there(family: str, head: str, tmp_path: Path) -> None:
    theirs = reference(family, head)
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    save_pretrained(ours, tmp_path / "ours")
    assert from_pretrained(tmp_path / "ours").config == ours.config
    head = "ForMaskedLM" if head == "ForPreTraining" else head
    again, loading = getattr(transformers, f"{family}{head}").from_pretrained(
        tmp_path / "ours", output_loading_info=True
    )
    assert not any(loading.values()), loading
    ids = texts()[:1]
    with torch.no_grad():
        expected = answer(run_theirs(again.eval(), ids, {}), head)
        torch.testing.assert_close(ours(ids), expected, atol=1e-5, rtol=0)


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
        ("Bert", "Model", {"position_embedding_type": "relative_key"}, "must be 'absolute'"),
        ("Bert", "Model", {"is_decoder": True}, "is_decoder must be False"),
        ("Bert", "ForMaskedLM", {"tie_word_embeddings": False}, "tie_word_embeddings must be True"),
        ("Bert", "Model", {"architectures": ["BertForTokenClassification"]}, "BertForTokenCl"),
        ("Roberta", "ForMaskedLM", {"hidden_act": "relu"}, "hidden_act must be 'gelu'"),
        ("Roberta", "Model", {"pad_token_id": None}, "pad_token_id of a roberta model"),
        ("DistilBert", "ForMaskedLM", {"tie_word_embeddings": False}, "must be True"),
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
    [dict(position_offset=2), dict(segments=None, head="pooler"), dict(pooler_activation="relu")],
)
def test_what_no_family_computes_is_not_saved(changes: dict[str, Any], tmp_path: Path) -> None:
    sizes = dict(d_model=15, num_layers=1, num_heads=3, d_ff=22, max_positions=19)
    with pytest.raises(RegardError, match="must be of a family here"):
        save_pretrained(Encoder(EncoderConfig(VOCAB, **(sizes | changes))), tmp_path)
