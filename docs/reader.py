"""The files and models that the pages take the reader to have: small ones, of the same names, so
that docs/commands.py can run the commands that name them.

Texts are made here from a few words; models are the shipped ones, or trained on those texts for
three steps. What they print is of no use, so none of it is on a page.
"""

import csv
import itertools
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from regard import from_pretrained, train
from regard.checkpoints import find_folder, save_pretrained
from regard.models import (
    DualEncoder,
    DualEncoderConfig,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    SpeechEncoderDecoder,
    VisionConfig,
    speech_preset,
)
from regard.tasks.images.preparation import Preparation, write_preparation
from regard.text import TokenizerPair
from regard.text.sentencepiece import read_sentencepiece

TESTS = Path(__file__).parents[1] / "tests"
sys.path.append(str(TESTS))
from fixtures.ctranslate2 import write_folder  # noqa: E402 - a folder above is not a package

STEPS = 3
FEW = 20  # one in so many, for what an untrained model is scored on
NOUNS = {
    "house": "Haus", "station": "Bahnhof", "river": "Fluss", "garden": "Garten",
    "bridge": "Brücke", "market": "Markt", "school": "Schule", "train": "Zug",
}  # fmt: skip
ADJECTIVES = {
    "small": "klein", "old": "alt", "new": "neu", "quiet": "still", "large": "groß",
    "beautiful": "schön", "far": "fern", "empty": "leer",
}  # fmt: skip
PLACES = {"here": "hier", "today": "heute", "again": "wieder", "there": "dort"}
PAIRS = [
    (f"The {noun} is {adjective} {place}.", f"{german} {ADJECTIVES[adjective]} {PLACES[place]}.")
    for (noun, german), adjective, place in itertools.product(NOUNS.items(), ADJECTIVES, PLACES)
] + [
    (f"{name} sees the {noun} {place}.", f"{name} sieht {german} {PLACES[place]}.")
    for name, (noun, german), place in itertools.product(("Tom", "Mary"), NOUNS.items(), PLACES)
]
TEXTS = [first for first, _ in PAIRS]
# Of shipped models, for those of the same kind.
LIKE = {
    "sentences": ["path/to/a/model", "path/to/encoder", "path/to/minilm"],
    "emotions": ["path/to/bert"],
    "digits": ["path/to/vit"],
    "shakespeare": ["path/to/gpt2", "openai-community/gpt2"],
    "en-de": ["path/to/bart", "path/to/a/translator"],
}
CHAT = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"


def make(folder: Path) -> None:
    """Puts all of them into an empty folder."""
    _texts(folder)
    _pictures(folder)
    for shipped, names in LIKE.items():
        for name in names:
            shutil.copytree(find_folder(shipped), folder / name)
    _chat(folder / "path" / "to" / "llama")
    _gguf(folder / "path" / "to" / "llama.gguf")
    _ctranslate2(folder / "path" / "to")
    _clip(folder / "path" / "to" / "clip")
    _whisper(folder / "path" / "to" / "whisper")
    _sounds(folder)
    _trained(folder)


def limited(text: str) -> str:
    """A command line whose trainings take a few steps, and `regard ladder` a few seconds; a port
    that only some may open is any free one, and the reader's cluster and hub are this machine."""
    text = re.sub(r" --max-(steps|minutes) \S+", "", text)
    text = re.sub(r"regard train [a-z-]+", rf"\g<0> --max-steps {STEPS}", text)
    text = text.replace("--port 80", "--port 0")
    text = text.replace("hub:Helsinki-NLP/opus-mt-en-de", "path/to/a/translator")
    text = text.replace("--address ray-head:6379 --workers 64", "--address local --workers 2")
    return text.replace("regard ladder", "regard ladder --max-minutes 0.1")


PRELUDE = f"""\
import functools, regard
unlimited = regard.train
def train(*arguments, max_minutes=None, **options):
    return unlimited(*arguments, **options, max_steps={STEPS})
regard.train = train
"""


