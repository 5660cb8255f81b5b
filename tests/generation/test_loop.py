import itertools
import math
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.errors import RegardError
from regard.generation import GenerationConfig, Hypothesis, generate, stream
from regard.generation import search as search_module
from regard.generation.choosers import BeamSearch
from regard.generation.filters import filters_for
from regard.generation.search import NBest, length_penalized, reachable_length

EOS, START = 0, 1


def config(**settings: Any) -> GenerationConfig:
    return GenerationConfig(**{"eos_token_id": EOS, "decoder_start_token_id": START} | settings)


def run(decoder: Any, settings: GenerationConfig, **options: Any) -> Any:
    return generate(decoder, settings.start(len(decoder.tables)), settings, **options)


# A greedy search says 2 (0.6), then 3 (0.4); the better sentence begins with 3 (0.4), then ends.
GARDEN_PATH = torch.tensor(
    [
        [0.25, 0.25, 0.25, 0.25],
        [1e-9, 1e-9, 0.6, 0.4],
        [0.3, 1e-9, 0.3, 0.4],
        [0.9, 1e-9, 0.05, 0.05],
    ]
).log()[None]


def test_greedy_takes_the_likeliest_token_each_time(markov: Any) -> None:
    [[best]] = run(markov(GARDEN_PATH), config())
    assert best.tokens == (2, 3, EOS)
    assert best.score == pytest.approx(math.log(0.6 * 0.4 * 0.9) / 3, abs=1e-5)
    assert best.finished


def test_beam_search_finds_the_likelier_sentence_that_greedy_misses(markov: Any) -> None:
    [[best, second]] = run(
        markov(GARDEN_PATH), config(num_beams=2, alternatives=2, length_penalty=0.0)
    )
    assert best.tokens == (3, EOS)
    assert best.score == pytest.approx(math.log(0.4 * 0.9), abs=1e-5)
    assert second.tokens == (2, 3, EOS)
    assert second.score == pytest.approx(math.log(0.6 * 0.4 * 0.9), abs=1e-5)


def test_length_penalty_chooses_between_short_and_long(markov: Any) -> None:
    # Log-probabilities -1.02 over 2 tokens and -1.53 over 3: the quotients are equal at 0.998.
    for penalty, first in [(0.5, (3, EOS)), (1.5, (2, 3, EOS))]:
        [[best]] = run(markov(GARDEN_PATH), config(num_beams=2, length_penalty=penalty))
        assert best.tokens == first


@pytest.mark.parametrize("seed", range(5))
def test_beam_search_with_one_beam_is_greedy(
    markov: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder, settings = markov.random(7, 11, seed, eos=1.0), config(max_new_tokens=13)
    greedy = run(decoder, settings)
    monkeypatch.setattr(
        search_module, "chooser_for", lambda config, *_: BeamSearch(filters_for(config), config)
    )
    assert run(decoder.again(), settings) == greedy


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0, -0.5])
@pytest.mark.parametrize("early_stopping", [False, "never"])
def test_a_beam_wider_than_all_hypotheses_finds_the_true_best_ones(
    markov: Any, length_penalty: float, early_stopping: bool | str
) -> None:
    vocab, longest, wanted = 5, 4, 7
    decoder = markov.random(3, vocab, seed=3)
    found = run(
        decoder,
        config(
            max_new_tokens=longest,
            num_beams=700,
            alternatives=wanted,
            length_penalty=length_penalty,
            early_stopping=early_stopping,
        ),
    )
    words = range(1, vocab)
    ended = [(*s, EOS) for n in range(longest) for s in itertools.product(words, repeat=n)]
    every = ended + list(itertools.product(words, repeat=longest))
    for sentence, hypotheses in enumerate(found):
        scores = {
            tokens: sum(decoder.teacher_forced(sentence, tokens)) / len(tokens) ** length_penalty
            for tokens in every
        }
        # Compared by score: two orders of the same transitions tie.
        best = sorted(scores.values(), reverse=True)[:wanted]
        assert [scores[hypothesis.tokens] for hypothesis in hypotheses] == pytest.approx(best)
        assert len({hypothesis.tokens for hypothesis in hypotheses}) == wanted


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_beams": 4, "alternatives": 3, "length_penalty": 0.7},
        {"do_sample": True, "alternatives": 3, "temperature": 0.5, "seed": 5},
    ],
)
def test_the_score_is_that_of_teacher_forcing(markov: Any, settings: dict[str, Any]) -> None:
    decoder = markov.random(5, 13, seed=1, eos=1.0)
    chosen = config(max_new_tokens=9, **settings)
    for sentence, hypotheses in enumerate(run(decoder, chosen)):
        for hypothesis in hypotheses:
            forced = decoder.teacher_forced(sentence, hypothesis.tokens)
            assert hypothesis.token_logprobs == pytest.approx(forced, abs=1e-5)
            length = len(hypothesis.tokens) ** chosen.length_penalty
            assert hypothesis.score == pytest.approx(sum(forced) / length, abs=1e-5)


