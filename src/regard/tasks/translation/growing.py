"""A trained translator learns to write another script: new subwords, and rows for them."""

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

import torch
from torch import Tensor

from regard.errors import UnsupportedError
from regard.models import AnyEncoderDecoder
from regard.tasks.translation.read import tag
from regard.tasks.translation.task import Translator
from regard.text import Tokenizer, TokenizerPair
from regard.text.growing import Survey, can_grow, grow, survey, with_tokens

NewIds = tuple[list[int], list[int]]  # of the source's vocabulary, of the target's
# The tables with a row for each subword, by the side whose they are.
_TABLES = (
    ("encoder.embed.tokens.weight",),
    ("decoder.embed.tokens.weight", "output.weight", "logits_bias"),
)


def grow_pair(
    base: Translator,
    texts: Callable[[], Iterable[tuple[str, str]]],
    count: int | None,
    *,
    say: Callable[[str], None],
) -> tuple[TokenizerPair, NewIds]:
    """Return the base's tokenizers with at most `count` new subwords for the pairs of texts.

    Args:
        texts: the pairs to train on, as often as they are asked for.
        count: None: as many as the texts need, 0 where the vocabulary can write them.

    Raises:
        BadArgumentError: more than 0 for texts that the vocabulary can write.
        UnsupportedError: a tokenizer that cannot get new subwords.
    """
    old = base.tokenizers
    if count == 0:
        return old, ([], [])
    shared = base.model.config.target_vocab_size is None
    if (shared and not old.joint) or not (can_grow(old.source) and can_grow(old.target)):
        if count is None:
            return old, ([], [])
        raise UnsupportedError(
            f"the tokenizer of {base.name} cannot get new subwords: only one BPE or unigram"
            " vocabulary for each table of embeddings can, which cuts text into words first. Leave"
            " new_subwords out, or give another base_model."
        )
    if old.joint:
        both = chain.from_iterable(texts())
        tokenizer, ids = _grown(old.source, both, count, "either side", say)
        return TokenizerPair(tokenizer, tokenizer), (ids, ids)
    source, source_ids = _grown(old.source, (s for s, _ in texts()), None, "the source", say)
    target, target_ids = _grown(old.target, (t for _, t in texts()), count, "the target", say)
    return TokenizerPair(source, target), (source_ids, target_ids)


def with_tags(
    tokenizers: TokenizerPair, new: NewIds, languages: Sequence[str]
) -> tuple[TokenizerPair, NewIds]:
    """Return the tokenizers with a token for each target language, and the new ids with theirs."""
    if not languages:
        return tokenizers, new
    grown = with_tokens(tokenizers.source, [tag(language) for language in languages])
    source = [*new[0], *grown.new]
    if tokenizers.joint:
        return TokenizerPair(grown.tokenizer, grown.tokenizer), (source, source)
    return TokenizerPair(grown.tokenizer, tokenizers.target), (source, new[1])


def with_subwords(
    base: Translator, tokenizers: TokenizerPair, new: NewIds, *, seed: int
) -> Translator:
    """Return the base with these tokenizers, and rows of embeddings and output for their new
    subwords.

    A new row is drawn from the normal distribution of the rows that the base has, dimension by
    dimension, so that its length and its logits are those of a subword (Hewitt 2021, "Initializing
    New Word Embeddings for Pretrained Language Models"). All other rows keep their values.
    """
    config = base.model.config
    target_size = config.target_vocab_size
    model = type(base.model)(
        replace(
            config,
            vocab_size=max(config.vocab_size, tokenizers.source.vocab_size),
            target_vocab_size=target_size and max(target_size, tokenizers.target.vocab_size),
        )
    )
    state = base.model.state_dict()
    draw = torch.Generator().manual_seed(seed)
    drawn: dict[int, Tensor] = {}  # tables that were one stay one
    for names, ids in zip(_TABLES, new, strict=True):
        for name in names:
            if (table := state.get(name)) is not None and ids:
                key = table.data_ptr()
                drawn.setdefault(key, _with_rows(table, ids, draw))
                state[name] = drawn[key]
    model.load_state_dict(state)
    grown = copy.copy(base)
    grown.tokenizers = tokenizers
    grown.languages = replace(base.languages, tokenizer=tokenizers.source)
    return grown.with_model(_evaluating(model))


def _grown(
    tokenizer: Tokenizer,
    texts: Iterable[str],
    count: int | None,
    side: str,
    say: Callable[[str], None],
) -> tuple[Tokenizer, list[int]]:
    found = survey(tokenizer, texts)
    wanted = found.suggested() if count is None else count
    if not wanted:
        return tokenizer, []
    grown = grow(tokenizer, found, wanted)
    say(_said(found, len(grown.new), grown.replaced, side))
    return grown.tokenizer, list(grown.new)


def _said(found: Survey, new: int, replaced: int, side: str) -> str:
    return (
        f"{found.share:.0%} of the tokens of {side} were bytes, lone letters or unknown:"
        f" {new:,} new subwords, {replaced:,} of them in place of subwords that do not occur"
    )


def _with_rows(table: Tensor, ids: list[int], draw: torch.Generator) -> Tensor:
    """Return the table, (vocab, …), with drawn rows at `ids`, which may lie behind its end."""
    new = torch.tensor(ids)
    kept = torch.ones(len(table), dtype=torch.bool)
    kept[new[new < len(table)]] = False
    known = table[kept].float()
    mean, deviation = known.mean(0), known.std(0)
    size = max(len(table), max(ids) + 1)
    grown = table.new_empty((size, *table.shape[1:]))
    grown[: len(table)] = table
    rows = torch.randn((len(ids), *table.shape[1:]), generator=draw)
    grown[new] = (mean + deviation * rows).to(table.dtype)
    return grown


def _evaluating(model: AnyEncoderDecoder) -> AnyEncoderDecoder:
    model.eval()
    return model
