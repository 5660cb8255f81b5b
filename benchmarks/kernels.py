"""Kernels: they agree, how fast each is, and what a tile at 65,536 positions costs.

    python benchmarks/kernels.py                 # a table
    python benchmarks/kernels.py --json          # the same as JSON
    python benchmarks/kernels.py --only tile     # agreement, speed, torch, tile or memory alone

Times are the best of several runs; on a busy machine only their ratios mean something.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from regard.attention import Causal, Documents, Mask, Padding, Prefix, Window, attend

KERNELS = ("plain", "short", "blocked", "fused")
DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}
Row = dict[str, str | int | float]


def agreement() -> Iterator[Row]:
    """Largest absolute error against the definition in float64; values are within ±1."""
    batch, heads, key_heads, head_dim = 3, 8, 2, 64
    masks: dict[str, Callable[[int, int], Mask | None]] = {
        "none": lambda queries, keys: None,
        "causal": lambda queries, keys: Causal(),
        "padding": lambda queries, keys: Padding.from_lengths(
            torch.tensor([keys, keys // 2, 0]), keys
        ),
        "window": lambda queries, keys: Window(17, 5),
        "documents": lambda queries, keys: Documents(
            torch.arange(keys)[None] // 50, torch.arange(queries)[None] // 50
        ),
        "prefix": lambda queries, keys: Causal() | Prefix(20),
        "causal and padding": lambda queries, keys: (
            Causal() & Padding.from_lengths(torch.tensor([keys, 3, keys // 3]), keys)
        ),
        "not window": lambda queries, keys: ~Window(40, 40),
    }
    errors: dict[tuple[str, str], list[float]] = {}
    for queries, keys in [(211, 211), (97, 601), (601, 97), (1, 307)]:
        generator = torch.Generator().manual_seed(queries)
        exact = [
            torch.randn(batch, size, length, head_dim, dtype=torch.float64, generator=generator)
            for size, length in ((heads, queries), (key_heads, keys), (key_heads, keys))
        ]
        exact[2] /= exact[2].abs().max()  # outputs are averages of values: within ±1 as well
        for make_mask in masks.values():
            mask = make_mask(queries, keys)
            for name, dtype in DTYPES.items():
                inputs = [tensor.to(dtype) for tensor in exact]
                # The error of the kernel, not of rounding its input.
                rounded = [tensor.double() for tensor in inputs]
                right, right_lse = attend(*rounded, mask=mask, kernel="plain", return_lse=True)
                for kernel in KERNELS:
                    output, lse = attend(*inputs, mask=mask, kernel=kernel, return_lse=True)
                    gap = (lse - right_lse).masked_fill(right_lse.isneginf() & lse.isneginf(), 0)
                    error = [(output - right).abs().max().item(), gap.abs().max().item()]
                    worst = errors.setdefault((name, kernel), [0.0, 0.0])
                    errors[name, kernel] = [max(pair) for pair in zip(worst, error, strict=True)]
    for (name, kernel), (output_error, lse_error) in errors.items():
        yield {
            "dtype": name,
            "kernel": kernel,
            "masks × shapes": 4 * len(masks),
            "output error": output_error,
            "lse error": lse_error,
        }


def speed() -> Iterator[Row]:
    """Milliseconds, forward and forward with backward, of each kernel and of the choice."""
    shapes = [  # batch, heads, queries, keys, head_dim, what
        (240, 4, 14, 14, 32, "training on short sentences"),
        (64, 8, 64, 64, 64, "training on long sentences"),
        (4, 12, 512, 512, 64, "512 positions"),
        (1, 12, 2048, 2048, 64, "2,048 positions"),
        (160, 4, 1, 20, 32, "decoding, 32 sentences × 5 beams"),
        (1, 12, 1, 500, 64, "decoding, one sentence"),
    ]
    for batch, heads, queries, keys, head_dim, what in shapes:
        for name in ("float32", "bfloat16"):
            tensors = [
                # As layers have them: (batch, positions, heads, head_dim), seen transposed.
                torch.randn(batch, length, heads, head_dim, dtype=DTYPES[name]).transpose(1, 2)
                for length in (queries, keys, keys)
            ]
            lengths = torch.randint(keys * 3 // 4, keys + 1, (batch,))
            mask = Causal() & Padding.from_lengths(lengths, keys)
            for kernel in ("auto", *KERNELS):

                def forward(
                    inputs: list[Tensor], kernel: str = kernel, mask: Mask = mask
                ) -> Tensor:
                    return attend(*inputs, mask=mask, kernel=kernel)

                row: Row = {"what": what, "dtype": name, "kernel": kernel}
                with torch.no_grad():
                    row["forward ms"] = milliseconds(forward, tensors)
                if queries > 1:
                    learned = [tensor.detach().requires_grad_() for tensor in tensors]
                    upstream = torch.ones_like(tensors[0])

                    def both(inputs: list[Tensor], upstream: Tensor = upstream) -> None:
                        torch.autograd.grad(forward(inputs), inputs, upstream)

                    row["forward + backward ms"] = milliseconds(both, learned)
                yield row


def beside_torch() -> Iterator[Row]:
    """bfloat16, forward: attend beside torch's scaled_dot_product_attention, in turns."""
    for length in (128, 512, 2048, 8192):
        tensors = [
            torch.randn(1, length, 12, 64, dtype=torch.bfloat16).transpose(1, 2) for _ in range(3)
        ]
        for causal in (False, True):
            mask = Causal() if causal else None

            def ours(inputs: list[Tensor], mask: Mask | None = mask) -> Tensor:
                return attend(*inputs, mask=mask)

            def theirs(inputs: list[Tensor], causal: bool = causal) -> Tensor:
                return scaled_dot_product_attention(*inputs, is_causal=causal)

            with torch.no_grad():
                rounds = [
                    (milliseconds(ours, tensors), milliseconds(theirs, tensors)) for _ in "123"
                ]
            fastest = [min(times) for times in zip(*rounds, strict=True)]
            yield {
                "positions": length,
                "causal": "yes" if causal else "no",
                "attend ms": fastest[0],
                "torch ms": fastest[1],
                "as fast": round(fastest[1] / fastest[0], 2),
            }


