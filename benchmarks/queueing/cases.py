"""What is measured and simulated: models, with what is asked of them."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAIRS = Path(__file__).parents[3] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
SAMPLE = 300  # texts


@dataclass(frozen=True)
class Case:
    """A model and what is asked of it.

    Args:
        place: what is given to `regard serve`, or the name of a model with random weights.
        route: of /run.
        options: of each request.
        read, new: tokens that a random model reads and writes; None: a shipped one, and sentences.
        most: characters of a sentence that are sent.
    """

    place: str
    route: str
    options: dict[str, Any] = field(default_factory=dict)
    read: int | None = None
    new: int = 1
    most: int | None = None

    def texts(self) -> list[str]:
        """The sample of texts, which is always the same."""
        draw = random.Random(1)
        if self.read is not None:
            many = 32
            return [
                " ".join(f"t{draw.randrange(3, 20000)}" for _ in range(self.read))
                for _ in range(many)
            ]
        lines = PAIRS.read_text(encoding="utf-8").splitlines()
        texts = list(dict.fromkeys(line.split("\t")[0] for line in lines))
        return [text[: self.most] for text in draw.sample(texts, SAMPLE)]

    @property
    def path(self) -> str:
        return f"/run/{self.route}"

    def bodies(self) -> list[bytes]:
        """What clients send."""
        return [json.dumps({"text": text} | self.options).encode() for text in self.texts()]


SHIPPED = {
    "en-de, greedy": Case("en-de", "translate", {"num_beams": 1}),
    "en-de, 5 beams": Case("en-de", "translate", {"num_beams": 5}),
    "en-hi, greedy": Case("en-hi", "translate", {"num_beams": 1}),
    "en-hi, 5 beams": Case("en-hi", "translate", {"num_beams": 5}),
    "shakespeare": Case("shakespeare", "generate", most=24),
    "sentences": Case("sentences", "encode"),
    "emotions": Case("emotions", "classify"),
}

# Random weights have the speed of trained ones; what is read and written has a fixed length.
PUBLISHED = {
    "Transformer base": Case(
        "marian", "translate", {"num_beams": 1, "max_new_tokens": 24}, read=24, new=24
    ),
    "Transformer big": Case(
        "big", "translate", {"num_beams": 1, "max_new_tokens": 24}, read=24, new=24
    ),
    "GPT-2 124M": Case(
        "gpt2", "generate", {"do_sample": False, "max_new_tokens": 64}, read=64, new=64
    ),
    "BERT-base": Case("bert", "encode", read=126),
    "Llama-3.2-1B": Case(
        "llama", "generate", {"do_sample": False, "max_new_tokens": 64}, read=64, new=64
    ),
}
