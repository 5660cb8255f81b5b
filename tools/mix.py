"""The weights of a model between those of two others of one shape: `python tools/mix.py A B OUT`.

    python tools/mix.py en-de runs/en-de/model mixed --share 0.5

A model that was trained further on other texts gains there and forgets elsewhere; on the line
between its weights and those it began with lies one that does both (Wortsman et al. 2022, "Robust
Fine-Tuning of Zero-Shot Models", equation 1). OUT is a copy of B with those weights.
"""

import argparse
import shutil
from pathlib import Path

from safetensors import safe_open
from safetensors.torch import load_file, save_file

from regard.checkpoints import find_folder

WEIGHTS = "model.safetensors"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", metavar="A", help="a shipped model's name, or a folder")
    parser.add_argument("second", metavar="B", help="the one that was trained further")
    parser.add_argument("out", metavar="OUT", type=Path, help="the folder to write")
    parser.add_argument("--share", type=float, default=0.5, help="of the second, from 0 to 1")
    arguments = parser.parse_args()
    if not 0 <= arguments.share <= 1:
        parser.error(f"--share must be from 0 to 1; got {arguments.share}.")
    first, second = (find_folder(name) for name in (arguments.first, arguments.second))
    before, after = (load_file(folder / WEIGHTS) for folder in (first, second))
    shapes = [{name: weight.shape for name, weight in one.items()} for one in (before, after)]
    if shapes[0] != shapes[1]:
        parser.error(f"{first} and {second} must have weights of the same names and shapes.")
    shutil.copytree(second, arguments.out)
    with safe_open(second / WEIGHTS, "pt") as file:
        metadata = file.metadata()
    mixed = {
        name: (
            (1 - arguments.share) * before[name].float() + arguments.share * after[name].float()
        ).to(after[name].dtype)
        for name in after
    }
    save_file(mixed, arguments.out / WEIGHTS, metadata=metadata)
    print(f"{arguments.out}: {len(mixed)} weights")


if __name__ == "__main__":
    main()
