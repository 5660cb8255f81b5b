"""A made-up language pair, a translator that has begun to learn it, and a finished run."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.nn import functional

import regard
from regard.data import collate
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.tasks.translation import Translator
from regard.text import TokenizerPair, train_pair

WORDS = {
    "the": "das", "old": "alte", "red": "rote", "house": "haus", "dog": "hund", "sees": "sieht",
    "likes": "mag", "a": "ein", "small": "kleines", "tree": "baum", "and": "und", "child": "kind",
}  # fmt: skip
VOCAB = 376
Pairs = list[tuple[str, str]]


@pytest.fixture(scope="session")
def made_up() -> Callable[[int], Pairs]:
    """Different sentences of two to seven words, translated word by word."""

    def make(count: int) -> Pairs:
        draw = random.Random(count)
        pairs: dict[str, str] = {}
        while len(pairs) < count:
            words = draw.choices(list(WORDS), k=draw.randrange(2, 8))
            pairs[" ".join(words) + "."] = " ".join(WORDS[word] for word in words) + "."
        return list(pairs.items())

    return make


@pytest.fixture(scope="session")
def write() -> Callable[[Path, Pairs], Path]:
    """Writes pairs as a file of tab-separated lines."""

    def make(path: Path, pairs: Pairs) -> Path:
        lines = (f"{source}\t{target}\n" for source, target in pairs)
        path.write_text("".join(lines), encoding="utf-8")
        return path

    return make


@pytest.fixture(scope="session")
def tokenizers(made_up: Callable[[int], Pairs]) -> TokenizerPair:
    return train_pair(made_up(200), vocab_size=VOCAB)


@pytest.fixture(scope="session")
def untrained() -> Callable[..., Translator]:
    """Makes small translators of random weights, whose decoding goes on to its limit."""

    def make(tokenizers: TokenizerPair, **changes: object) -> Translator:
        settings = dict(
            vocab_size=tokenizers.source.vocab_size, d_model=32, d_ff=24, encoder_layers=1,
            decoder_layers=2, encoder_heads=2, decoder_heads=2, max_positions=64, norm="pre",
            dropout=0.0, pad_id=tokenizers.target.pad_id, eos_id=tokenizers.target.eos_id,
            start_id=tokenizers.target.pad_id,
        )  # fmt: skip
        torch.manual_seed(31)
        config = EncoderDecoderConfig(**(settings | changes))  # type: ignore[arg-type]
        return Translator(EncoderDecoder(config).eval(), tokenizers, name="untrained")

    return make


@pytest.fixture(scope="session")
def translator(
    tokenizers: TokenizerPair, untrained: Callable[..., Translator], made_up: Callable[[int], Pairs]
) -> Translator:
    """The same after a second of training: it ends its sentences, and they differ."""
    trained = untrained(tokenizers)
    model, pairs = trained.model, made_up(640)
    ids = {"pad_id": model.config.pad_id, "eos_id": model.config.eos_id}
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for start in range(0, len(pairs), 8):
        sources, targets = zip(*pairs[start : start + 8], strict=True)
        encode = tokenizers.source.encode_batch
        batch = collate(encode(list(sources)), encode(list(targets)), **ids)
        logits = model(batch.source, batch.target).flatten(0, 1)
        loss = functional.cross_entropy(logits, batch.target.flatten(), ignore_index=ids["pad_id"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return trained


@pytest.fixture(scope="session")
def run_folder(
    tmp_path_factory: pytest.TempPathFactory,
    made_up: Callable[[int], Pairs],
    write: Callable[[Path, Pairs], Path],
) -> Path:
    """A finished run of three steps, by the public face."""
    folder = tmp_path_factory.mktemp("trained")
    output = folder / "run"
    translator = regard.train(
        "translation", write(folder / "pairs.tsv", made_up(300)), output, max_steps=3,
        vocab_size=VOCAB, max_tokens=128, dev_sentences=1, max_length=60, precision="bf16",
        source_language="en", target_language="de", license="cc0-1.0", data_note="made up",
    )  # fmt: skip
    assert isinstance(translator, Translator)
    return output
