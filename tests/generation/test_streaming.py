"""A stream: the tokens of one sentence as they are chosen."""

from typing import Any

import pytest
import torch

from regard.errors import RegardError
from regard.generation import GenerationConfig, generate, stream

EOS, START = 0, 1


def config(**settings: Any) -> GenerationConfig:
    return GenerationConfig(**{"eos_token_id": EOS, "decoder_start_token_id": START} | settings)


def run(decoder: Any, settings: GenerationConfig, **options: Any) -> Any:
    return generate(decoder, settings.start(len(decoder.tables)), settings, **options)


@pytest.mark.parametrize("settings", [{}, {"do_sample": True, "seed": 7, "top_k": 5}])
def test_a_stream_is_what_generate_gives_token_by_token(
    markov: Any, settings: dict[str, Any]
) -> None:
    chosen = config(max_new_tokens=17, **settings)
    lengths = set()
    for seed in range(7):
        decoder = markov.random(1, 13, seed, eos=1.0)
        [[expected]] = run(decoder, chosen)
        fresh, tokens = decoder.again(), []
        ended: list[Any] = []

        def steps(fresh: Any = fresh, ended: list[Any] = ended) -> Any:
            ended.append((yield from stream(fresh, chosen.start(1), chosen)))

        for token in steps():
            tokens.append(token)
            assert len(fresh.rows_read) == len(tokens)  # none is computed ahead
        assert ended == [expected]
        assert tuple(tokens) == expected.tokens
        lengths.add(len(tokens))
    assert len(lengths) > 2


@pytest.mark.parametrize(
    ("sentences", "settings", "message"),
    [
        (2, {}, "a stream generates one sentence; got 2 with alternatives = 1"),
        (1, {"do_sample": True, "alternatives": 3}, "got 1 with alternatives = 3"),
        (1, {"num_beams": 2}, "a beam search cannot stream, .* got num_beams=2"),
    ],
)
def test_what_cannot_be_streamed_is_refused(
    markov: Any, sentences: int, settings: dict[str, Any], message: str
) -> None:
    chosen = config(**settings)
    with pytest.raises(RegardError, match=message):
        next(stream(markov.random(sentences, 5, 0), chosen.start(sentences), chosen))


def test_a_stream_gives_no_impossible_token(markov: Any) -> None:
    broken = markov(torch.full((1, 5, 5), torch.nan))
    with pytest.raises(RegardError, match="at least one token must be possible at each step"):
        next(stream(broken, config().start(1), config()))
