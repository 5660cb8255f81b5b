"""Any tile of any map at a length that no map would fit: the native engine's run, kept on disk.

    python benchmarks/any_length.py [gpt2|million|gemma] [--length N] [--layers N]

A decoder with random weights, of GPT-2's size (131,072 tokens), of 2 layers of 4 heads with rotary
positions (1,048,576), or like Gemma 3 270M, whose layers are local but for every sixth (32,768), is
run once by `regard.engine`, traced, saved and opened again; then come tiles of 256 x 256 from
everywhere: how long one takes, how exact it is, and how much memory the process had.
`--torch` traces transformers' GPT-2 with its fast attention instead, and `--eager` runs that with
output_attentions.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import regard
from regard.inspection.tap import Tap
from regard.inspection.trace import Trace

TILE = 256
SAMPLES = 48
GEMMA: dict[str, Any] = dict(
    vocab_size=262_144, d_model=640, num_layers=18, num_heads=4, num_key_heads=1, head_dim=256,
    d_ff=2048, norm_kind="rms_plus_one", norms="both", activation="gelu_new", gated=True,
    feed_forward_bias=False, attention_bias=False, attention_output_bias=False,
    query_key_norm="head", scale_embedding=True, positions="rotary", rotary_theta=1e6, window=512,
    unwindowed=(5, 11, 17), window_theta=1e4,
)  # fmt: skip
SHAPES: dict[str, tuple[int, dict[str, Any]]] = {
    "gpt2": (131_072, dict(vocab_size=50_257)),
    "million": (
        2**20,
        dict(vocab_size=256, d_model=64, num_layers=2, num_heads=4, d_ff=256, positions="rotary"),
    ),
    "gemma": (32_768, GEMMA),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", nargs="?", default="gpt2", choices=SHAPES)
    parser.add_argument("--length", type=int, help="tokens")
    parser.add_argument("--layers", type=int, help="instead of the shape's")
    parser.add_argument("--threads", type=int, default=1, help="of the engine")
    parser.add_argument("--torch", action="store_true", help="transformers' GPT-2")
    parser.add_argument("--eager", action="store_true", help="the same with output_attentions")
    options = parser.parse_args()
    length = options.length or SHAPES[options.shape][0]
    if options.torch or options.eager:
        by_torch(length, options.layers or 12, options.eager)
    else:
        by_engine(options.shape, length, options.layers, options.threads)


def by_engine(shape: str, length: int, layers: int | None, threads: int) -> None:
    from regard.inspection.models import traced
    from regard.models.configs.decoder import DecoderConfig

    settings = SHAPES[shape][1] | dict(max_positions=length)
    if layers:
        settings["num_layers"] = layers
    config = DecoderConfig(**settings)
    model = opened(config, threads)
    print(
        f"{shape}: {config.num_layers} x {config.num_heads} heads of {config.rotary_dim},"
        f" {length:,} tokens, the engine in float32, threads: {threads}",
        flush=True,
    )
    ids = np.random.default_rng(0).integers(0, config.vocab_size, (1, length))
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "trace.safetensors"
        with measured("run and capture"):
            trace = traced(model, {"ids": ids}, keep="disk")
        size_of(trace)
        with measured("save"):
            trace.save(saved)
        del trace
        with measured("open"):
            trace = Trace.load(saved)
        tiles(trace)


def opened(config: Any, threads: int) -> Any:
    """The engine's decoder, of random weights."""
    import torch

    from regard.engine.native.loading import open_native
    from regard.engine.native.looking import seen
    from regard.models import Decoder

    torch.manual_seed(0)
    model = Decoder(config).eval()
    for layer in model.decoder.layers:
        # Random heads look everywhere alike; with larger queries and keys they choose.
        if config.query_key_norm == "none":
            layer.self_attention.query.weight.data *= 3 * (768 / config.d_model) ** 0.5
            layer.self_attention.key.weight.data *= 3 * (768 / config.d_model) ** 0.5
    return seen(open_native(model, threads=threads), model)


def size_of(trace: Trace) -> None:
    heads = sum(tap.heads for tap in trace.values())
    kept = sum(array.nbytes for tap in trace.values() for array in (tap.query, tap.key, tap.value))
    rows = next(iter(trace.values())).rows
    print(
        f"kept: {kept / 2**30:,.1f} GiB of query, key and value,"
        f" against {heads * rows**2 * 4 / 2**30:,.0f} GiB of maps",
        flush=True,
    )


