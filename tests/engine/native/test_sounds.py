"""Models of sounds in the native engine: torch's numbers in every precision that has them."""

from typing import Any

import numpy as np
import pytest
import torch

from fixtures.families import small
from regard.engine.native import library
from regard.engine.native.library import pointer_to
from regard.engine.native.loading import open_native
from regard.errors import RegardError
from regard.models import SpeechEncoderDecoder

SIZES: dict[str, Any] = dict(
    vocab_size=31, d_model=14, d_ff=22, encoder_layers=2, decoder_layers=3, encoder_heads=7,
    decoder_heads=2, mel_bins=5, source_positions=9, max_positions=11,
)  # fmt: skip


@pytest.fixture(scope="module")
def model() -> SpeechEncoderDecoder:
    return small("whisper", std=0.3, **SIZES)


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("fp32", 1e-5), ("bf16", 0.05), ("int8", 0.3), ("int4", 4.0)]
)
@torch.no_grad()
def test_states_and_steps_are_those_of_torch(
    model: SpeechEncoderDecoder, precision: str, tolerance: float
) -> None:
    packed: Any = open_native(model, precision, threads=2)
    sounds, read = torch.randn(2, 5, 18), torch.tensor([[3, 9, 4, 4, 30]] * 2)
    expected = model.decode(read, *model.encode(sounds))
    for row in range(2):
        found = packed.states_beside(sounds[row : row + 1].numpy(), read[:1].numpy())
        assert np.abs(found[0] - expected[row].numpy()).max() <= tolerance
    decoder, ours = packed.start(sounds.numpy()), model.start(sounds)
    for step in (read[:, :3], read[:, 3], read[:, 4]):
        logits = decoder.step(step.numpy())
        assert np.abs(logits - ours.step(step).numpy()).max() <= 2 * tolerance


def test_what_is_no_sound_is_refused(model: SpeechEncoderDecoder) -> None:
    packed: Any = open_native(model)
    with pytest.raises(RegardError, match=r"a spectrogram must be .*\(5, 18\) after batch"):
        packed.start(np.zeros((1, 5, 17), np.float32))
    ids, states = np.array([3], np.int32), np.zeros(14, np.float32)
    status = library.library().regard_read_pair(
        packed.pointer, pointer_to(ids), 1, pointer_to(ids), 1, 1, pointer_to(states)
    )
    with pytest.raises(RegardError, match="this model reads sounds"):
        packed.check(status)
