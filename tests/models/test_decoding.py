"""A running decode keeps as much as its rows need; the models' own tests compare its logits."""

import torch

from regard.models import Decoder, DecoderConfig, EncoderDecoder, EncoderDecoderConfig

SIZES = dict(d_model=12, d_ff=20, encoder_layers=1, decoder_layers=2)
SOURCE = torch.tensor([[3, 7, 1, 0], [9, 4, 5, 1]])


def pair_model() -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(11, encoder_heads=3, decoder_heads=2, **SIZES)  # type: ignore[arg-type]
    return EncoderDecoder(config).eval()


def test_the_length_counts_what_was_read_with_its_padding() -> None:
    model = Decoder(DecoderConfig(11, d_model=12, num_layers=2, num_heads=3, d_ff=20)).eval()
    mask = torch.tensor([[True, True, False], [True, True, True]])
    state = model.start(mask)
    assert state.length == 0
    state.step(torch.tensor([[3, 7, 0], [9, 4, 5]]))
    state.step(torch.tensor([8, 2]))
    assert state.length == 4
    assert state.attention_mask is not None
    assert state.attention_mask.tolist() == [[False, True, True, True], [True] * 4]


def test_beams_of_one_sentence_share_its_memory() -> None:
    state = pair_model().start(SOURCE)
    state.select(torch.tensor([0, 0, 1, 1]))
    memory = state.memory
    state.step(torch.tensor([2, 3, 4, 5]))
    state.select(torch.tensor([1, 0, 3, 3]))  # within the sentences
    assert state.memory is memory
    state.select(torch.tensor([2, 3]))  # the first sentence is finished
    assert torch.equal(state.memory, memory[2:])
    assert state.attention_mask.tolist() == [[True] * 4] * 2
