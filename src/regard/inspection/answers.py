"""Shapes of the answers to a page about a trace: the one contract of server, notebook
widget and one-file HTML. Maps travel as binary tiles (`tiles.py`), everything else as these."""

from dataclasses import dataclass, field
from typing import Literal

Quantity = Literal["weight", "norm", "score"]
Reduce = Literal["max", "mean"]
Group = Literal["token", "word", "sentence"]


ModelTask = Literal["translation", "generation", "encoding", "vision", "transcription"]
OF_FILES = ("vision", "transcription")  # what they look at is a file, of which a text is the name


@dataclass(frozen=True)
class AxisInfo:
    """A sequence whose positions are rows or columns of a map."""

    tokens: list[str]
    predicts: list[str] | None  # of a decoder: what each position gives, one step after it reads
    # Half-open spans of tokens, in order, without overlap; of a sound, stretches of equal length
    # and last the silence behind its end.
    words: list[tuple[int, int]] | None
    sentences: list[tuple[int, int]] | None
    prompt: int  # the first so many positions were given, the rest generated
    peaks: list[float] | None = None  # of a sound, up to its end: each position's largest |sample|
    image: str | None = None  # of patches: the image as the model reads it, data:image/png;base64,…


@dataclass(frozen=True)
class TapInfo:
    """One attention layer."""

    name: str  # "decoder.layers.3.cross"
    side: Literal["encoder", "decoder"]
    kind: Literal["self", "cross"]
    layer: int  # among those of its side and kind, from 0
    heads: int
    key_heads: int
    head_dim: int
    rows: int
    columns: int
    queries: str  # names of axes
    keys: str
    causal: bool
    score: str  # a formula to read, "q·k / √64"
    quantities: list[Quantity]  # those that are known here
    notes: list[str]  # why a quantity is not, or what to know about this map


@dataclass(frozen=True)
class Receipt:
    """How exact the maps are, measured on sampled rows and tiles."""

    row_sum_error: float  # largest |Σ weights - 1|
    difference: float  # largest |weight - full softmax in float64|
    rows: int  # how many were sampled
    dtype: str  # in which the run kept query and key


@dataclass(frozen=True)
class Candidate:
    token: str
    probability: float
    id: int | None = None  # of the token; None in a trace of an earlier version


@dataclass(frozen=True)
class Near:
    """A sentence, and how near its vector is to the text's."""

    text: str
    cosine: float


@dataclass(frozen=True)
class Step:
    """One generated token, and what stood beside it."""

    token: str
    probability: float
    candidates: list[Candidate]  # the likeliest, best first
    id: int | None = None  # of the token; None in a trace of an earlier version


@dataclass(frozen=True)
class HypothesisInfo:
    text: str
    tokens: list[str]
    score: float | None  # what it was ranked by
    finished: bool


@dataclass(frozen=True)
class GenerationInfo:
    """How the output came about: the steps of the hypothesis shown, and those it stood against."""

    axis: str  # the axis on which it grew; step i is its position prompt + i (what it then read)
    steps: list[Step]
    hypotheses: list[HypothesisInfo]
    shown: int
    unsure_below: float = 0.0  # a word is unsure if its steps' probabilities multiply to less


@dataclass(frozen=True)
class TraceInfo:
    id: str
    model: str
    task: ModelTask
    text: str
    axes: dict[str, AxisInfo]
    taps: list[TapInfo]
    receipt: Receipt
    generation: GenerationInfo | None
    can_ablate: bool
    notes: list[str] = field(default_factory=list)
    by_text: bool = False  # asking for this model and this text gives this trace again
    can_rewrite: bool = False  # asking again with something switched off gives another output
    labels: list[Candidate] = field(default_factory=list)  # of a classifier, the likeliest first
    nearest: list[Near] = field(default_factory=list)  # of an embedder, the nearest first


PatternName = Literal[
    "previous", "next", "same", "first", "separator", "punctuation", "induction", "alignment"
]


@dataclass(frozen=True)
class PatternScore:
    """How much of a head's weight falls on a pattern, on average over the rows that may show it."""

    name: PatternName
    share: float  # of a row's weight
    chance: float  # the same, if all keys that the mask allows got the same weight
    rows: int


