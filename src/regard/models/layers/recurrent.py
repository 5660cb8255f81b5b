"""The parts of recurrent models: layers of GRU or LSTM cells, their first state, their readout.

Cho et al. 2014, Learning Phrase Representations using RNN Encoder–Decoder; Hochreiter and
Schmidhuber 1997, Long Short-Term Memory. The cells are PyTorch's, whose GRU applies the reset gate
to the state after its product with the matrix, not before.
"""

from math import prod

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.models.layers.dropout import Dropout

CELLS: dict[str, type[nn.GRU] | type[nn.LSTM]] = {"gru": nn.GRU, "lstm": nn.LSTM}

State = tuple[Tensor, ...]
"""The state of recurrent layers: one tensor (layers, rows, width), or two for an LSTM."""


def make_cells(
    cell: str,
    width: int,
    hidden_size: int,
    num_layers: int,
    *,
    dropout: float,
    bidirectional: bool = False,
) -> nn.RNNBase:
    """Layers of cells with dropout between them.

    Args:
        hidden_size: width of the output; each of two directions has half of it.
    """
    return CELLS[cell](
        width,
        hidden_size // 2 if bidirectional else hidden_size,
        num_layers,
        batch_first=True,
        bidirectional=bidirectional,
        dropout=dropout if num_layers > 1 else 0.0,
    )


def run(cells: nn.RNNBase, input: Tensor, state: State) -> tuple[Tensor, State]:
    """Input (rows, steps, width) and a state → the last layer's output, (rows, steps, hidden_size),
    and the next state."""
    if isinstance(cells, nn.LSTM):
        return cells(input, state)
    output, last = cells(input, state[0])
    return output, (last,)


def read_tokens(cells: nn.RNNBase, input: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
    """Step through the tokens from a state of zeros, skipping padding on either side.

    Args:
        input: (batch, length, width).
        attention_mask: (batch, length), True for a token, False for padding.

    Returns:
        The last layer's states, (batch, length, hidden_size), zero at padding, and the last state
        of each direction, joined, (batch, hidden_size).
    """
    tokens_first = (~attention_mask).byte().sort(dim=1, stable=True).indices
    lengths = attention_mask.sum(1).clamp(min=1).cpu()
    moved = _gather(input, tokens_first)
    packed = pack_padded_sequence(moved, lengths, batch_first=True, enforce_sorted=False)
    packed, last = cells(packed)
    states, _ = pad_packed_sequence(packed, batch_first=True, total_length=input.shape[1])
    last = last[0] if isinstance(last, tuple) else last  # (layers · directions, batch, …)
    directions = 2 if cells.bidirectional else 1
    return _gather(states, tokens_first.argsort(1)), last[-directions:].transpose(0, 1).flatten(1)


@torch.no_grad()
def reset_cells(cells: nn.RNNBase) -> None:
    """Orthogonal matrices between states, Xavier-uniform ones from inputs, zero biases, but one for
    an LSTM's forget gate (Jozefowicz et al. 2015, section 5)."""
    for name, parameter in cells.named_parameters():
        gates = parameter.split(cells.hidden_size)  # PyTorch stacks them: r z n, or i f g o
        if name.startswith("bias"):
            nn.init.zeros_(parameter)
            if isinstance(cells, nn.LSTM) and name.startswith("bias_ih"):
                nn.init.ones_(gates[1])
        for gate in gates if name.startswith("weight") else ():
            (nn.init.orthogonal_ if "_hh_" in name else nn.init.xavier_uniform_)(gate)


class FirstState(nn.Module):
    """s_0 = tanh(W_s h), h the encoder's last state (Bahdanau et al. 2015, appendix A.2.2), for
    each layer and, in an LSTM, for both of its states.
    """

    def __init__(self, hidden_size: int, num_layers: int, cell: str):
        super().__init__()
        self.shape = (2 if cell == "lstm" else 1, num_layers, hidden_size)
        self.project = nn.Linear(hidden_size, prod(self.shape))

    def forward(self, last: Tensor) -> State:
        """(rows, hidden_size) → a state, (layers, rows, hidden_size) for each tensor."""
        states = torch.tanh(self.project(last)).view(-1, *self.shape)
        return tuple(states.movedim(0, 2).contiguous())


class MaxoutReadout(nn.Module):
    """t_i = the larger of each pair in U s_i + V y_{i−1} + C c_i (Bahdanau et al. 2015, appendix
    A.2.2, with the state s_i as in equation 4).
    """

    def __init__(self, width: int, d_model: int, *, dropout: float):
        super().__init__()
        self.pairs = nn.Linear(width, 2 * d_model)
        self.dropout = Dropout(dropout)

    def forward(self, *inputs: Tensor) -> Tensor:
        """Tensors (rows, steps, …), which are joined to the input → (rows, steps, d_model)."""
        pairs = self.pairs(torch.cat(inputs, dim=-1)).unflatten(-1, (-1, 2))
        return self.dropout(pairs.amax(-1))


def _gather(tensor: Tensor, positions: Tensor) -> Tensor:
    """tensor (batch, length, width) at positions (batch, length) of each row."""
    return tensor.gather(1, positions[:, :, None].expand(-1, -1, tensor.shape[2]))
