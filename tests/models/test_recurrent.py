import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard import RegardError
from regard.models import RecurrentConfig, RecurrentEncoderDecoder, recurrent_preset

KINDS: list[dict[str, object]] = [
    dict(attention="none"),
    dict(attention="none", cell="lstm", bidirectional=False, decoder_layers=2),
    dict(attention="bahdanau"),
    dict(attention="bahdanau", cell="lstm", encoder_layers=2, decoder_layers=2),
    dict(attention="luong"),
    dict(attention="luong", score="dot", input_feeding=True, cell="lstm"),
]
every_kind = pytest.mark.parametrize(
    "kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values()))
)


def small(**changes: object) -> RecurrentEncoderDecoder:
    torch.manual_seed(3)
    sizes = dict(d_model=10, hidden_size=14, dropout=0.0)
    return RecurrentEncoderDecoder(RecurrentConfig(31, **(sizes | changes))).double().eval()  # type: ignore[arg-type]


SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])


def by_hand(model: RecurrentEncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """Logits for one sentence, (target length, vocab), from GRU cells and the papers' formulas."""
    table, scale = model.output_weight, model.config.d_model**0.5
    encoder, decoder = model.encoder.cells, model.decoder

    def cell_of(cells: nn.RNNBase, suffix: str) -> nn.GRUCell:
        cell = nn.GRUCell(cells.input_size, cells.hidden_size, dtype=torch.float64)
        names = [name for name, _ in cell.named_parameters()]
        cell.load_state_dict({name: getattr(cells, f"{name}_l0{suffix}") for name in names})
        return cell

    def read(ids: Tensor, suffix: str) -> list[Tensor]:
        state, states = torch.zeros(encoder.hidden_size, dtype=torch.float64), []
        for id_ in ids:
            state = cell_of(encoder, suffix)(scale * table[id_], state)
            states.append(state)
        return states

    forward, backward = read(source, ""), read(source.flip(0), "_reverse")
    states = torch.cat([torch.stack(forward), torch.stack(backward[::-1])], dim=1)
    last = torch.cat([forward[-1], backward[-1]])
    state = torch.tanh(decoder.first.project(last))
    logits = []
    for id_ in [model.config.start_id, *target[:-1].tolist()]:
        word = scale * table[id_]
        if model.config.attention == "luong":
            state = cell_of(decoder.cells, "")(word, state)
            weights = (states @ decoder.cross_attention.matrix.T @ state).softmax(0)
            hidden = torch.tanh(decoder.combine(torch.cat([weights @ states, state])))
        else:
            context = last
            if model.config.attention == "bahdanau":
                score = decoder.cross_attention
                inner = torch.tanh(score.query(state) + score.key(states))
                context = (inner @ score.vector).softmax(0) @ states
            state = cell_of(decoder.cells, "")(torch.cat([word, context]), state)
            pairs = decoder.readout.pairs(torch.cat([state, word, context]))
            hidden = torch.maximum(pairs[0::2], pairs[1::2])
        logits.append(table @ hidden)
    return torch.stack(logits)


@pytest.mark.parametrize("attention", ["none", "bahdanau", "luong"])
def test_logits_are_the_papers_by_hand(attention: str) -> None:
    model = small(attention=attention)
    expected = by_hand(model, SOURCE[1, :5], TARGET[1, :3])
    torch.testing.assert_close(model(SOURCE, TARGET)[1, :3], expected)


@every_kind
def test_a_prompt_of_several_tokens_equals_single_steps(kind: dict[str, object]) -> None:
    model = small(**kind)
    inputs, at_once = model.shift_right(TARGET), model.start(SOURCE)
    whole = model(SOURCE, TARGET)
    torch.testing.assert_close(at_once.step(inputs[:, :3]), whole[:, 2])
    torch.testing.assert_close(at_once.step(inputs[:, 3]), whole[:, 3])


@every_kind
def test_selected_rows_go_on_as_they_would_have(kind: dict[str, object]) -> None:
    model = small(**kind)
    inputs = model.shift_right(TARGET)
    state, other = model.start(SOURCE), model.start(SOURCE)
    state.step(inputs[:, 0]), other.step(inputs[:, 0])
    state.select(torch.tensor([1, 0, 1]))
    expected = other.step(inputs[:, 1])
    torch.testing.assert_close(state.step(inputs[[1, 0, 1], 1]), expected[[1, 0, 1]])


@every_kind
def test_every_weight_has_the_gradient_of_finite_differences(kind: dict[str, object]) -> None:
    model = small(**kind)

    def loss() -> Tensor:
        return functional.cross_entropy(model(SOURCE, TARGET).flatten(0, 1), TARGET.flatten())

    loss().backward()
    draw = torch.Generator().manual_seed(7)
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        direction = torch.randn(weight.shape, generator=draw, dtype=weight.dtype)
        with torch.no_grad():
            weight += 1e-5 * direction
            above = loss()
            weight -= 2e-5 * direction
            below = loss()
            weight += 1e-5 * direction
        expected = (weight.grad * direction).sum()
        torch.testing.assert_close((above - below) / 2e-5, expected, rtol=1e-4, atol=1e-7)


def test_without_attention_a_step_sees_the_last_state_alone() -> None:
    model = small(attention="none")
    memory = model.encode(SOURCE)
    state = model.decoder.start(memory.last)
    other = type(memory)(memory.states + 1, memory.keys - 1, memory.last, memory.attention_mask)
    inputs = model.shift_right(TARGET)
    assert torch.equal(
        model.decoder(inputs, other, state)[0], model.decoder(inputs, memory, state)[0]
    )
    attending = small()
    memory = attending.encode(SOURCE)
    state = attending.decoder.start(memory.last)
    other = type(memory)(memory.states + 1, memory.keys, memory.last, memory.attention_mask)
    changed = attending.decoder(inputs, other, state)[0]
    assert not torch.equal(changed, attending.decoder(inputs, memory, state)[0])


def test_one_table_serves_source_target_and_output() -> None:
    model = small()
    assert model.encoder.embed.tokens.weight is model.output_weight
    separate = small(target_vocab_size=23)
    assert separate.encoder.embed.tokens.weight.shape == (31, 10)
    assert separate(SOURCE, TARGET % 23).shape == (2, 5, 23)


def test_dropout_acts_in_training_only() -> None:
    for kind in KINDS:
        model = small(**kind | {"dropout": 0.5})
        first = model(SOURCE, TARGET)
        assert torch.equal(model(SOURCE, TARGET), first)
        model.train()
        assert not torch.equal(model(SOURCE, TARGET), first)


@pytest.mark.parametrize(("preset", "millions"), [("tiny", 2.55), ("small", 6.25), ("base", 20.89)])
def test_the_presets_sizes(preset: str, millions: float) -> None:
    with torch.device("meta"):
        model = RecurrentEncoderDecoder(recurrent_preset(preset, 8000))
    count = sum(p.numel() for p in model.parameters())
    assert count / 1e6 == pytest.approx(millions, abs=0.01)


@pytest.mark.parametrize("id_", [31, -1])
def test_an_id_outside_the_vocabulary_is_named(id_: int) -> None:
    source = SOURCE.clone()
    source[1, 2] = id_
    with pytest.raises(RegardError, match=f"from 0 to 30; got {id_}"):
        small()(source, TARGET)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cell": "rnn"}, "cell must be one of gru, lstm; got 'rnn'"),
        ({"attention": "self"}, "attention must be one of none, bahdanau, luong; got 'self'"),
        ({"score": "cosine"}, "score must be one of general, dot; got 'cosine'"),
        ({"score": "dot"}, "score and input_feeding are for attention 'luong'; got 'bahdanau'"),
        ({"input_feeding": True}, "are for attention 'luong'; got 'bahdanau'"),
        ({"hidden_size": 13}, "even hidden_size; got 13"),
        ({"dropout": 1.0}, "dropout must be from 0 to 255/256"),
        ({"eos_id": 31}, "eos_id must be below the vocabulary's 31"),
    ],
)
def test_a_config_that_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        RecurrentConfig(31, **change)  # type: ignore[arg-type]


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(RegardError, match="preset must be one of tiny, small, base; got 'big'"):
        recurrent_preset("big", 100)
