"""A model with eight bits for each number of its matrices, which take half of bfloat16's room.

    python tools/shrink.py FOLDER OUTPUT

The numbers are rounded to float8, with four bits of exponent and three of fraction (Micikevicius et
al. 2022, E4M3); vectors stay as they are. Every other file is copied.
"""

import argparse
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

NAME = "model.safetensors"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    if not (options.folder / "config.json").is_file():
        parser.error(f"there is no model in {options.folder}")
    if options.output.exists():
        parser.error(f"{options.output} exists; give a new folder")
    shutil.copytree(options.folder, options.output)
    weights = load_file(options.output / NAME)
    small = {
        name: x.to(torch.float8_e4m3fn) if x.ndim == 2 else x.to(torch.bfloat16)
        for name, x in weights.items()
    }
    save_file(small, options.output / NAME, metadata={"format": "pt"})
    (options.output / NAME).chmod(0o644)
    square = sum(((small[name].float() - x.float()) ** 2).sum() for name, x in weights.items())
    whole = sum((x.float() ** 2).sum() for x in weights.values())
    size = (options.output / NAME).stat().st_size
    print(f"{size:,} bytes; the error is {(square / whole) ** 0.5:.2%} of the weights")


if __name__ == "__main__":
    main()
