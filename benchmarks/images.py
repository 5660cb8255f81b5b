"""Training a ViT on images beside transformers' model in a plain loop, in images per second.

    python benchmarks/images.py
    python benchmarks/images.py IMAGES.npz --preset micro --threads 1

Both train the same ViT on the same images of MNIST, in batches of the same size, with AdamW and
gradients clipped to a norm of 1. regard is `regard train image-classification` itself, by its own
clock, from fetching and augmenting the batch to the new weights. transformers' model is
ViTForImageClassification with its fused attention in a loop of the kind that Trainer runs; its
batches are ready-made and not augmented, so the comparison is in its favor. The two take turns, so
that a drift of the machine hits both. Speeds are also given per second of processor time, which
others on the machine change less.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from regard.tasks.images.train import ImageClassificationRecipe
from regard.tasks.images.train_options import ImageClassificationOptions
from regard.training import Progress
from regard.training.recipe import learn

IMAGES = Path(__file__).parents[2] / "shared" / "data" / "mnist" / "train.npz"


class Peer:
    """transformers' ViT of the same size, and one step of a plain loop."""

    def __init__(self, folder: Path, images: np.ndarray, labels: np.ndarray, batch_size: int):
        from transformers import AutoConfig, ViTForImageClassification

        config = AutoConfig.from_pretrained(folder)
        config._attn_implementation = "sdpa"
        self.model = ViTForImageClassification(config).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3, fused=True)
        pixels = torch.from_numpy(images[: 50 * batch_size]).float().div(255)[:, None]
        channels = config.num_channels
        self.pixels = pixels.expand(-1, channels, -1, -1).contiguous().split(batch_size)
        self.labels = torch.from_numpy(labels[: 50 * batch_size].astype(np.int64)).split(batch_size)

    def step(self, number: int) -> int:
        """Trains on a batch; returns how many images it had."""
        pixels = self.pixels[number % len(self.pixels)]
        labels = self.labels[number % len(self.labels)]
        self.model(pixel_values=pixels, labels=labels).loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return len(pixels)


class Turns:
    """Watches regard's training; after each of its turns lets the peer do as many steps."""

    def __init__(self, peer: Peer, *, batch_size: int, warmup: int, steps: int):
        self.peer, self.batch_size, self.warmup, self.steps = peer, batch_size, warmup, steps
        self.speeds: dict[str, list[tuple[float, float]]] = {"regard": [], "transformers": []}
        self.started = (0.0, 0.0)

    def watch(self, event: str, progress: Progress) -> None:
        """Called by the training after each step."""
        if event != "step":
            return
        after = progress.step - self.warmup
        if after > 0 and after % self.steps == 0:
            self.note("regard", self.steps * self.batch_size)
        elif after != 0:
            return
        self.started = clocks()
        images = sum(self.peer.step(number) for number in range(self.steps))
        if after:
            self.note("transformers", images)
        self.started = clocks()

    def note(self, name: str, images: int) -> None:
        wall, processor = (now - then for now, then in zip(clocks(), self.started, strict=True))
        self.speeds[name].append((images / wall, images / processor))


def clocks() -> tuple[float, float]:
    """Seconds by the wall clock and of processor time."""
    return time.perf_counter(), time.process_time()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="?", default=IMAGES, type=Path, help="an .npz of images")
    parser.add_argument("--preset", default=None)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=20, help="of each in a round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--warmup", type=int, default=10, help="steps before the first round")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    if not arguments.images.is_file():
        parser.exit(0, f"{parser.prog} needs MNIST; {arguments.images} is not there.\n")
    torch.set_num_threads(arguments.threads)
    with np.load(arguments.images) as file:
        images, labels = file["images"], file["labels"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = ImageClassificationOptions(
            output=f"{folder}/run",
            preset=arguments.preset,
            batch_size=arguments.batch_size,
            max_steps=arguments.warmup + arguments.rounds * arguments.steps,
            evaluate_every=10**6,
            precision="fp32",
        )
        recipe = ImageClassificationRecipe(
            str(arguments.images), options, say=print, command="benchmarks/images.py"
        )
        data = recipe.prepare(folder / "data")
        recipe.save(recipe.model(data), data, Progress(figures=NO_FIGURES), folder / "model")
        peer = Peer(folder / "model", images, labels, arguments.batch_size)
        turns = Turns(
            peer,
            batch_size=arguments.batch_size,
            warmup=arguments.warmup,
            steps=arguments.steps,
        )
        learn(recipe, data=data, watch=turns.watch)
    print(f"\n{arguments.threads} threads, batches of {arguments.batch_size}, fp32")
    print(f"{'images per second':32}{'median':>9}{'lowest':>9}{'highest':>9}")
    for clock, seconds in enumerate(("", ", processor time")):
        medians = {}
        for name, speeds in turns.speeds.items():
            own = [speed[clock] for speed in speeds]
            medians[name] = statistics.median(own)
            figures = (medians[name], min(own), max(own))
            print(f"{name + seconds:32}" + "".join(f"{figure:9,.0f}" for figure in figures))
        print(f"{'':32}{medians['regard'] / medians['transformers']:9.2f} × as fast")


NO_FIGURES = dict.fromkeys(("loss", "accuracy", "macro_f1", "micro_f1", "calibration"), 0.0)


if __name__ == "__main__":
    main()