@pytest.mark.parametrize("num_beams", [1, 3])
def test_a_sentence_comes_out_the_same_in_any_batch(markov: Any, num_beams: int) -> None:
    decoder = markov.random(7, 11, seed=2, eos=1.0)
    settings = config(max_new_tokens=17, num_beams=num_beams)
    together = run(decoder, settings)
    alone = [run(decoder.again(sentence), settings)[0] for sentence in range(7)]
    assert together == alone
    assert run(decoder.again(4, 1, 6), settings) == [alone[4], alone[1], alone[6]]


@pytest.mark.parametrize("num_beams", [1, 3])
def test_finished_sentences_cost_nothing_more(markov: Any, num_beams: int) -> None:
    decoder = markov.random(7, 11, seed=2, eos=1.0)
    settings = config(max_new_tokens=29, num_beams=num_beams)
    run(decoder, settings)
    alone = []
    for sentence in range(7):
        single = decoder.again(sentence)
        run(single, settings)
        alone.append(single.rows_read)
    steps = [len(rows) for rows in alone]
    assert len(set(steps)) > 2
    assert decoder.rows_read[0] == 7  # one row for each sentence, until its beams part
    assert decoder.rows_read == [sum(rows) for rows in itertools.zip_longest(*alone, fillvalue=0)]


def test_n_best_are_distinct_and_sorted(markov: Any) -> None:
    decoder = markov.random(5, 13, seed=4)
    for hypotheses in run(decoder, config(max_new_tokens=7, num_beams=5, alternatives=5)):
        scores = [hypothesis.score for hypothesis in hypotheses]
        assert scores == sorted(scores, reverse=True)
        assert len({hypothesis.tokens for hypothesis in hypotheses}) == 5


def test_a_vocabulary_smaller_than_the_beam_gives_what_there_is(markov: Any) -> None:
    decoder = markov.random(2, 3, seed=4)
    for hypotheses in run(decoder, config(max_new_tokens=1, num_beams=5, alternatives=5)):
        assert sorted(hypothesis.tokens for hypothesis in hypotheses) == [(0,), (1,), (2,)]


@pytest.mark.parametrize("num_beams", [1, 4])
def test_a_sentence_without_an_end_is_cut_and_says_so(markov: Any, num_beams: int) -> None:
    decoder = markov.random(3, 7, seed=5, eos=-torch.inf)
    for [best] in run(decoder, config(max_new_tokens=5, num_beams=num_beams)):
        assert len(best.tokens) == len(best.token_logprobs) == 5
        assert not best.finished


def test_an_end_at_the_very_limit_counts_as_finished(markov: Any) -> None:
    [[best]] = run(markov(GARDEN_PATH), config(max_new_tokens=3))
    assert best.tokens == (2, 3, EOS)
    assert best.finished


def test_any_of_several_end_tokens_ends(markov: Any) -> None:
    [[best]] = run(markov(GARDEN_PATH), config(eos_token_id=(EOS, 3)))
    assert best.tokens == (2, 3)
    assert best.finished
    [[best]] = run(markov(GARDEN_PATH), config(eos_token_id=None, max_new_tokens=6, num_beams=2))
    assert len(best.tokens) == 6
    assert not best.finished


