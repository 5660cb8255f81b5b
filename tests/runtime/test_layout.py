"""A packed model that is laid out computes the same from files that processes share."""

from pathlib import Path

import numpy as np
import pytest
import torch

from regard.errors import UnavailableError
from regard.models import Decoder, DecoderConfig
from regard.runtime import session
from regard.runtime.packed import open_packed
from regard.runtime.packing import cache_size, lay_out, pack
from regard.runtime.session import write_layout

PROMPT = np.array([[5, 9, 2, 30, 7], [8, 3, 14, 1, 0]])


def small() -> Decoder:
    torch.manual_seed(5)
    config = DecoderConfig(
        37, d_model=64, num_layers=2, num_heads=2, d_ff=96, max_positions=19, bos_id=0, eos_id=2
    )
    return Decoder(config).eval()


def steps(folder: Path) -> np.ndarray:
    """Logits of a prompt and of one more token, by the model in a folder."""
    state = open_packed(folder).start()
    return np.stack([state.step(PROMPT), state.step(np.array([11, 12]))])


@pytest.mark.parametrize("precision", ["fp32", "int8", "int4"])
def test_a_layout_changes_no_bit(precision: str) -> None:
    folder = pack(small(), precision).folder
    before, size = steps(folder), cache_size().bytes
    assert lay_out(folder)
    assert session.laid_out(folder / "step.onnx") is not None
    assert (steps(folder) == before).all()
    assert cache_size().bytes > size
    assert not lay_out(folder)  # it is there


def test_a_damaged_layout_is_removed_and_made_again() -> None:
    folder = pack(small(), "int8").folder
    before = steps(folder)
    lay_out(folder)
    file = session.layout_of(folder) / "step.onnx.bin"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x55
    file.write_bytes(content)
    assert (steps(folder) == before).all()
    assert not session.layout_of(folder).exists()
    assert lay_out(folder)


def test_another_processor_has_a_layout_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pack(small(), "fp32").folder
    lay_out(folder)
    session._processor_key.cache_clear()
    monkeypatch.setattr("platform.processor", lambda: "another")
    try:
        assert session.laid_out(folder / "step.onnx") is None
    finally:
        session._processor_key.cache_clear()


def test_a_layout_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = pack(small(), "fp32").folder
    with pytest.raises(UnavailableError, match="could not be written"):
        write_layout(folder / "step.onnx", tmp_path / "nowhere" / "step.onnx")
