import json
from pathlib import Path

import pytest
import torch
from torch import nn

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.models import EncoderDecoder, EncoderDecoderConfig

IDS = torch.tensor([[5, 9, 2, 1], [3, 1, 0, 0]])


def model() -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        13, d_model=6, d_ff=10, encoder_layers=1, decoder_layers=1, encoder_heads=3,
        decoder_heads=2, max_positions=7,
    )  # fmt: skip
    return EncoderDecoder(config).eval()


def test_a_large_model_is_written_in_shards_that_transformers_reads(tmp_path: Path) -> None:
    before = model()
    save_pretrained(before, tmp_path, shard_bytes=1000)
    shards = sorted(tmp_path.glob("model-*.safetensors"))
    assert len(shards) > 2
    assert not (tmp_path / "model.safetensors").exists()
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    assert set(index["weight_map"].values()) == {shard.name for shard in shards}
    assert torch.equal(from_pretrained(tmp_path)(IDS, IDS), before(IDS, IDS))
    transformers = pytest.importorskip("transformers")
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path)
    assert torch.equal(theirs.model.shared.weight, before.output_weight)


def test_what_an_earlier_model_of_another_size_left_is_not_read(tmp_path: Path) -> None:
    before = model()
    for size in (1000, 10**9, 1000):
        save_pretrained(before, tmp_path, shard_bytes=size)
        with torch.no_grad():
            before.output_weight.add_(0.5)
            save_pretrained(before, tmp_path, shard_bytes=size)
        assert torch.equal(from_pretrained(tmp_path).output_weight, before.output_weight)


def test_a_loaded_model_can_be_saved_over_the_file_it_is_read_from(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path)
    loaded = from_pretrained(tmp_path)
    expected = loaded(IDS, IDS)
    save_pretrained(loaded, tmp_path)
    assert torch.equal(loaded(IDS, IDS), expected)
    assert torch.equal(from_pretrained(tmp_path)(IDS, IDS), expected)


def test_settings_are_added_to_config_json(tmp_path: Path) -> None:
    save_pretrained(model(), tmp_path, settings={"task": "translation", "dropout": 0.25})
    config = json.loads((tmp_path / "config.json").read_text())
    assert (config["task"], config["dropout"], config["d_model"]) == ("translation", 0.25, 6)


def test_weights_that_are_no_longer_tied_are_not_saved_as_tied(tmp_path: Path) -> None:
    untied = model()
    untied.decoder.embed.tokens = nn.Embedding(13, 6)
    with pytest.raises(RegardError, match=r"decoder\.embed\.tokens\.weight and .* must be equal"):
        save_pretrained(untied, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_no_family_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"must be of a family here .*; got Linear"):
        save_pretrained(nn.Linear(2, 3), tmp_path)
