"""Does a mixture of experts take the time of the experts that a token is given to?

    python benchmarks/experts.py

A small decoder with random weights writes 64 tokens in the native engine: with 8 experts a layer,
of which a router chooses 2, and with one feed-forward network as wide as 2 of them, and as all 8.
The three take turns, on one thread; printed is the least processor time of the rounds.
"""

import argparse
import time

import numpy as np
import torch

from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig
from regard.models import Decoder, DecoderConfig

VOCAB, PROMPT, NEW, WIDE = 1000, 16, 64, 1024
KINDS = {
    "8 experts, 2 chosen": dict(experts=8, d_ff=WIDE),
    "as wide as 2 experts": dict(d_ff=2 * WIDE),
    "as wide as 8 experts": dict(d_ff=8 * WIDE),
}


def decoder(**settings: int) -> Decoder:
    """A decoder of Llama's kind, in evaluation mode."""
    torch.manual_seed(0)
    config = DecoderConfig(
        VOCAB,
        d_model=512,
        num_layers=6,
        num_heads=8,
        norm_kind="rms",
        activation="silu",
        gated=True,
        positions="rotary",
        **settings,  # type: ignore[arg-type]
    )
    return Decoder(config).eval()


def main() -> None:
    """Prints a line for each kind of layer and precision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    prompt = np.random.default_rng(0).integers(2, VOCAB, (1, PROMPT))
    config = GenerationConfig(max_new_tokens=NEW, eos_token_id=None)
    models = {name: decoder(**settings) for name, settings in KINDS.items()}
    print(f"{'feed-forward networks':22} {'weights':>8}  precision  ms a token")
    for precision in ("fp32", "int8"):
        engines = {name: open_native(model, precision) for name, model in models.items()}
        least = dict.fromkeys(models, float("inf"))
        for _ in range(rounds):
            for name, engine in engines.items():
                start = time.process_time()
                engine.generate(prompt, config)
                least[name] = min(least[name], time.process_time() - start)
        for name, model in models.items():
            millions = sum(weight.numel() for weight in model.parameters()) / 1e6
            took = 1000 * least[name] / NEW
            print(f"{name:22} {millions:6.0f} M  {precision:9}  {took:10.2f}", flush=True)


if __name__ == "__main__":
    main()
