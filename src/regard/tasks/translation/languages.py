"""The languages a checkpoint translates between: which there are, and how each family is asked.

T5 reads a sentence before the text ("translate English to German: "), Marian a token of the target
in it (">>deu<<"). mBART reads a token of the source around the text, and the decoder begins with
one of the target (Liu et al. 2020; mBART-50: Tang et al. 2020); so it is with M2M100 and NLLB.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regard.engine.defaults import Defaults
from regard.errors import BadArgumentError, UnsupportedError, unknown
from regard.generation import GenerationConfig
from regard.text import Tokenizer

_TASK = re.compile(r"translation_(.+)_to_(.+)")
# mBART's "de_DE", NLLB's "deu_Latn", M2M100's "__de__"
_TOKEN = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}|__[a-z]{2,3}__")
_MARIAN = re.compile(r">>(.+)<<")
LEADING = re.compile(r"\s*(?:(>>\S{1,30}<<|<2\w{1,30}>)\s)?")  # a target that a text names itself


@dataclass(frozen=True)
class Languages:
    """The languages of a checkpoint, found when it is loaded."""

    tokenizer: Tokenizer  # of the source
    pairs: Mapping[tuple[str, str], Defaults]  # T5's (source, target) → its settings
    tokens: Mapping[str, int]  # mBART's "de_DE" → its id
    both: bool  # whether a caller names the source and the target

    @classmethod
    def of(cls, tokenizer: Tokenizer, tasks: Mapping[str, Defaults]) -> "Languages":
        """Return the languages that the tokenizer has tokens for, or the tasks of config.json
        name."""
        found = ((_TASK.fullmatch(task), defaults) for task, defaults in tasks.items())
        pairs = {(match[1], match[2]): defaults for match, defaults in found if match}
        tokens = {
            token.content: id_
            for id_, token in tokenizer.backend.get_added_tokens_decoder().items()
            if token.special and _TOKEN.fullmatch(token.content)
        }
        return cls(tokenizer, pairs, tokens, bool(pairs or tokens))

    def chosen(
        self,
        source: str | None,
        target: str | None,
        *,
        name: str,
        stated: Sequence[str],
        generation: GenerationConfig,
        around: Mapping[str, tuple[int, ...]],
    ) -> dict[str, Any]:
        """Return the attributes of a `Translator` between these languages.

        Args:
            name: of the checkpoint, for messages.
            stated: the languages that its card states, the source's first.
            generation: the defaults of decoding so far.
            around: the special tokens "before" and "after" the source so far.

        Raises:
            BadArgumentError: an unknown language.
            UnsupportedError: a model of one pair of languages.
        """
        if self.pairs:
            return dict(vars(self.pairs[_one_pair(self.pairs, source, target)]))
        if self.tokens:
            return self._tokens_chosen(source, target, generation, around)
        targets = {
            match[1]: piece
            for piece in self.tokenizer.backend.get_vocab()
            if (match := _MARIAN.match(piece))
        }
        if not targets:
            if len(stated) == 2 and _is(source, stated[0]) and _is(target, stated[1]):
                return {}
            pair = " → ".join(stated) if len(stated) == 2 else "one fixed pair of languages"
            raise UnsupportedError(
                f"{name} translates {pair}; got {source or 'any'} → {target or 'any'}. Leave the"
                " languages out, or give another model."
            )
        if source is not None:
            raise UnsupportedError(
                f"{name} finds the source's language by itself; got {source!r}. Leave it out."
            )
        return {} if target is None else {"prefix": f"{targets[_named(target, targets)]} "}

    def check_chosen(self, name: str, prefix: str | None, generation: GenerationConfig) -> None:
        """Raise BadArgumentError where several targets are known and none is chosen."""
        known: Iterable[str] = ()
        if prefix is None:
            known = (f"{source} → {target}" for source, target in self.pairs)
        elif self.tokens:
            first = (generation.decoder_start_token_id, generation.forced_bos_token_id)
            known = () if set(first) & set(self.tokens.values()) else sorted(self.tokens)
        if listed := ", ".join(known):
            raise BadArgumentError(
                f"{name} translates into several languages ({listed}): choose one with"
                ' translator.between(target="…").'
            )

    def _tokens_chosen(
        self,
        source: str | None,
        target: str | None,
        generation: GenerationConfig,
        around: Mapping[str, tuple[int, ...]],
    ) -> dict[str, Any]:
        tokens, known = self.tokens, set(self.tokens.values())
        changes: dict[str, Any] = {}
        if source is not None:
            own = tokens[_named(source, tokens)]
            for side, ids in around.items():
                changes[side] = tuple(own if id_ in known else id_ for id_ in ids)
        if target is not None:
            # Where the source's token leads (mBART-50), the target's is the first to be generated;
            # where it comes last, the decoder reads the target's in place of a start token.
            leads = bool(known & set(around["before"]))
            role = "forced_bos_token_id" if leads else "decoder_start_token_id"
            changes["generation"] = generation.updated(**{role: tokens[_named(target, tokens)]})
        return changes


def _is(language: str | None, code: str) -> bool:
    """Return True if a language is the one with that code, or any."""
    return language is None or language.lower() == code.lower()


def _one_pair(
    pairs: Mapping[tuple[str, str], Defaults], source: str | None, target: str | None
) -> tuple[str, str]:
    fits = [pair for pair in pairs if _is(source, pair[0]) and _is(target, pair[1])]
    if not fits or any(pairs[fit] != pairs[fits[0]] for fit in fits):
        known = ", ".join(f"{source} → {target}" for source, target in pairs)
        raise BadArgumentError(
            f"languages must name one of {known}; got {source or 'any'} → {target or 'any'}."
        )
    return fits[0]


def _named(language: str, known: Iterable[str]) -> str:
    """Return a known language by its code, or by the part before its country or script: "de" is
    de_DE, or __de__."""
    known = sorted(known)
    if language in known:
        return language
    start = f"{language.lower()}_"
    starting = [code for code in known if code.lower().lstrip("_").startswith(start)]
    for fits in ([code for code in known if _is(language, code)], starting):
        if len(fits) == 1:
            return fits[0]
    raise unknown("a language", language, known)
