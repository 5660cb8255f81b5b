# python examples/intro_image_text.py --output .
"""Cross-attention between text and image: the name of a digit looks for it among six pictures.

Queries come from ten words, keys and values from the tiles of an image. Trained is one answer
alone: does the image have this digit? Nothing says where; that is what the weights show. The
digits are scikit-learn's, 8 × 8 pixels each; those of the test are not trained on.

It needs `pip install torch matplotlib scikit-learn`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from regard import attend, attention_weights
from regard.figures.heatmap import heatmap
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TILES, WIDTH, STEPS, TRAINED = 6, 32, 600, 1400  # of 1,797 digits


class Finder(nn.Module):
    """(images, tiles, 64) → for each name, the logit that the image has it: (images, names)."""

    def __init__(self) -> None:
        super().__init__()
        self.names = nn.Parameter(torch.randn(len(NAMES), WIDTH))
        self.pixels = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2 * WIDTH))
        self.answer = nn.Sequential(nn.Linear(2 * WIDTH, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, tiles: Tensor) -> Tensor:
        key, value = self.pixels(tiles).chunk(2, -1)
        query = self.names.expand(len(tiles), -1, -1)
        return self.answer(torch.cat([query, attend(query, key, value)], -1))[..., 0]

    def weights(self, tiles: Tensor) -> Tensor:
        """(images, names, tiles)"""
        key, _ = self.pixels(tiles).chunk(2, -1)
        return attention_weights(self.names.expand(len(tiles), -1, -1), key)


def main(output: Folder = None) -> dict[str, float]:
    torch.manual_seed(0)
    digits = load_digits()
    pixels, labels = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)
    finder = Finder()
    optimizer = torch.optim.Adam(finder.parameters(), lr=3e-3)
    for _ in range(STEPS):
        drawn = torch.randint(TRAINED, (64, TILES))
        has = (labels[drawn][..., None] == torch.arange(len(NAMES))).any(1).float()
        optimizer.zero_grad()
        binary_cross_entropy_with_logits(finder(pixels[drawn]), has).backward()
        optimizer.step()

    drawn = torch.randint(TRAINED, len(labels), (500, TILES))
    here = labels[drawn][:, None] == torch.arange(len(NAMES))[:, None]  # (images, names, tiles)
    with torch.no_grad():
        right = ((finder(pixels[drawn]) > 0) == here.any(-1)).float().mean().item()
        weights = finder.weights(pixels[drawn])
    best, present = here.gather(-1, weights.argmax(-1, keepdim=True))[..., 0], here.any(-1)
    found, chance = (each[present].float().mean().item() for each in (best, here))
    print(f"whether a digit is in the image: {right:.1%} right")
    print(f"the tile with the largest weight has it: {found:.1%}, by chance {chance:.1%}")
    if output:
        columns = [str(label.item()) for label in labels[drawn[0]]]
        figure = heatmap(weights[0].numpy(), list(NAMES), columns, title="Names look for digits")
        save(figure, output / "intro_image_text.svg")
    return {"right": right, "found": found, "chance": chance}


if __name__ == "__main__":
    typer.run(main)
