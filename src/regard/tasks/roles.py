"""Roles of a decoder's heads and the shares of its experts, measured on many sequences."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import as_numpy
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection import Trace, trace
from regard.inspection.models import no_changes, traced
from regard.inspection.recording import is_module
from regard.inspection.roles import ROLES, name_shares, role_shares
from regard.inspection.views.patterns import NAMED
from regard.lazy import torch
from regard.progress import report
from regard.tasks.looking import Traceable
from regard.tasks.text_generation.task import Writer
from regard.training.resampling import intervals_of_means

if TYPE_CHECKING:
    from regard.inspection.recording import Looked

TOKENS = 50  # drawn for a sequence, which has them twice: as many as Olsson et al. 2022 repeat
SEQUENCES = 50
# Sentences that end before a name: of the two that met, the one that did not give.
_NAMES = ("Mary", "Tom", "Anna", "Peter", "Alice", "David", "Sarah", "James", "Laura", "Paul")
_PLACES, _THINGS = ("park", "station", "school", "office"), ("book", "ring", "drink", "letter")
_SENTENCE = "Then {} and {} met at the {}, and {} gave a {} to"


@dataclass(frozen=True)
class Share:
    """A mean over sequences, the ends of its 95 % interval, and what chance would give."""

    share: float
    low: float
    high: float
    chance: float


@dataclass(frozen=True)
class HeadRoles:
    """A head, by the name that switches it off, and its share of each role that could be seen."""

    head: str  # "decoder.layers.2.self:1"
    role: str | None  # where it looks: the role the most above chance, if by more than 0.3
    shares: dict[str, Share]


@dataclass(frozen=True)
class ExpertShare:
    """The share of the tokens that an expert of a layer computed."""

    expert: str  # "decoder.layers.3.experts:5"
    tokens: Share


@dataclass(frozen=True)
class Roles:
    """Shares of heads, the clearest first, and of experts, in sequences of so many tokens."""

    text: str  # "random tokens, twice", or "text"
    sequences: int
    length: int
    heads: list[HeadRoles]
    experts: list[ExpertShare]


@dataclass(frozen=True)
class _Reader:
    """A decoder that runs token ids, and its tokenizer, whatever library they are of."""

    run: Callable[[NDArray[np.int64]], Trace]  # ids, (1, length)
    encode: Callable[[str], list[int]]
    start: list[int]  # the special tokens before a text
    words: list[int]  # the ids that are not special
    room: int  # tokens that it reads
    unembedding: NDArray[np.float32] | None  # W_U, (vocab, d_model)


def roles(model: Traceable, text: str | None = None) -> Roles:
    """Return the roles of a decoder's heads and the shares of its experts, with bootstrap intervals
    over sequences: see `inspection.roles`. Beside random tokens, names are measured in 50
    sentences.

    >>> from regard.tasks.looking import open_for_looking
    >>> best = roles(open_for_looking("shakespeare")).heads[0]
    >>> best.head, best.role, round(best.shares["previous"].share, 1)
    ('decoder.layers.0.self:1', 'previous', 0.8)

    Args:
        model: of `open_for_looking`.
        text: what is read, cut into sequences of 100 tokens, of which the first 50 count; None:
            50 sequences of 50 random tokens, no two alike, each twice, the same at every call.

    Raises:
        UnsupportedError: not a decoder that writes.
        BadArgumentError: fewer than two sequences of text.
    """
    reader = _reader(model)
    if text is None:
        sequences = _drawn(reader)
    else:
        length = min(2 * TOKENS, reader.room - len(reader.start))
        ids = reader.encode(text)
        sequences = np.array(ids[: len(ids) // length * length]).reshape(-1, length)[:SEQUENCES]
        if len(sequences) < 2:
            raise BadArgumentError(
                f"an interval needs two sequences of {length} tokens; the text has {len(ids)}"
                " tokens. Give a longer text."
            )
    start = np.tile(np.array(reader.start, np.int64), (len(sequences), 1))
    sequences = np.hstack([start, sequences])
    heads, experts = defaultdict[str, list[Any]](list), defaultdict[str, list[Any]](list)
    for number, ids in enumerate(sequences, 1):
        report("measuring roles", number, len(sequences))
        trace = reader.run(ids[None])
        for name, tap in trace.items():
            heads[name].append(role_shares(tap, ids, reader.unembedding))
        for name, routes in trace.routes.items():
            chosen = np.eye(routes.probabilities.shape[-1])[as_numpy(routes.chosen)[0]]
            experts[name].append(chosen.sum(1).mean(0))  # of each expert
    names = _measure_names(reader) if text is None else {}
    looks = [
        look
        for name, measured in heads.items()
        for look in _of_layer(name, measured, names.get(name))
    ]
    return Roles(
        "random tokens, twice" if text is None else "text",
        len(sequences),
        len(sequences[0]),
        [head for _, head in sorted(looks, key=lambda look: -look[0])],
        [
            ExpertShare(f"{name}:{number}", share)
            for name, measured in experts.items()
            for number, share in enumerate(_shares(np.stack(measured), np.mean(measured)))
        ],
    )


def _measure_names(reader: _Reader) -> dict[str, list[Any]]:
    """Measure `name_shares` in each sentence, by the tap's name; nothing for a model that reads
    too little."""
    random, measured = np.random.default_rng(0), defaultdict[str, list[Any]](list)
    for number in range(SEQUENCES):
        report("measuring names", number + 1, SEQUENCES)
        name, another, giver = random.choice(_NAMES, 3, replace=False)
        place, thing = random.choice(_PLACES), random.choice(_THINGS)
        pairs = [(each, giver)[:: -1 if number % 2 else 1] for each in (name, another)]
        texts = [_SENTENCE.format(*pair, place, giver, thing) for pair in pairs]
        ids, others = (reader.start + reader.encode(text) for text in texts)
        if len(ids) > reader.room:
            return {}
        where = _difference(ids, others)
        for tap_name, tap in reader.run(np.array([ids])).items():
            measured[tap_name].append(name_shares(tap, where))
    return measured


def _difference(ids: list[int], others: list[int]) -> slice:
    """Return the places of ids between what the two lists have in common, before and behind."""
    pairs = zip(ids, others, strict=False), zip(ids[::-1], others[::-1], strict=False)
    first, last = (len(list(takewhile(lambda pair: pair[0] == pair[1], each))) for each in pairs)
    return slice(first, max(len(ids) - last, first))


def _of_layer(
    name: str, measured: list[Any], names: list[Any] | None
) -> list[tuple[float, HeadRoles]]:
    """Return the heads of a layer by what `role_shares` gave for each sequence and `name_shares`
    for each sentence, and how clear each is."""
    shares, chances = (np.stack(parts) for parts in zip(*measured, strict=True))
    of_names = np.full((len(shares), 1, shares.shape[2]), np.nan)
    chance_of_names = np.full((len(shares), 1), np.nan)
    if names is not None:
        of_names[:, 0] = [share for share, _ in names]
        chance_of_names[:, 0] = [chance for _, chance in names]
    shares, chances = np.hstack([shares, of_names]), np.hstack([chances, chance_of_names])
    seen = [number for number in range(len(ROLES)) if not np.isnan(shares[:, number]).all()]
    columns = [_shares(shares[:, role], np.nanmean(chances[:, role])) for role in seen]
    heads = []
    for head, row in enumerate(zip(*columns, strict=True)):
        by_role = {ROLES[role]: share for role, share in zip(seen, row, strict=True)}
        looks = {role: _above_chance(by_role[role]) for role in by_role if role != "copying"}
        best, clear = max(looks.items(), key=lambda look: look[1], default=("", 0.0))
        heads.append((clear, HeadRoles(f"{name}:{head}", best if clear > NAMED else None, by_role)))
    return heads


def _shares(measured: NDArray[np.float64], chance: object) -> list[Share]:
    """Return the shares of what was measured in each sequence, (sequences, shares)."""
    ends = zip(np.nanmean(measured, 0), *intervals_of_means(measured), strict=True)
    return [Share(*map(float, (*numbers, chance))) for numbers in ends]


def _above_chance(share: Share) -> float:
    """0 for chance, 1 for all."""
    return (share.share - share.chance) / (1 - share.chance)


def _drawn(reader: _Reader) -> NDArray[np.int64]:
    """Random tokens, each sequence twice."""
    length = min(TOKENS, len(reader.words), (reader.room - len(reader.start)) // 2)
    random = np.random.default_rng(0)
    drawn = [random.choice(reader.words, length, replace=False) for _ in range(SEQUENCES)]
    return np.tile(drawn, 2)


def _reader(model: Traceable) -> _Reader:
    if isinstance(model, Writer):
        seen, tokenizer = model.engine.seen(model.handle), model.tokenizer

        def run(ids: NDArray[np.int64]) -> Trace:
            with no_changes(seen):
                return traced(seen, {"ids": ids}, name=model.name)

        vocab = tokenizer.backend.get_vocab()
        special = {vocab[token] for token in tokenizer.special_names()}
        weight = "decoder.embed.tokens" if seen.config.tied_output else "output"
        return _Reader(
            run,
            tokenizer.encode,
            list(takewhile(special.__contains__, tokenizer.inputs("a").ids)),
            sorted(set(vocab.values()) - special),
            seen.config.max_positions,
            _weight(seen, f"{weight}.weight"),
        )
    if getattr(model, "task", None) == "generation":
        return _of_transformers(model)
    raise UnsupportedError(
        "roles are measured of the heads of a decoder that writes, such as shakespeare;"
        f" {model.name} is another kind of model."
    )


def _weight(seen: "Looked", name: str) -> NDArray[np.float32]:
    weight = seen.get_parameter(name).detach().float() if is_module(seen) else seen.weight(name)
    return np.asarray(as_numpy(weight), np.float32)


def _of_transformers(model: Any) -> _Reader:
    """Return a decoder that transformers runs."""
    reader, table = model.reader, model.model.get_output_embeddings()
    with torch.inference_mode():
        unembedding = None if table is None else table.weight.float().cpu().numpy()
    special = set(reader.all_special_ids)
    return _Reader(
        lambda ids: trace(model.model, input_ids=torch.from_numpy(ids).to(model.model.device)),
        lambda text: list(model.encoded(text, add_special_tokens=False)["input_ids"]),
        list(takewhile(special.__contains__, model.encoded("a")["input_ids"])),
        sorted(set(reader.get_vocab().values()) - special),
        model.max_tokens,
        unembedding,
    )
