"""Pixels as the text of a PNG, which a page shows; needs no other package."""

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def png_text(pixels: NDArray[np.uint8]) -> str:
    """Write an image, (height, width, channels) with 1 or 3 channels, as data:image/png;base64,…"""
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, -1)
    filtered = np.hstack([np.zeros((height, 1), np.uint8), rows])  # a row's first byte: no filter
    head = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(filtered.tobytes(), 9)), (b"IEND", b""))
    file = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )
    return f"data:image/png;base64,{base64.b64encode(file).decode('ascii')}"
