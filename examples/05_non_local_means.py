"""Non-local means: pixels are similar if their surroundings are (Buades, Coll and Morel 2005).

The same Gaussian similarity, but query and key are no longer places: each is a patch of the
picture, 5 × 5 numbers, and the value is its middle. Content decides what is averaged with what,
which is the step from smoothing to attention.
"""

from pathlib import Path

import numpy as np
import torch
from command import Numbers, run
from skimage.data import camera
from skimage.metrics import peak_signal_noise_ratio, structural_similarity
from skimage.restoration import denoise_nl_means
from torch import Tensor
from torch.nn.functional import pad, unfold

from regard import attend
from regard.attention import Score, gaussian
from regard.figures.images import images
from regard.figures.style import save

SIZE, NOISE = 128, 0.1  # pixels of the photograph's part, and the noise's deviation; white is 1
PATCH, REACH = 2, 6  # pixels to each side: of a patch, and of where like patches are looked for
BANDWIDTH = 0.42  # of a distance over 25 pixels
ROWS = 256  # queries at a time: their keys then fit in the cache


def main(output: Path | None = None) -> Numbers:
    photograph = camera()[64 : 64 + SIZE, 160 : 160 + SIZE] / 255.0
    noisy = photograph + NOISE * np.random.default_rng(0).normal(size=photograph.shape)
    picture = torch.tensor(noisy, dtype=torch.float32)

    means = {2 * r + 1: denoise(picture, "average", r).numpy() for r in (1, 2, 3)}
    best = max(means, key=lambda width: psnr(photograph, means[width]))
    options = dict(patch_size=2 * PATCH + 1, patch_distance=REACH, sigma=NOISE)
    results = {
        "noisy": noisy,
        f"local mean of {best} × {best}": means[best],
        "non-local means by attend": denoise(picture, gaussian(BANDWIDTH), REACH).numpy(),
        "scikit-image's": denoise_nl_means(noisy, h=0.8 * NOISE, fast_mode=True, **options),
    }
    numbers: Numbers = {}
    for short, (name, result) in zip(
        ("noisy", "mean", "ours", "theirs"), results.items(), strict=True
    ):
        similarity = structural_similarity(photograph, result, data_range=1.0)
        numbers |= {f"psnr_{short}": psnr(photograph, result), f"ssim_{short}": float(similarity)}
        print(f"{name:26} PSNR {numbers[f'psnr_{short}']:5.2f} dB   SSIM {similarity:.3f}")
    if output:
        pictures = {f"{SIZE} × {SIZE} of the photograph": photograph} | results
        save(images(pictures), output / "05_non_local_means.svg")
    return numbers


def denoise(picture: Tensor, score: str | Score, reach: int) -> Tensor:
    """(height, width) → the same, every pixel an average of those up to `reach` away."""
    patches, pixels = around(picture, PATCH), picture.flatten()
    places = around(torch.arange(len(pixels), dtype=torch.float32).view_as(picture), reach).long()
    rows = []
    for query, near in zip(patches.split(ROWS), places.split(ROWS), strict=True):
        key, value = patches[near], pixels[near][..., None]  # (rows, keys, 25) and (rows, keys, 1)
        rows.append(attend(query[:, None], key, value, score=score))
    return torch.cat(rows).view_as(picture)


def around(picture: Tensor, reach: int) -> Tensor:
    """(height, width) → (pixels, (2 · reach + 1)²): each pixel's surroundings."""
    mirrored = pad(picture[None, None], (reach,) * 4, mode="reflect")
    return unfold(mirrored, 2 * reach + 1)[0].T.contiguous()


def psnr(photograph: np.ndarray, result: np.ndarray) -> float:
    return float(peak_signal_noise_ratio(photograph, result, data_range=1.0))


if __name__ == "__main__":
    run(main)
