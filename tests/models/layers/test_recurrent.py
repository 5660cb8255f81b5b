import pytest
import torch
from torch import Tensor, nn

from regard.models.layers.recurrent import (
    FirstState,
    MaxoutReadout,
    make_cells,
    read_tokens,
    reset_cells,
    run,
)


def one_by_one(cells: nn.RNNBase, words: Tensor) -> tuple[Tensor, Tensor]:
    """The same from nn.GRUCell or nn.LSTMCell in plain loops, for one sentence without padding."""
    directions = 2 if cells.bidirectional else 1
    kind = nn.LSTMCell if isinstance(cells, nn.LSTM) else nn.GRUCell
    for layer in range(cells.num_layers):
        sides, lasts = [], []
        for direction in range(directions):
            suffix = f"_l{layer}" + "_reverse" * direction
            cell = kind(words.shape[1], cells.hidden_size, dtype=words.dtype)
            cell.load_state_dict(
                {name: getattr(cells, name + suffix) for name, _ in cell.named_parameters()}
            )
            state, outputs = None, []
            for word in words.flip(0) if direction else words:
                state = cell(word, state)
                outputs.append(state[0] if isinstance(state, tuple) else state)
            lasts.append(outputs[-1])
            sides.append(torch.stack(outputs[::-1] if direction else outputs))
        words = torch.cat(sides, dim=1)
    return words, torch.cat(lasts)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_layers", [1, 2])
def test_a_padded_batch_is_read_as_cells_read_each_sentence(
    cell: str, bidirectional: bool, num_layers: int
) -> None:
    torch.manual_seed(2)
    cells = make_cells(cell, 3, 10, num_layers, dropout=0.4, bidirectional=bidirectional)
    cells = cells.double().eval()
    input = torch.randn(3, 7, 3, dtype=torch.float64)
    # Nothing hidden, padding on the right, padding on the left.
    spans = [slice(0, 7), slice(0, 4), slice(2, 7)]
    real = torch.zeros(3, 7, dtype=torch.bool)
    for row, span in enumerate(spans):
        real[row, span] = True
    states, last = read_tokens(cells, input, real)
    assert states.shape == (3, 7, 10)
    for row, span in enumerate(spans):
        expected, end = one_by_one(cells, input[row, span])
        torch.testing.assert_close(states[row, span], expected)
        torch.testing.assert_close(last[row], end)
    assert not states[~real].any()


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_many_steps_at_once_are_the_same_steps(cell: str) -> None:
    torch.manual_seed(4)
    cells = make_cells(cell, 3, 5, 2, dropout=0.0).double()
    first = FirstState(5, 2, cell).double()
    input, start = torch.randn(4, 6, 3).double(), first(torch.randn(4, 5).double())
    assert len(start) == {"gru": 1, "lstm": 2}[cell]
    outputs, after = run(cells, input, start)
    state = start
    for step in range(6):
        output, state = run(cells, input[:, step : step + 1], state)
        torch.testing.assert_close(output[:, 0], outputs[:, step])
    for ours, theirs in zip(state, after, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_a_first_state_is_each_layers_own_projection() -> None:
    torch.manual_seed(8)
    first, last = FirstState(3, 2, "lstm"), torch.randn(5, 3)
    expected = torch.tanh(last @ first.project.weight.T + first.project.bias)
    hidden, cell = first(last)
    assert torch.equal(torch.cat([*hidden, *cell], dim=1), expected)


def test_maxout_keeps_the_larger_of_neighbors_by_hand() -> None:
    readout = MaxoutReadout(3, 2, dropout=0.0)
    with torch.no_grad():
        readout.pairs.weight.copy_(torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]))
        readout.pairs.bias.copy_(torch.tensor([0.0, 0.5, 0.0, -9.0]))
    joined = readout(torch.tensor([[[3.0]]]), torch.tensor([[[4.0, -2.0]]]))
    assert torch.equal(joined, torch.tensor([[[4.5, -2.0]]]))


def test_cells_begin_orthogonal_and_remember() -> None:
    cells = make_cells("lstm", 3, 4, 1, dropout=0.0)
    reset_cells(cells)
    for gate in cells.weight_hh_l0.split(4):
        torch.testing.assert_close(gate @ gate.T, torch.eye(4))
    bias = cells.bias_ih_l0 + cells.bias_hh_l0
    assert bias.tolist() == [0] * 4 + [1] * 4 + [0] * 8
