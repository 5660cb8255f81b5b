# python examples/intro_method_noise.py --output .
"""Method noise: what a denoiser removes. The less of the photograph is in it, the better.

Removed from a photograph with noise, it should look like the noise: white, so that one pixel says
nothing of the next and the correlation of neighbors is 0. Removed from the photograph without
noise, it should be little (Buades, Coll and Morel 2005). A local mean removes edges, which run
over many pixels.

It needs `pip install matplotlib scikit-image`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.lib.stride_tricks import sliding_window_view
from skimage.data import camera

from regard import attend
from regard.attention import Score, gaussian
from regard.figures.images import images
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
SIZE, NOISE, PATCH, REACH, BANDWIDTH = 128, 0.1, 2, 6, 0.42  # as in 05_non_local_means.py


def around(picture: np.ndarray, reach: int) -> np.ndarray:
    """(height, width) → (pixels, (2 · reach + 1)²): each pixel's surroundings."""
    mirrored, width = np.pad(picture, reach, mode="reflect"), 2 * reach + 1
    return sliding_window_view(mirrored, (width, width)).reshape(picture.size, -1)


def denoise(picture: np.ndarray, score: str | Score, reach: int) -> np.ndarray:
    """(height, width) → the same, every pixel an average of those up to `reach` away."""
    patches, pixels = around(picture, PATCH), picture.ravel()
    places = around(np.arange(picture.size).reshape(picture.shape), reach)
    parts = [slice(first, first + 256) for first in range(0, picture.size, 256)]
    rows = [
        attend(patches[part, None], patches[near], pixels[near][..., None], score=score)
        for part, near in ((part, places[part]) for part in parts)
    ]
    return np.concatenate(rows).reshape(picture.shape)


def removed(picture: np.ndarray) -> dict[str, np.ndarray]:
    """What each way takes from a (height, width) picture."""
    pixels = picture.astype(np.float32)
    kept = {f"mean of {2 * r + 1} × {2 * r + 1}": denoise(pixels, "average", r) for r in (1, 3)}
    kept["non-local means"] = denoise(pixels, gaussian(BANDWIDTH), REACH)
    return {name: pixels - result for name, result in kept.items()}


def neighbors(noise: np.ndarray) -> float:
    """The correlation of each pixel with the one to its right."""
    return float(np.corrcoef(noise[:, :-1].ravel(), noise[:, 1:].ravel())[0, 1])


def main(output: Folder = None) -> dict[str, float]:
    photograph = camera()[64 : 64 + SIZE, 160 : 160 + SIZE] / 255.0
    noise = NOISE * np.random.default_rng(0).normal(size=photograph.shape)
    clean, noisy = removed(photograph), {"the noise itself": noise} | removed(photograph + noise)
    numbers: dict[str, float] = {}
    print("what is removed    of the photograph alone   with noise   neighbors correlate")
    for name, part in noisy.items():
        numbers[f"noisy {name}"], numbers[f"neighbors {name}"] = float(part.std()), neighbors(part)
        numbers[f"clean {name}"] = float(clean[name].std()) if name in clean else 0.0
        row = (numbers[f"{kind} {name}"] for kind in ("clean", "noisy", "neighbors"))
        print(f"{name:18} {next(row):23.3f} {next(row):12.3f} {next(row):21.3f}")
    if output:
        save(images(noisy, scale="difference"), output / "intro_method_noise.svg")
    return numbers


if __name__ == "__main__":
    typer.run(main)
