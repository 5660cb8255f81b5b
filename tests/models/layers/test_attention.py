import pytest
import torch
from torch import Tensor, nn

from regard import RegardError
from regard.attention import Causal, Padding
from regard.models.layers import KeyValueCache, MultiHeadAttention, Rotary

BATCH, QUERIES, KEYS, D_MODEL, HEADS = 3, 5, 7, 12, 4


def twins() -> tuple[MultiHeadAttention, nn.MultiheadAttention]:
    """Ours and PyTorch's with the same random weights."""
    torch.manual_seed(13)
    ours = MultiHeadAttention(D_MODEL, HEADS).double()
    theirs = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True).double()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.normal_()
        parts = (ours.query, ours.key, ours.value)
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    return ours, theirs


def tensors(*lengths: int) -> list[Tensor]:
    torch.manual_seed(17)
    return [torch.randn(BATCH, length, D_MODEL, dtype=torch.float64) for length in lengths]


def test_self_attention_equals_torchs() -> None:
    ours, theirs = twins()
    (input,) = tensors(QUERIES)
    hidden = torch.ones(QUERIES, QUERIES).triu(1).bool()
    expected, _ = theirs(input, input, input, attn_mask=hidden)
    torch.testing.assert_close(ours(input, mask=Causal()), expected)
    torch.testing.assert_close(ours(input, mask=~hidden), expected)
    assert not torch.allclose(ours(input), expected)


def test_cross_attention_equals_torchs() -> None:
    ours, theirs = twins()
    input, memory = tensors(QUERIES, KEYS)
    real = torch.arange(KEYS) < torch.tensor([7, 2, 5])[:, None]
    expected, _ = theirs(input, memory, memory, key_padding_mask=~real)
    torch.testing.assert_close(ours(input, memory, mask=Padding(real)), expected)
    assert not torch.allclose(ours(input, memory), expected)


def test_a_head_dim_of_its_own_changes_the_inner_width_only() -> None:
    heads = MultiHeadAttention(D_MODEL, 5, head_dim=7).double()
    assert heads.query.weight.shape == (35, D_MODEL)
    assert heads(*tensors(QUERIES)).shape == (BATCH, QUERIES, D_MODEL)


def test_cached_self_attention_equals_uncached() -> None:
    ours, _ = twins()
    (input,) = tensors(QUERIES)
    cache = KeyValueCache()
    parts = [ours(input[:, :2], mask=Causal(), cache=cache)]
    parts += [ours(input[:, t : t + 1], cache=cache) for t in range(2, QUERIES)]
    torch.testing.assert_close(torch.cat(parts, dim=1), ours(input, mask=Causal()))


def test_cached_cross_attention_projects_memory_once() -> None:
    ours, _ = twins()
    input, memory = tensors(QUERIES, KEYS)
    projected = []
    ours.key.register_forward_hook(lambda *_: projected.append(1))
    whole = ours(input, memory)
    cache = KeyValueCache()
    steps = [ours(input[:, t : t + 1], memory, cache=cache) for t in range(QUERIES)]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)
    assert len(projected) == 2  # the whole one and the first step
    assert cache.length == KEYS


def test_query_and_key_are_those_that_attention_uses() -> None:
    ours, _ = twins()
    input, memory = tensors(QUERIES, KEYS)
    query, key = ours.project(input, memory)
    value = ours.value(memory).view(BATCH, KEYS, HEADS, 3).transpose(1, 2)
    weights = (query @ key.mT / 3**0.5).softmax(-1)
    by_hand = ours.output((weights @ value).transpose(1, 2).reshape(BATCH, QUERIES, D_MODEL))
    torch.testing.assert_close(ours(input, memory), by_hand)


def test_a_width_that_heads_do_not_divide_is_refused() -> None:
    with pytest.raises(RegardError, match="multiple of num_heads; got 12 and 5"):
        MultiHeadAttention(12, 5)


def grouped(**how: object) -> MultiHeadAttention:
    torch.manual_seed(23)
    return MultiHeadAttention(D_MODEL, 6, num_key_heads=2, head_dim=4, **how).double()  # type: ignore[arg-type]


def test_neighboring_query_heads_share_a_key_head() -> None:
    ours = grouped()
    assert ours.query.weight.shape == (24, D_MODEL)
    assert ours.key.weight.shape == ours.value.weight.shape == (8, D_MODEL)
    whole = MultiHeadAttention(D_MODEL, 6, head_dim=4).double()
    whole.query.load_state_dict(ours.query.state_dict())
    whole.output.load_state_dict(ours.output.state_dict())
    for own, repeated in ((ours.key, whole.key), (ours.value, whole.value)):
        for name in ("weight", "bias"):
            heads = getattr(own, name).detach().unflatten(0, (2, 4)).repeat_interleave(3, dim=0)
            getattr(repeated, name).data = heads.flatten(0, 1)
    (input,) = tensors(QUERIES)
    torch.testing.assert_close(ours(input, mask=Causal()), whole(input, mask=Causal()))


def test_biases_are_left_out_as_asked() -> None:
    def biases(**how: bool) -> set[str]:
        return {name for name, _ in grouped(**how).named_parameters() if name.endswith("bias")}

    without_output = {"query.bias", "key.bias", "value.bias"}
    assert biases() == without_output | {"output.bias"}
    assert biases(bias=False) == set()
    assert biases(output_bias=False) == without_output
    assert biases(bias=False, output_bias=True) == {"output.bias"}