def milliseconds(function: Callable[[list[Tensor]], object], inputs: list[Tensor]) -> float:
    function(inputs)
    best, began = float("inf"), time.perf_counter()
    for _ in range(20):
        start = time.perf_counter()
        function(inputs)
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - began > 0.6:
            break
    return round(best * 1e3, 3)


# Peak memory is a property of a process: each figure is taken in a fresh one.
MEASURE = """
import json, resource, sys, time, torch
from regard.attention import Causal, Padding, attend, attention_weights
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def inputs(length, heads=1, head_dim=64):
    query, key, value = torch.randn(3, 1, heads, length, head_dim)
    return query, key, value, Causal() & Padding.from_lengths(torch.tensor([length - 3]), length)
def tile(length):
    query, key, value, mask = inputs(length)
    before, start = peak(), time.perf_counter()
    rows = slice(length - 99, length - 35)
    shown = slice(length // 2, length // 2 + 512)
    weights = attention_weights(query, key, mask=mask, queries=rows, keys=shown)
    result = {"ms": round((time.perf_counter() - start) * 1e3, 1), "peak MiB": peak() - before}
    exact = (query[0, 0, rows].double() @ key[0, 0].double().mT) / 8
    allowed = mask.tile(torch.arange(length)[rows], torch.arange(length))[0, 0]
    exact = exact.masked_fill(~allowed, -torch.inf).softmax(-1)[:, shown]
    return result | {"max abs error": (weights[0, 0] - exact).abs().max().item()}
def blocked(length):
    query, key, value, mask = inputs(length)
    learned = [tensor.requires_grad_() for tensor in (query, key, value)]
    before, start = peak(), time.perf_counter()
    attend(*learned, mask=mask, kernel="blocked").sum().backward()
    return {"ms": round((time.perf_counter() - start) * 1e3, 1), "peak MiB": peak() - before}
measure = {"tile": tile, "blocked": blocked}[sys.argv[1]]
measure(256)
print(json.dumps(measure(int(sys.argv[2]))))
"""


def tile() -> Iterator[Row]:
    """64 × 512 weights out of a map of length squared, float32, causal and padded, one head."""
    for length in (4_096, 16_384, 65_536):
        whole = length**2 * 4 / 2**20
        yield {"positions": length, **in_a_process("tile", length), "whole map MiB": whole}


def memory() -> Iterator[Row]:
    """The blocked kernel forward and backward, float32, causal and padded, one head."""
    for length in (2_048, 4_096, 8_192):
        whole = length**2 * 4 / 2**20
        yield {"positions": length, **in_a_process("blocked", length), "whole map MiB": whole}


def in_a_process(what: str, length: int) -> Row:
    command = [sys.executable, "-c", MEASURE, what, str(length)]
    answer: Row = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return answer


def table(rows: list[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names] + [[shown(row.get(name, "")) for name in names] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def shown(cell: str | int | float) -> str:
    if isinstance(cell, float):
        return f"{cell:.1e}" if 0 < abs(cell) < 1e-2 else f"{cell:,.2f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def main() -> None:
    parts = {
        "agreement": agreement,
        "speed": speed,
        "torch": beside_torch,
        "tile": tile,
        "memory": memory,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=parts, help="one part of the measurement")
    parser.add_argument("--json", action="store_true", help="JSON instead of tables")
    parser.add_argument(
        "--threads", type=int, help="threads of torch; as many as cores if not given"
    )
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    wanted = {name: part for name, part in parts.items() if arguments.only in (None, name)}
    if arguments.json:
        print(json.dumps({name: list(part()) for name, part in wanted.items()}, indent=2))
        return
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    for name, part in wanted.items():
        print(f"\n{name}: {part.__doc__}\n{table(list(part()))}", flush=True)


if __name__ == "__main__":
    main()