def tiles(trace: Trace) -> None:
    times, busy, error, relative = [], [], 0.0, 0.0
    with measured("tiles and their check", seconds=False):
        for sample in range(SAMPLES):
            tap = list(trace.values())[sample % len(trace)]
            head, (row, column) = sample * 7 % tap.heads, place(tap, sample)
            start, processor = time.perf_counter(), time.process_time()
            tile = tap.weights(head, slice(row, row + TILE), slice(column, column + TILE))
            times.append(1000 * (time.perf_counter() - start))
            busy.append(1000 * (time.process_time() - processor))
            wrong = difference(tap, head, row, column, np.asarray(tile))
            error, relative = max(error, wrong[0]), max(relative, wrong[1])
    print(
        f"a {TILE} x {TILE} tile, {SAMPLES} of them from everywhere: median"
        f" {statistics.median(times):.1f} ms ({statistics.median(busy):.1f} of processor),"
        f" {sum(time > 50 for time in times)} over 50 ms, largest {max(times):.1f} ms"
    )
    print(
        "largest difference from the softmax of whole rows in float64, 8 rows a tile:"
        f" {error:.1e}, relative to the weight {relative:.1e}",
        flush=True,
    )


def place(tap: Tap, sample: int) -> tuple[int, int]:
    """The corner of a tile on or under the diagonal, different for every sample; of a layer with a
    window, within it."""
    last = tap.rows - TILE
    row = last * (sample + 1) // SAMPLES
    seen = np.flatnonzero(np.asarray(tap.weights(0, slice(row, row + 1))[0]))
    first = int(seen[0]) if len(seen) else 0
    return row, min(first + int((row - first) * (sample * 0.37 % 1)), last)


def difference(
    tap: Tap, head: int, row: int, column: int, tile: np.ndarray[Any, Any]
) -> tuple[float, float]:
    """From the definition, for eight rows of the tile: scores over all keys, softmax, crop."""
    worst = relative = 0.0
    attention = tap.of_head(head)
    query, key = (np.asarray(array[0, 0]) for array in (attention.query, attention.key))
    window = getattr(getattr(tap.mask, "right", None), "left", None)
    for offset in range(0, TILE, TILE // 8):
        at = row + offset
        first = 0 if window is None else max(0, at - window)
        scores = key[first : at + 1].astype(np.float64) @ query[at].astype(np.float64)
        powers = np.exp((scores - scores.max()) / tap.head_dim**0.5)
        weights = np.zeros(tap.columns)
        weights[first : at + 1] = powers / powers.sum()
        crop = weights[column : column + TILE]
        wrong = np.abs(tile[offset] - crop)
        worst = max(worst, float(wrong.max()))
        relative = max(relative, float((wrong / np.maximum(crop, 1e-30)).max()))
    return worst, relative


def by_torch(length: int, layers: int, eager: bool) -> None:
    import torch
    from transformers import GPT2Config, GPT2Model

    torch.manual_seed(0)
    implementation = "eager" if eager else "sdpa"
    config = GPT2Config(
        n_positions=length, n_layer=layers, use_cache=False, attn_implementation=implementation
    )
    model = GPT2Model(config).eval()
    for block in model.h:
        block.attn.c_attn.weight.data[:, : 2 * config.n_embd] *= 3
    ids = torch.randint(0, 50_257, (1, length))
    print(
        f"GPT-2 shape, {layers} x 12 heads, {length:,} tokens, float32,"
        f" attn_implementation={implementation!r}, {torch.get_num_threads()} threads"
    )
    if eager:
        with measured("output_attentions"), torch.no_grad():
            maps = model(input_ids=ids, output_attentions=True).attentions
        print(f"{sum(each.nbytes for each in maps) / 2**30:,.1f} GiB of it maps")
        return
    with measured("capture (one forward pass)"):
        trace = regard.trace(model, input_ids=ids)
    size_of(trace)
    tiles(trace)


@contextmanager
def measured(what: str, *, seconds: bool = True) -> Iterator[None]:
    """Print the seconds of a part, those of the processor, and the most memory that the process had
    in its own right (RssAnon), sampled; files that are paged in and out, as a large trace is, are
    the operating system's to take back."""
    peak, stop = 0, threading.Event()

    def sample() -> None:
        nonlocal peak
        while not stop.wait(0.02):
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("RssAnon"):
                    peak = max(peak, int(line.split()[1]) * 1024)

    thread = threading.Thread(target=sample)
    thread.start()
    start, busy = time.perf_counter(), time.process_time()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    took = (
        f"{time.perf_counter() - start:,.1f} s ({time.process_time() - busy:,.1f} of processor), "
    )
    print(f"{what}: {took if seconds else ''}peak {peak / 2**30:,.1f} GiB", flush=True)


if __name__ == "__main__":
    main()
