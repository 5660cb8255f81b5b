"""Statistics of the heads of a layer: how widely, how far, and at what sink they look.

Exact sums over whole rows, from tiles: memory grows with the length, never with its square.
"""

import math
from dataclasses import dataclass

import numpy as np

from regard.arrays import Array, arrays_of, pieces, without_gradients
from regard.errors import BadArgumentError
from regard.inspection.answers import HeadInfo, PatternScore, Summary
from regard.inspection.tap import TILE_COLUMNS, TILE_ROWS, Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.views.patterns import Count, Targets, named, targets
from regard.inspection.views.tiles import Head
from regard.shapes import Float

SINK = 0.3  # of the weight: a column that takes no more is no sink
MOSTLY = 0.5  # a head mostly looks at a sink that takes more than this part of its weight


@dataclass(frozen=True, eq=False)
class HeadStatistics:
    """Means over the rows looked at; a row that may attend to nothing is not among them."""

    entropy: Float[Array, " heads"]  # H = -Σ α log₂ α of a row, in bits
    distance: Float[Array, " heads"]  # Σ α |i - j| in positions; NaN between two sequences
    column_weight: Float[Array, "heads keys"]  # the weight that each key gets
    rows: int  # how many were looked at
    patterns: list[list[PatternScore]]  # of each head

    @property
    def sink_key(self) -> int:
        """The key that gets the most weight, on average over heads."""
        return int(finite(self.column_weight).mean(0).argmax())


@without_gradients
def head_statistics(
    tap: Tap, *, every: int = 1, item: int = 0, patterns: Targets | None = None
) -> HeadStatistics:
    """Entropy, distance and column sums of every head, and its share of each pattern.

    The entropy of a row is Σ α (lse - s), which is -Σ α log α without the logarithm of a weight
    that rounded to zero; Clark et al. 2019, section 3.3, read heads by it (in nats), Vig & Belinkov
    2019, section 4.2, by the mean distance.

    Args:
        every: row stride: 1 reads every row, n every n-th.
    """
    if every < 1:
        raise BadArgumentError(f"every must be at least 1; got {every}.")
    if 0 in (tap.rows, tap.columns):
        raise BadArgumentError(f"{tap.name} has no weights: its map is {tap.rows} x {tap.columns}.")
    library, device = tap.arrays.library, tap.query.device
    # From the last row back: where rows are left out, those that see the most are not.
    rows = tap.positions(tap.rows)[(tap.rows - 1) % every :: every]
    entropy = library.zeros(tap.heads, dtype=library.float64, device=device)
    distance, seeing = library.zeros_like(entropy), library.zeros_like(entropy)
    shape = (tap.heads, tap.columns)
    column_weight = library.zeros(shape, dtype=library.float64, device=device)
    counts = [Count(patterns or Targets(), rows) for _ in range(tap.heads)]
    for head in range(tap.heads):
        for top in range(0, len(rows), TILE_ROWS):
            strip = rows[top : top + TILE_ROWS]
            seeing[head] += (tap.lse(head, strip, item=item) > float("-inf")).sum()
            for columns in pieces(tap.positions(tap.columns), TILE_COLUMNS):
                if not tap.is_seen(head, strip, columns, item):
                    continue
                surprise = -tap.log_weights(head, strip, columns, item=item)  # -log α
                weights = library.exp(-surprise)
                hidden = surprise == float("inf")
                surprise = tap.arrays.filled(surprise, hidden, 0)
                entropy[head] += (weights * surprise).sum(dtype=library.float64)
                column_weight[head, columns] += weights.sum(0, dtype=library.float64)
                if tap.kind == "self":
                    away = abs(strip[:, None] + (tap.columns - tap.rows) - columns)
                    distance[head] += (weights * away).sum(dtype=library.float64)
                if patterns is not None:
                    counts[head].add(slice(top, top + len(strip)), columns, weights, hidden)
    # 0 / 0 is the NaN of a head that sees nothing.
    with np.errstate(invalid="ignore"):
        apart = distance / seeing
        return HeadStatistics(
            entropy=entropy / (seeing * math.log(2)),
            distance=apart if tap.kind == "self" else library.full_like(apart, float("nan")),
            column_weight=column_weight / seeing[:, None],
            rows=len(rows),
            patterns=[count.scores() for count in counts],
        )


def finite(x: Array) -> Array:
    """Return an array (…) with 0 for NaN."""
    return arrays_of(x).library.nan_to_num(x)


def summary_of(trace: TraceData, name: str, *, rows: int = 512) -> Summary:
    """Return the summary of a tap, with the patterns of its heads."""
    return head_summary(trace[name], rows=rows, patterns=targets(trace, name))


def head_summary(
    tap: Tap, *, rows: int = 512, item: int = 0, patterns: Targets | None = None
) -> Summary:
    """Return the statistics in a page's words, from about `rows` rows spread over the map.

    A head's sink is the key that gets most of its weight, and it mostly looks at a sink that gets
    more than half (attention sinks: Xiao et al. 2024, section 3.1). The layer's is the key that
    gets the most on average over its heads.
    """
    every = max(tap.rows // max(rows, 1), 1)
    means = head_statistics(tap, every=every, item=item, patterns=patterns)
    columns = finite(means.column_weight)  # a head that sees nothing has no mean: 0
    heads = []
    for head in range(tap.heads):
        sink = int(columns[head].argmax())
        weight = float(columns[head, sink])
        heads.append(
            HeadInfo(
                head=head,
                entropy=float(finite(means.entropy)[head]),
                distance=float(finite(means.distance)[head]) if tap.kind == "self" else None,
                sink_key=sink,
                sink=weight,
                mostly_sink=weight > MOSTLY,
                patterns=means.patterns[head],
                pattern=named(means.patterns[head]),
            )
        )
    whole = means.sink_key
    return Summary(
        tap=tap.name,
        rows=means.rows,
        of=tap.rows,
        sink_key=whole,
        sink=float(columns.mean(0)[whole]),
        heads=heads,
    )


def sink_of(summary: Summary, head: Head) -> int | None:
    """Return the key that takes more than SINK of a head's weight, or of the mean over heads."""
    head_or_mean = summary if head == "mean" else summary.heads[head]
    return head_or_mean.sink_key if head_or_mean.sink > SINK else None
