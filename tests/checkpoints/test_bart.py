"""BART and mBART in transformers' files compute here what they compute there, and back."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families.bart import FAMILY
from regard.checkpoints.family import places, to_ours
from regard.generation import GenerationConfig, generate
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
FAMILIES = {"bart": "Bart", "mbart": "MBart"}
SOURCE = torch.tensor([[0, 9, 17, 30, 7, 11, EOS], [0, 3, 3, 14, EOS, PAD, PAD]])
TARGET = torch.tensor([[4, 22, 13, 6, EOS], [17, 5, EOS, PAD, PAD]])


def theirs(family: str, **changes: object) -> Any:
    transformers = pytest.importorskip("transformers")
    name = FAMILIES[family]
    config = getattr(transformers, f"{name}Config")(**(SIZES | changes))
    model = getattr(transformers, f"{name}ForConditionalGeneration")(config).eval()
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():  # also biases and norms, which start at 0 and 1
            parameter += 0.2 * torch.randn_like(parameter)
        model.final_logits_bias.normal_()
    return model


@pytest.fixture(params=["bart", "mbart", "bart scaled"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, EncoderDecoder]:
    family = request.param.split()[0]
    model = theirs(family, scale_embedding=request.param != "bart")
    model.save_pretrained(tmp_path)
    return model, from_pretrained(tmp_path)


def run_theirs(model: Any, ours: EncoderDecoder, **options: object) -> Any:
    return model(
        input_ids=SOURCE,
        attention_mask=(SOURCE != PAD).long(),
        decoder_input_ids=ours.shift_right(TARGET),
        **options,
    )


def test_every_hidden_state_and_logit_is_theirs(pair: tuple[Any, EncoderDecoder]) -> None:
    model, ours = pair
    expected = run_theirs(model, ours, output_hidden_states=True)
    seen: dict[str, list[Tensor]] = {"encoder": [], "decoder": []}
    for side, states in seen.items():
        stack = getattr(ours, side)
        for module in (stack.embed, *stack.layers[:-1], stack):
            module.register_forward_hook(lambda _, __, out, states=states: states.append(out))
    torch.testing.assert_close(ours(SOURCE, TARGET), expected.logits, atol=1e-5, rtol=0)
    real = SOURCE != PAD
    assert len(seen["encoder"]) == 3
    assert len(seen["decoder"]) == 4
    for state, other in zip(seen["encoder"], expected.encoder_hidden_states, strict=True):
        torch.testing.assert_close(state[real], other[real], atol=1e-5, rtol=0)
    for state, other in zip(seen["decoder"], expected.decoder_hidden_states, strict=True):
        torch.testing.assert_close(state, other, atol=1e-5, rtol=0)


def test_gradients_are_theirs(pair: tuple[Any, EncoderDecoder]) -> None:
    model, ours = pair
    for logits in (ours(SOURCE, TARGET), run_theirs(model, ours).logits):
        # Their table has no gradient from padding that is read, which no loss should count.
        functional.cross_entropy(logits.mT, TARGET, ignore_index=PAD).backward()
    table = places(FAMILY.names(ours))
    del table["logits_bias"]  # a buffer of theirs, which has no gradient
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    expected = to_ours(table, gradients)
    assert expected["encoder.layers.0.self_attention.query.weight"].abs().max() > 1e-3
    for name, gradient in expected.items():
        own = ours.get_parameter(name).grad
        torch.testing.assert_close(own, gradient, atol=1e-4, rtol=0)


@pytest.mark.parametrize("num_beams", [1, 4])
def test_generation_is_theirs_token_for_token(
    pair: tuple[Any, EncoderDecoder], num_beams: int
) -> None:
    model, ours = pair
    with torch.no_grad():
        model.final_logits_bias[0, EOS] = 4.0  # some sentences end, some are cut
        ours.logits_bias[EOS] = 4.0
    settings: dict[str, Any] = dict(
        max_new_tokens=11,
        num_beams=num_beams,
        eos_token_id=EOS,
        pad_token_id=PAD,
        decoder_start_token_id=EOS,
    )
    found = generate(ours.start(SOURCE), torch.full((2, 1), EOS), GenerationConfig(**settings))
    expected = model.generate(SOURCE, attention_mask=(SOURCE != PAD).long(), **settings)
    assert any(hypotheses[0].finished for hypotheses in found)
    for hypotheses, row in zip(found, expected[:, 1:].tolist(), strict=True):
        tokens = list(hypotheses[0].tokens)
        assert row == tokens + [PAD] * (len(row) - len(tokens))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_what_is_saved_here_opens_in_transformers(norm: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    ours = made_here(norm=norm)
    save_pretrained(ours, tmp_path)
    model, report = transformers.AutoModelForSeq2SeqLM.from_pretrained(
        tmp_path, output_loading_info=True
    )
    assert type(model).__name__ == ("B" if norm == "post" else "MB") + (
        "artForConditionalGeneration"
    )
    assert not any(report.values())
    logits = run_theirs(model.eval(), ours).logits
    torch.testing.assert_close(ours(SOURCE, TARGET), logits, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "changes", [{"norm": "pre", "scale_embedding": True}, {"logits_bias": False}]
)
def test_what_is_saved_here_comes_back_the_same(changes: dict[str, object], tmp_path: Path) -> None:
    ours = made_here(**changes)
    save_pretrained(ours, tmp_path)
    after = from_pretrained(tmp_path)
    assert after.config == ours.config
    assert torch.equal(after(SOURCE, TARGET), ours(SOURCE, TARGET))


def test_a_file_of_the_model_without_its_head_is_read(tmp_path: Path) -> None:
    model = theirs("bart")
    model.final_logits_bias.zero_()
    model.model.save_pretrained(tmp_path)  # no prefix, no bias, and no table but the shared one
    assert "shared.weight" in load_file(tmp_path / "model.safetensors")
    ours = from_pretrained(tmp_path)
    logits = run_theirs(model, ours).logits
    torch.testing.assert_close(ours(SOURCE, TARGET), logits, atol=1e-5, rtol=0)


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
        ("tie_word_embeddings", False, "tie_word_embeddings must be true for bart"),
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
