"""A recurrent model comes back from its folder as it was."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.models import RecurrentConfig, RecurrentEncoderDecoder

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])


def small(**changes: object) -> RecurrentEncoderDecoder:
    torch.manual_seed(3)
    config = RecurrentConfig(31, d_model=10, hidden_size=14, **changes)  # type: ignore[arg-type]
    return RecurrentEncoderDecoder(config).eval()


@pytest.mark.parametrize(
    "changes",
    [
        dict(attention="none", cell="lstm", encoder_layers=2),
        dict(target_vocab_size=23, decoder_layers=2, pad_id=2, start_id=2, max_positions=77),
        dict(attention="luong", score="dot", input_feeding=True, bidirectional=False),
    ],
    ids=["none", "bahdanau", "luong"],
)
@torch.no_grad()
def test_what_is_saved_comes_back(changes: dict[str, object], tmp_path: Path) -> None:
    model = small(**changes)
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    vocab = model.config.decoder_vocab_size
    for name, weight in model.state_dict().items():
        assert torch.equal(again.get_parameter(name), weight)
    # Not to the bit: where a weight lies in memory decides how it is multiplied.
    torch.testing.assert_close(again(SOURCE, TARGET % vocab), model(SOURCE, TARGET % vocab))
    shared = model.config.target_vocab_size is None
    assert (again.encoder.embed.tokens.weight is again.output_weight) == shared


def test_the_shared_table_is_written_once(tmp_path: Path) -> None:
    model = small()
    save_pretrained(model, tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    assert len(tensors) == len(list(model.parameters()))
    assert torch.equal(tensors["shared.weight"], model.output_weight)
    settings = json.loads((tmp_path / "config.json").read_text())
    assert settings["model_type"] == "regard-recurrent"
    assert (settings["cell"], settings["attention_type"]) == ("gru", "bahdanau")
    assert settings["decoder_start_token_id"] == 0


def test_a_loaded_model_can_be_trained_and_moved_to_another_dtype(tmp_path: Path) -> None:
    save_pretrained(small(), tmp_path)
    again = from_pretrained(tmp_path).double()
    again(SOURCE, TARGET).square().sum().backward()
    assert all(parameter.grad is not None for parameter in again.parameters())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cell": "lstm"}, r"encoder.cells.weight_ih_l0 must be \(28, 10\).*has \(21, 10\)"),
        (
            {"attention_type": "luong"},
            "missing decoder.cross_attention.matrix, decoder.combine.weight",
        ),
        ({"attention_type": "global"}, "attention must be one of none, bahdanau, luong"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings must be true"),
    ],
)
def test_a_config_of_another_model_is_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    save_pretrained(small(), tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)
