"""The generation loop: step the decoder, choose, set aside what has ended, go on with the rest."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from regard.arrays import Array, arrays_of
from regard.errors import BadArgumentError
from regard.generation.config import GenerationConfig
from regard.generation.search import Asked, Hypothesis, NBest, Search, check_possible, search
from regard.progress import report

if TYPE_CHECKING:
    from regard.shapes import Bool, Float, Int


@runtime_checkable
class Decoder(Protocol):
    """A model that remembers the tokens it has read: one row for each running hypothesis.

    >>> from regard.models import EncoderDecoder, preset
    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> decoder = model.start(torch.tensor([[5, 6, 1]]))
    >>> isinstance(decoder, Decoder)
    True
    """

    def step(
        self, tokens: Int[Array, " rows"] | Int[Array, "rows new"]
    ) -> Float[Array, "rows vocab"]:
        """Read a token for each row, or a prompt (rows, new); gives the next one's logits."""

    def select(self, rows: Int[Array, " new_rows"]) -> None:
        """Keep, repeats or reorders rows; `rows` holds indices into the present ones."""


@runtime_checkable
class RankingDecoder(Decoder, Protocol):
    """A decoder that can give the likeliest tokens alone, so that no one reads all logits."""

    def likeliest(
        self, tokens: Int[Array, " rows"] | Int[Array, "rows new"], count: int
    ) -> tuple[Float[Array, "rows candidates"], Int[Array, "rows candidates"]]:
        """Read tokens as `step` does; gives the log-probabilities of the `count` likeliest next
        tokens (of all where the vocabulary has fewer) and the tokens, likeliest first."""


def generate(
    decoder: Decoder,
    prompt: Int[Array, "batch prompt"],
    config: GenerationConfig,
    *,
    prompt_mask: Bool[Array, "batch prompt"] | None = None,
    sentence_numbers: Sequence[int] | None = None,
    ends: Callable[[Sequence[int]], bool] | None = None,
) -> list[list[Hypothesis]]:
    """Return the best hypotheses for each sentence: of a beam search best first, of sampling as
    drawn.

    A sentence that is done leaves the decoder, so its rows cost nothing from then on. A beam
    search may return fewer than alternatives when no more sequences are possible.

    >>> from regard.models import EncoderDecoder, preset
    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> config = GenerationConfig(
    ...     max_new_tokens=5, eos_token_id=1, pad_token_id=0, decoder_start_token_id=0
    ... )
    >>> sources = torch.tensor([[5, 6, 1], [7, 8, 1]])
    >>> with torch.no_grad():
    ...     found = generate(model.start(sources), config.start(2), config)
    >>> len(found), len(found[0]), len(found[0][0].tokens) <= 5
    (2, 1, True)

    Args:
        decoder: fresh, with one row for each sentence. It gets and gives what the prompt is:
            tensors of torch, or arrays of numpy.
        prompt: what it reads first, (batch, prompt); `config.start(batch)` for an encoder–decoder.
        prompt_mask: (batch, prompt), True where the prompt is a token, False where it is padding
            (on either side), so that filters which look back see the same history in every batch.
        sentence_numbers: what sets each sentence's random numbers apart under one seed; the place
            in the batch by default. Give the place in the whole input, and how it is cut into
            batches does not matter.
        ends: says of a hypothesis's new tokens whether the last of them ends it, as an
            end-of-sentence token does.

    Raises:
        BadArgumentError: the prompt or its mask has the wrong shape, or the filters forbid every
            token.
    """
    check_prompt(prompt, prompt_mask, sentence_numbers)
    batch = len(prompt)
    if not batch:
        return []
    samples = config.alternatives if config.do_sample else 1
    numbers = range(batch) if sentence_numbers is None else sentence_numbers
    streams = [(number, sample) for number in numbers for sample in range(samples)]
    results = [NBest(config) for _ in streams]
    searching = search(
        prompt,
        config,
        streams,
        results,
        prompt_mask=prompt_mask,
        ends=ends,
        ranks=hasattr(decoder, "likeliest"),
    )
    for _ in _driven(searching, decoder, config):
        pass
    check_possible(result.hypotheses for result in results)
    if config.do_sample:
        drawn = [result.hypotheses[0] for result in results]
        return [drawn[first : first + samples] for first in range(0, len(drawn), samples)]
    return [result.hypotheses[: config.alternatives] for result in results]


def stream(
    decoder: Decoder,
    prompt: Int[Array, "1 prompt"],
    config: GenerationConfig,
    *,
    ends: Callable[[Sequence[int]], bool] | None = None,
) -> Generator[int, None, Hypothesis]:
    """Yield the new tokens of one sentence, each as soon as it is chosen: those that `generate`
    gives for its prompt, (1, prompt).

    Returns (`hypothesis = yield from stream(…)`) the hypothesis that they make up.

    >>> from regard.models import Decoder, decoder_preset
    >>> model = Decoder(decoder_preset("tiny", vocab_size=100)).eval()
    >>> prompt, config = torch.tensor([[5, 6]]), GenerationConfig(max_new_tokens=4)
    >>> with torch.no_grad():
    ...     tokens = list(stream(model.start(), prompt, config))
    >>> len(tokens)
    4

    Raises:
        BadArgumentError: as `generate`; a batch, several samples, or a beam search, which decides
            on its first token last.
    """
    check_prompt(prompt, None, None)
    config.check_streams(len(prompt))
    results, ranks = [NBest(config)], hasattr(decoder, "likeliest")
    searching = search(prompt, config, [(0, 0)], results, ends=ends, ranks=ranks)
    for request in itertools.islice(_driven(searching, decoder, config), 1, None):
        yield int(request.tokens[0])
    check_possible(result.hypotheses for result in results)
    [hypothesis] = results[0].hypotheses
    yield hypothesis.tokens[-1]
    return hypothesis


def _driven(searching: Search, decoder: Decoder, config: GenerationConfig) -> Iterator[Asked]:
    """Answers a search by a decoder that is all its own; gives what it asks, before the answer."""
    request, step = next(searching), 0
    while True:
        yield request
        rows, tokens, best, _ = request
        if rows is not None:
            decoder.select(rows)
        with arrays_of(tokens).no_gradients():
            if best is None:
                answer: tuple[Array, ...] = (decoder.step(tokens),)
            else:
                answer = cast(RankingDecoder, decoder).likeliest(tokens, best)
        try:
            request = searching.send(answer)
        except StopIteration:
            return
        step += 1
        report("generating", step, config.max_new_tokens)


def check_prompt(prompt: Array, mask: Array | None, sentence_numbers: Sequence[int] | None) -> None:
    """Raise BadArgumentError for arguments of `generate` that do not fit; a prompt is (batch,
    length)."""
    if prompt.ndim != 2 or not prompt.shape[1]:
        raise BadArgumentError(
            f"prompt must be (batch, length) with at least one token; got {tuple(prompt.shape)}."
        )
    if mask is not None and (mask.shape != prompt.shape or "bool" not in str(mask.dtype)):
        raise BadArgumentError(
            f"prompt_mask must be boolean and of the prompt's shape {tuple(prompt.shape)};"
            f" got {mask.dtype} {tuple(mask.shape)}."
        )
    if sentence_numbers is not None and len(sentence_numbers) != len(prompt):
        raise BadArgumentError(
            f"sentence_numbers must have one number for each of {len(prompt)} sentences;"
            f" got {len(sentence_numbers)}."
        )
