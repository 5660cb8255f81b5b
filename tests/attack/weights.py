"""One number of one weight is NaN or infinity: refused by the weight's name, by each engine."""

import random
import shutil
from pathlib import Path
from typing import Any

import regard
from attack.forks import Row, scratch
from regard.checkpoints.hub import find_folder
from regard.engine.native.library import PRECISIONS
from regard.errors import DamagedFileError
from regard.json_files import safetensors_entries

MODELS = ("en-de", "emotions", "minilm", "answers", "digits", "shakespeare")
WAYS = (*PRECISIONS[:3], "torch")
# The bits of NaN and of both infinities, and a number's bytes; float8 has no infinity.
BITS = {
    "F32": ((0x7FC00000, 0x7F800001, 0x7F800000, 0xFF800000), 4),
    "BF16": ((0x7FC0, 0x7F81, 0x7F80, 0xFF80), 2),
    "F8_E4M3": ((0x7F, 0xFF), 1),
}


def bad_numbers(name: str, tries: int, seed: int) -> Row:
    """Damages a number and opens the model, so often and for each way to run it."""
    row, chance = Row(f"NaN or infinity in a weight: {name}"), random.Random(seed)
    with scratch() as folder:
        copied = Path(shutil.copytree(find_folder(name), folder / name))
        file = copied / "model.safetensors"
        entries, start = safetensors_entries(memoryview(file.read_bytes()))
        for _ in range(tries):
            weight = chance.choice(sorted(entries))
            bits, size = BITS[entries[weight]["dtype"]]
            first, end = (start + place for place in entries[weight]["data_offsets"])
            place = chance.randrange(first, end, size)
            number = chance.choice(bits).to_bytes(size, "little")
            before = _exchanged(file, place, number)
            task = regard.load(copied)  # most of the time; the weights are read by each way
            for way in WAYS:
                row.tries += 1
                said = _opened(task, way)
                row.expect(weight in said and "NaN or infinity" in said, f"{weight}, {way}: {said}")
            _exchanged(file, place, before)
    return row


def _opened(task: Any, way: str) -> str:
    """What is said of a model that is opened to run."""
    try:
        if way == "torch":
            task.run_by("torch").model.eval()
        else:
            task.run_by("native", precision=way)
    except DamagedFileError as error:
        return str(error)
    return "opened"


def _exchanged(file: Path, place: int, content: bytes) -> bytes:
    """Write bytes at a place, and return those that were there."""
    with file.open("r+b") as opened:
        opened.seek(place)
        before = opened.read(len(content))
        opened.seek(place)
        opened.write(content)
    return before