def test_a_bias_on_scores_equals_torchs() -> None:
    ours, theirs = twins()
    (input,) = tensors(QUERIES)
    bias = torch.randn(HEADS, QUERIES, QUERIES, dtype=torch.float64)
    expected, _ = theirs(input, input, input, attn_mask=bias.repeat(BATCH, 1, 1))
    torch.testing.assert_close(ours(input, bias=bias), expected)


def test_the_score_is_the_one_asked_for() -> None:
    (input,) = tensors(QUERIES)
    dot, scaled = grouped(score="dot"), grouped()
    with torch.no_grad():
        dot.query.weight /= 2  # √head_dim is 2
        dot.query.bias /= 2
    torch.testing.assert_close(dot(input), scaled(input))
    assert not torch.allclose(grouped(score="dot")(input), scaled(input))


def test_rotary_attention_knows_distances_alone() -> None:
    ours = grouped(rotary=Rotary(4))
    (input,) = tensors(QUERIES)
    positions = torch.arange(QUERIES)[None]
    output = ours(input, positions=positions)
    torch.testing.assert_close(ours(input), output)
    later = ours(input, positions=positions + torch.tensor([0, 5, 40])[:, None])
    torch.testing.assert_close(later, output, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(ours(input, positions=2 * positions), output, rtol=1e-2)
    assert not torch.allclose(grouped()(input), output, rtol=1e-2)


def test_rotary_keys_enter_the_cache_turned() -> None:
    ours = grouped(rotary=Rotary(4))
    (input,) = tensors(QUERIES)
    cache = KeyValueCache()
    parts = [ours(input[:, :2], mask=Causal(), cache=cache)]
    parts += [ours(input[:, t : t + 1], cache=cache) for t in range(2, QUERIES)]
    torch.testing.assert_close(torch.cat(parts, dim=1), ours(input, mask=Causal()))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (dict(num_key_heads=5), "multiple of num_key_heads; got 4 and 5"),
        (dict(num_key_heads=0), "multiple of num_key_heads; got 4 and 0"),
        (dict(rotary=Rotary(4)), "rotary must have at most the dim 3 of a head; got 4"),
        (dict(score="scaled"), "score must be one of .* got 'scaled'"),
    ],
)
def test_what_does_not_fit_is_refused(how: dict[str, object], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        MultiHeadAttention(D_MODEL, HEADS, **how)  # type: ignore[arg-type]


def new(length: int, rows: int = 3) -> tuple[Tensor, Tensor]:
    return torch.randn(rows, 2, length, 5), torch.randn(rows, 2, length, 7)


def test_steps_are_kept_in_order() -> None:
    cache = KeyValueCache()
    steps = [new(length) for length in (4, 1, 1, 3)]
    for key, value in steps:
        held = cache.append(key, value)
    keys, values = (torch.cat(part, dim=2) for part in zip(*steps, strict=True))
    assert torch.equal(held[0], keys)
    assert torch.equal(held[1], values)
    assert torch.equal(cache.key, keys)
    assert torch.equal(cache.value, values)
    assert cache.length == 9


def test_rows_are_kept_repeated_and_reordered() -> None:
    cache = KeyValueCache()
    key, value = new(4)
    cache.append(key, value)
    cache.select(torch.tensor([2, 0, 2, 1]))
    assert torch.equal(cache.key, key[[2, 0, 2, 1]])
    more = new(1, rows=4)
    cache.append(*more)
    assert torch.equal(cache.value, torch.cat([value[[2, 0, 2, 1]], more[1]], dim=2))
    cache.select(torch.tensor([1]))
    assert cache.key.shape == (1, 2, 5, 5)


def test_storage_doubles_so_that_copies_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    empty = torch.empty
    cache = KeyValueCache()
    step = new(1)
    monkeypatch.setattr(
        torch, "empty", lambda *size, **how: made.append(size) or empty(*size, **how)
    )
    for _ in range(100):
        cache.append(*step)
    assert [size[2] for size in made[::2]] == [1, 16, 32, 64, 128]


def test_an_empty_cache_may_be_selected_from() -> None:
    cache = KeyValueCache()
    cache.select(torch.tensor([1, 0]))
    assert cache.length == 0
    with pytest.raises(AssertionError, match="the cache is empty"):
        cache.key  # noqa: B018


def test_a_learned_sink_takes_a_share_of_each_row_and_adds_nothing() -> None:
    torch.manual_seed(4)
    attention, x = MultiHeadAttention(6, 2, sinks=True), torch.randn(1, 4, 6)
    assert attention.sinks is not None
    with torch.no_grad():
        attention.sinks.copy_(torch.tensor([0.5, -1.0]))
    query, key = attention.project(x, x)
    value = attention.value(x).unflatten(2, (2, 3)).transpose(1, 2)
    rows = torch.zeros(2, 4, 3)
    for head, sink in enumerate((0.5, -1.0)):
        for row in range(4):
            scores = key[0, head, : row + 1] @ query[0, head, row] / 3**0.5
            powers = scores.exp()
            share = powers / (powers.sum() + torch.tensor(sink).exp())
            rows[head, row] = share @ value[0, head, : row + 1]
    expected = attention.output(rows.transpose(0, 1).flatten(1))
    torch.testing.assert_close(attention(x, mask=Causal())[0], expected)
    cache = KeyValueCache()
    steps = [attention(x[:, place : place + 1], cache=cache) for place in range(4)]
    torch.testing.assert_close(torch.cat(steps, 1)[0], expected)
    torch.testing.assert_close(attention(x[:, 3:], x)[0], expected[3:])
