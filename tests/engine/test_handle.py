"""What computes for a task; both test_engines.py have results."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from torch import nn

from regard.checkpoints import open_checkpoint
from regard.engine.engines import ENGINES
from regard.engine.handle import EncoderDecoderHandle, IdConfig, Lazy, ModelHandle
from regard.errors import DamagedFileError
from regard.models import EncoderDecoder, EncoderDecoderConfig, RecurrentConfig

SMALL = EncoderDecoderConfig(
    13, d_model=8, encoder_layers=1, decoder_layers=1, encoder_heads=2, decoder_heads=2, d_ff=8,
    max_positions=17, pad_id=3, start_id=5,
)  # fmt: skip


def by(handle: Any, engine: str, precision: str | None = None) -> Any:
    return handle.run_by(ENGINES[engine], print, precision=precision, threads=None)


def test_a_value_is_made_when_it_is_asked_for_and_once() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(7)
        return 7

    later = Lazy(make)
    assert not later.is_made
    threads = [Thread(target=later) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert later() == 7
    assert later.is_made
    assert made == [7]


def test_a_value_that_could_not_be_made_is_tried_again() -> None:
    answers = iter([0, 2])
    later = Lazy(lambda: 8 // next(answers))
    with pytest.raises(ZeroDivisionError):
        later()
    assert later() == 4


def test_ids_depend_on_these_numbers_of_a_config() -> None:
    assert IdConfig.of(SMALL) == IdConfig(13, 13, 17, pad_id=3, eos_id=1, start_id=5)
    relative = EncoderDecoderConfig(13, target_vocab_size=11, positions="relative")
    assert IdConfig.of(relative) == IdConfig(13, 11, None, pad_id=0, eos_id=1, start_id=0)
    assert IdConfig.of(RecurrentConfig(13)).max_positions == 512


def test_another_start_is_another_model_of_the_same_weights() -> None:
    handle = EncoderDecoderHandle.of(EncoderDecoder(SMALL).eval())
    assert handle.starting_from(5) is handle
    other = handle.starting_from(6)
    assert (other.config.start_id, other.model.config.start_id) == (6, 6)
    assert handle.model.config.start_id == 5
    assert other.model is other.model
    assert other.model.output_weight is handle.model.output_weight


def test_padding_stands_behind_shorter_texts() -> None:
    padded = EncoderDecoderHandle.of(EncoderDecoder(SMALL).eval()).padded([[7, 8, 9], [4]])
    assert padded.dtype == np.int64
    assert padded.tolist() == [[7, 8, 9], [4, 3, 3]]


def test_any_model_is_left_in_its_files_until_something_asks_for_it(
    encoder_folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = open_checkpoint(encoder_folder("Bert", "ForSequenceClassification"))
    monkeypatch.setattr(ModelHandle, "_read", None)
    checked: list[Any] = []
    handle = ModelHandle.of_checkpoint(checkpoint, lazily=True, check=checked.append)
    assert checked == [checkpoint.config]
    assert handle.config.labels == ("LABEL_0", "LABEL_1")
    assert handle.architecture == "Encoder"
    with pytest.raises(TypeError, match="not callable"):  # as it must be read now
        _ = handle.model


def test_weights_that_stay_in_their_files_are_checked(encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("Bert", "ForSequenceClassification")
    weights = load_file(folder / "model.safetensors")
    weights["other"] = weights.pop("classifier.bias")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    for lazily in (False, True):
        with pytest.raises(DamagedFileError, match=r"missing classifier\.bias; unexpected other"):
            ModelHandle.of_checkpoint(open_checkpoint(folder), lazily=lazily)


def test_the_class_of_a_model_of_someone_elses_is_its_own() -> None:
    class Mine(EncoderDecoder):
        pass

    assert EncoderDecoderHandle.of(Mine(SMALL)).architecture == "EncoderDecoder"
    assert ModelHandle.of(nn.Linear(2, 3)).architecture == "Linear"
