"""Recurrent decoders, which differ in what each step reads of the source, and their attention: one
head, whose values are the encoder's states.

Cho et al. 2014, Learning Phrase Representations using RNN Encoder–Decoder; Bahdanau et al. 2015,
Neural Machine Translation by Jointly Learning to Align and Translate; Luong et al. 2015, Effective
Approaches to Attention-based Neural Machine Translation.

Each has `keys(states)`, computed once for a source, `start(last)`, its first state, and `forward`,
which advances a state by any number of tokens.
"""

from dataclasses import dataclass, fields
from functools import cached_property

import torch
from torch import Tensor, nn

from regard.attention import Mask, Padding, additive, attend, general
from regard.attention.scores import Score
from regard.models.layers.dropout import Dropout
from regard.models.layers.embeddings import Embedding
from regard.models.layers.recurrent import FirstState, MaxoutReadout, State, make_cells, run


@dataclass(frozen=True)
class Memory:
    """Encoder's output, to which every step of the decoder may attend."""

    states: Tensor  # (batch, source, hidden_size), the encoder's output
    keys: Tensor  # (batch, source, …), what attention compares the decoder's state with
    last: Tensor  # (batch, hidden_size), the last state of each direction, joined
    attention_mask: Tensor  # (batch, source), True for a token, False for padding

    @cached_property
    def mask(self) -> Padding:
        return Padding(self.attention_mask)

    def select(self, rows: Tensor) -> "Memory":
        """Return the memory of other rows; `rows` holds indices of current ones, (new rows,)."""
        return Memory(*(getattr(self, field.name).index_select(0, rows) for field in fields(self)))


class BahdanauAttention(nn.Module):
    """c_i = Σ_j α_ij h_j with the score v · tanh(W s_{i−1} + U h_j) (appendix A.1.2)."""

    def __init__(self, query_dim: int, memory_dim: int, hidden_dim: int):
        super().__init__()
        self.num_heads = self.num_key_heads = 1
        self.head_dim = hidden_dim
        self.query = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key = nn.Linear(memory_dim, hidden_dim, bias=False)
        self.vector = nn.Parameter(torch.empty(hidden_dim))

    @torch.no_grad()
    def reset_scores(self) -> None:
        """Initialize the parameters of the score."""
        nn.init.normal_(self.vector, std=len(self.vector) ** -0.5)

    def keys(self, memory: Tensor) -> Tensor:
        """U h, (batch, source, memory_dim) → (batch, source, hidden_dim): once for a sentence."""
        return self.key(memory)

    def forward(self, query: Tensor, keys: Tensor, memory: Tensor, mask: Mask | None) -> Tensor:
        """Query (batch, queries, query_dim), keys (batch, source, hidden_dim) and memory (batch,
        source, memory_dim) → contexts, (batch, queries, memory_dim)."""
        score = additive(None, None, self.vector)
        return _one_head(self.query(query), keys, memory, score, mask)


class LuongAttention(nn.Module):
    """c_t = Σ_s α_ts h_s, the score s_t · W h_s ("general") or s_t · h_s ("dot"; equation 8)."""

    def __init__(self, width: int, *, score: str = "general"):
        super().__init__()
        self.num_heads = self.num_key_heads = 1
        self.head_dim = width
        self.matrix = nn.Parameter(torch.empty(width, width)) if score == "general" else None

    @torch.no_grad()
    def reset_scores(self) -> None:
        """Initialize the parameters of the score."""
        if self.matrix is not None:
            nn.init.xavier_uniform_(self.matrix)

    def keys(self, memory: Tensor) -> Tensor:
        """Return the encoder's states, (batch, source, width), unchanged."""
        return memory

    def forward(self, query: Tensor, keys: Tensor, memory: Tensor, mask: Mask | None) -> Tensor:
        """Query (batch, queries, width), keys and memory (batch, source, width) → contexts, (batch,
        queries, width)."""
        score = "dot" if self.matrix is None else general(self.matrix)
        return _one_head(query, keys, memory, score, mask)


def _one_head(
    query: Tensor, keys: Tensor, values: Tensor, score: str | Score, mask: Mask | None
) -> Tensor:
    heads = (tensor[:, None] for tensor in (query, keys, values))
    return attend(*heads, score=score, mask=mask)[:, 0]


