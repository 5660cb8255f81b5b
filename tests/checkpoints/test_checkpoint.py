import builtins
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard import RegardError, models
from regard.checkpoints import Checkpoint, empty_model, open_checkpoint, save_pretrained, weights
from regard.checkpoints.shipped import FOLDER
from regard.cli.commands.info import _model as info
from regard.course.explanation.sentence import explain
from regard.engine.doctor.checks import examine
from regard.errors import DamagedFileError
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentConfig,
    RecurrentEncoderDecoder,
    VisionConfig,
    VisionTransformer,
)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts how often each file is opened, by name."""
    counts: Counter[str] = Counter()

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def open_and_count(file: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(file, str | os.PathLike):
                counts[Path(file).name] += 1
            return original(file, *arguments, **options)

        return open_and_count

    monkeypatch.setattr(io, "open", counted(io.open))
    monkeypatch.setattr(builtins, "open", counted(builtins.open))
    monkeypatch.setattr(weights, "safe_open", counted(weights.safe_open))
    return counts


READERS: dict[str, Callable[[], object]] = {
    "load": lambda: regard.load("en-de"),
    "load for a task": lambda: regard.load("en-de", "translation"),
    "from_pretrained": lambda: regard.from_pretrained("en-de"),
    "empty_model": lambda: empty_model("en-de"),
    "explain": lambda: explain("en-de", "The dog sees a house."),
    "info": lambda: info("en-de"),
    "doctor": lambda: list(examine(Checkpoint(FOLDER / "en-de"))),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_file_of_a_model_is_read_twice(reader: str, opened: Counter[str]) -> None:
    regard.load("en-de")  # so that imports are done, which open files of their own
    opened.clear()
    READERS[reader]()
    assert opened["config.json"] == 1
    assert opened["model.safetensors"] == 2  # checked by its package, and mapped
    files = {file.name for file in (FOLDER / "en-de").iterdir()} - {"model.safetensors"}
    assert {name: count for name, count in opened.items() if name in files and count > 1} == {}


def test_a_checkpoint_is_opened_by_name_and_passed_on(tmp_path: Path) -> None:
    checkpoint = open_checkpoint("en-de")
    assert (checkpoint.name, checkpoint.folder) == ("en-de", FOLDER / "en-de")
    assert open_checkpoint(checkpoint) is checkpoint
    assert regard.load("en-de").model.config == checkpoint.config
    with pytest.raises(RegardError, match="there is no folder"):
        open_checkpoint(tmp_path / "nowhere")


MODELS: dict[str, Callable[[], torch.nn.Module]] = {
    "encoder-decoder": lambda: EncoderDecoder(
        EncoderDecoderConfig(31, d_model=12, d_ff=10, encoder_layers=1, decoder_layers=1,
                             encoder_heads=2, decoder_heads=3, max_positions=19)
    ),
    "decoder": lambda: Decoder(
        DecoderConfig(31, d_model=12, num_layers=1, num_heads=2, d_ff=10, max_positions=19)
    ),
    "llama": lambda: Decoder(
        DecoderConfig(31, d_model=12, num_layers=1, num_heads=2, d_ff=10, max_positions=19,
                      norm_kind="rms", activation="silu", gated=True, feed_forward_bias=False,
                      attention_bias=False, attention_output_bias=False, positions="rotary")
    ),
    "encoder": lambda: Encoder(
        EncoderConfig(31, d_model=12, num_layers=1, num_heads=2, d_ff=10, max_positions=19,
                      head="classification", labels=("a", "b", "c"))
    ),
    "recurrent": lambda: RecurrentEncoderDecoder(RecurrentConfig(31, d_model=12, hidden_size=10)),
    "vision": lambda: VisionTransformer(
        VisionConfig((6, 10), (3, 2), d_model=12, num_layers=1, num_heads=3, d_ff=10,
                     head="classification", labels=("a", "b"))
    ),
}  # fmt: skip
NOT_AN_OBJECT = ["[" * 100_000, "[]", "3", "null", "\udcff", '{"a": ', "9" * 5000]
WRONG: list[Any] = [None, "wide", -1, 1.5, [], {"a": {}}]


def runs(folder: Path) -> None:
    """Runs a model of random weights, for what fails only there."""
    checkpoint = Checkpoint(folder)
    empty_model(checkpoint)
    config = checkpoint.config
    model = getattr(models, checkpoint.architecture)(config)
    if isinstance(model, VisionTransformer):
        inputs = [torch.ones(1, config.channels, *config.image_size)]
    else:
        ids = torch.ones(2, 3, dtype=torch.int64)
        inputs = [ids] if isinstance(model, Encoder | Decoder) else [ids, ids]
    model.eval()(*inputs)


@pytest.mark.parametrize("kind", MODELS)
def test_a_setting_of_the_wrong_type_runs_or_is_one_sentence(kind: str, tmp_path: Path) -> None:
    save_pretrained(MODELS[kind](), tmp_path)
    (tmp_path / "model.safetensors").unlink()
    runs(tmp_path)
    file = tmp_path / "config.json"
    settings = json.loads(file.read_text())
    for name in settings:
        for wrong in WRONG:
            file.write_text(json.dumps(settings | {name: wrong}))
            try:
                with suppress(RegardError):
                    runs(tmp_path)
            except Exception as error:
                raise AssertionError(f"{name} = {wrong!r}: {error!r}") from error


@pytest.mark.parametrize("content", NOT_AN_OBJECT)
def test_a_file_that_is_no_json_object_is_one_sentence(content: str, tmp_path: Path) -> None:
    files = [file.name for file in (FOLDER / "en-de").glob("*.json")]
    assert len(files) == 6
    for name in files:
        folder = tmp_path / name
        shutil.copytree(FOLDER / "en-de", folder)
        (folder / name).write_bytes(content.encode(errors="surrogateescape"))
        with pytest.raises(RegardError, match=name):
            regard.load(folder)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(RegardError, match=r"has no config\.json"):
        regard.load(tmp_path)


def test_what_config_json_says_does_not_depend_on_the_weights_beside_it(tmp_path: Path) -> None:
    save_pretrained(MODELS["encoder-decoder"](), tmp_path)
    file = tmp_path / "model.safetensors"
    from safetensors.torch import load_file, save_file

    save_file(load_file(file) | {"final_logits_bias": torch.zeros(1, 31)}, file)
    checkpoint = Checkpoint(tmp_path)
    alone = checkpoint.family.from_config(checkpoint.settings)
    assert alone == checkpoint.family.from_config(dict(checkpoint.settings))
    assert (alone.logits_bias, checkpoint.config.logits_bias) == (False, True)


@pytest.mark.parametrize(
    ("name", "number"),
    [("encoder_layers", 100_000), ("decoder_layers", 10**12), ("max_position_embeddings", 10**12)],
)
def test_a_size_that_no_weights_bound_is_refused_before_anything_is_built(
    name: str, number: int, tmp_path: Path
) -> None:
    settings = json.loads((FOLDER / "en-de" / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(settings | {name: number}))
    with pytest.raises(DamagedFileError, match="must be at most"):
        empty_model(tmp_path)


def test_an_adapter_alone_names_its_model_and_how_to_merge_it(tmp_path: Path) -> None:
    settings = {"peft_type": "IA3", "base_model_name_or_path": "example/base-1b"}
    (tmp_path / "adapter_config.json").write_text(json.dumps(settings))
    with pytest.raises(RegardError, match=r"adapter alone \(IA3\), for the model example/base-1b"):
        _ = Checkpoint(tmp_path).settings
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(RegardError, match=r"that it does not name\. Merge .* merge_and_unload"):
        _ = Checkpoint(tmp_path).settings
