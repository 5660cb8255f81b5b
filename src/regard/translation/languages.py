"""The languages a checkpoint translates between: which there are, and how each family is asked.

T5 reads a sentence before the text ("translate English to German: "), Marian a token of the target
in it (">>deu<<"). mBART reads a token of the source around the text, and the decoder begins with
one of the target (Liu et al. 2020; mBART-50: Tang et al. 2020).
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from regard.errors import BadArgumentError, UnsupportedError, unknown
from regard.generation import GenerationConfig
from regard.tasks.defaults import Defaults
from regard.text import Tokenizer

if TYPE_CHECKING:
    from regard.translation.translator import Translator

_TASK = re.compile(r"translation_(.+)_to_(.+)")
_TOKEN = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}")
_MARIAN = re.compile(r">>(.+)<<")


def between(translator: "Translator", source: str | None, target: str | None) -> "Translator":
    """See `Translator.between`."""
    tokenizer = translator.tokenizers.source
    if pairs := task_pairs(translator.directions):
        task = _one_pair(pairs, source, target)
        defaults = translator.directions[task]
        return translator.decoding_by(
            defaults.generation, prefix=defaults.prefix, not_followed=defaults.not_followed
        )
    if tokens := language_tokens(tokenizer):
        return _between_tokens(translator, tokens, source, target)
    targets = {
        found[1]: piece
        for piece in tokenizer.backend.get_vocab()
        if (found := _MARIAN.match(piece))
    }
    if not targets:
        raise UnsupportedError(
            f"{translator.name} translates one fixed pair of languages. Leave the languages out."
        )
    if source is not None:
        raise UnsupportedError(
            f"{translator.name} finds the source's language by itself; got {source!r}. Leave it"
            " out."
        )
    if target is None:
        return translator
    prefix = f"{targets[_named(target, targets)]} "
    return translator.decoding_by(translator.generation, prefix=prefix)


def are_chosen(translator: "Translator") -> bool:
    """See `Translator.has_languages`."""
    tokens = language_tokens(translator.tokenizers.source)
    return bool(task_pairs(translator.directions) or tokens)


def check_chosen(translator: "Translator", generation: GenerationConfig) -> None:
    """Raises BadArgumentError where a checkpoint of several targets has not been told which."""
    known: Iterable[str] = ()
    if translator.prefix is None:
        known = (f"{source} → {target}" for source, target in task_pairs(translator.directions))
    elif tokens := language_tokens(translator.tokenizers.source):
        first = (generation.decoder_start_token_id, generation.forced_bos_token_id)
        known = () if set(first) & set(tokens.values()) else sorted(tokens)
    if listed := ", ".join(known):
        raise BadArgumentError(
            f"{translator.name} translates into several languages ({listed}): choose one with"
            ' translator.between(target="…").'
        )


def task_pairs(tasks: Mapping[str, Defaults]) -> dict[tuple[str, str], str]:
    """(source, target) → the name of its task in config.json."""
    return {(found[1], found[2]): task for task in tasks if (found := _TASK.fullmatch(task))}


def language_tokens(tokenizer: Tokenizer) -> dict[str, int]:
    """mBART's "de_DE" → its id; empty for a tokenizer without such tokens."""
    added = tokenizer.backend.get_added_tokens_decoder()
    return {
        token.content: id_
        for id_, token in added.items()
        if token.special and _TOKEN.fullmatch(token.content)
    }


def _between_tokens(
    translator: "Translator", tokens: dict[str, int], source: str | None, target: str | None
) -> "Translator":
    known = set(tokens.values())
    leads = bool(known & set(translator.before))
    around = {"before": translator.before, "after": translator.after}
    if source is not None:
        own = tokens[_named(source, tokens)]
        for side, ids in around.items():
            around[side] = tuple(own if id_ in known else id_ for id_ in ids)
    generation = translator.generation
    if target is not None:
        # Where the source's token leads (mBART-50), the target's is the first to be generated;
        # where it comes last, the decoder reads the target's in place of a start token.
        role = "forced_bos_token_id" if leads else "decoder_start_token_id"
        generation = generation.updated(**{role: tokens[_named(target, tokens)]})
    return translator.decoding_by(generation, **around)


def _one_pair(pairs: Mapping[tuple[str, str], str], source: str | None, target: str | None) -> str:
    fits = [pair for pair in pairs if source in (None, pair[0]) and target in (None, pair[1])]
    if len(fits) != 1:
        known = ", ".join(f"{source} → {target}" for source, target in pairs)
        raise BadArgumentError(
            f"languages must name one of {known}; got {source or 'any'} → {target or 'any'}."
        )
    return pairs[fits[0]]


def _named(language: str, known: Iterable[str]) -> str:
    """A known language by its code, or by the part before its country: "de" is de_DE."""
    known = sorted(known)
    if language in known:
        return language
    fits = [code for code in known if code.lower().startswith(f"{language.lower()}_")]
    if len(fits) == 1:
        return fits[0]
    raise unknown("a language", language, known)