@dataclass(frozen=True)
class HeadInfo:
    """What one head is like, on average over the rows looked at."""

    head: int
    entropy: float  # in bits
    distance: float | None  # mean |query position - key position|; not of cross-attention
    sink_key: int  # the column that takes the most of this head's weight
    sink: float  # how much, as a share
    mostly_sink: bool
    patterns: list[PatternScore]  # of those that the text and the mask allow
    pattern: PatternName | None  # the name of the head, where one is well above chance


@dataclass(frozen=True)
class Summary:
    """The heads of one layer; the pictures come as one binary tile, (heads, height, width)."""

    tap: str
    rows: int  # looked at
    of: int
    sink_key: int  # the column that takes the most on average over heads
    sink: float  # how much, as a share
    heads: list[HeadInfo]


@dataclass(frozen=True)
class Looked:
    position: int
    token: str
    weight: float


@dataclass(frozen=True)
class Cell:
    """Every number behind one weight."""

    tap: str
    head: int
    query: int
    key: int
    query_token: str
    key_token: str
    query_vector: list[float]
    key_vector: list[float]
    value_vector: list[float]
    dot: float | None  # q·k; None where they are not of one length
    scale: float | None  # of q·k in the score; None where the score is no multiple of it
    score: float | None  # after scale, cap and bias, before the mask; None: a bias of -∞
    bias: float | None  # None where there is none, or -∞
    allowed: bool
    lse: float | None  # log Σ exp(score) of the row; None: the mask allows nothing in it
    weight: float
    value_norm: float | None  # ‖f(x)‖ of the key, None where the output projection is not known
    norm: float | None  # ‖α·f(x)‖
    row: list[Looked]  # the query's largest weights, best first
    row_rest: float  # what the others have together
    row_entropy: float  # in bits
    column: list[Looked]  # the queries that look most at this key


@dataclass(frozen=True)
class Looks:
    """The largest weights of one row (or column) of a map, best first."""

    looks: list[Looked]
    rest: float


@dataclass(frozen=True)
class Ablation:
    """The output's probabilities before and after something was switched off."""

    what: Literal["edge", "head", "token"]
    step: int  # of the output whose probability is shown
    token: str
    before: float
    after: float
    delta: float  # after - before
    candidates_before: list[Candidate]
    candidates_after: list[Candidate]
    note: str  # what exactly was switched off, in words


@dataclass(frozen=True)
class Reliance:
    """What the output, or a text's label, loses when a word that was read is struck out."""

    first: int  # of the word's positions, first to end - 1
    end: int
    change: float  # of the output's log-probability, in nats
    changes: list[float]  # of the probability of each token that was written, or of the label


@dataclass(frozen=True)
class LensLayer:
    """What the output would be if the layers above this one were left out."""

    layer: int  # so many layers have run; 0: the embedding
    probability: float  # of the token that was written
    rank: int  # of that token, 1 is the likeliest
    candidates: list[Candidate]  # the likeliest, best first


@dataclass(frozen=True)
class Lens:
    """The logit lens of one step."""

    step: int
    token: str
    layers: list[LensLayer]  # from the embedding to the last


@dataclass(frozen=True)
class Contribution:
    """One term of a logit."""

    kind: Literal["embedding", "head", "attention", "feed_forward", "bias"]
    layer: int | None  # None: of no layer, or the sum over all
    tap: str | None  # of a head
    head: int | None
    value: float


@dataclass(frozen=True)
class Attribution:
    """A logit, or the difference of two, as a sum of terms."""

    step: int
    token: str
    against: str | None  # whose logit is subtracted
    logit: float  # or the difference; the sum of the contributions
    contributions: list[Contribution]


MeasureName = Literal["weight", "norm", "gradient", "value_zeroing", "hiding"]


@dataclass(frozen=True)
class Measure:
    """How much each input token mattered, by one measure."""

    name: MeasureName
    values: list[float]  # of each token; hiding is signed, the others are not
    correlation: float | None  # Spearman's, with |hiding|; None where it is not defined


@dataclass(frozen=True)
class Measures:
    """The tokens that one step could read, by every measure that is known here."""

    step: int
    token: str
    axis: str  # the tokens are its first so many
    tokens: list[str]
    measures: list[Measure]


@dataclass(frozen=True)
class ModelInfo:
    name: str
    task: ModelTask
    description: str
    example: str
    max_tokens: int
    options: dict[str, float] = field(default_factory=dict)  # of writing, with its own values
