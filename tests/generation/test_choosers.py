from itertools import product
from typing import Any

import pytest
import torch

from regard.arrays import TORCH
from regard.errors import BadArgumentError
from regard.generation import GenerationConfig, generate
from regard.generation.choosers import (
    BeamSearch,
    ConstrainedBeamSearch,
    Greedy,
    Running,
    Sample,
    chooser_for,
    leaves_in_place,
    likeliest,
    uniform_draws,
)


@pytest.mark.parametrize("vocab", [3, 63, 64, 65, 191, 1024])
def test_likeliest_equals_a_topk_over_everything(vocab: int) -> None:
    for searches, width, count in [(1, 1, 1), (5, 1, 6), (3, 4, 8)]:
        check_likeliest(vocab, searches, width, count)


def check_likeliest(vocab: int, searches: int, width: int, count: int) -> None:
    generator = torch.Generator().manual_seed(vocab)
    scores = torch.randn(searches * width, vocab, generator=generator)
    totals = torch.randn(searches, width, generator=generator)
    best, rows, tokens = likeliest(scores, totals, count)

    whole = (scores.view(searches, width, vocab) + totals[:, :, None]).flatten(1)
    expected = whole.topk(min(count, width * vocab))
    assert torch.equal(best, expected.values)
    first_row = torch.arange(searches)[:, None] * width
    assert torch.equal(rows, first_row + expected.indices // vocab)
    assert torch.equal(tokens, expected.indices % vocab)


def test_likeliest_names_no_token_outside_the_vocabulary() -> None:
    scores = torch.full((2, 70), -torch.inf)
    scores[:, 69] = 0.0
    best, _, tokens = likeliest(scores, torch.zeros(1, 2), 6)
    assert best[0].tolist() == [0.0, 0.0] + [-torch.inf] * 4
    assert tokens.max() == 69


def running(searches: int, width: int = 1, generated: int = 0) -> Running:
    return Running(
        searches=list(range(searches)),
        totals=torch.zeros(searches, width),
        history=torch.zeros(searches * width, 1 + generated, dtype=torch.long),
        log_probs=torch.zeros(searches * width, generated),
    )


def test_a_draw_inverts_the_cumulative_distribution() -> None:
    logits = torch.tensor([[0.0, 0.5, 0.0, 0.25, 0.25, 0.0]]).log().expand(5, -1)
    draws = torch.tensor([[0.0], [0.49], [0.5], [0.75], [1 - 2**-24]])
    chosen = Sample([], draws)(logits, running(5))
    assert chosen.tokens[:, 0].tolist() == [1, 1, 3, 4, 4]
    assert chosen.totals[1].tolist() == pytest.approx([torch.tensor(0.5).log().item()])


def test_each_step_reads_its_own_draw() -> None:
    logits = torch.zeros(2, 10)
    draws = torch.tensor([[0.05, 0.25, 0.95], [0.35, 0.75, 0.15]])
    sample = Sample([], draws)
    assert [sample(logits, running(2, generated=n)).tokens[:, 0].tolist() for n in range(3)] == [
        [0, 3],
        [2, 7],
        [9, 1],
    ]


def test_uniform_draws_belong_to_their_stream() -> None:
    draws = uniform_draws(7, [(0, 0), (0, 1), (1, 0)], 1000)
    assert (uniform_draws(7, [(1, 0)], 1000)[0] == draws[2]).all()
    assert len({float(row[0]) for row in draws}) == 3
    assert float(uniform_draws(8, [(0, 0)], 1)[0, 0]) != float(draws[0, 0])
    assert draws.min() >= 0
    assert draws.max() < 1
    assert draws.mean() == pytest.approx(0.5, abs=0.03)


def test_a_seed_draws_the_same_numbers_on_every_machine_and_in_every_version() -> None:
    assert uniform_draws(7, [(0, 0), (3, 1)], 2).tolist() == [
        [0.46881748695593284, 0.42614583623918467],
        [0.9447234340482096, 0.188398525787565],
    ]


def test_beam_search_keeps_a_spare_candidate_for_each_that_may_end() -> None:
    logits = torch.randn(6, 50)
    for eos, candidates in [(None, 6), (0, 6), ((0, 1), 9), ((0, 1, 2), 12)]:
        beams = BeamSearch([], GenerationConfig(num_beams=3, eos_token_id=eos))
        assert beams(logits, running(2, 3)).totals.shape == (2, candidates)


PHRASES = (((4, 5), (6,)), ((3, 3),))  # one of the first two, and the other


def has_both(tokens: tuple[int, ...]) -> bool:
    text = "".join(map(str, tokens))
    return ("45" in text or "6" in text) and "33" in text


@pytest.mark.parametrize("num_beams", [2, 5])
def test_every_text_has_the_phrases_and_none_depends_on_the_others(
    markov: Any, num_beams: int
) -> None:
    decoder = markov.random(4, 9, seed=2, eos=6.0)
    settings = GenerationConfig(
        num_beams=num_beams, eos_token_id=0, max_new_tokens=40, forced_phrases=PHRASES
    )
    together = generate(decoder.again(), torch.ones(4, 1, dtype=torch.long), settings)
    for sentence, [best] in enumerate(together):
        assert best.finished
        assert has_both(best.tokens)
        own = decoder.teacher_forced(sentence, best.tokens)
        assert best.token_logprobs == pytest.approx(own, abs=1e-5)
        assert best.score == pytest.approx(sum(own) / len(own), abs=1e-5)  # no bonus in it
        alone = generate(decoder.again(sentence), torch.ones(1, 1, dtype=torch.long), settings)
        assert alone == [[best]]


def test_many_beams_find_the_likeliest_text_with_the_phrases(markov: Any) -> None:
    decoder = markov.random(1, 7, seed=1)
    settings = GenerationConfig(
        num_beams=300, eos_token_id=0, max_new_tokens=4, length_penalty=0.0, forced_phrases=PHRASES
    )
    [[best]] = generate(decoder.again(), torch.ones(1, 1, dtype=torch.long), settings)
    texts = [(*text, last) for text in product(range(1, 7), repeat=3) for last in range(7)]
    every = {text: sum(decoder.teacher_forced(0, text)) for text in texts if has_both(text)}
    assert best.tokens == max(every, key=lambda text: every[text])


def test_candidates_carry_the_models_own_log_probability() -> None:
    config = GenerationConfig(num_beams=2, bad_words_ids=((1,),), renormalize_logits=True)
    logits = torch.tensor([[0.2, 0.5, 0.3]]).log()
    found = chooser_for(config, [(0, 0)], TORCH)(logits, running(1))
    assert found.tokens[0, :2].tolist() == [2, 0]
    assert found.log_probs[0, :2].exp().tolist() == pytest.approx([0.3, 0.2])
    assert found.totals[0, :2].exp().tolist() == pytest.approx([0.6, 0.4])


def test_settings_choose_the_chooser() -> None:
    assert isinstance(chooser_for(GenerationConfig(), [(0, 0)], TORCH), Greedy)
    assert isinstance(chooser_for(GenerationConfig(num_beams=2), [(0, 0)], TORCH), BeamSearch)
    assert isinstance(chooser_for(GenerationConfig(do_sample=True), [(0, 0)], TORCH), Sample)
    forced = GenerationConfig(num_beams=2, forced_phrases=PHRASES)
    assert isinstance(chooser_for(forced, [(0, 0)], TORCH), ConstrainedBeamSearch)
    with pytest.raises(BadArgumentError, match="num_beams must be at least 2 and do_sample False"):
        GenerationConfig(forced_phrases=PHRASES)
    with pytest.raises(BadArgumentError, match="num_beams = 1 and do_sample = True"):
        GenerationConfig(forced_phrases=PHRASES, do_sample=True)


@pytest.mark.parametrize("settings", [{}, dict(num_beams=3, eos_token_id=(0, 1))])
def test_the_likeliest_tokens_alone_give_the_same_candidates(settings: dict[str, Any]) -> None:
    config = GenerationConfig(**settings)
    chooser = chooser_for(config, [(0, 0)], TORCH)
    count, width = chooser.needed(0), config.num_beams
    assert count is not None
    logits = torch.randn(4 * width, 70, generator=torch.Generator().manual_seed(5))
    now = running(4, width)
    now.totals = torch.randn(4, width) if width > 1 else now.totals
    expected = chooser(logits, now)
    found = chooser.among(*logits.log_softmax(-1).topk(count), now)
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.equal(ours, theirs)


def test_all_logits_are_needed_while_a_filter_acts() -> None:
    config = GenerationConfig(
        min_new_tokens=2, max_new_tokens=5, eos_token_id=1, forced_eos_token_id=1
    )
    chooser = chooser_for(config, [(0, 0)], TORCH)
    assert [chooser.needed(generated) for generated in range(5)] == [None, None, 1, 1, None]
    for settings in (dict(repetition_penalty=2.0), dict(do_sample=True, seed=1)):
        chooser = chooser_for(GenerationConfig(**settings), [(0, 0)], TORCH)
        assert chooser.needed(3) is None


def test_rows_that_stay_are_left_in_place() -> None:
    assert leaves_in_place(torch.tensor([0, 1, 2]), 3)
    assert not leaves_in_place(torch.tensor([0, 1, 2]), 4)
    assert not leaves_in_place(torch.tensor([0, 2, 1]), 3)
