"""Images moved, rotated, enlarged and mirrored at random, differently in every epoch."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Augmentation:
    """Random changes of position and size; every image of a batch has its own.

    What it moves out of the image is lost, and what it moves in is black.
    """

    shift: float = 0.0  # most, of the image's height and width
    rotate: float = 0.0  # most, in degrees
    scale: float = 0.0  # most that it becomes larger; smaller by as large a factor
    flip: bool = False  # mirror every second image, left to right

    def __call__(self, images: Tensor, seed: int, step: int) -> Tensor:
        """The changed images, a function of the images, the seed and the step alone.

        Args:
            images: bytes, (batch, height, width, channels).

        Returns:
            floats from 0 to 255 of the same shape.
        """
        pixels = images.permute(0, 3, 1, 2).float()
        if not (self.shift or self.rotate or self.scale or self.flip):
            return pixels.permute(0, 2, 3, 1)
        maps = self.maps(len(images), pixels.shape[2] / pixels.shape[3], seed, step)
        grid = functional.affine_grid(
            maps.to(pixels.device), list(pixels.shape), align_corners=False
        )
        moved = functional.grid_sample(pixels, grid, padding_mode="zeros", align_corners=False)
        return moved.permute(0, 2, 3, 1)

    def maps(self, count: int, ratio: float, seed: int, step: int) -> Tensor:
        """From places in the changed image to places in the original, (count, 2, 3).

        Places are from −1 to 1 across the width and down the height; `ratio` is height over width,
        in which a rotation has to be measured.
        """
        draw = np.random.default_rng([seed, step, 2])
        turn, size, right, down = torch.from_numpy(draw.uniform(-1, 1, (4, count)))
        angle = turn * np.pi * self.rotate / 180
        factor = (1 + self.scale) ** size
        cos, sin = torch.cos(angle) * factor, torch.sin(angle) * factor
        mirrored = torch.from_numpy(draw.random(count) < 0.5) & self.flip
        side = 1 - 2 * mirrored.double()
        rows = [
            torch.stack([cos * side, -sin * ratio, 2 * self.shift * right], 1),
            torch.stack([sin / ratio * side, cos, 2 * self.shift * down], 1),
        ]
        return torch.stack(rows, 1).float()