def test_early_stopping_trades_steps_for_score(markov: Any) -> None:
    steps: dict[Any, int] = {}
    scores: dict[Any, float] = {}
    for rule in (True, False, "never"):
        decoder = markov.random(1, 17, seed=15, eos=1.0)
        [[best]] = run(
            decoder,
            config(max_new_tokens=40, num_beams=3, early_stopping=rule, length_penalty=1.0),
        )
        steps[rule], scores[rule] = len(decoder.rows_read), best.score
    assert steps[True] < steps[False] < steps["never"]
    assert scores[True] < scores[False] < scores["never"]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_logits_of_any_float_type_are_summed_in_single_precision(
    markov: Any, dtype: torch.dtype
) -> None:
    tables = markov.random(3, 11, seed=6).tables.to(dtype)
    settings = config(max_new_tokens=6, num_beams=3)
    exact = run(markov(tables.float()), settings)
    assert run(markov(tables), settings) == exact


class PaddedDecoder:
    """A Markov model over padded prompts: it finds the last real token by the mask.

    Its logits grow with each step. Otherwise the same pairs of tokens in another order would have
    the same score, and rounding would choose between them.
    """

    def __init__(self, table: Tensor, mask: Tensor):
        self.table = table
        self.last = (torch.arange(mask.shape[1]) * mask).argmax(dim=1)
        self.steps = 0

    def step(self, tokens: Tensor) -> Tensor:
        if tokens.dim() == 2:
            tokens = tokens.gather(1, self.last[:, None])[:, 0]
        self.steps += 1
        return self.table[tokens] * (1 + self.steps / 16)

    def select(self, rows: Tensor) -> None:
        self.last = self.last[rows]


@pytest.mark.parametrize(
    "settings",
    [
        {"no_repeat_ngram_size": 2, "num_beams": 3},
        {"repetition_penalty": 1.8, "num_beams": 2},
        {"bad_words_ids": [[3, 4, 5], [6, 2]], "num_beams": 2},
        {"do_sample": True, "seed": 1, "no_repeat_ngram_size": 3},
    ],
)
def test_padding_on_either_side_changes_nothing(markov: Any, settings: dict[str, Any]) -> None:
    table = markov.random(1, 11, seed=12).tables[0]
    prompts = [[3, 4], [5, 6, 7, 5, 6], [8]]
    chosen = config(max_new_tokens=12, pad_token_id=9, **settings)
    expected = []
    for number, prompt in enumerate(prompts):
        ids = torch.tensor([prompt])
        decoder = PaddedDecoder(table, torch.ones_like(ids))
        expected += generate(decoder, ids, chosen, sentence_numbers=[number])
    for side in ("left", "right"):
        pads = [[9] * (5 - len(prompt)) for prompt in prompts]
        ids = torch.tensor(
            [
                pad + prompt if side == "left" else prompt + pad
                for prompt, pad in zip(prompts, pads, strict=True)
            ]
        )
        mask = ids != 9
        found = generate(PaddedDecoder(table, mask), ids, chosen, prompt_mask=mask)
        for one, other in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
            assert one.tokens == other.tokens
            assert one.finished == other.finished
            # Logarithms of a batch of another shape are rounded otherwise on some processors.
            assert one.score == pytest.approx(other.score, rel=1e-5)
            assert one.token_logprobs == pytest.approx(other.token_logprobs, rel=1e-5, abs=1e-6)


def test_an_empty_batch_gives_an_empty_list(markov: Any) -> None:
    assert run(markov(torch.zeros(0, 5, 5)), config()) == []


def test_forbidding_every_token_is_refused(markov: Any) -> None:
    everything = [[token] for token in range(1, 5)]
    for num_beams in (1, 3):
        chosen = config(num_beams=num_beams, bad_words_ids=everything, min_new_tokens=2)
        with pytest.raises(RegardError, match="at least one token must be possible"):
            run(markov.random(3, 5, seed=1), chosen)


