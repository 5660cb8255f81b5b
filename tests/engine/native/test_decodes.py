"""The native engine writes what `generation` writes with the model itself, in any company."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from fixtures.covering import parametrize
from fixtures.families import ENCODER_DECODERS, VOCAB, small
from fixtures.searches import check_every_search, same_hypotheses
from regard import RegardError
from regard.engine.native import library
from regard.engine.native.decodes import NativeEncoderDecoder, Slots
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.models import EncoderDecoder
from regard.models.layers.low_rank import add_adapters
from regard.progress import Stopped, Work

SOURCE = np.array([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TOKENS = np.array([[4, 22, 13, 6, 7], [17, 2, 19, 5, 3]])
KERNELS = library.kernels()


def same(got: Any, expected: Any) -> None:
    expected = np.asarray(expected.detach())
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() <= 1e-5 * np.abs(expected).max()


def same_steps(native: NativeEncoderDecoder, model: EncoderDecoder, tokens: Any = TOKENS) -> None:
    expected, got = model.start(torch.from_numpy(SOURCE)), native.start(SOURCE)
    with torch.no_grad():
        same(got.step(tokens[:, :2]), expected.step(torch.from_numpy(tokens[:, :2])))
        for column in tokens.T[2:]:
            same(got.step(column), expected.step(torch.from_numpy(column)))


@parametrize("family, kernels", ENCODER_DECODERS, range(len(KERNELS)))
def test_logits_of_every_family_are_the_models_by_all_kernels(family: str, kernels: int) -> None:
    model = small(family)
    same_steps(open_native(model, kernels=kernels), model)


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "silu", "tanh"])
def test_every_activation(activation: str) -> None:
    for gated in (False, True):
        model = small("paper", activation=activation, gated=gated)
        same_steps(open_native(model), model)


@pytest.mark.parametrize(
    "changes",
    [
        dict(d_model=48, d_ff=130, encoder_heads=1, decoder_heads=3),
        dict(d_model=64, d_ff=64, head_dim=16, tied_output=False, scale_output=True),
        dict(encoder_layers=1, decoder_layers=1, encoder_heads=1, decoder_heads=1),
    ],
)
def test_other_sizes(changes: dict[str, object]) -> None:
    model = small("paper", **changes)
    same_steps(open_native(model), model)


def test_two_vocabularies_a_missing_bias_and_adapters() -> None:
    model = small("paper", target_vocab_size=37)
    model.decoder.layers[0].self_attention.key.bias = None  # type: ignore[union-attr,assignment]
    add_adapters(model, ["query", "inner"], rank=2, alpha=4)
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    same_steps(open_native(model), model, TOKENS + 12)


@pytest.mark.parametrize("family", ["paper", "t5"])
def test_padding_anywhere_changes_nothing(family: str) -> None:
    model = small(family)
    padded = np.array([[0, 5, 9, 0, 30, 7, 11, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]])
    expected, got = model.start(torch.from_numpy(padded)), open_native(model).start(padded)
    with torch.no_grad():
        same(got.step(TOKENS[:, 0]), expected.step(torch.from_numpy(TOKENS[:, 0])))


@pytest.mark.parametrize(
    "rows",
    [[0, 0, 0, 1, 1, 1], [1, 1], [1, 0], [0, 1, 1], [0, 1, 0]],
    ids=["beams", "one is done", "reordered", "not equally many", "not neighbors"],
)
def test_rows_are_kept_repeated_and_reordered(rows: list[int]) -> None:
    model = small("paper")
    expected, got = model.start(torch.from_numpy(SOURCE)), open_native(model).start(SOURCE)
    chosen, again = np.array(rows), np.arange(len(rows))[::-1][:2]
    with torch.no_grad():
        same(got.step(TOKENS[:, 0]), expected.step(torch.from_numpy(TOKENS[:, 0])))
        for selected in (chosen, again):
            got.select(selected)
            expected.select(torch.from_numpy(selected.copy()))
            tokens = TOKENS.T[1][:1].repeat(len(selected))
            for each in (tokens, tokens + 3):
                same(got.step(each), expected.step(torch.from_numpy(each)))


def test_of_no_rows_a_text_begins_anew_with_its_source() -> None:
    slots = Slots(open_native(small("paper")))
    taken = slots.add(SOURCE)
    first, _ = (slots.read(taken, each, with_logits=True, count=0)[0] for each in TOKENS.T[:2])
    for slot in taken:
        slots.select(slot, np.array([], np.int32))
    again, _, _ = slots.read(taken, TOKENS.T[0], with_logits=True, count=0)
    np.testing.assert_array_equal(again, first)


def sources(count: int, longest: int = 40) -> np.ndarray:
    draw = np.random.default_rng(5)
    batch = np.zeros((count, longest), np.int64)
    for row in batch:
        length = draw.integers(1, longest + 1)
        row[:length] = draw.integers(2, VOCAB, length)
    return batch


def by_torch(
    model: EncoderDecoder, source: np.ndarray, config: GenerationConfig
) -> list[list[Hypothesis]]:
    with torch.no_grad():
        state = model.start(torch.from_numpy(source))
        return generate(state, config.start(len(source)), config)


@pytest.mark.parametrize("family", ENCODER_DECODERS)
def test_every_search_writes_token_for_token_what_torch_writes(family: str) -> None:
    model = small(family)
    native, source = open_native(model), sources(4)
    check_every_search(
        1,
        lambda config: native.generate(source, config.start(len(source)).numpy(), config),
        lambda config: by_torch(model, source, config),
    )


@parametrize("precision, kernels, beams", library.PRECISIONS, range(len(KERNELS)), [1, 3])
def test_a_text_has_the_same_bits_alone_and_in_any_company(
    precision: str, kernels: int, beams: int
) -> None:
    model, source = small("mbart"), sources(23)
    config = GenerationConfig(
        max_new_tokens=12,
        num_beams=beams,
        alternatives=beams,
        eos_token_id=1,
        no_repeat_ngram_size=2,
    )
    one, four = (open_native(model, precision, kernels=kernels, threads=each) for each in (1, 4))
    start = np.zeros((len(source), 1), np.int64)
    alone = [
        one.generate(source[row : row + 1], start[:1], config)[0] for row in range(len(source))
    ]
    assert one.generate(source, start, config) == alone
    assert four.generate(source[::-1], start, config)[::-1] == alone
    by_steps = generate(one.start(source), start, config)
    assert same_hypotheses(by_steps, alone) <= 1


@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_kernels_with_fused_products_give_the_same_bits(precision: str) -> None:
    model, source = small("t5"), sources(5)
    config = GenerationConfig(max_new_tokens=9, num_beams=2, eos_token_id=1)
    start = np.zeros((len(source), 1), np.int64)
    fused = [index for index, name in enumerate(KERNELS) if name != "plain"]
    found = [
        open_native(model, precision, kernels=index).generate(source, start, config)
        for index in fused
    ]
    assert all(each == found[0] for each in found)


def test_integers_and_bf16_are_near_and_bf16_is_exact_where_the_weights_are() -> None:
    model = small("paper")
    for parameter in model.parameters():
        parameter.data = parameter.data.bfloat16().float()
    exact, narrow, coarse, coarser = (
        open_native(model, precision).start(SOURCE).step(TOKENS[:, 0])
        for precision in library.PRECISIONS
    )
    assert (exact == narrow).all()
    assert 0 < np.abs(coarse - exact).max() < 0.2 * np.abs(exact).max()
    assert 0 < np.abs(coarser - exact).max() < 0.9 * np.abs(exact).max()


@pytest.mark.parametrize("beams", [1, 3])
def test_a_text_that_repeats_itself_ends_as_it_does_in_torch(beams: int) -> None:
    model, source = small("bart"), sources(3)
    with torch.no_grad():
        model.logits_bias[7] += 20  # type: ignore[index]
    config = GenerationConfig(
        max_new_tokens=50, num_beams=beams, cut_repetition=True, decoder_start_token_id=0
    )
    got = open_native(model).generate(source, config.start(3).numpy(), config)
    assert same_hypotheses(got, by_torch(model, source, config)) <= 1
    assert all(len(its[0].tokens) < 16 for its in got)


def test_samples_are_those_of_the_search_in_python() -> None:
    model, source = small("paper"), sources(4)
    config = GenerationConfig(
        max_new_tokens=9, do_sample=True, alternatives=2, top_k=9, seed=4, eos_token_id=1,
        decoder_start_token_id=0,
    )  # fmt: skip
    got = open_native(model).generate(source, config.start(4).numpy(), config)
    assert same_hypotheses(got, by_torch(model, source, config)) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dict(bad_words_ids=[[40]]), "bad_words_ids must be below the vocabulary's 31; got 40"),
        (dict(forced_bos_token_id=31), "a forced token id must be below the vocabulary's 31"),
        (dict(forced_beginning=[50]), "forced_beginning must be below the vocabulary's 31"),
        (dict(eos_token_id=77, min_new_tokens=2), "eos_token_id must be below the vocabulary's 31"),
        (dict(max_new_tokens=65), "the model has 64 positions; got a sequence of 65"),
        (dict(bad_words_ids=[[token] for token in range(VOCAB)]), "at least one token must be"),
    ],
)
def test_settings_that_cannot_be_followed_are_refused_as_torch_refuses_them(
    settings: dict[str, Any], message: str
) -> None:
    model = small("paper")
    config = GenerationConfig(**{"max_new_tokens": 4, "decoder_start_token_id": 0} | settings)
    with pytest.raises(RegardError, match=message):
        by_torch(model, SOURCE, config)
    with pytest.raises(RegardError, match=message):
        open_native(model).generate(SOURCE, config.start(2).numpy(), config)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.array([[5, 31]]), "from 0 to 30; got 31"),
        (np.array([[5, -1]]), "from 0 to 30; got -1"),
        (np.ones((1, 65), np.int64), "has 64 positions; got a sequence of 65"),
    ],
)
def test_ids_that_cannot_be_read_are_refused(source: np.ndarray, message: str) -> None:
    with pytest.raises(RegardError, match=message):
        open_native(small("paper")).start(source)


def test_weights_that_are_no_numbers_are_refused_as_torch_refuses_them() -> None:
    model = small("paper")
    config = GenerationConfig(max_new_tokens=4, decoder_start_token_id=0)
    with torch.no_grad():
        model.decoder.layers[0].feed_forward.inner.weight[3, 2] = torch.nan  # type: ignore[union-attr,index]
    with pytest.raises(RegardError, match="at least one token must be possible"):
        by_torch(model, SOURCE, config)
    for precision in library.PRECISIONS:
        with pytest.raises(RegardError, match=r"feed_forward\.inner\.weight contains NaN"):
            open_native(model, precision)
    with torch.no_grad():
        model.decoder.layers[0].feed_forward.inner.weight[3, 2] = 1e31  # type: ignore[union-attr,index]
    with pytest.raises(
        RegardError, match=r"inner holds a number that int8 and int4 cannot: 9999999"
    ):
        open_native(model, "int8")


@pytest.mark.parametrize("kernels", range(len(library.kernels())))
@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_infinity_in_a_run_is_no_answer(precision: str, kernels: int) -> None:
    model = small("paper")
    config = GenerationConfig(max_new_tokens=4, decoder_start_token_id=0)
    with torch.no_grad():
        model.encoder.layers[0].self_attention_norm.weight.fill_(3e38)  # type: ignore[union-attr]
    native = open_native(model, precision, kernels=kernels)
    assert np.isnan(native.states_beside(SOURCE[:1], SOURCE[:1])).all()
    with pytest.raises(RegardError, match="at least one token must be possible"):
        native.generate(SOURCE, config.start(2).numpy(), config)


def test_work_that_is_no_longer_wanted_ends_between_two_steps() -> None:
    native, work = open_native(small("paper")), Work()
    config = GenerationConfig(max_new_tokens=60, decoder_start_token_id=0)

    def start() -> Any:
        work.stop()
        return native.generate(SOURCE, config.start(2).numpy(), config)

    with pytest.raises(Stopped):
        work.run(start)
    assert native.generate(SOURCE, config.start(2).numpy(), config)
