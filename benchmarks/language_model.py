"""nanoGPT's CPU recipe on a text in characters, beside the same training in plain PyTorch.

    python benchmarks/language_model.py
    python benchmarks/language_model.py TEXT --steps 200 --compiled

4 layers, 4 heads, 128 wide, blocks of 64, 12 in a batch, no dropout, AdamW at 1e-3 (betas 0.9 and
0.99, decay 0.1), a warm-up of 100 steps and a cosine to 1e-4, float32. The plain loop has the same
first weights, batches and rates. The two take turns, so that a drift of the machine hits both; each
has its own clock, and regard's seconds hold an evaluation and a checkpoint too. Both run in one
process, so the plain loop also has freed memory kept (`training/memory.py`). The loss is that of
all dev tokens.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import torch
from peers.plain_gpt import PlainGPT

from regard.models import Decoder
from regard.tasks.text_generation.blocks import Blocks, cut_blocks, even_starts
from regard.tasks.text_generation.train import LanguageModelRecipe, RunningText, summed_loss
from regard.tasks.text_generation.train_options import LanguageModelOptions
from regard.training import Progress
from regard.training.recipe import learn
from regard.training.schedule import learning_rate

TEXT = Path(__file__).parents[2] / "shared" / "data" / "shakespeare" / "input.txt"


class Turns:
    """Watches regard's training; after each of its turns lets the plain loop do the same steps."""

    def __init__(self, batches: Blocks, plain: PlainGPT, options: LanguageModelOptions, turn: int):
        self.batches, self.plain, self.options, self.turn = batches, plain, options, turn
        self.seconds = self.processor = self.own_processor = 0.0
        self.started = time.process_time()

    def watch(self, event: str, progress: Progress) -> None:
        """Called by the training."""
        if event != "step" or progress.step % self.turn:
            return
        self.own_processor += time.process_time() - self.started
        before, processor = time.perf_counter(), time.process_time()
        for step in range(progress.step - self.turn, progress.step):
            rate = learning_rate(
                "cosine", step + 1, peak=1e-3, warmup=100, last=self.options.max_steps
            )
            self.plain.step(self.batches.at(step), rate)
        self.seconds += time.perf_counter() - before
        self.processor += time.process_time() - processor
        self.started = time.process_time()


def dev_losses(model: Decoder, plain: PlainGPT, data: RunningText) -> tuple[float, float]:
    """Per token of the whole dev text, regard's and the plain loop's."""
    starts = even_starts(data.dev.tokens, 64, len(data.dev.tokens))
    ours = theirs = 0.0
    with torch.inference_mode():
        for rows in [starts[k : k + 128] for k in range(0, len(starts), 128)]:
            batch = cut_blocks(data.dev.tokens, rows, 64, None)
            ours += summed_loss(model, batch).item()
            theirs += plain.loss(batch) * batch.targets.numel()
    count = 64 * len(starts)
    return ours / count, theirs / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="?", default=TEXT, type=Path, help="tiny Shakespeare")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--turn", type=int, default=50, help="steps of each in turn")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--compiled", action="store_true", help="the plain loop's forward")
    arguments = parser.parse_args()
    if not arguments.text.is_file():
        parser.exit(0, f"{parser.prog} needs a text; {arguments.text} is not there.\n")
    torch.set_num_threads(arguments.threads)

    with tempfile.TemporaryDirectory() as folder:
        options = LanguageModelOptions(
            output=f"{folder}/run", tokenizer="characters", preset="tiny", block=64, batch_size=12,
            learning_rate=1e-3, warmup=100, max_steps=arguments.steps, precision="fp32",
            evaluate_every=arguments.steps, dev_tokens=15_360, sample_tokens=0, device="cpu",
        )  # fmt: skip
        say = lambda sentence: print(sentence, file=sys.stderr)  # noqa: E731
        recipe = LanguageModelRecipe(str(arguments.text), options, say=say, command="")
        data = recipe.prepare(Path(folder, "run", "data"))
        torch.manual_seed(options.seed)  # the weights that the run begins with
        model = recipe.model(data)
        plain = PlainGPT(model, betas=options.betas(), compiled=arguments.compiled)
        batches = recipe.batches(data, model)
        started = time.perf_counter()
        plain.prepare(batches.at(0))
        say(f"the plain loop was ready after {time.perf_counter() - started:.1f} seconds")
        turns = Turns(batches, plain, options, arguments.turn)
        progress = learn(recipe, data=data, watch=turns.watch)
        trained = Decoder(model.config)
        from regard import from_pretrained

        trained.load_state_dict(from_pretrained(f"{folder}/run/model").state_dict())
        ours, theirs = dev_losses(trained.eval(), plain, data)
    kind = "compiled" if arguments.compiled else "eager"
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{arguments.steps} steps, {arguments.threads} threads, machine load {load}")
    print(f"{'':18}{'dev loss':>10}{'seconds':>10}{'of processor':>14}")
    own = progress.seconds
    print(f"{'regard':18}{ours:10.4f}{own:10.1f}{turns.own_processor:14.1f}")
    print(f"{'plain, ' + kind:18}{theirs:10.4f}{turns.seconds:10.1f}{turns.processor:14.1f}")
    print(f"regard takes {own / turns.seconds:.2f} of the plain loop's time")


if __name__ == "__main__":
    main()