def test_logits_that_are_not_numbers_are_refused(markov: Any) -> None:
    for settings in ({}, {"num_beams": 3}, {"do_sample": True}):
        with pytest.raises(RegardError, match="check the model's weights"):
            run(markov(torch.full((2, 5, 5), torch.nan)), config(max_new_tokens=4, **settings))


@pytest.mark.usefixtures("as_in_production")
def test_wrong_prompts_are_refused(markov: Any) -> None:
    decoder, prompt = markov.random(3, 5, seed=1), torch.ones(3, 2, dtype=torch.long)
    with pytest.raises(RegardError, match=r"prompt must be \(batch, length\)"):
        generate(decoder, prompt[:, :0], config())
    with pytest.raises(RegardError, match=r"prompt_mask must be boolean and .* \(3, 2\)"):
        generate(decoder, prompt, config(), prompt_mask=torch.ones(2, 3, dtype=torch.bool))
    with pytest.raises(RegardError, match="have one number for each of 3 sentences; got 2"):
        generate(decoder, prompt, config(), sentence_numbers=[1, 2])


@pytest.mark.parametrize("settings", [{}, {"num_beams": 4}, {"do_sample": True, "seed": 2}])
def test_what_ends_a_hypothesis_may_be_told(markov: Any, settings: dict[str, Any]) -> None:
    decoder = markov.random(7, 11, seed=2, eos=1.0)
    expected = run(decoder, config(max_new_tokens=13, **settings))
    silent = config(max_new_tokens=13, eos_token_id=None, **settings)

    def ends(tokens: Any) -> bool:
        return bool(tokens[-1] == EOS)

    assert run(decoder.again(), silent, ends=ends) == expected
    assert run(decoder.again(), silent) != expected
    if "num_beams" not in settings:
        [first, *_] = expected
        again = stream(decoder.again(0), silent.start(1), silent, ends=ends)
        assert tuple(again) == first[0].tokens


def hypothesis(score: float, *tokens: int) -> Hypothesis:
    return Hypothesis(tokens, score, (score,) * len(tokens), finished=True)


def test_score_is_the_total_over_a_power_of_the_length() -> None:
    totals = torch.tensor([-6.0, -3.0])
    assert length_penalized(totals, 4, 1.0).tolist() == [-1.5, -0.75]
    assert length_penalized(totals, 4, 0.5).tolist() == [-3.0, -1.5]
    assert length_penalized(totals, 4, 0.0).tolist() == [-6.0, -3.0]


def test_the_n_best_stay_and_the_earlier_of_equals_first() -> None:
    best = NBest(GenerationConfig(num_beams=3))
    for each in (hypothesis(-2, 1), hypothesis(-1, 2), hypothesis(-2, 3), hypothesis(-1, 4)):
        best.add(each)
    assert [each.tokens for each in best.hypotheses] == [(2,), (4,), (1,)]


@pytest.mark.parametrize(
    ("early_stopping", "best_running", "settled"),
    [
        (False, -1.9, False),
        (False, -2.0, True),
        ("never", -1.9, False),
        ("never", -2.1, True),
        (True, -0.1, True),
        (False, -math.inf, True),
    ],
)
def test_a_full_search_settles_when_no_running_hypothesis_can_enter(
    early_stopping: bool | str, best_running: float, settled: bool
) -> None:
    best = NBest(GenerationConfig(num_beams=2, early_stopping=early_stopping))
    best.add(hypothesis(-1, 1))
    assert not best.is_settled(-0.1)
    assert not best.is_settled(-99.0)
    assert best.is_settled(-math.inf)
    best.add(hypothesis(-2, 2))
    assert best.is_settled(best_running) is settled


def test_only_never_looks_ahead_and_only_when_length_helps() -> None:
    for early_stopping, penalty, length in [
        (False, 1.0, 3),
        (True, 1.0, 3),
        ("never", 1.0, 20),
        ("never", 0.0, 3),
        ("never", -1.0, 3),
    ]:
        config = GenerationConfig(
            max_new_tokens=20, num_beams=2, early_stopping=early_stopping, length_penalty=penalty
        )
        assert reachable_length(config, 3) == length
