"""The steps themselves: every number comes from `regard.attention`, in float64."""

from collections.abc import Iterator

import torch
from torch import Tensor

from regard.attention import Mask, Score, dot
from regard.attention import scaled as scaled_by
from regard.attention.attend import check
from regard.attention.masks import Both, Causal, Padding, Window
from regard.attention.record import at_least_float32, repeat_heads
from regard.attention.scores import NAMED
from regard.errors import RegardError
from regard.explanation import wording
from regard.explanation.inputs import Given, Normalisation, Projection
from regard.explanation.record import Explanation, Matrix, Settings, Step, Table
from regard.inspection.formula import of_score, scale
from regard.positions.rotary import apply_rotary

LONGEST = 64  # tokens that anyone reads the numbers of


@torch.no_grad()
def explained(
    given: Given, *, source: str = "vectors", tap: str | None = None, notes: list[str] | None = None
) -> Explanation:
    """All steps of one attention layer.

    Raises:
        RegardError: more tokens than can be read, a mask of another shape.
    """
    for tokens in (given.tokens, given.key_tokens or []):
        if len(tokens) > LONGEST:
            raise RegardError(
                f"an explanation shows up to {LONGEST} tokens, and here are {len(tokens):,}; give a"
                f" window of them, such as 0:{LONGEST}."
            )
    settings = Settings(
        source=source,
        tap=tap,
        score=name_of(given.score, given.head_dim),
        formula=of_score(given.score, given.head_dim),
        mask=name_of_mask(given.mask),
        temperature=given.temperature,
        positions=given.positions is not None,
        heads=given.heads,
        key_heads=given.own_key_heads,
        head_dim=given.head_dim,
        d_model=given.d_model,
        norm=None if given.norm is None else given.norm.kind,
    )
    words = wording.Words(given, settings)
    steps = [_step(words, name, values, inputs) for name, values, inputs in _computed(given)]
    return Explanation(
        tokens=list(given.tokens),
        key_tokens=list(given.tokens if given.key_tokens is None else given.key_tokens),
        settings=settings,
        steps=steps,
        parameters=[_table(name, values) for name, values in _parameters(given)],
        notes=list(notes or []),
    )


def _computed(given: Given) -> Iterator[tuple[str, Tensor, list[str]]]:
    """Name, values and inputs of each step, in order."""
    x, last = given.vectors, "vectors"
    yield "vectors", x, []
    if given.positions is not None:
        x = x + given.positions
        yield "positions", x, ["vectors", "PE"]
        last = "positions"
    residual, residual_name = x, last
    if given.norm is not None and given.order == "pre":
        x, last = given.norm(x), "normalised"
        yield last, x, [residual_name, *_of_norm(given.norm)]
    memory, memory_name = x, last
    if given.key_vectors is not None:
        memory, memory_name = given.key_vectors, "memory"
        yield "memory", memory, []

    heads, key_heads = given.heads, given.own_key_heads
    ends = {}
    for name, of, of_name, number in (
        ("query", x, last, heads),
        ("key", memory, memory_name, key_heads),
        ("value", memory, memory_name, key_heads),
    ):
        projection = given.projections.get(name)
        wide = of if projection is None else projection(of)
        ends[name] = given.split(wide, number)
        yield name, ends[name], [of_name, *_of_projection(name, projection)]
    query, key, value = ends["query"], ends["key"], ends["value"]
    q, k = "query", "key"
    if given.turning is not None:
        query, key = apply_rotary(query, *given.turning), apply_rotary(key, *given.turning)
        q, k = "turned_query", "turned_key"
        yield q, query, ["query", "cosine", "sine"]
        yield k, key, ["key", "cosine", "sine"]

    factor = scale(given.score, given.head_dim)
    unscaled = given.score if factor is None else dot
    every_key = repeat_heads(key[None], heads)[0]
    yield "scores", unscaled(query, every_key), [q, k]
    scaled = given.tempered(query, every_key)
    yield "scaled", scaled, ["scores", *([] if factor is None else ["scale"]), "temperature"]
    before = "scaled"
    if given.bias is not None:
        yield "biased", scaled + given.bias[0], ["scaled", "bias"]
        before = "biased"
    four = query[None], key[None], value[None]
    attention = check(*four, given.tempered, given.mask, given.bias)
    masked = attention.scores()[0]
    yield "masked", masked, [before, *(["allowed"] if given.mask is not None else [])]
    yield "weights", attention.weights()[0], ["masked"]
    attended = attention.output()[0]
    yield "attended", attended, ["weights", "value"]

    joined = attended.transpose(0, 1).flatten(1)
    yield "joined", joined, ["attended"]
    added, added_name = joined, "joined"
    output = given.projections.get("output")
    if output is not None:
        added, added_name = output(joined), "projected"
        yield added_name, added, ["joined", *_of_projection("output", output)]
    if added.shape != residual.shape:
        return  # heads without an output matrix need not be as wide as the vectors
    total = residual + added
    yield "residual", total, [residual_name, added_name]
    if given.norm is not None and given.order == "post":
        yield "output", given.norm(total), ["residual", *_of_norm(given.norm)]


