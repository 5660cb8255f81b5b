"""Peak memory of loading a checkpoint, above what importing torch takes, beside transformers.

    python benchmarks/loading.py

A checkpoint of about 500 MB is made in a temporary folder. Each figure is of a new process: its
peak resident memory when the model is there, and when every weight has also been read once; of
both, what the process had before it loaded is taken off. Both load fp32, as it was saved.
Then GGUF files of a Llama of random blocks, with as many bytes: the native engine packs them and
reads eight tokens, in fp32; torch has all weights dequantized. What a file of F32 would have is
printed beside them.
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
READ = "total = sum(float(weight.sum()) for weight in model.parameters())"
NATIVE = (
    "import numpy as np, torch, regard.checkpoints.gguf, gguf\n"
    "from regard.engine.native.loading import open_native",
    "model = open_native(folder)",
    "model.start(np.ones((1, 8), bool)).step(np.arange(8)[None])",
)
TORCH = (
    "import torch, gguf, regard.checkpoints as c, regard.models",
    "model = c.from_pretrained(folder)",
    READ,
)
LOADERS = {
    "regard": (
        "import torch, regard.checkpoints as c, regard.models",
        "model = c.from_pretrained(folder)",
        READ,
    ),
    "transformers": (
        "import torch, transformers; from transformers import MarianMTModel",
        "model = MarianMTModel.from_pretrained(folder)",
        READ,
    ),
}


def peak(imports: str, load: str, read: str, folder: Path) -> tuple[float, float, float]:
    """Megabytes at the peak of loading, and of reading every weight; seconds of loading."""
    program = f"""{MEASURE}
{imports}
folder = sys.argv[1]
before, started = now()["VmRSS"], time.perf_counter()
{load}
seconds, loaded = time.perf_counter() - started, now()["VmHWM"]
with torch.no_grad():
    {read}
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


def blocks(folder: Path, megabytes: int, kind: str) -> tuple[Path, int]:
    """Writes a GGUF file of about that size, and gives it and the number of its weights."""
    import gguf
    import numpy as np

    width, inner, heads, key_heads, vocab = 2048, 5632, 32, 8, 32_000
    type = gguf.GGMLQuantizationType[kind]
    numbers, size = gguf.GGML_QUANT_SIZES[type]
    layer = {
        "attn_q": (width, width), "attn_k": (width * key_heads // heads, width),
        "attn_v": (width * key_heads // heads, width), "attn_output": (width, width),
        "ffn_gate": (inner, width), "ffn_up": (inner, width), "ffn_down": (width, inner),
    }  # fmt: skip
    of_layer = sum(rows * columns for rows, columns in layer.values())
    count = max(1, round((megabytes * 1e6 / size * numbers - 2 * vocab * width) / of_layer))
    shapes = {"token_embd": (vocab, width), "output": (vocab, width)}
    shapes |= {f"blk.{n}.{name}": shape for n in range(count) for name, shape in layer.items()}
    vectors = [f"blk.{n}.{name}" for n in range(count) for name in ("attn_norm", "ffn_norm")]
    writer = gguf.GGUFWriter(folder / "model.gguf", "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(width)
    writer.add_block_count(count)
    writer.add_head_count(heads)
    writer.add_head_count_kv(key_heads)
    writer.add_feed_forward_length(inner)
    writer.add_layer_norm_rms_eps(1e-5)
    draw, scale = np.random.default_rng(1), np.array([1e-3], np.float16).view(np.uint8)
    for name, (rows, columns) in shapes.items():
        data = draw.integers(0, 256, (rows, columns // numbers, size), np.uint8)
        for place in {"Q4_K": (0, 2), "Q6_K": (208,)}.get(kind, (0,)):
            data[..., place : place + 2] = scale
        writer.add_tensor(f"{name}.weight", data.reshape(rows, -1), raw_dtype=type)
    for name in [*vectors, "output_norm"]:
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return folder / "model.gguf", sum(rows * columns for rows, columns in shapes.values())


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
            for loader, program in LOADERS.items():
                if not find_spec(loader):
                    print(f"{loader} was not measured: it is not installed.")
                    continue
                show(f"{loader}, {kind}", program, Path(name), size)
    for kind in ("Q8_0", "Q6_K", "Q4_K", "Q4_0"):
        with tempfile.TemporaryDirectory() as name:
            file, weights = blocks(Path(name), arguments.megabytes, kind)
            for engine, program in (("native", NATIVE), ("torch", TORCH)):
                show(f"{engine}, {kind}", program, file, file.stat().st_size / 1e6)
            print(f"{f'the same in F32: {weights * 4 / 1e6:.0f} MB':34}")


def show(what: str, program: tuple[str, str, str], path: Path, size: float) -> None:
    loaded, read, seconds = peak(*program, path)
    print(
        f"{f'{what} of {size:.0f} MB':34}{loaded:>10.0f}"
        f"{loaded / size:>9.2f}{read:>10.0f}{read / size:>9.2f}{seconds:>9.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
