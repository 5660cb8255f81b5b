"""An image becomes a sequence of patches, row after row."""

import pytest
import torch

from regard import RegardError
from regard.models.layers import PatchEmbedding
from regard.models.positions import grid

BATCH, CHANNELS, D_MODEL = 2, 3, 8


def image(height: int = 6, width: int = 10) -> torch.Tensor:
    torch.manual_seed(3)
    return torch.randn(BATCH, CHANNELS, height, width)


def test_a_patch_is_its_pixels_projected() -> None:
    embed = PatchEmbedding((6, 10), (3, 2), CHANNELS, D_MODEL)
    output = embed(image())
    assert output.shape == (BATCH, 1 + 2 * 5, D_MODEL)
    patch = image()[1, :, 3:6, 8:10]  # the last of the second row
    expected = embed.patches.weight.flatten(1) @ patch.flatten() + embed.patches.bias
    torch.testing.assert_close(output[1, -1], expected + embed.positions[0, -1])
    assert embed.class_token is not None
    torch.testing.assert_close(output[1, 0], embed.class_token[0, 0] + embed.positions[0, 0])


def test_a_grid_stays_as_it_is_and_the_class_token_has_no_place_in_it() -> None:
    embed = PatchEmbedding((6, 10), 2, CHANNELS, D_MODEL, positions="grid")
    assert not embed.positions.requires_grad
    assert torch.equal(embed.positions[0, 1:], grid(3, 5, D_MODEL))
    assert (embed.positions[0, 0] == 0).all()
    without = PatchEmbedding(6, 2, CHANNELS, D_MODEL, positions="grid", class_token=False)
    assert torch.equal(without.positions[0], grid(3, 3, D_MODEL))
    assert without(image(6, 6)).shape == (BATCH, 9, D_MODEL)


def test_dropout_acts_on_the_sum() -> None:
    embed = PatchEmbedding(6, 2, CHANNELS, D_MODEL, dropout=0.5)
    kept, dropped = embed.eval()(image(6, 6)), embed.train()(image(6, 6))
    zeros = dropped == 0
    assert 0.3 < zeros.float().mean() < 0.7
    torch.testing.assert_close(dropped[~zeros], 2 * kept[~zeros])


def test_it_can_be_built_on_meta() -> None:
    with torch.device("meta"):
        assert PatchEmbedding(6, 2, CHANNELS, D_MODEL, positions="grid").positions.is_meta


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (dict(image_size=(6, 9), patch_size=2), "multiple of patch_size; got 6 × 9 and 2 × 2"),
        (dict(image_size=6, patch_size=2, positions="none"), "one of learned, grid; got 'none'"),
    ],
)
def test_what_cannot_be_is_refused(how: dict[str, object], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        PatchEmbedding(**how, channels=CHANNELS, d_model=D_MODEL)  # type: ignore[arg-type]


def test_an_image_of_another_size_is_refused() -> None:
    embed = PatchEmbedding((6, 10), 2, CHANNELS, D_MODEL)
    with pytest.raises(RegardError, match=r"\(3, 6, 10\) after batch; got \(2, 3, 10, 6\)"):
        embed(image(10, 6))