def _texts(folder: Path) -> None:
    for name in ("pairs", "talks", "captions", "en-de", "en-hi"):
        _rows(folder / f"{name}.tsv", PAIRS)
    for name in ("test", "more"):
        _rows(folder / f"{name}.tsv", PAIRS[::FEW])
    sources = [f'[[source]]\npairs = "{name}.tsv"\n' for name in ("talks", "captions")]
    _lines(folder / "sources.toml", sources)
    _rows(folder / "pairs.csv", [("text", "pair"), *PAIRS])
    reviews = [
        (text, "joy" if "beautiful" in text or "new" in text else "neutral") for text in TEXTS
    ]
    for name in ("reviews", "more"):
        _rows(folder / f"{name}.csv", [("text", "label"), *reviews])
    documents = [
        {"document": " ".join(TEXTS[start : start + 4]), "summary": TEXTS[start]}
        for start in range(0, len(TEXTS), 2)
    ]
    for name in ("reports", "papers"):
        _lines(folder / f"{name}.jsonl", map(json.dumps, documents))
    _lines(folder / "more.jsonl", map(json.dumps, documents[::FEW]))
    _lines(folder / "texts.jsonl", (json.dumps({"text": text}) for text in TEXTS))
    _lines(folder / "sentences.jsonl", (json.dumps({"text": text}) for text in TEXTS[::FEW]))
    for name in ("new", "articles", "lines", "texts", "guide", "comments"):
        _lines(folder / f"{name}.txt", TEXTS[:4])
    (folder / "texts").mkdir()
    for name in ("book", "another-book", "input", "mytext", "texts/one"):
        _lines(folder / f"{name}.txt", TEXTS * 8)
    for name in ("squad", "questions", "more"):
        (folder / f"{name}.json").write_text(json.dumps({"data": list(_articles())}))
    labels = dict.fromkeys(NOUNS, "B-THING") | dict.fromkeys(PLACES, "B-PLACE")
    words = [
        f"{word}\t{labels.get(word.rstrip('.'), 'O')}"
        for text in TEXTS
        for word in (*text.split(), "")
    ]
    for name in ("names", "more"):  # an empty line ends a sentence
        _lines(folder / f"{name}.conll", (word.removeprefix("\tO") for word in words))
    _table(folder / "parts" / "one.parquet", {"id": range(4), "sentence": TEXTS[:4]})
    known = [word for word in (*NOUNS, *PLACES) if word != "station"]  # a page adds this one
    vectors = [f"{word} {' '.join(str(len(word) / k) for k in (3, 5, 7))}" for word in known]
    _lines(folder / "glove.6B.100d.txt", [*vectors, "king 1 2 3", "queen 1 2 2.5"])
    _rows(folder / "senses.tsv", _senses())
    (folder / "key.txt").write_text("a key of the reader's\n")


def _senses() -> list[tuple[str, ...]]:
    """The nouns in two senses each, in CoarseWSD-20's form."""
    return [
        (noun, "train", "1", f"{noun}_{adjective in ('old', 'new')}", f"the {noun} is {adjective}")
        for noun, adjective, _ in itertools.product(NOUNS, ADJECTIVES, range(30))
    ]


def _table(path: Path, columns: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir()
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def _articles() -> Iterator[dict[str, Any]]:
    for noun in NOUNS:
        context = " ".join(text for text in TEXTS if f" {noun} " in text)
        answers = [
            (f"How is the {noun} {place}?", f"{adjective} {place}")
            for adjective, place in itertools.product(ADJECTIVES, PLACES)
        ]
        questions = [
            {"id": f"{noun}-{k}", "question": question,
             "answers": [{"text": answer, "answer_start": context.index(answer)}]}
            for k, (question, answer) in enumerate(answers)
        ]  # fmt: skip
        yield {"title": noun, "paragraphs": [{"context": context, "qas": questions}]}


def _pictures(folder: Path) -> None:
    from PIL import Image, ImageDraw

    def drawn(path: Path, shape: str, size: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        image = Image.new("RGB", (64, 64), "white")
        box = (32 - size, 32 - size, 32 + size, 32 + size)
        getattr(ImageDraw.Draw(image), shape)(box, fill="black")
        image.save(path)

    for place in ("photos", "pictures", "more-pictures"):
        for shape in ("ellipse", "rectangle"):
            for size in range(2, 32):
                drawn(folder / place / shape / f"{size}.png", shape, size)
    for name in ("new.png", "cat.png", "folder-of-new-pictures/one.png"):
        drawn(folder / name, "ellipse", 20)
    for name, place in (("photos", "photos"), ("more-photos", "more-pictures")):
        files = [
            (f"{place}/{shape}/{size}.png", f"a black {noun}")
            for shape, noun in (("ellipse", "circle"), ("rectangle", "square"))
            for size in range(2, 32)
        ]
        _rows(folder / f"{name}.csv", [("image", "text"), *files])


def _sounds(folder: Path) -> None:
    import soundfile

    _lines(folder / "files.txt", ["talk.wav"])
    numbers = np.random.default_rng(0)
    for name, count in (("talk", 1), ("recordings", 12), ("more-recordings", 4)):
        files = [f"{name}.wav" if count == 1 else f"{name}-{k}.wav" for k in range(count)]
        for file in files:
            soundfile.write(folder / file, numbers.normal(0, 0.1, 8000), 16000)
        if count > 1:
            _rows(folder / f"{name}.tsv", [("sound", "text"), *zip(files, TEXTS, strict=False)])


CLIP_TEXT: dict[str, Any] = dict(
    token_types=None, norm_first=True, embedding_norm=False, causal=True, pooling="end",
    activation="quick_gelu", norm_eps=1e-5, max_positions=77, dropout=0.0, pad_id=None,
)  # fmt: skip


def _chat(folder: Path) -> None:
    shutil.copytree(find_folder("shakespeare"), folder)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"chat_template": CHAT}))


