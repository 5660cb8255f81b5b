"""Decoding gives the same tokens with numpy's arrays as with torch's: the rules are the same."""

from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch

from regard.arrays import NUMPY, TORCH, arrays_of
from regard.generation import GenerationConfig, generate, stream

EOS, START = 0, 1
SETTINGS: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beams": dict(num_beams=4),
    "n best": dict(num_beams=5, alternatives=3, length_penalty=0.6),
    "early": dict(num_beams=3, early_stopping=True),
    "never": dict(num_beams=3, early_stopping="never", length_penalty=2.0),
    "two ends": dict(num_beams=3, eos_token_id=(0, 5)),
    "repetition": dict(repetition_penalty=1.7, no_repeat_ngram_size=2),
    "beams without repetition": dict(num_beams=3, no_repeat_ngram_size=2, min_new_tokens=4),
    "bad words": dict(bad_words_ids=[[4], [2, 3]], num_beams=2, renormalize_logits=True),
    "begun": dict(forced_beginning=(6, 3), num_beams=2),
    "forced": dict(forced_bos_token_id=6, forced_eos_token_id=0, num_beams=2),
    "sampled": dict(do_sample=True, seed=3, alternatives=3, top_k=0),
    "filtered": dict(do_sample=True, seed=5, temperature=1.4, top_k=7, top_p=0.8, min_p=0.05),
}


class NumpyMarkov:
    """The language model of these tests' `markov`, in numpy."""

    def __init__(self, tables: torch.Tensor):
        self.tables = tables.numpy()
        self.sentences = np.arange(len(tables))

    def step(self, tokens: np.ndarray) -> np.ndarray:
        last = tokens if tokens.ndim == 1 else tokens[:, -1]
        return self.tables[self.sentences, last]

    def select(self, rows: np.ndarray) -> None:
        self.sentences = self.sentences[rows]


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_strategy_gives_the_same_tokens(settings: dict[str, Any], markov: Any) -> None:
    config = GenerationConfig(
        **{"eos_token_id": EOS, "decoder_start_token_id": START, "max_new_tokens": 9} | settings
    )
    for seed in range(5):
        theirs = markov.random(5, 70, seed, eos=1.5)
        prompt = torch.tensor([[3, START], [9, 9], [START, 7], [8, START], [2, START]])
        mask = torch.tensor([[1, 1], [0, 1], [1, 1], [1, 0], [1, 1]]).bool()
        expected = generate(theirs, prompt, config, prompt_mask=mask)
        got = generate(NumpyMarkov(theirs.tables), prompt.numpy(), config, prompt_mask=mask.numpy())
        assert [[each.tokens for each in n_best] for n_best in got] == [
            [each.tokens for each in n_best] for n_best in expected
        ]
        for ours, other in zip(chain(*got), chain(*expected), strict=True):
            assert ours.score == pytest.approx(other.score, rel=1e-5)
            assert ours.token_logprobs == pytest.approx(other.token_logprobs, rel=1e-4)
            assert ours.finished == other.finished


def test_a_stream_gives_the_same_tokens(markov: Any) -> None:
    theirs = markov.random(1, 11, 4)
    config = GenerationConfig(eos_token_id=EOS, max_new_tokens=7)
    start = np.array([[START]])
    expected = list(stream(theirs, torch.from_numpy(start), config))
    assert list(stream(NumpyMarkov(theirs.tables), start, config)) == expected


def test_impossible_tokens_are_refused_as_with_torch(markov: Any) -> None:
    tables = markov.random(1, 3, 0).tables
    config = GenerationConfig(bad_words_ids=[[0], [1], [2]], renormalize_logits=True)
    with pytest.raises(ValueError, match="at least one token must be possible"):
        generate(NumpyMarkov(tables), np.array([[START]]), config)


def test_both_libraries_have_the_same_operations() -> None:
    random = np.random.default_rng(2)
    x = random.standard_normal((4, 13)).astype(np.float32)
    tokens = random.integers(-1, 9, (4, 6))
    places = np.argsort(random.random((4, 13)), 1)
    calls: list[tuple[Any, ...]] = [
        ("softmax", x), ("log_softmax", x), ("largest", x), ("top", x, 5), ("top", x, 13),
        ("sorted", x), ("sums", x), ("take", x, places), ("put", x, places),
        ("nonzero", x > 0), ("padded", x, 3, -1.0), ("windows", tokens, 3), ("present", tokens, 8),
        ("filled", x, x > 1, 0.5), ("where", x > 1, x, -x), ("floats", x.astype(np.float64)),
    ]  # fmt: skip
    for name, *arguments in calls:
        in_torch = [torch.as_tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
        got = getattr(NUMPY, name)(*arguments)
        expected = getattr(TORCH, name)(*in_torch)
        if not isinstance(got, tuple):
            got, expected = (got,), (expected,)
        for one, other in zip(got, expected, strict=True):
            assert np.asarray(one).dtype == other.numpy().dtype, name
            np.testing.assert_allclose(one, other.numpy(), rtol=1e-6, atol=1e-6, err_msg=name)
    assert arrays_of(x) is NUMPY
    assert arrays_of(torch.zeros(1)) is TORCH


def test_the_best_of_a_vocabulary_are_those_of_sorting_all_of_it() -> None:
    x = np.random.default_rng(0).integers(0, 40, 200).astype(np.float32)  # with equals
    for row in (x, np.full(9, np.nan)):
        for found, sorted_ in zip(NUMPY.best(row, 8), NUMPY.best(row[None], 8), strict=True):
            np.testing.assert_array_equal(found, sorted_[0])
