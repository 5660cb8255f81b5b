"""A made-up language pair, a translator that has begun to learn it, and a finished run; and small
encoder–decoders of transformers."""

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tokenizers as library
import torch
from tokenizers import decoders, models, pre_tokenizers, trainers
from torch.nn import functional

import regard
from regard.data import pad
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.tasks.translation import Translator
from regard.text import TokenizerPair, train_pair
from regard.text.sentencepiece import read_sentencepiece

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
        source, target = (pad(encode(list(side)), **ids)[0] for side in (sources, targets))
        logits = model(source, target).flatten(0, 1)
        loss = functional.cross_entropy(logits, target.flatten(), ignore_index=ids["pad_id"])
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


SENTENCEPIECE = Path(__file__).parents[1] / "text" / "sentencepiece"
# What SentencePiece's own library makes of each text, with the ids of the model's file.
EXPECTED = {
    name: {case["text"]: case["ids"] for case in cases if case["ids"]}
    for name, cases in json.loads((SENTENCEPIECE / "expected.json").read_text("utf-8")).items()
}
TEXTS = ["A man is looking at the dog.", "two  hats ", "12 dogs ☃☃ end", "the <sep> man"]
EN, DE = 68, 67  # mBART's languages behind 4 special tokens and 61 pieces
SIZES: dict[str, Any] = dict(
    d_model=18, encoder_layers=2, decoder_layers=1, encoder_attention_heads=3,
    decoder_attention_heads=2, encoder_ffn_dim=23, decoder_ffn_dim=23, max_position_embeddings=37,
    scale_embedding=True,
)  # fmt: skip


@dataclass
class Foreign:
    """A checkpoint: theirs in memory, and the folder it is saved in."""

    model: Any
    folder: Path
    ids: Callable[[str], list[int]]  # of a text, as their tokenizer has them

    def generate(self, ids: list[int], **options: Any) -> list[int]:
        """What they generate, without what the decoder starts from."""
        row = self.model.generate(torch.tensor([ids]), **options)[0]
        return [int(id_) for id_ in row[1:]]


@pytest.fixture(scope="session")
def foreign() -> Callable[..., Foreign]:
    """Makes small encoder–decoders of transformers, of random weights, in their families' files."""
    return make_foreign


def make_foreign(family: str, folder: Path, **settings: Any) -> Foreign:
    """A checkpoint of "marian", "pegasus", "bart", "mbart", "mbart50" or "t5".

    Args:
        settings: more keys of config.json.
    """
    folder.mkdir(exist_ok=True)
    vocab, special, ids = _FILES[family](folder)
    transformers = pytest.importorskip("transformers")
    name = _NAMES[family]
    sizes = _T5 if family == "t5" else SIZES
    config = getattr(transformers, f"{name}Config")(vocab_size=vocab, **sizes, **special)
    head = "MTModel" if family == "marian" else "ForConditionalGeneration"
    torch.manual_seed(3 if family == "bart" else 11)  # with which different texts differ
    model = getattr(transformers, f"{name}{head}")(config).eval()
    with torch.no_grad():
        for path, parameter in model.named_parameters():
            if "embed_positions" not in path or family in ("bart", "mbart", "mbart50"):
                # What is looked at in the source weighs most, so that texts differ.
                strength = 1.5 if "encoder_attn" in path else 0.25
                parameter += strength * torch.randn_like(parameter)
        if family != "t5":
            model.final_logits_bias.normal_()
            model.final_logits_bias[0, special["eos_token_id"]] = 3.0  # some end, some are cut
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(content | settings))
    return Foreign(model, folder, ids)


_NAMES = {
    "marian": "Marian", "pegasus": "Pegasus", "bart": "Bart", "mbart": "MBart", "mbart50": "MBart",
    "t5": "T5",
}  # fmt: skip
_T5: dict[str, Any] = dict(d_model=18, d_kv=5, d_ff=23, num_layers=2, num_heads=3)
Made = tuple[int, dict[str, Any], Callable[[str], list[int]]]


def _special(pad: int, eos: int, start: int, **more: Any) -> dict[str, Any]:
    ids = {"pad_token_id": pad, "eos_token_id": eos, "decoder_start_token_id": start}
    return ids | {"bos_token_id": None, "forced_eos_token_id": None} | more


def _marian(folder: Path) -> Made:
    for side in ("source", "target"):
        shutil.copy(SENTENCEPIECE / "unigram.model", folder / f"{side}.spm")
    pieces = [piece for piece, _ in read_sentencepiece(SENTENCEPIECE / "unigram.model").pieces]
    order = [*pieces[1:], "<pad>"]  # the file's first piece is <pad>, Marian's last
    (folder / "vocab.json").write_text(json.dumps({piece: k for k, piece in enumerate(order)}))
    special = _special(pad=63, eos=0, start=63)
    return 64, special, lambda text: [id_ - 1 for id_ in EXPECTED["unigram"][text]] + [0]


def _pegasus(folder: Path) -> Made:
    shutil.copy(SENTENCEPIECE / "unigram.model", folder / "spiece.model")
    special = _special(pad=0, eos=1, start=0)
    return 167, special, lambda text: [id_ + 103 for id_ in EXPECTED["unigram"][text]] + [1]


def _t5(folder: Path) -> Made:
    shutil.copy(SENTENCEPIECE / "unigram.model", folder / "spiece.model")
    special = dict(pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    return 164, special, lambda text: [*EXPECTED["unigram"][text], 1]


def _bart(folder: Path) -> Made:
    backend = library.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=290, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
    )  # fmt: skip
    backend.train_from_iterator(TEXTS * 3, trainer)
    backend.model.save(str(folder))
    theirs = pytest.importorskip("transformers").BartTokenizer.from_pretrained(folder)
    special = _special(pad=1, eos=2, start=2)
    return len(theirs), special, lambda text: list(theirs(text).input_ids)


def _mbart(folder: Path, *, fifty: bool = False) -> Made:
    shutil.copy(SENTENCEPIECE / "fairseq.model", folder / "sentencepiece.bpe.model")
    kind = "MBart50Tokenizer" if fifty else "MBartTokenizer"
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))

    def ids(text: str) -> list[int]:
        own = [id_ + 1 if id_ > 2 else 3 for id_ in EXPECTED["fairseq"][text]]
        return [EN, *own, 2] if fifty else [*own, 2, EN]

    return 118 if fifty else 91, _special(pad=1, eos=2, start=2), ids


_FILES: dict[str, Callable[[Path], Made]] = {
    "marian": _marian,
    "pegasus": _pegasus,
    "t5": _t5,
    "bart": _bart,
    "mbart": _mbart,
    "mbart50": lambda folder: _mbart(folder, fifty=True),
}