def _gguf(file: Path) -> None:
    """A random model of one layer, which spells in bytes."""
    import gguf

    width, tokens = 32, ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(width)
    writer.add_block_count(1)
    writer.add_head_count(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3, *[6] * 256])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    layer = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    shapes = {f"blk.0.{name}": (width, width) for name in layer}
    norms = ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm")
    shapes |= {"token_embd": (len(tokens), width), **dict.fromkeys(norms, (width,))}
    numbers = np.random.default_rng(0)
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", numbers.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _ctranslate2(folder: Path) -> None:
    """The shipped translator in CTranslate2's format, and a random one as a package of Argos."""
    model, tokenizer = from_pretrained("en-de"), TokenizerPair.load(find_folder("en-de")).source
    ids = tokenizer.backend.get_vocab()
    start = {"decoder_start_token": "<pad>"}
    write_folder(folder / "ct2", model, sorted(ids, key=ids.__getitem__), "int8", settings=start)
    tokenizer.save(folder / "ct2")
    sentencepiece = TESTS / "text" / "sentencepiece" / "unigram.model"
    tokens = ["<s>", *(piece for piece, _ in read_sentencepiece(sentencepiece).pieces)]
    sizes = dict(d_model=32, d_ff=64, encoder_layers=1, decoder_layers=1, max_positions=64)
    random = EncoderDecoder(EncoderDecoderConfig(len(tokens), **sizes))
    with zipfile.ZipFile(folder / "en_de.argosmodel", "w") as package:
        for file in write_folder(folder / "argos", random, tokens).iterdir():
            package.write(file, f"en_de/model/{file.name}")
        package.write(sentencepiece, "en_de/sentencepiece.model")
        package.writestr("en_de/metadata.json", '{"from_code": "en", "to_code": "de"}')


def _clip(folder: Path) -> None:
    """A random model of images and texts, which reads texts as the encoder of sentences does."""
    shared: dict[str, Any] = dict(d_model=32, d_ff=64, num_layers=1, num_heads=2, head="embedding")
    tokenizer = TokenizerPair.load(find_folder("sentences")).source
    text = EncoderConfig(
        tokenizer.vocab_size, **shared, **CLIP_TEXT, end_id=tokenizer.eos_id,
        projection=16, projection_bias=False,
    )  # fmt: skip
    image = VisionConfig(
        (32, 32), (8, 8), **shared, activation="quick_gelu", norm_eps=1e-5, patch_bias=False,
        embedding_norm=True, projection=16, projection_bias=False,
    )  # fmt: skip
    save_pretrained(DualEncoder(DualEncoderConfig(text, image)), folder)
    tokenizer.save(folder)
    write_preparation(Preparation((32, 32)), folder)


def _whisper(folder: Path) -> None:
    """A random model of windows of one second; the names of its signs are any tokens."""
    tokenizer = TokenizerPair.load(find_folder("sentences")).source
    size = tokenizer.vocab_size
    model = SpeechEncoderDecoder(
        speech_preset(
            "tiny", size, d_model=32, d_ff=64, encoder_heads=2, decoder_heads=2, mel_bins=8,
            source_positions=50, max_positions=64, pad_id=0, eos_id=1, start_id=2,
        )
    )  # fmt: skip
    save_pretrained(model, folder)
    tokenizer.save(folder)
    sounds = {"feature_size": 8, "chunk_length": 1}
    (folder / "preprocessor_config.json").write_text(json.dumps(sounds))
    signs = {
        "lang_to_id": {"<|de|>": size - 60, "<|en|>": size - 59}, "max_length": 20,
        "task_to_id": {"transcribe": size - 58, "translate": size - 57},
        "no_timestamps_token_id": size - 52,
    }  # fmt: skip
    (folder / "generation_config.json").write_text(json.dumps(signs))


def _trained(folder: Path) -> None:
    """Models of kinds that are not shipped."""
    entailed = [
        {"text": text, "second": second, "label": label}
        for text, second in itertools.pairwise(TEXTS)
        for label in ("entailment", "neutral", "contradiction")
    ]
    data = folder / "entailment.jsonl"
    _lines(data, map(json.dumps, entailed))
    encoder = find_folder("sentences")
    for task, file, name, options in (
        ("classification", data, "path/to/bart-mnli", {"pair": "second", "base_model": encoder}),
        ("question-answering", folder / "squad.json", "path/to/squad", {"base_model": encoder}),
        ("classification", folder / "reviews.csv", "runs/other", {"base_model": encoder}),
    ):
        run = folder / name
        train(task, file, run, max_steps=STEPS, **options)
        if not name.startswith("runs"):
            shutil.move(run / "model", folder / "moved")
            shutil.rmtree(run)
            shutil.move(folder / "moved", run)


def _rows(path: Path, rows: list[tuple[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows(rows)


def _lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
