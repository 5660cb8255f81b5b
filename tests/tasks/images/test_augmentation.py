"""Augmentation moves, rotates, enlarges and mirrors images, the same way for the same step."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from regard.tasks.images.batches import Augmentation

HEIGHT, WIDTH = 11, 7


def images(count: int = 5) -> torch.Tensor:
    draw = np.random.default_rng(3)
    return torch.from_numpy(draw.integers(0, 256, (count, HEIGHT, WIDTH, 2), np.uint8))


def test_without_any_change_the_images_stay_as_they_are() -> None:
    assert torch.equal(Augmentation()(images(), 1, 2), images().float())


def test_a_batch_is_a_function_of_seed_and_step() -> None:
    change = Augmentation(shift=0.1, rotate=10, scale=0.1, flip=True)
    first = change(images(), 1, 2)
    torch.manual_seed(99)
    assert torch.equal(first, change(images(), 1, 2))
    assert not torch.equal(first, change(images(), 1, 3))
    assert not torch.equal(first, change(images(), 2, 2))


@pytest.mark.parametrize("change", ["shift", "rotate", "scale", "flip"])
def test_each_change_alone_changes_images(change: str) -> None:
    value = {"shift": 0.2, "rotate": 20.0, "scale": 0.2, "flip": True}[change]
    changed = Augmentation(**{change: value})(images(), 1, 2)
    assert changed.shape == images().shape
    assert not torch.equal(changed, images().float())


def test_flipping_mirrors_some_images_and_leaves_the_others() -> None:
    before = images(40).float()
    after = Augmentation(flip=True)(images(40), 1, 2)
    same = [torch.allclose(a, b, atol=1e-2) for a, b in zip(before, after, strict=True)]
    mirrored = [torch.allclose(a, b.flip(1), atol=1e-2) for a, b in zip(before, after, strict=True)]
    assert all(a != b for a, b in zip(same, mirrored, strict=True))
    assert 10 < sum(mirrored) < 30


def test_a_rotation_keeps_distances_in_an_image_that_is_not_square() -> None:
    change = Augmentation(rotate=90)
    ratio = HEIGHT / WIDTH
    for row in change.maps(20, ratio, 1, 2):
        right = row[:, :2] @ torch.tensor([1 / WIDTH, 0.0])  # half a pixel to the right
        down = row[:, :2] @ torch.tensor([0.0, 1 / HEIGHT])
        pixels = torch.tensor([WIDTH, HEIGHT]).float()
        assert (right * pixels).norm() == pytest.approx(1, abs=1e-5)
        assert (down * pixels).norm() == pytest.approx(1, abs=1e-5)
        assert (right * pixels) @ (down * pixels) == pytest.approx(0, abs=1e-5)


def test_what_moves_in_is_black_and_shifts_are_at_most_as_far_as_asked() -> None:
    white = torch.full((200, 10, 10, 1), 255, dtype=torch.uint8)
    moved = Augmentation(shift=0.2)(white, 1, 2)
    assert moved[:, 2:8, 2:8].gt(254.9).all()
    assert moved[:, 0].lt(1).any()
    maps = Augmentation(shift=0.2).maps(200, 1.0, 1, 2)
    pixels = maps[:, :, 2] * 5  # −1 to 1 are ten pixels
    assert 1.8 < pixels.abs().max() <= 2


def test_a_whole_pixel_of_shift_is_a_shift_by_one_pixel() -> None:
    pixels = images().permute(0, 3, 1, 2).float()
    one = torch.tensor([[[1.0, 0, 2 / WIDTH], [0, 1, 0]]]).expand(5, 2, 3)
    grid = functional.affine_grid(one, list(pixels.shape), align_corners=False)
    moved = functional.grid_sample(pixels, grid, align_corners=False)
    torch.testing.assert_close(moved[..., :-1], pixels[..., 1:], atol=1e-2, rtol=0)
