"""Tokens drawn at random: as often as they are likely, and the same again for the same seed."""

from typing import Any

import numpy as np
import torch

from regard.generation import GenerationConfig, generate

EOS, START = 0, 1


def config(**settings: Any) -> GenerationConfig:
    return GenerationConfig(**{"eos_token_id": EOS, "decoder_start_token_id": START} | settings)


def run(decoder: Any, settings: GenerationConfig, **options: Any) -> Any:
    return generate(decoder, settings.start(len(decoder.tables)), settings, **options)


def test_sampling_the_likeliest_token_only_is_greedy(markov: Any) -> None:
    decoder = markov.random(5, 13, seed=7, eos=1.0)
    greedy = run(decoder, config(max_new_tokens=9))
    assert run(decoder.again(), config(max_new_tokens=9, do_sample=True, top_k=1)) == greedy


def test_sampled_frequencies_are_those_of_the_softmax_at_that_temperature(markov: Any) -> None:
    draws, temperature = 1000, 1.7
    decoder = markov.random(1, 7, seed=9)
    settings = config(
        max_new_tokens=1,
        do_sample=True,
        top_k=0,
        temperature=temperature,
        alternatives=draws,
        seed=11,
    )
    [samples] = run(decoder, settings)
    counts = torch.bincount(torch.tensor([s.tokens[0] for s in samples]), minlength=7)
    expected = (decoder.tables[0, START] / temperature).softmax(-1)
    # Four standard deviations of a binomial share.
    assert torch.all((counts / draws - expected).abs() < 4 * (expected / draws).sqrt())


def test_the_same_seed_samples_the_same_and_another_does_not(markov: Any) -> None:
    decoder = markov.random(5, 13, seed=7)
    first, same, other = (
        run(decoder.again(), config(max_new_tokens=9, do_sample=True, seed=seed))
        for seed in (3, 3, 4)
    )
    assert first == same
    assert first != other


def test_without_a_seed_torchs_own_decides(markov: Any) -> None:
    decoder = markov.random(5, 13, seed=7)
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(run(decoder.again(), config(max_new_tokens=9, do_sample=True)))
    assert results[0] == results[1] != results[2]


def test_without_a_seed_numpys_own_decides_where_numpy_decodes(markov: Any) -> None:
    class InNumpy:
        def __init__(self, decoder: Any):
            self.decoder = decoder

        def step(self, tokens: np.ndarray) -> np.ndarray:
            return self.decoder.step(torch.from_numpy(tokens)).numpy()

        def select(self, rows: np.ndarray) -> None:
            self.decoder.select(torch.from_numpy(rows))

    decoder, settings = markov.random(5, 13, seed=7), config(max_new_tokens=9, do_sample=True)
    results = []
    for seed in (1, 1, 2):
        np.random.seed(seed)  # noqa: NPY002
        prompt = settings.start(len(decoder.tables)).numpy()
        results.append(generate(InNumpy(decoder.again()), prompt, settings))
    assert results[0] == results[1] != results[2]


def test_a_sample_does_not_depend_on_the_batch_when_its_sentence_keeps_its_number(
    markov: Any,
) -> None:
    decoder = markov.random(5, 13, seed=7, eos=1.0)
    settings = config(max_new_tokens=9, do_sample=True, seed=3, alternatives=2)
    together = run(decoder, settings)
    apart = run(decoder.again(4, 2), settings, sentence_numbers=[4, 2])
    assert apart == [together[4], together[2]]
    [alone] = run(decoder.again(2), settings.updated(alternatives=1), sentence_numbers=[2])
    assert alone == together[2][:1]


def test_samples_of_one_sentence_differ(markov: Any) -> None:
    decoder = markov.random(1, 31, seed=7, eos=-9.0)
    [samples] = run(decoder, config(max_new_tokens=9, do_sample=True, seed=3, alternatives=5))
    assert len({sample.tokens for sample in samples}) == 5
