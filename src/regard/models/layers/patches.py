"""Images as sequences: each square patch is a token (Dosovitskiy et al. 2021, equation 1)."""

import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError, unknown
from regard.models.layers.dropout import Dropout
from regard.models.positions import grid

Size = int | tuple[int, int]


class PatchEmbedding(nn.Module):
    """dropout(norm([class token, patches · W + b] + position)).

    >>> embed = PatchEmbedding(image_size=28, patch_size=7, channels=1, d_model=64)
    >>> embed(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 17, 64])

    Args:
        image_size: height and width in pixels, or one number for both.
        patch_size: likewise, of one patch; must divide the image.
        channels: of the image, such as 3 for red, green and blue.
        d_model: width of a patch's vector.
        class_token: whether a learned vector precedes the patches; heads read its state.
        positions: "learned", or "grid" for sinusoids of row and column, which are not trained.
        bias: whether the projection of patches has one.
        norm: a normalization of the sum, before dropout.
        dropout: probability of zeroing an element of the sum.

    Raises:
        BadArgumentError: the patches do not fill the image, or unknown positions.
    """

    def __init__(
        self,
        image_size: Size,
        patch_size: Size,
        channels: int,
        d_model: int,
        *,
        class_token: bool = True,
        positions: str = "learned",
        bias: bool = True,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.image_size, self.patch_size = _pair(image_size), _pair(patch_size)
        (height, width), (rows, columns) = self.image_size, self.patch_size
        if height % rows or width % columns:
            raise BadArgumentError(
                f"image_size must be a multiple of patch_size; got {height} × {width}"
                f" and {rows} × {columns}."
            )
        if positions not in ("learned", "grid"):
            raise unknown("positions", positions, ("learned", "grid"))
        self.grid = (height // rows, width // columns)
        self.patches = nn.Conv2d(
            channels, d_model, self.patch_size, stride=self.patch_size, bias=bias
        )
        self.class_token = nn.Parameter(torch.empty(1, 1, d_model)) if class_token else None
        length = self.grid[0] * self.grid[1] + class_token
        self.positions = nn.Parameter(
            torch.empty(1, length, d_model), requires_grad=positions == "learned"
        )
        self.norm = nn.Identity() if norm is None else norm
        self.dropout = Dropout(dropout)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Return normal with deviation 0.02; grid positions are sinusoids, and 0 for the class
        token."""
        if self.positions.is_meta:
            return
        if self.class_token is not None:
            nn.init.normal_(self.class_token, std=0.02)
        if self.positions.requires_grad:
            nn.init.normal_(self.positions, std=0.02)
        else:
            codes = grid(*self.grid, self.positions.shape[-1])
            self.positions.zero_()[:, -len(codes) :] = codes

    def forward(self, pixels: Tensor) -> Tensor:
        """(batch, channels, height, width) → (batch, length, d_model), the class token
        first, then the patches row by row."""
        if tuple(pixels.shape[1:]) != (self.patches.in_channels, *self.image_size):
            expected = (self.patches.in_channels, *self.image_size)
            raise BadArgumentError(
                f"pixels must be (batch, channels, height, width) with {expected} after batch;"
                f" got {tuple(pixels.shape)}. Resize the images."
            )
        embedded = self.patches(pixels).flatten(2).mT  # (batch, patches, d_model)
        if self.class_token is not None:
            embedded = torch.cat([self.class_token.expand(len(pixels), -1, -1), embedded], dim=1)
        return self.dropout(self.norm(embedded + self.positions))


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else size
