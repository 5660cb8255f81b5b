"""The steps themselves: every number comes from `regard.attention`, in float64."""

from collections.abc import Iterator

import numpy as np

from regard.arrays import Array, arrays_of, without_gradients
from regard.attention import Mask, Score, dot
from regard.attention import scaled as scaled_by
from regard.attention.attend import check
from regard.attention.masks import Both, Causal, Window
from regard.attention.padding import Padding
from regard.attention.record import at_least_float32, repeat_heads
from regard.attention.scores import NAMED
from regard.course.explanation import wording
from regard.course.explanation.inputs import Normalization, Projection, Setup, check_length
from regard.course.explanation.record import Explanation, Matrix, Settings, Step, Table
from regard.inspection.views.formula import of_score, scale


@without_gradients
def explained(
    setup: Setup, *, source: str = "vectors", tap: str | None = None, notes: list[str] | None = None
) -> Explanation:
    """All steps of one attention layer."""
    for tokens in (setup.tokens, setup.key_tokens or []):
        check_length(len(tokens))
    settings = Settings(
        source=source,
        tap=tap,
        score=name_of(setup.score, setup.head_dim),
        formula=of_score(setup.score, setup.head_dim),
        mask=name_of_mask(setup.mask),
        temperature=setup.temperature,
        positions=setup.positions is not None,
        heads=setup.heads,
        key_heads=setup.own_key_heads,
        head_dim=setup.head_dim,
        d_model=setup.d_model,
        norm=None if setup.norm is None else setup.norm.kind,
    )
    words = wording.Words(setup, settings)
    steps = [_step(words, name, values, inputs) for name, values, inputs in _computed(setup)]
    return Explanation(
        tokens=list(setup.tokens),
        key_tokens=list(setup.tokens if setup.key_tokens is None else setup.key_tokens),
        settings=settings,
        steps=steps,
        parameters=[_table(name, values) for name, values in _parameters(setup)],
        notes=list(notes or []),
    )


def _computed(setup: Setup) -> Iterator[tuple[str, Array, list[str]]]:
    """Name, values and inputs of each step, in order."""
    x, last = setup.vectors, "vectors"
    yield "vectors", x, []
    if setup.positions is not None:
        x = x + setup.positions
        yield "positions", x, ["vectors", "PE"]
        last = "positions"
    residual, residual_name = x, last
    if setup.norm is not None and setup.norm_first:
        x, last = setup.norm(x), "normalized"
        yield last, x, [residual_name, *_of_norm(setup.norm)]
    memory, memory_name = x, last
    if setup.key_vectors is not None:
        memory, memory_name = setup.key_vectors, "memory"
        yield "memory", memory, []

    heads, key_heads = setup.heads, setup.own_key_heads
    ends = {}
    for name, states, source_name, number in (
        ("query", x, last, heads),
        ("key", memory, memory_name, key_heads),
        ("value", memory, memory_name, key_heads),
    ):
        projection = setup.projections.get(name)
        ends[name] = setup.split(states if projection is None else projection(states), number)
        yield name, ends[name], [source_name, *_of_projection(name, projection)]
    query, key, value = ends["query"], ends["key"], ends["value"]
    q, k = "query", "key"
    if setup.rotation is not None:
        query, key = _rotated(query, *setup.rotation), _rotated(key, *setup.rotation)
        q, k = "rotated_query", "rotated_key"
        yield q, query, ["query", "cosine", "sine"]
        yield k, key, ["key", "cosine", "sine"]

    factor = scale(setup.score, setup.head_dim)
    unscaled = setup.score if factor is None else dot
    every_key = repeat_heads(key[None], heads)[0]
    yield "scores", unscaled(query, every_key), [q, k]
    scaled = setup.tempered(query, every_key)
    yield "scaled", scaled, ["scores", *([] if factor is None else ["scale"]), "temperature"]
    before = "scaled"
    if setup.bias is not None:
        yield "biased", scaled + setup.bias[0], ["scaled", "bias"]
        before = "biased"
    four = query[None], key[None], value[None]
    attention = check(*four, setup.tempered, setup.mask, setup.bias)
    masked = attention.scores()[0]
    yield "masked", masked, [before, *(["allowed"] if setup.mask is not None else [])]
    yield "weights", attention.weights()[0], ["masked"]
    attended = attention.output()[0]
    yield "attended", attended, ["weights", "value"]

    joined = attended.swapaxes(0, 1).reshape(len(setup.tokens), -1)
    yield "joined", joined, ["attended"]
    added, added_name = joined, "joined"
    output = setup.projections.get("output")
    if output is not None:
        added, added_name = output(joined), "projected"
        yield added_name, added, ["joined", *_of_projection("output", output)]
    if added.shape != residual.shape:
        return  # heads without an output matrix need not be as wide as the vectors
    total = residual + added
    yield "residual", total, [residual_name, added_name]
    if setup.norm is not None and not setup.norm_first:
        yield "output", setup.norm(total), ["residual", *_of_norm(setup.norm)]


