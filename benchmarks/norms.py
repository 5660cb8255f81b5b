"""Where the normalization stands: post-norm, the paper's, beside pre-norm at equal tokens.

    python benchmarks/norms.py
    python benchmarks/norms.py --depths tiny --optimizers adamw --rates 2e-3 5e-3 --steps 1000

Translators of Multi30k's English and German, from the same random weights, batches, warm-up and
number of steps; the rate then falls to zero in a line. tiny is the preset: 4 + 4 layers, 128 wide.
deep has the depth of preset base, 6 + 6 layers, at 192 instead of 512. Loss in nats a token and
BLEU of greedy decoding are of Multi30k's validation set. Each run is kept in --runs and resumes
there, so that the same command again goes on where it was stopped.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch

from regard.errors import RegardError
from regard.tasks.translation.train import TranslationRecipe
from regard.tasks.translation.train_options import TrainingOptions
from regard.training.options.run import model_option
from regard.training.recipe import learn

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "multi30k"
DEPTHS: dict[str, dict[str, int]] = {
    "tiny": {},
    "deep": {
        "d_model": 192, "d_ff": 768, "encoder_heads": 6, "decoder_heads": 6,
        "encoder_layers": 6, "decoder_layers": 6,
    },
}  # fmt: skip


class NormOptions(TrainingOptions):
    """Options of a translator with a size that no preset has."""

    depth: str = model_option("tiny", "A name in DEPTHS.")

    def model_config(self, vocab_size: int, **changes: Any) -> Any:
        return super().model_config(vocab_size, **DEPTHS[self.depth], **changes)


def train(options: NormOptions) -> str:
    """Trains or resumes; returns the last evaluation, or why there was none, in a line."""

    def watch(event: str, progress: Any) -> None:
        if event == "step" and progress.step % 50 == 0:
            print(f"{options.output}: step {progress.step}", file=sys.stderr)

    pairs = str(DATA / "train.en-de.tsv")
    recipe = TranslationRecipe(pairs, options, say=lambda sentence: None, command="")
    try:
        progress = learn(recipe, watch=watch)
    except RegardError as error:
        return str(error).partition(";")[0]
    log = (Path(options.output) / "log.jsonl").read_text(encoding="utf-8").splitlines()
    figures = json.loads(log[-1])["figures"]
    return f"{figures['loss']:8.3f}{figures['bleu']:8.2f}{progress.tokens:12,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depths", nargs="+", default=list(DEPTHS), choices=list(DEPTHS))
    parser.add_argument("--optimizers", nargs="+", default=["adamw", "muon"])
    parser.add_argument("--rates", nargs="+", type=float, default=[2e-3], help="peak rates")
    parser.add_argument("--steps", type=int, default=500, help="of each model")
    parser.add_argument("--warmup", type=int, default=200, help="steps")
    parser.add_argument("--max-tokens", type=int, default=2048, help="in a batch")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "norms")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        parser.exit(0, f"{parser.prog} needs Multi30k; {DATA} is not there.\n")
    print(
        f"torch {torch.__version__}; {arguments.steps} steps of at most {arguments.max_tokens}"
        f" tokens, {arguments.warmup} of them warm-up"
    )
    print(f"\n{'depth':8}{'optimizer':11}{'rate':8}{'norm':6}{'loss':>8}{'BLEU':>8}{'tokens':>12}")
    for depth in arguments.depths:
        for optimizer in arguments.optimizers:
            for rate in arguments.rates:
                for norm in ("pre", "post"):
                    options = NormOptions(
                        output=str(arguments.runs / f"{depth}-{optimizer}-{rate:g}-{norm}"),
                        depth=depth, norm=norm, optimizer=optimizer, learning_rate=rate,
                        dev=str(DATA / "val.en-de.tsv"), vocab_size=8000, dropout=0.1,
                        schedule="linear", warmup=arguments.warmup, max_steps=arguments.steps,
                        max_tokens=arguments.max_tokens, evaluate_every=arguments.steps,
                        average=1, patience=0,
                    )  # fmt: skip
                    result = train(options)
                    print(f"{depth:8}{optimizer:11}{rate:<8g}{norm:6}{result}", flush=True)


if __name__ == "__main__":
    main()
