import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from fixtures.families import small
from regard import RegardError
from regard.checkpoints import empty_model, from_pretrained, save_pretrained
from regard.checkpoints.pretrained import _NoFirstValues
from regard.models import EncoderDecoder, preset

SIZES = dict(
    d_model=12,
    d_ff=20,
    encoder_layers=2,
    decoder_layers=1,
    encoder_heads=3,
    decoder_heads=2,
    max_positions=19,
)
SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])


def model(**changes: object) -> EncoderDecoder:
    made: EncoderDecoder = small("paper", std=0.3, decoder_layers=1, max_positions=19, **changes)
    return made


VARIANTS = [
    {"norm": "post"},
    {"norm": "pre"},
    {"norm": "post", "target_vocab_size": 29},
    {"norm": "pre", "target_vocab_size": 29},
    {"norm": "post", "positions": "learned"},
    {"norm": "pre", "activation": "swish"},
]


@pytest.mark.parametrize("changes", VARIANTS)
def test_a_saved_model_comes_back_the_same(changes: dict[str, object], tmp_path: Path) -> None:
    before = model(**changes)
    save_pretrained(before, tmp_path)
    after = from_pretrained(tmp_path)
    assert after.config == before.config
    target = TARGET % 29
    assert torch.equal(after(SOURCE, target), before(SOURCE, target))


@pytest.mark.parametrize("changes", VARIANTS[:3])
def test_transformers_opens_it_and_gives_the_same_logits(
    changes: dict[str, object], tmp_path: Path, agree: Any
) -> None:
    transformers = pytest.importorskip("transformers")
    ours = model(**changes)
    save_pretrained(ours, tmp_path)
    theirs, report = transformers.AutoModelForSeq2SeqLM.from_pretrained(
        tmp_path, output_loading_info=True
    )
    assert not report["unexpected_keys"]
    assert not report["mismatched_keys"]
    target = TARGET % 29
    with torch.no_grad():
        logits = theirs.eval()(
            input_ids=SOURCE,
            attention_mask=(SOURCE != 0).long(),
            decoder_input_ids=ours.shift_right(target),
        ).logits
    agree(ours(SOURCE, target), logits)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, None])
def test_what_becomes_of_the_file_changes_no_weight(
    dtype: torch.dtype | None, tmp_path: Path
) -> None:
    save_pretrained(model(), tmp_path)
    after = from_pretrained(tmp_path, dtype=dtype)
    before = {name: weight.clone() for name, weight in after.state_dict().items()}
    file = tmp_path / "model.safetensors"
    file.write_bytes(bytes(file.stat().st_size))  # in its place
    assert all(torch.equal(after.state_dict()[name], before[name]) for name in before)


def test_weights_can_be_written_in_bf16(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path, dtype=torch.bfloat16)
    assert load_file(tmp_path / "model.safetensors")["model.shared.weight"].dtype == torch.bfloat16
    assert json.loads((tmp_path / "config.json").read_text())["dtype"] == "bfloat16"
    assert from_pretrained(tmp_path).output_weight.dtype == torch.float32


def test_positions_learned_are_saved_and_sinusoids_are_not(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path / "a")
    save_pretrained(model(positions="learned"), tmp_path / "b")
    name = "model.encoder.embed_positions.weight"
    assert name not in load_file(tmp_path / "a" / "model.safetensors")
    assert name in load_file(tmp_path / "b" / "model.safetensors")


def damage_weights(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-40])


def drop_a_weight(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors["extra.weight"] = tensors.pop("model.encoder.layers.0.fc1.weight")
    save_file(tensors, folder / "model.safetensors")


def change_width(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(
        json.dumps(config | {"encoder_ffn_dim": 8, "decoder_ffn_dim": 8})
    )


def change_family(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "rwkv"}))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "config.json").write_text("{"), "not valid JSON"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no model.safetensors"),
        (damage_weights, "is damaged"),
        (drop_a_weight, r"missing model.encoder.layers.0.fc1.weight; unexpected extra.weight"),
        (change_width, r"fc1.weight must be \(8, 12\).*has \(20, 12\)"),
        (change_family, r"model_type must be one of .*marian.*; .* says 'rwkv'. .*regard\.trace"),
    ],
)
def test_a_folder_that_does_not_fit_is_refused_in_one_sentence(
    spoil: object, message: str, tmp_path: Path
) -> None:
    save_pretrained(model(), tmp_path)
    spoil(tmp_path)  # type: ignore[operator]
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)