def _rotated(x: Array, cosine: Array, sine: Array) -> Array:
    """`positions.rotate` of (heads, positions, dim), whole: pairs are numbers i and i + dim / 2."""
    half = cosine.shape[-1]
    first, second = x[..., :half], x[..., half:]
    rotated = [first * cosine - second * sine, second * cosine + first * sine]
    return arrays_of(x).library.concatenate(rotated, -1)


def _parameters(setup: Setup) -> Iterator[tuple[str, Array]]:
    if setup.positions is not None:
        yield "PE", setup.positions
    if setup.norm is not None:
        yield "gamma", setup.norm.weight[None]
        if setup.norm.bias is not None:
            yield "beta", setup.norm.bias[None]
        yield "epsilon", np.array([[setup.norm.eps]])
    for name, projection in setup.projections.items():
        heads = 0 if name == "output" else setup.heads if name == "query" else setup.own_key_heads
        weight, bias = projection.weight, projection.bias
        matrix, vector = _of_projection(name, projection)[0], f"b_{wording.LETTERS[name]}"
        yield matrix, setup.split(weight, heads) if heads else weight
        if bias is not None:
            yield vector, setup.split(bias[None], heads) if heads else bias[None]
    if setup.rotation is not None:
        yield "cosine", setup.rotation[0]
        yield "sine", setup.rotation[1]
    factor = scale(setup.score, setup.head_dim)
    for number, value in (("scale", factor), ("temperature", setup.temperature)):
        if value is not None:
            yield number, np.array([[value]], np.float64)
    columns = len(setup.tokens if setup.key_tokens is None else setup.key_tokens)
    whole, arrays = (setup.heads, len(setup.tokens), columns), arrays_of(setup.vectors)
    if setup.bias is not None:
        yield "bias", arrays.expanded(setup.bias[0], whole)
    if setup.mask is not None:
        keys = arrays.count(columns, like=setup.vectors)
        allowed = setup.mask.tile(keys[columns - len(setup.tokens) :], keys)[0]
        yield "allowed", arrays.converted(arrays.expanded(allowed, whole), "float64")


def _of_projection(name: str, projection: Projection | None) -> list[str]:
    if projection is None:
        return []
    letter = wording.LETTERS[name]
    return [f"W_{letter}"] + ([] if projection.bias is None else [f"b_{letter}"])


def _of_norm(norm: Normalization) -> list[str]:
    return ["gamma", *([] if norm.bias is None else ["beta"]), "epsilon"]


def _step(words: wording.Words, name: str, values: Array, inputs: list[str]) -> Step:
    table = _table(name, values)
    title, sentence, equation = words.of(name)
    return Step(title=title, sentence=sentence, equation=equation, inputs=inputs, **vars(table))


def _table(name: str, values: Array) -> Table:
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


def _matrix(values: Array) -> Matrix:
    hidden = float("-inf")
    rows = at_least_float32(values).tolist()
    return [[None if number == hidden else number for number in row] for row in rows]


def name_of(score: Score, head_dim: int) -> str:
    """Return a score by its name, or by its formula where it has none."""
    names = [name for name, function in NAMED.items() if function is score]
    if names:
        return names[0]
    return "scaled" if isinstance(score, scaled_by) else of_score(score, head_dim)


def name_of_mask(mask: Mask | None) -> str:
    if mask is None:
        return "none"
    if isinstance(mask, Both):
        return f"{name_of_mask(mask.left)} and {name_of_mask(mask.right)}"
    if isinstance(mask, Window):
        return f"window of {mask.left} before and {mask.right} after"
    return {Causal: "causal", Padding: "padding"}.get(type(mask), type(mask).__name__.lower())
