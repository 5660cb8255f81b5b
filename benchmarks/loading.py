"""Peak memory of loading a checkpoint, above what importing torch takes, beside transformers.

    python benchmarks/loading.py

A checkpoint of about 500 MB is made in a temporary folder. Each figure is of a new process: its
peak resident memory when the model is there, and when every weight has also been read once; of
both, what the process had before it loaded is taken off. Both load fp32, as it was saved.
"""

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

# Resident memory, in bytes: now, and the highest so far since the process began.
MEASURE = """
import sys, time
def now():
    lines = open("/proc/self/status").read().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if "kB" in line}
"""
LOADERS = {
    "regard": (
        "import torch, regard.checkpoints as c, regard.models",
        "model = c.from_pretrained(folder)",
    ),
    "transformers": (
        "import torch, transformers; from transformers import MarianMTModel",
        "model = MarianMTModel.from_pretrained(folder)",
    ),
}


def peak(imports: str, load: str, folder: Path) -> tuple[float, float, float]:
    """Megabytes at the peak of loading, and of reading every weight; seconds of loading."""
    program = f"""{MEASURE}
{imports}
folder = sys.argv[1]
before, started = now()["VmRSS"], time.perf_counter()
{load}
seconds, loaded = time.perf_counter() - started, now()["VmHWM"]
with torch.no_grad():
    total = sum(float(weight.sum()) for weight in model.parameters())
print(loaded - before, now()["VmHWM"] - before, seconds)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{load} failed: {done.stderr.strip()}")
    loaded, read, seconds = map(float, done.stdout.split()[-3:])
    return loaded / 1e6, read / 1e6, seconds


def make(folder: Path, megabytes: int, kind: str) -> int:
    """Writes a Marian checkpoint of about that size and gives its bytes."""
    import torch

    from regard.checkpoints import save_pretrained
    from regard.models import EncoderDecoder, EncoderDecoderConfig

    width = 512
    table, both = 32_000 * width * 4, 29_400_000  # bytes; of two layers
    count = max(1, round((megabytes * 1e6 - table) / both))
    config = EncoderDecoderConfig(
        32_000, d_model=width, encoder_layers=count, decoder_layers=count, activation="swish"
    )
    save_pretrained(EncoderDecoder(config), folder)
    file = folder / "model.safetensors"
    if kind == "bin":
        from safetensors.torch import load_file

        torch.save(load_file(file), folder / "pytorch_model.bin")
        file.unlink()
        file = folder / "pytorch_model.bin"
    return file.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=500, help="size of the checkpoint")
    arguments = parser.parse_args()
    if not Path("/proc/self/status").exists():
        parser.exit(0, f"{parser.prog} reads memory from /proc, which is missing on this system.\n")
    print(f"{'':34}{'peak, MB':>10}{'of size':>9}{'all read':>10}{'of size':>9}{'seconds':>9}")
    for kind in ("safetensors", "bin"):
        with tempfile.TemporaryDirectory() as name:
            size = make(Path(name), arguments.megabytes, kind) / 1e6
            for loader, (imports, load) in LOADERS.items():
                if not find_spec(loader):
                    print(f"{loader} was not measured: it is not installed.")
                    continue
                loaded, read, seconds = peak(imports, load, Path(name))
                print(
                    f"{f'{loader}, {kind} of {size:.0f} MB':34}{loaded:>10.0f}"
                    f"{loaded / size:>9.2f}{read:>10.0f}{read / size:>9.2f}{seconds:>9.2f}"
                )


if __name__ == "__main__":
    main()
