"""Small models to attack: a translator, and one of each other task after a step of training."""

import json
import re
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import regard
from fixtures.tasks import OPTIONS, write_data
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.tasks.translation.task import Translator
from regard.text import TokenizerPair, train_pair

LATER_LAYER = re.compile(r"\.layers?\.[1-9][0-9]*\.")
TEXT = "the dog sees a house"
TEMPLATE = """\
{% if messages[0].role == 'system' %}{% set first = messages[0].content|trim %}{% endif %}
{%- for message in messages %}{% if loop.index0 % 2 == 3 %}{{ raise_exception('turns') }}{% endif %}
<|{{ message.role }}|>{{ message['content'].strip() }}{{ eos_token }}{% endfor %}
{% if add_generation_prompt %}{{ '<|assistant|>' }}{{ first is defined }}{% endif %}
"""


@cache
def small_translator() -> tuple[Translator, TokenizerPair]:
    pair = train_pair([(f"{TEXT} {k}.", f"der Hund sieht ein Haus {k}.") for k in range(5)])
    torch.manual_seed(1)
    config = EncoderDecoderConfig(
        pair.source.vocab_size, d_model=8, d_ff=8, encoder_layers=1, decoder_layers=1,
        encoder_heads=2, decoder_heads=2, max_positions=30,
    )  # fmt: skip
    return Translator(EncoderDecoder(config).eval(), pair, name="small"), pair


@cache
def small_model(task: str) -> Path:
    """The folder of a model that was trained for a step."""
    _folders.append(tempfile.TemporaryDirectory())
    folder = Path(_folders[-1].name)
    if task == "translation":
        small_translator()[0].save(folder / "small")
        return folder / "small"
    settings = {"max_steps": 1, "warmup": 0, "precision": "fp32", "average": 1}
    flags = iter(OPTIONS[task].split())
    for flag, value in zip(flags, flags, strict=True):
        name = flag.removeprefix("--").replace("-", "_")
        settings[name] = json.loads(value) if value[0].isdigit() else value
    with redirect_stdout(StringIO()), warnings.catch_warnings(action="ignore"):  # it learned little
        regard.train(task, write_data(task, folder), folder / "run", **settings)
    _keep_one_layer(folder / "run" / "model")
    return folder / "run" / "model"


def _keep_one_layer(model: Path) -> None:
    """A model is built and read in a third of the time so."""
    config = json.loads((model / "config.json").read_text())
    if "num_hidden_layers" in config:
        config["num_hidden_layers"] = 1
        (model / "config.json").write_text(json.dumps(config, indent=2))
        tensors = load_file(model / "model.safetensors")
        kept = {name: each for name, each in tensors.items() if not LATER_LAYER.search(name)}
        save_file(kept, model / "model.safetensors", metadata={"format": "pt"})


_folders: list[tempfile.TemporaryDirectory[str]] = []
if sys.platform != "win32":
    torch.set_num_threads(1)
