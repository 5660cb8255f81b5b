"""Does regard write llama.cpp's tokens from the same GGUF file, and if not, why?

    python benchmarks/gguf_tokens.py --peers /path/to/python

A Llama of random weights is written twice, with matrices of Q8_0, and with the same numbers as F32:
what Q8_0 has rounded, dequantized. regard's native engine and llama.cpp, which the interpreter of
--peers has as llama-cpp-python, continue 40 random prompts greedily by 24 tokens from each file.
Printed are the texts that are equal, token for token. regard dequantizes Q8_0 to float32;
llama.cpp multiplies it with activations that it rounds to 8 bits, too; its cache is set to float32,
not float16, so that it rounds nothing else. If this rounding alone
makes the difference, all texts from F32 are equal, regard writes the same from both files, and
llama.cpp does not.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from regard.checkpoints import save_pretrained
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig, generate
from regard.models import Decoder, DecoderConfig

PEERS = Path(__file__).parent / "peers"
sys.path.insert(0, str(PEERS))
from gguf_models import converted  # noqa: E402

TEXTS, LENGTH, NEW, VOCAB = 40, 12, 24, 500
Texts = list[list[int]]


def model() -> Decoder:
    """Weights large enough for texts to differ."""
    torch.manual_seed(3)
    made = Decoder(
        DecoderConfig(
            VOCAB, d_model=256, num_layers=4, num_heads=8, num_key_heads=4, d_ff=512,
            norm_kind="rms", activation="silu", gated=True, positions="rotary", norm_eps=1e-5,
            feed_forward_bias=False, attention_bias=False, attention_output_bias=False,
            tied_output=False, max_positions=128,
        )
    )  # fmt: skip
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim == 2:
                weight.normal_(std=0.08)
    return made.eval()


def by_regard(file: Path, prompts: Texts) -> Texts:
    native, config = open_native(file), GenerationConfig(max_new_tokens=NEW, eos_token_id=[])
    ids = np.array(prompts)
    return [list(best[0].tokens) for best in generate(native.start(ids > -1), ids, config)]


def by_llamacpp(python: str, file: Path, prompts: Texts) -> Texts:
    command = [python, str(PEERS / "llamacpp_tokens.py"), str(file), str(NEW)]
    done = subprocess.run(
        command, input=json.dumps(prompts), capture_output=True, text=True, check=True
    )
    texts: Texts = json.loads(done.stdout)
    return texts


def equal(one: Sequence[object], other: Sequence[object]) -> str:
    same = sum(a == b for a, b in zip(one, other, strict=True))
    return f"{same} of {len(one)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", default=sys.executable, help="the interpreter with llama_cpp")
    python = parser.parse_args().peers
    question = [python, "-c", "import llama_cpp"]
    if shutil.which(python) is None or subprocess.run(question, capture_output=True).returncode:
        parser.exit(0, f"{parser.prog} needs llama-cpp-python, which {python} lacks.\n")
    draw = np.random.default_rng(7)
    prompts: Texts = draw.integers(3, VOCAB, (TEXTS, LENGTH)).tolist()
    with tempfile.TemporaryDirectory() as folder:
        save_pretrained(model(), folder)
        files = [converted(Path(folder), "Q8_0"), converted(Path(folder), "Q8_0", "F32")]
        ours = [by_regard(file, prompts) for file in files]
        theirs = [by_llamacpp(python, file, prompts) for file in files]
    assert len({tuple(text) for text in ours[0]}) > TEXTS / 2  # what is written follows the prompt
    print(f"{'the same tokens':42} texts")
    for what, one, other in (
        ("regard and llama.cpp, from Q8_0", ours[0], theirs[0]),
        ("regard and llama.cpp, from the same in F32", ours[1], theirs[1]),
        ("regard, from Q8_0 and from F32", *ours),
        ("llama.cpp, from Q8_0 and from F32", *theirs),
    ):
        print(f"{what:42} {equal(one, other)}")


if __name__ == "__main__":
    main()