def change_config(**changes: object) -> object:
    def write(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | changes))

    return write


def drop_a_setting(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    del config["d_model"]
    (folder / "config.json").write_text(json.dumps(config))


def untie(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors["lm_head.weight"] = tensors["model.shared.weight"] + 1
    save_file(tensors, folder / "model.safetensors")


def narrow_two(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    for name in ("encoder", "decoder"):
        tensors[f"model.{name}.layers.0.fc1.weight"] = torch.ones(20, 11)
    save_file(tensors, folder / "model.safetensors")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").write_text("[]"), "must be a JSON object"),
        (drop_a_setting, "config.json must have the key 'd_model', which is missing"),
        (change_config(d_model="wide"), "does not describe a marian model"),
        (change_config(d_model=-12), "does not describe a marian model"),
        (change_config(model_type=None), "says None"),
        (change_config(model_type="marain"), "Did you mean 'marian'"),
        (untie, "lm_head.weight must equal model.shared.weight, to which config.json ties it"),
        (narrow_two, r"must be \(20, 12\) according .* has \(20, 11\), and 1 more do not fit"),
    ],
)
def test_settings_and_weights_that_disagree_are_refused(
    spoil: object, message: str, tmp_path: Path
) -> None:
    save_pretrained(model(), tmp_path)
    spoil(tmp_path)  # type: ignore[operator]
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"there is no folder .*none; give a model folder, a"):
        from_pretrained(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(RegardError, match="file is a file; a model folder was expected"):
        from_pretrained(tmp_path / "file")


def test_the_names_that_transformers_adds_for_tied_weights_are_read(tmp_path: Path) -> None:
    before = model()
    save_pretrained(before, tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    table = tensors.pop("model.shared.weight")
    tensors |= {"lm_head.weight": table, "model.encoder.embed_tokens.weight": table.clone()}
    tensors["final_logits_bias"] = torch.zeros(1, 31)
    save_file(tensors, tmp_path / "model.safetensors")
    assert torch.equal(from_pretrained(tmp_path)(SOURCE, TARGET), before(SOURCE, TARGET))


def test_tied_weights_stay_one_parameter(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path)
    after = from_pretrained(tmp_path)
    assert after.encoder.embed.tokens.weight is after.decoder.embed.tokens.weight
    assert after.output_weight.requires_grad
    assert not after.encoder.embed.positions.weight.requires_grad


def test_no_dtype_keeps_that_of_the_file(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path, dtype=torch.bfloat16)
    after = from_pretrained(tmp_path, dtype=None)
    assert after.output_weight.dtype == torch.bfloat16
    assert from_pretrained(tmp_path, dtype=torch.float64).output_weight.dtype == torch.float64


def test_a_bin_gives_the_same_model(tmp_path: Path) -> None:
    before = model()
    save_pretrained(before, tmp_path)
    file = tmp_path / "model.safetensors"
    torch.save(load_file(file), tmp_path / "pytorch_model.bin")
    file.unlink()
    assert torch.equal(from_pretrained(tmp_path)(SOURCE, TARGET), before(SOURCE, TARGET))


def test_an_empty_model_has_shapes_and_no_memory(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path)
    (tmp_path / "model.safetensors").unlink()
    empty = empty_model(tmp_path)
    assert {parameter.device.type for parameter in empty.parameters()} == {"meta"}
    assert empty.state_dict().keys() == model().state_dict().keys()


def test_an_empty_model_draws_no_first_values() -> None:
    state = torch.random.get_rng_state()
    with _NoFirstValues():
        table = torch.nn.Embedding.from_pretrained(torch.full((5, 3), 2.0))
        torch.nn.init.trunc_normal_(table.weight)
        torch.nn.init.xavier_uniform_(table.weight)
    assert torch.equal(table.weight, torch.full((5, 3), 2.0))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_model_that_no_layout_has_words_for_is_not_saved_as_another(tmp_path):
    config = preset("tiny", 101, gated=True, activation="gelu", positions="learned")
    with pytest.raises(RegardError, match="a model that is saved must be of a family here"):
        save_pretrained(EncoderDecoder(config), tmp_path / "model")
    assert not (tmp_path / "model" / "config.json").exists()
