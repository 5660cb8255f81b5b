# python examples/05_non_local_means.py --output .
"""Non-local means: pixels are similar if their surroundings are (Buades, Coll and Morel 2005).

The same Gaussian similarity, but query and key are no longer places: each is a patch of the
picture, 5 × 5 numbers, and the value is its middle. Content decides what is averaged with what,
which is the step from smoothing to attention.

It needs `pip install matplotlib scikit-image`.
"""

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.lib.stride_tricks import sliding_window_view
from skimage.data import camera
from skimage.metrics import peak_signal_noise_ratio, structural_similarity
from skimage.restoration import denoise_nl_means

from regard import attend
from regard.attention import Score, gaussian
from regard.figures.images import images
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
SIZE, NOISE = 128, 0.1  # pixels of the photograph's part, and the noise's deviation; white is 1
PATCH, REACH = 2, 6  # pixels to each side: of a patch, and of where like patches are looked for
BANDWIDTH = 0.42  # of a distance over 25 pixels
ROWS = 256  # queries at a time: their keys then fit in the cache


def main(output: Folder = None) -> dict[str, float]:
    photograph = camera()[64 : 64 + SIZE, 160 : 160 + SIZE] / 255.0
    noisy = photograph + NOISE * np.random.default_rng(0).normal(size=photograph.shape)
    picture = noisy.astype(np.float32)

    means = {2 * r + 1: denoise(picture, "average", r) for r in (1, 2, 3)}
    psnr = partial(peak_signal_noise_ratio, photograph, data_range=1.0)
    ssim = partial(structural_similarity, photograph, data_range=1.0)
    best = max(means, key=lambda width: psnr(means[width]))
    results = {
        "noisy": noisy,
        f"local mean of {best} × {best}": means[best],
        "non-local means by attend": denoise(picture, gaussian(BANDWIDTH), REACH),
        "scikit-image's": denoise_nl_means(noisy, 2 * PATCH + 1, REACH, 0.8 * NOISE, sigma=NOISE),
    }
    numbers: dict[str, float] = {}
    for name, result in results.items():
        numbers |= {f"PSNR, {name}": psnr(result), f"SSIM, {name}": ssim(result)}
        print(f"{name:26} PSNR {psnr(result):5.2f} dB   SSIM {ssim(result):.3f}")
    if output:
        pictures = {f"{SIZE} × {SIZE} of the photograph": photograph} | results
        save(images(pictures), output / "05_non_local_means.svg")
    return numbers


def denoise(picture: np.ndarray, score: str | Score, reach: int) -> np.ndarray:
    """(height, width) → the same, every pixel an average of those up to `reach` away."""
    patches, pixels = around(picture, PATCH), picture.ravel()
    places = around(np.arange(picture.size).reshape(picture.shape), reach)
    rows = []
    for first in range(0, len(patches), ROWS):
        query, near = patches[first : first + ROWS, None], places[first : first + ROWS]
        key, value = patches[near], pixels[near][..., None]  # (rows, keys, 25) and (rows, keys, 1)
        rows.append(attend(query, key, value, score=score))
    return np.concatenate(rows).reshape(picture.shape)


def around(picture: np.ndarray, reach: int) -> np.ndarray:
    """(height, width) → (pixels, (2 · reach + 1)²): each pixel's surroundings."""
    mirrored, width = np.pad(picture, reach, mode="reflect"), 2 * reach + 1
    return sliding_window_view(mirrored, (width, width)).reshape(picture.size, -1)


if __name__ == "__main__":
    typer.run(main)
