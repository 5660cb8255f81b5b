"""The Transformer of Attention Is All You Need (Vaswani et al. 2017): an encoder and a decoder.

The defaults are the paper's. Marian is the same with weights of its own; Pegasus, BART, mBART,
M2M100 and T5 are other settings of the same fields. BART also reads a text for a head.
"""

import torch
from torch import Tensor, nn

from regard.attention import Mask, Padding
from regard.errors import BadArgumentError
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.heads import ClassificationHead, Pooler, TokenHead, last_state
from regard.models.layers import (
    Embedding,
    LayerCache,
    MultiHeadAttention,
    RelativeBias,
    Stack,
    check_ids,
)
from regard.models.model import (
    AnyEncoderDecoder,
    init_projection,
    make_layer,
    norm_of,
    two_tables,
)


class EncoderDecoder(AnyEncoderDecoder):
    """Source ids and target ids → the output of the config's head (`models.configs.heads`).

    With a head, the target is the source itself, which both sides read; labels are read from the
    decoder's state at the text's last end token (Lewis et al. 2020, section 3.1).

    The two embedding tables and the output projection share one weight (section 3.4); with separate
    vocabularies the target table and the output projection do, unless tied_output is false.

    >>> from regard.models import preset
    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> source, target = torch.tensor([[5, 6, 7, 1]]), torch.tensor([[8, 9, 1]])
    >>> model(source, target).shape
    torch.Size([1, 3, 100])
    """

    def __init__(self, config: EncoderDecoderConfig):
        super().__init__()
        self.config = config
        source_tokens, target_tokens = two_tables(config)
        self.encoder = _stack(config, source_tokens, decodes=False)
        self.decoder = _stack(config, target_tokens, decodes=True)
        vocab = config.decoder_vocab_size
        self.head = _head(config)
        separate = self.head is None and not config.tied_output
        self.output = nn.Linear(config.d_model, vocab, bias=False) if separate else None
        self.logits_bias = nn.Parameter(torch.zeros(vocab)) if config.logits_bias else None
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Xavier-uniform projections, zero biases, embeddings and output of deviation d_model^−½.

        Weights are scaled where the model does not scale, so that scores and logits start alike.
        """
        if self.output_weight.is_meta:
            return  # the weights will be loaded
        for module in self.modules():
            if isinstance(module, nn.Linear):
                init_projection(module)
        for module in self.modules():
            if isinstance(module, MultiHeadAttention) and self.config.score == "dot":
                module.query.weight *= module.head_dim**-0.5
        deviation = 1.0 if self.config.scale_output else self.config.d_model**-0.5
        for module in self.modules():
            if isinstance(module, Embedding):
                nn.init.normal_(module.tokens.weight, std=deviation)
                module.reset_positions()
        if self.output is not None:
            nn.init.normal_(self.output.weight, std=deviation)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the head's output.

        Args:
            source: (batch, source length) ids, padded with pad_id on either side.
            target: (batch, target length) ids to predict, eos last, padded on the right; with a
                head, the source.

        Raises:
            BadArgumentError: of a classification, a source without an end token.
        """
        hidden = self.hidden(source, target)
        if self.head is None:
            return self.logits(hidden)
        if self.config.head == "classification":
            ends = source == self.config.eos_id
            if not bool(ends.any(1).all()):
                raise BadArgumentError(
                    f"each source must contain the end token, {self.config.eos_id}, where its"
                    " labels are read; got one without it. Use the model's own tokenizer."
                )
            hidden = last_state(hidden, ends)
        return self.head(hidden)

    def hidden(self, source: Tensor, target: Tensor) -> Tensor:
        memory, memory_mask = self.encode(source)
        return self.decode(self.shift_right(target), memory, memory_mask)

    def encode(self, source: Tensor) -> tuple[Tensor, Mask | None]:
        """Source ids, (batch, source length) → the memory, (batch, source length, d_model), and the
        mask of its padding."""
        check_ids(source, self.config.vocab_size)
        token = self.not_padding(source)
        mask, positions = Padding(token), None
        if not self.config.count_padding:  # of padding: -1, the row before
            positions = token.long().cumsum(1) * token - 1
        return self.encoder(source, mask=mask, positions=positions), mask

    def decode(
        self,
        inputs: Tensor,
        memory: Tensor,
        memory_mask: Mask | None,
        caches: list[LayerCache] | None = None,
    ) -> Tensor:
        """Read decoder inputs, (batch, length), and the output of `encode` → states, (batch,
        length, d_model), which `logits` projects.

        Args:
            caches: one for each layer; inputs then follow what they hold.
        """
        hidden = self.decoder(inputs, memory, memory_mask=memory_mask, caches=caches)
        return hidden * self.config.d_model**-0.5 if self.config.scale_output else hidden

    def start(self, source: Tensor) -> "PairState":
        """Encode source ids, (batch, source length), for generation to decode step by step."""
        return PairState(self, source)


def _stack(config: EncoderDecoderConfig, tokens: nn.Embedding, *, decodes: bool) -> Stack:
    count, heads = config.encoder_layers, config.encoder_heads
    if decodes:
        count, heads = config.decoder_layers, config.decoder_heads
    embed = Embedding(
        tokens,
        max_positions=config.max_positions,
        positions="none" if config.positions == "relative" else config.positions,
        offset=config.position_offset,
        scale=config.scale_embedding,
        norm=norm_of(config) if config.embedding_norm else None,
        dropout=config.dropout,
    )
    relative_bias = None
    if config.positions == "relative":
        relative_bias = RelativeBias(
            heads,
            num_buckets=config.relative_buckets,
            max_distance=config.relative_distance,
            bidirectional=not decodes,
        )
    return Stack(
        (make_layer(config, heads, decodes_memory=decodes) for _ in range(count)),
        embed=embed,
        norm=norm_of(config) if config.norm_first else None,
        relative_bias=relative_bias,
        causal=decodes,
    )


def _head(config: EncoderDecoderConfig) -> ClassificationHead | TokenHead | None:
    if config.head == "language_model":
        return None
    if config.head == "classification":
        return ClassificationHead(Pooler(config.d_model), len(config.labels), config.head_dropout)
    return TokenHead(config.d_model, config.labels, dropout=0.0)


class PairState:
    """State of an encoder–decoder: memory and layers' caches, one row for each hypothesis."""

    def __init__(self, model: EncoderDecoder, source: Tensor):
        self.model = model
        self.memory, self.memory_mask = model.encode(source)
        self.attention_mask = model.not_padding(source)
        self.sentence = torch.arange(len(source), device=source.device)  # of each row
        self.caches = [LayerCache() for _ in model.decoder.layers]

    def step(self, tokens: Tensor) -> Tensor:
        """Append tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        tokens = tokens.view(len(tokens), -1)
        hidden = self.model.decode(tokens, self.memory, self.memory_mask, self.caches)
        return self.model.logits(hidden[:, -1])

    def select(self, rows: Tensor) -> None:
        """Keep, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        for cache in self.caches:
            cache.self_attention.select(rows)
        sentence = self.sentence.index_select(0, rows)
        if torch.equal(sentence, self.sentence):
            return  # beams were reordered within their sentences, which share a memory
        self.sentence = sentence
        self.memory = self.memory.index_select(0, rows)
        self.attention_mask = self.attention_mask.index_select(0, rows)
        if self.memory_mask is not None:
            self.memory_mask = Padding(self.attention_mask)
        for cache in self.caches:
            cache.cross_attention.select(rows)