def _parameters(given: Given) -> Iterator[tuple[str, Tensor]]:
    if given.positions is not None:
        yield "PE", given.positions
    if given.norm is not None:
        yield "gamma", given.norm.weight[None]
        if given.norm.bias is not None:
            yield "beta", given.norm.bias[None]
        yield "epsilon", torch.tensor([[given.norm.eps]], dtype=torch.float64)
    for name, projection in given.projections.items():
        heads = 0 if name == "output" else given.heads if name == "query" else given.own_key_heads
        weight, bias = projection.weight, projection.bias
        matrix, vector = _of_projection(name, projection)[0], f"b_{wording.LETTERS[name]}"
        yield matrix, given.split(weight, heads) if heads else weight
        if bias is not None:
            yield vector, given.split(bias[None], heads) if heads else bias[None]
    if given.turning is not None:
        yield "cosine", given.turning[0]
        yield "sine", given.turning[1]
    factor = scale(given.score, given.head_dim)
    for number, value in (("scale", factor), ("temperature", given.temperature)):
        if value is not None:
            yield number, torch.tensor([[value]], dtype=torch.float64)
    columns = len(given.tokens if given.key_tokens is None else given.key_tokens)
    whole = (given.heads, len(given.tokens), columns)
    if given.bias is not None:
        yield "bias", given.bias[0].expand(whole)
    if given.mask is not None:
        rows, keys = torch.arange(columns - len(given.tokens), columns), torch.arange(columns)
        yield "allowed", given.mask.tile(rows, keys)[0].expand(whole).double()


def _of_projection(name: str, projection: Projection | None) -> list[str]:
    if projection is None:
        return []
    letter = wording.LETTERS[name]
    return [f"W_{letter}"] + ([] if projection.bias is None else [f"b_{letter}"])


def _of_norm(norm: Normalisation) -> list[str]:
    return ["gamma", *([] if norm.bias is None else ["beta"]), "epsilon"]


def _step(words: wording.Words, name: str, values: Tensor, inputs: list[str]) -> Step:
    table = _table(name, values)
    title, sentence, equation = words.of(name)
    return Step(title=title, sentence=sentence, equation=equation, inputs=inputs, **vars(table))


def _table(name: str, values: Tensor) -> Table:
    symbol, rows, columns = wording.AXES[name]
    per_head = values.ndim == 3
    return Table(
        name=name,
        symbol=symbol,
        rows=rows,
        columns=columns,
        per_head=per_head,
        shape=list(values.shape),
        values=[_matrix(matrix) for matrix in (values if per_head else values[None])],
    )


def _matrix(values: Tensor) -> Matrix:
    hidden = float("-inf")
    rows = at_least_float32(values).tolist()
    return [[None if number == hidden else number for number in row] for row in rows]


def name_of(score: Score, head_dim: int) -> str:
    """A score by its name, or by its formula where it has none."""
    known = [name for name, named in NAMED.items() if named is score]
    if known:
        return known[0]
    return "scaled" if isinstance(score, scaled_by) else of_score(score, head_dim)


def name_of_mask(mask: Mask | None) -> str:
    """What a mask does, in words."""
    if mask is None:
        return "none"
    if isinstance(mask, Both):
        return f"{name_of_mask(mask.left)} and {name_of_mask(mask.right)}"
    if isinstance(mask, Window):
        return f"window of {mask.left} before and {mask.right} after"
    known = {Causal: "causal", Padding: "padding"}
    return known.get(type(mask), type(mask).__name__.lower())
