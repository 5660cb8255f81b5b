"""JoeyNMT's own training command in a process of its own, on the subwords regard trains on.

Some of the versions JoeyNMT 2.3 asks for are not to be had together with today's torch; it trains
in an environment made by

    pip install torch==2.13.0 importlib_metadata matplotlib packaging pandas pyyaml sacrebleu \\
        sacremoses sentencepiece subword-nmt tensorboard datasets setuptools==80.9.0
    pip install --no-deps joeynmt==2.3.0
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from regard.models import EncoderDecoderConfig
from regard.tasks.translation.data import TranslationData


class JoeyNMT:
    """`python -m joeynmt train` on a model of the given size.

    It cuts its own batches, of 4,096 padded tokens, from the same sentences in the same subwords.

    Args:
        python: an interpreter that has JoeyNMT 2.3.
        folder: made here, for its data, its configuration and its run.
    """

    def __init__(
        self,
        python: str,
        folder: Path,
        data: TranslationData,
        config: EncoderDecoderConfig,
        *,
        label_smoothing: float,
    ):
        self.python, self.folder, self.config = python, folder, config
        self.label_smoothing = label_smoothing
        self.version = ""  # known after the first run
        folder.mkdir()
        tokens = data.tokenizers.source.tokens
        (folder / "vocabulary").write_text("\n".join(tokens(range(config.vocab_size))), "utf-8")
        pairs = [data.train[index] for index in range(len(data.train))]
        for side, language in enumerate(("source", "target")):
            lines = [" ".join(tokens(pair[side].tolist())) + "\n" for pair in pairs]
            (folder / f"train.{language}").write_text("".join(lines), "utf-8")
            (folder / f"dev.{language}").write_text("".join(lines[:10]), "utf-8")

    def tokens_per_second(self, steps: int, *, threads: int) -> float:
        """Its own figure for `steps` updates, after as many that do not count.

        Raises:
            RuntimeError: it did not train; the message ends with what it said.
        """
        file = self.folder / "config.yaml"
        file.write_text(json.dumps(self._settings(steps)))  # JSON is YAML
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        command = [self.python, "-m", "joeynmt", "train", str(file), "--skip-test"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        log = done.stdout + done.stderr
        speeds = re.findall(r"Tokens per Sec: +([\d.]+)", done.stderr)
        if done.returncode or len(speeds) < 2:
            raise RuntimeError(f"{' '.join(command)} failed: {log[-1000:]}")
        self.version = (re.findall(r"Joey-NMT \(version ([\d.]+\d)", log) or [""])[0]
        return float(speeds[1])

    def _settings(self, steps: int) -> dict[str, Any]:
        size = self.config
        half = {
            "type": "transformer",
            "layer_norm": "pre",
            "num_layers": size.encoder_layers,
            "num_heads": size.encoder_heads,
            "hidden_size": size.d_model,
            "ff_size": size.d_ff,
            "dropout": size.dropout,
            "embeddings": {"embedding_dim": size.d_model, "scale": True, "dropout": size.dropout},
        }
        side = {"level": "word", "voc_file": str(self.folder / "vocabulary")}
        data = {name: str(self.folder / name) for name in ("train", "dev")}
        return {
            "name": "speed",
            "model_dir": str(self.folder / "run"),
            "use_cuda": False,
            "data": data | {"src": {"lang": "source"} | side, "trg": {"lang": "target"} | side},
            "model": {"tied_embeddings": True, "tied_softmax": True}
            | {"encoder": half, "decoder": half},
            "testing": {},
            "training": {
                "optimizer": "adamw",
                "adam_betas": [0.9, 0.98],
                "scheduling": "warmupinversesquareroot",
                "learning_rate": 1e-3,
                "learning_rate_warmup": 1000,
                "learning_rate_min": 0.0,  # it would stop below
                "clip_grad_norm": 1.0,
                "label_smoothing": self.label_smoothing,
                "normalization": "tokens",
                "batch_type": "token",
                "batch_size": 4096,
                "epochs": 1000,
                "updates": 2 * steps,
                "logging_freq": steps,
                "validation_freq": 1000 * steps,
                "overwrite": True,
            },
        }
