"""What tracing adds to a forward pass: traced and untraced runs of one model, turn by turn.

    python benchmarks/tracing.py [--lengths 512 8192] [--rounds 5]

A GPT-2 of 12 layers from transformers with its fast attention on, and, at 512 tokens, the paper's
base encoder-decoder. The two kinds of run take turns, and outputs are compared to the bit.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from transformers import GPT2Config, GPT2Model

import regard
from regard.models import EncoderDecoder, preset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 8192])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.manual_seed(0)
    print("model                 tokens  untraced ms  traced ms    cost  noise  same bits")
    for length in options.lengths:
        config = GPT2Config(n_positions=length, use_cache=False)
        gpt2 = GPT2Model(config).eval()
        ids = torch.randint(0, config.vocab_size, (1, length))
        compare(
            "GPT-2 (transformers)",
            length,
            lambda: gpt2(input_ids=ids).last_hidden_state,  # noqa: B023 (called at once)
            lambda: regard.trace(gpt2, input_ids=ids).output.last_hidden_state,  # noqa: B023
            options.rounds,
        )
        if length <= 512:
            base = EncoderDecoder(preset("base", 8192, max_positions=length)).eval()
            text = torch.randint(2, 8192, (1, length))
            compare(
                "base (regard)",
                length,
                lambda: base(text, text),  # noqa: B023
                lambda: regard.trace(base, source=text, target=text).output,  # noqa: B023
                options.rounds,
            )


@torch.no_grad()
def compare(
    name: str, length: int, plain: Callable[[], Any], traced: Callable[[], Any], rounds: int
) -> None:
    """Medians over rounds: of each time, of the cost within a round, and of how much two untraced
    runs of a round differ, which is what the machine adds by itself."""
    same = torch.equal(plain(), traced())  # which also warms up
    untraced, with_trace, cost, noise = [], [], [], []
    for round_ in range(rounds):
        order = (plain, traced, plain) if round_ % 2 else (plain, plain, traced)
        took = [timed(run) for run in order]
        times = {"traced": took[order.index(traced)], "plain": took[0]}
        again = took[2] if round_ % 2 else took[1]
        untraced.append((times["plain"] + again) / 2)
        with_trace.append(times["traced"])
        cost.append(times["traced"] / untraced[-1] - 1)
        noise.append(abs(again / times["plain"] - 1))
    print(
        f"{name:<21} {length:>6}  {1000 * statistics.median(untraced):>11.1f}"
        f"  {1000 * statistics.median(with_trace):>9.1f}  {statistics.median(cost):>+6.1%}"
        f"  {statistics.median(noise):>5.1%}  {'yes' if same else 'NO':>9}",
        flush=True,
    )


def timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
