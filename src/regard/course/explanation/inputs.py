"""Start of an explanation: vectors, one attention layer, and what is around it."""

from dataclasses import dataclass, field

from regard.arrays import Array, arrays_of
from regard.attention import Mask, Score
from regard.errors import BadArgumentError

EMPTY = "there is nothing to explain: the sentence has no word; give one."
LONGEST = 64  # tokens that anyone reads the numbers of
COLDEST = 1e-100  # a score divided by much less is infinite, and its softmax is not a number


@dataclass(frozen=True, eq=False)
class Projection:
    """x · weight + bias."""

    weight: Array  # (in, out)
    bias: Array | None = None  # (out,)

    def __call__(self, x: Array) -> Array:
        return x @ self.weight if self.bias is None else x @ self.weight + self.bias


@dataclass(frozen=True, eq=False)
class Normalization:
    """LayerNorm, or RMSNorm where there is no bias to it."""

    kind: str  # "layer" or "rms"
    weight: Array  # (d_model,)
    bias: Array | None
    eps: float

    def __call__(self, x: Array) -> Array:
        centered = x if self.kind == "rms" else x - x.mean(-1)[:, None]
        variance = (centered * centered).mean(-1)[:, None]
        normed = centered / (variance + self.eps) ** 0.5 * self.weight
        return normed if self.bias is None else normed + self.bias


@dataclass(frozen=True, eq=False)
class Setup:
    """All arrays are float64, of numpy or torch, of one sequence, without a batch axis."""

    tokens: list[str]
    vectors: Array  # (queries, d_model)
    heads: int
    head_dim: int
    score: Score
    mask: Mask | None = None
    bias: Array | None = None  # of scores, broadcasts to (1, heads, queries, keys)
    temperature: float = 1.0
    key_tokens: list[str] | None = None  # None: self-attention
    key_vectors: Array | None = None  # (keys, d_model)
    key_heads: int | None = None  # None: as many as heads
    projections: dict[str, Projection] = field(default_factory=dict)  # query, key, value, output
    positions: Array | None = None  # (queries, d_model), to be added to the vectors
    rotation: tuple[Array, Array] | None = None  # cosine and sine, (queries, head_dim / 2)
    norm: Normalization | None = None
    norm_first: bool = False  # the norm stands before attention, not behind the residual

    def __post_init__(self) -> None:
        if not self.tokens:
            raise BadArgumentError(EMPTY)
        for what, names, vectors in (
            ("vectors", self.tokens, self.vectors),
            ("key_vectors", self.key_tokens, self.key_vectors),
        ):
            if names is None or vectors is None:
                continue
            if vectors.ndim != 2 or len(vectors) != len(names):
                raise BadArgumentError(
                    f"{what} must be a row for each of {len(names)} tokens, ({len(names)},"
                    f" d_model); got shape {tuple(vectors.shape)}."
                )
        if self.heads < 1 or self.head_dim < 1:
            raise BadArgumentError(
                "heads and head_dim must be at least 1; got"
                f" heads={self.heads} and head_dim={self.head_dim}."
            )
        if not COLDEST <= self.temperature < float("inf"):
            raise BadArgumentError(
                f"temperature must be at least {COLDEST:g} and finite; got {self.temperature:g}."
            )
        self._check_matrices()

    @property
    def d_model(self) -> int:
        return self.vectors.shape[1]

    @property
    def own_key_heads(self) -> int:
        return self.heads if self.key_heads is None else self.key_heads

    @property
    def crosses(self) -> bool:
        return self.key_vectors is not None

    def tempered(self, query: Array, key: Array) -> Array:
        """Return the score that softmax gets, but for bias and mask."""
        scores = self.score(query, key)
        return scores if self.temperature == 1 else scores / self.temperature

    def split(self, joined: Array, heads: int) -> Array:
        """(positions, heads · head_dim) to (heads, positions, head_dim)."""
        return joined.reshape(len(joined), heads, -1).swapaxes(0, 1)

    def _check_matrices(self) -> None:
        width, key_width = (n * self.head_dim for n in (self.heads, self.own_key_heads))
        expected = {"query": width, "key": key_width, "value": key_width}
        if not self.projections and width != self.d_model:
            raise BadArgumentError(
                f"without matrices the heads share the vector, so heads · head_dim must be"
                f" {self.d_model}, its dimensions; got {self.heads} · {self.head_dim}."
            )
        for name, wide in expected.items() if self.projections else ():
            if name not in self.projections:
                raise BadArgumentError(f"{name} needs a matrix like the others; give all three.")
            shape = tuple(self.projections[name].weight.shape)
            if shape != (self.d_model, wide):
                raise BadArgumentError(
                    f"the matrix of {name} must be (d_model, heads · head_dim) ="
                    f" {(self.d_model, wide)}; got {shape}."
                )
        output = self.projections.get("output")
        if output is not None and tuple(output.weight.shape) != (width, self.d_model):
            raise BadArgumentError(
                f"the matrix of output must be (heads · head_dim, d_model) ="
                f" {(width, self.d_model)}; got {tuple(output.weight.shape)}."
            )


def check_length(count: int, what: str = "tokens", fits: int = LONGEST) -> None:
    """Raise BadArgumentError for more tokens than can be read; of words, `fits` are advised."""
    if count > LONGEST:
        raise BadArgumentError(
            f"an explanation shows at most {LONGEST} {what}; got {count:,}. Choose a window of the"
            f" words, such as 0:{fits}."
        )


def double(array: Array) -> Array:
    """Return an array (…) in float64, on the CPU, that no gradient comes through."""
    on_cpu = array.detach().cpu() if hasattr(array, "detach") else array
    return arrays_of(on_cpu).converted(on_cpu, "float64")
