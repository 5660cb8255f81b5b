"""The recurrent encoder–decoder: with one fixed context, with Bahdanau's attention, with Luong's.

Cho et al. 2014, Learning Phrase Representations using RNN Encoder–Decoder; Bahdanau et al. 2015,
Neural Machine Translation by Jointly Learning to Align and Translate; Luong et al. 2015, Effective
Approaches to Attention-based Neural Machine Translation.
"""

from typing import Any

import torch
from torch import Tensor, nn

from regard.models.configs.facts import RecurrentFacts
from regard.models.configs.recurrent import RecurrentConfig
from regard.models.layers import Embedding, check_ids
from regard.models.layers.recurrent import State, make_cells, read_tokens, reset_cells
from regard.models.layers.recurrent_decoders import (
    BahdanauAttention,
    ContextDecoder,
    LuongAttention,
    LuongDecoder,
    Memory,
)
from regard.models.model import AnyEncoderDecoder, init_projection, two_tables


class RecurrentEncoderDecoder(RecurrentFacts, AnyEncoderDecoder):
    """Source ids and the target so far → logits of the next target token.

    As in EncoderDecoder, the embedding tables and the output projection share one weight; with
    separate vocabularies, the target table and the output projection do.

    >>> from regard.models import recurrent_preset
    >>> model = RecurrentEncoderDecoder(recurrent_preset("tiny", vocab_size=100)).eval()
    >>> source, target = torch.tensor([[5, 6, 7, 1]]), torch.tensor([[8, 9, 1]])
    >>> model(source, target).shape
    torch.Size([1, 3, 100])
    """

    logits_bias = None  # an EncoderDecoder may have one

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.config = config
        self.output = None
        source_tokens, target_tokens = two_tables(config)
        self.encoder = Encoder(config, source_tokens)
        self.decoder = _decoder(config, target_tokens)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Xavier-uniform projections, zero biases, embeddings of deviation d_model^−½, cells as
        in `reset_cells`."""
        if self.output_weight.is_meta:
            return  # the weights will be loaded
        for module in self.modules():
            if isinstance(module, nn.Linear):
                init_projection(module)
            elif isinstance(module, nn.RNNBase):
                reset_cells(module)
            elif isinstance(module, BahdanauAttention | LuongAttention):
                module.reset_scores()
        for side in (self.encoder, self.decoder):
            nn.init.normal_(side.embed.tokens.weight, std=self.config.d_model**-0.5)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits, (batch, target length, vocab), for teacher forcing.

        Args:
            source: (batch, source length) ids, padded with pad_id on either side.
            target: (batch, target length) ids to predict, eos last, padded on the right.
        """
        return self.logits(self.hidden(source, target))

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.encode(source)
        hidden: Tensor = self.decoder(
            self.shift_right(target), memory, self.decoder.start(memory.last)
        )[0]
        return hidden

    def encode(self, source: Tensor) -> Memory:
        """Source ids, (batch, source length) → the encoder's states and the keys of attention."""
        check_ids(source, self.config.vocab_size)
        attention_mask = self.not_padding(source)
        states, last = self.encoder(source, attention_mask)
        return Memory(states, self.decoder.keys(states), last, attention_mask)

    def start(self, source: Tensor) -> "RecurrentState":
        """Encode source ids, (batch, source length), for generation to decode step by step."""
        return RecurrentState(self, source)


class Encoder(nn.Module):
    """Recurrent layers over the source, in both directions or only forward."""

    def __init__(self, config: RecurrentConfig, tokens: nn.Embedding):
        super().__init__()
        self.embed = Embedding(tokens, positions="none", dropout=config.dropout)
        self.cells = make_cells(
            config.cell,
            config.d_model,
            config.hidden_size,
            config.encoder_layers,
            dropout=config.dropout,
            bidirectional=config.bidirectional,
        )

    def forward(self, source: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Ids and attention_mask, (batch, length) both → states (batch, length, hidden_size), and
        the last state of each direction, joined, (batch, hidden_size)."""
        return read_tokens(self.cells, self.embed(source), attention_mask)


def _decoder(config: RecurrentConfig, tokens: nn.Embedding) -> ContextDecoder | LuongDecoder:
    sizes: dict[str, Any] = dict(
        hidden_size=config.hidden_size,
        num_layers=config.decoder_layers,
        cell=config.cell,
        dropout=config.dropout,
    )
    if config.attention == "luong":
        return LuongDecoder(tokens, score=config.score, input_feeding=config.input_feeding, **sizes)
    width = config.hidden_size
    attention = BahdanauAttention(width, width, width) if config.attention == "bahdanau" else None
    return ContextDecoder(tokens, attention, **sizes)


class RecurrentState:
    """State of a recurrent encoder–decoder: memory and cells, one row for each hypothesis."""

    def __init__(self, model: RecurrentEncoderDecoder, source: Tensor):
        self.model = model
        self.memory = model.encode(source)
        self.state: State = model.decoder.start(self.memory.last)
        self.sentence = torch.arange(len(source), device=source.device)  # of each row

    def step(self, tokens: Tensor) -> Tensor:
        """Read tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        if tokens.dim() == 1:
            tokens = tokens[:, None]
        hidden, self.state = self.model.decoder(tokens, self.memory, self.state)
        return self.model.logits(hidden[:, -1])

    def select(self, rows: Tensor) -> None:
        """Keep, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        self.state = tuple(part.index_select(1, rows) for part in self.state)
        sentence = self.sentence.index_select(0, rows)
        if not torch.equal(sentence, self.sentence):  # else beams were reordered within sentences
            self.sentence, self.memory = sentence, self.memory.select(rows)
