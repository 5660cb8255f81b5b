"""Any tile of any map of a GPT-2 of 12 x 12 heads, at a length that no map of it would fit.

    python benchmarks/any_length.py [--length 131072] [--layers 12] [--keep disk]

One pass of transformers' GPT-2 (random weights, positions extended) with its fast attention on, and
then tiles of 256 x 256 from anywhere: how long one takes, how exact it is, and how much memory the
process had. `--eager LENGTH` runs the same model with output_attentions instead, and tells its
memory; without it, eager attention's need is stated from its shape.
"""

import argparse
import statistics
import sys
import threading
import time
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2Model

import regard
from regard.inspection.tap import Tap

TILE = 256
SAMPLES = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=131_072, help="tokens")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--keep", default="auto", help="auto, memory or disk, as in regard.trace")
    parser.add_argument("--eager", action="store_true", help="measure output_attentions instead")
    options = parser.parse_args()
    torch.manual_seed(0)
    implementation = "eager" if options.eager else "sdpa"
    model = gpt2(options.length, options.layers, implementation)
    ids = torch.randint(0, 50_257, (1, options.length))
    heads = options.layers * 12
    print(
        f"GPT-2 shape, {options.layers} x 12 heads, {options.length:,} tokens, float32,"
        f" attn_implementation={implementation!r}, {torch.get_num_threads()} threads"
    )
    if options.eager:
        with Memory() as memory, torch.no_grad():
            start = time.perf_counter()
            maps = model(input_ids=ids, output_attentions=True).attentions
        print(
            f"output_attentions: {time.perf_counter() - start:,.1f} s, {memory},"
            f" {sum(each.nbytes for each in maps) / 2**30:,.1f} GiB of it maps"
        )
        return

    with Memory() as memory:
        start = time.perf_counter()
        trace = regard.trace(model, input_ids=ids, keep=options.keep)
    print(f"capture (one forward pass): {time.perf_counter() - start:,.1f} s, {memory}")
    kept = sum(t.nbytes for tap in trace.values() for t in (tap.query, tap.key, tap.value))
    print(
        f"kept: {kept / 2**30:,.1f} GiB of query, key and value, "
        f"against {heads * options.length**2 * 4 / 2**30:,.0f} GiB of maps"
    )
    with_lse = sum(tap.known_lse is not None for tap in trace.values())
    print(f"log-sum-exp from the kernel: {with_lse} of {len(trace)} layers")

    times, error, relative = [], 0.0, 0.0
    with Memory() as memory:
        for sample in range(SAMPLES):
            tap = list(trace.values())[sample % len(trace)]
            head, (row, column) = sample * 7 % 12, place(tap, sample)
            start = time.perf_counter()
            tile = tap.weights(head, slice(row, row + TILE), slice(column, column + TILE))
            times.append(1000 * (time.perf_counter() - start))
            wrong = difference(tap, head, row, column, tile)
            error, relative = max(error, wrong[0]), max(relative, wrong[1])
    print(
        f"a {TILE} x {TILE} tile, {SAMPLES} of them from everywhere: median"
        f" {statistics.median(times):.1f} ms, {sum(time > 50 for time in times)} over 50 ms,"
        f" largest {max(times):.1f} ms, {memory}"
    )
    print(
        "largest difference from the softmax of whole rows in float64, 8 rows a tile:"
        f" {error:.1e}, relative to the weight {relative:.1e}"
    )
    start = time.perf_counter()
    receipt = trace.receipt
    print(
        f"receipt: row sums within {receipt.row_sum_error:.1e}, difference"
        f" {receipt.difference:.1e} over {receipt.rows} rows, {time.perf_counter() - start:.1f} s"
    )


def gpt2(length: int, layers: int, implementation: str) -> GPT2Model:
    config = GPT2Config(
        n_positions=length, n_layer=layers, use_cache=False, attn_implementation=implementation
    )
    model = GPT2Model(config).eval()
    for layer, block in enumerate(model.h):
        # Random heads look everywhere alike; with larger queries and keys they choose.
        block.attn.c_attn.weight.data[:, : 2 * config.n_embd] *= 3
        done(block, f"layer {layer + 1} of {layers}")
    return model


def done(block: torch.nn.Module, what: str) -> None:
    """Says on stderr when a layer has run: the whole takes a while."""
    block.register_forward_hook(
        lambda *_: print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)
    )


def place(tap: Tap, sample: int) -> tuple[int, int]:
    """The corner of a tile on or under the diagonal, different for every sample."""
    last = tap.rows - TILE
    row = last * (sample + 1) // SAMPLES
    return row, int(row * (sample * 0.37 % 1))


def difference(
    tap: Tap, head: int, row: int, column: int, tile: torch.Tensor
) -> tuple[float, float]:
    """From the definition, for eight rows of the tile: scores over all keys, softmax, crop."""
    worst = relative = 0.0
    for offset in range(0, TILE, TILE // 8):
        query = tap.query[0, head, row + offset].double()
        key = tap.key[0, head, : row + offset + 1].double()
        weights = torch.zeros(tap.columns, dtype=torch.float64)
        weights[: row + offset + 1] = (key @ query / tap.head_dim**0.5).softmax(0)
        crop = weights[column : column + TILE]
        wrong = (tile[offset].double() - crop).abs()
        worst = max(worst, float(wrong.max()))
        relative = max(relative, float((wrong / crop.clamp(min=1e-30)).max()))
    return worst, relative


class Memory:
    """The most memory that the process had in its own right (RssAnon), sampled; files that are
    paged in and out, as a large trace is, are the operating system's to take back."""

    def __enter__(self) -> "Memory":
        self.peak, self.stop = 0, threading.Event()
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        self.thread.join()

    def sample(self) -> None:
        while not self.stop.wait(0.02):
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("RssAnon"):
                    self.peak = max(self.peak, int(line.split()[1]) * 1024)

    def __str__(self) -> str:
        return f"peak {self.peak / 2**30:,.1f} GiB"


if __name__ == "__main__":
    main()