class ContextDecoder(nn.Module):
    """Each step reads a context c_i: s_i = f(s_{i−1}, y_{i−1}, c_i).

    It is the encoder's last state at every step (Cho et al. 2014, section 2.2), or what attention
    before the cell gives for s_{i−1} (Bahdanau et al. 2015, section 3.1).

    Args:
        cross_attention: None for a fixed context, which then holds all that the decoder knows of
            the source.
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        cross_attention: BahdanauAttention | None,
        *,
        hidden_size: int,
        num_layers: int,
        cell: str,
        dropout: float,
    ):
        super().__init__()
        d_model = tokens.embedding_dim
        self.embed = Embedding(tokens, positions="none", dropout=dropout)
        self.first = FirstState(hidden_size, num_layers, cell)
        self.cross_attention = cross_attention
        self.cells = make_cells(
            cell, d_model + hidden_size, hidden_size, num_layers, dropout=dropout
        )
        self.readout = MaxoutReadout(2 * hidden_size + d_model, d_model, dropout=dropout)

    def keys(self, states: Tensor) -> Tensor:
        """Return the encoder's states, (batch, source, hidden_size) → keys of the same shape."""
        return states if self.cross_attention is None else self.cross_attention.keys(states)

    def start(self, last: Tensor) -> State:
        """Return the encoder's last state, (rows, hidden_size) → the first state of the cells."""
        return self.first(last)

    def forward(self, target: Tensor, memory: Memory, state: State) -> tuple[Tensor, State]:
        """Ids (rows, steps) and a state → (rows, steps, d_model), and the next state."""
        embedded = self.embed(target)
        if self.cross_attention is None:
            context = memory.last[:, None].expand(-1, target.shape[1], -1)
            states, state = run(self.cells, torch.cat([embedded, context], dim=-1), state)
            return self.readout(states, embedded, context), state
        outputs, contexts = [], []
        for word in embedded.split(1, dim=1):
            query = state[0][-1][:, None]  # the last layer's
            context = self.cross_attention(query, memory.keys, memory.states, memory.mask)
            output, state = run(self.cells, torch.cat([word, context], dim=-1), state)
            outputs.append(output)
            contexts.append(context)
        return self.readout(torch.cat(outputs, 1), embedded, torch.cat(contexts, 1)), state


class LuongDecoder(nn.Module):
    """Attention after the cell: h̃_t = tanh(W_c [c_t; h_t]) with c_t from h_t (Luong et al. 2015,
    equations 5 to 8); with input feeding the next step also reads h̃_t (section 3.3).
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        *,
        hidden_size: int,
        num_layers: int,
        cell: str,
        dropout: float,
        score: str = "general",
        input_feeding: bool = False,
    ):
        super().__init__()
        d_model = tokens.embedding_dim
        self.fed = d_model if input_feeding else 0  # width
        self.embed = Embedding(tokens, positions="none", dropout=dropout)
        self.first = FirstState(hidden_size, num_layers, cell)
        self.cells = make_cells(cell, d_model + self.fed, hidden_size, num_layers, dropout=dropout)
        self.cross_attention = LuongAttention(hidden_size, score=score)
        self.combine = nn.Linear(2 * hidden_size, d_model, bias=False)
        self.dropout = Dropout(dropout)

    def keys(self, states: Tensor) -> Tensor:
        """Return the encoder's states, (batch, source, hidden_size), unchanged."""
        return self.cross_attention.keys(states)

    def start(self, last: Tensor) -> State:
        """Return the encoder's last state, (rows, hidden_size) → the first state of the cells,
        followed, with input feeding, by zeros (1, rows, d_model) in place of the vector fed
        back."""
        state: State = self.first(last)
        return (*state, last.new_zeros(1, len(last), self.fed)) if self.fed else state

    def forward(self, target: Tensor, memory: Memory, state: State) -> tuple[Tensor, State]:
        """Ids (rows, steps) and a state → (rows, steps, d_model), and the next state."""
        embedded = self.embed(target)
        if not self.fed:  # no step depends on another's attention
            states, state = run(self.cells, embedded, state)
            return self._attended(states, memory), state
        outputs = []
        for word in embedded.split(1, dim=1):
            *cells, fed = state
            input = torch.cat([word, fed.transpose(0, 1)], dim=-1)
            states, after = run(self.cells, input, tuple(cells))
            outputs.append(self._attended(states, memory))
            state = (*after, outputs[-1].transpose(0, 1))
        return torch.cat(outputs, 1), state

    def _attended(self, states: Tensor, memory: Memory) -> Tensor:
        context = self.cross_attention(states, memory.keys, memory.states, memory.mask)
        return self.dropout(torch.tanh(self.combine(torch.cat([context, states], dim=-1))))
