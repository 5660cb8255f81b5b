"""The tokenizer files that model folders hold: which there are, and a tokenizer from each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from regard.errors import DamagedFileError, NotFoundError, refusing
from regard.json_files import JsonFiles
from regard.text.layouts import marian_backend, sentencepiece_backend, surround

SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model")
NAMES = ("pad", "eos", "unk", "bos", "cls", "sep", "mask")  # tokenizer_config.json adds _token

_BERT = {
    "pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]",
}  # fmt: skip
_ROBERTA = {
    "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "bos": "<s>", "cls": "<s>", "sep": "</s>",
    "mask": "<mask>",
}  # fmt: skip
_GPT2 = {"eos": "<|endoftext|>", "bos": "<|endoftext|>", "unk": "<|endoftext|>"}
_QWEN2 = {"eos": "<|endoftext|>", "pad": "<|endoftext|>"}
_SENTENCEPIECE = {"pad": "<pad>", "eos": "</s>", "unk": "<unk>"}
_LLAMA = {"bos": "<s>", "eos": "</s>", "unk": "<unk>"}
_USUAL = {
    "llama": _LLAMA, "mistral": _LLAMA,
    "xlmroberta": _ROBERTA, "mbart": _ROBERTA, "mbart50": _ROBERTA,
}  # fmt: skip
_LIKE_ROBERTA = ("roberta", "bart")
_QWEN2_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True)
class TokenizerFiles:
    """Contents of a folder's tokenizer files."""

    backend: tokenizers.Tokenizer
    special: dict[str, str] = field(default_factory=dict)  # "pad" → "<pad>"; see NAMES
    settings: dict[str, Any] = field(default_factory=dict)  # tokenizer_config.json, chat_template


def open_files(
    path: Path, *, side: str = "source", files: JsonFiles | None = None
) -> TokenizerFiles:
    """The tokenizer in a folder, from whichever files hold it, or of a tokenizer.json.

    Args:
        side: "source" or "target", of a folder with one for each (Marian's).
        files: the folder's JSON, if some of it has been read already.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    files = files or JsonFiles(file.parent)
    with refusing(f"the tokenizer in {file.parent} is malformed"):
        return _open(path, file, side, files)


def _open(path: Path, file: Path, side: str, files: JsonFiles) -> TokenizerFiles:
    folder = file.parent
    settings = dict(files.get("tokenizer_config.json", {}))
    if (folder / "chat_template.jinja").is_file():  # comes before the one in the settings
        with refusing(f"{folder / 'chat_template.jinja'} is not UTF-8"):
            template = (folder / "chat_template.jinja").read_text(encoding="utf-8")
        settings["chat_template"] = template
    usual: dict[str, str] = {}
    if file.is_file():
        backend = _read_tokenizer_json(file)
    elif not path.is_dir():
        raise NotFoundError(
            f"expected a tokenizer at {path}, which does not exist: "
            "give a tokenizer.json or a model folder that holds one"
        )
    else:
        backend, usual = _build(folder, _kind(files, settings), settings, side)
        _add_tokens(backend, settings)
    return TokenizerFiles(backend, _special(files, settings, backend, usual), settings)


def _read_tokenizer_json(file: Path) -> tokenizers.Tokenizer:
    problem = f"expected {file} to be a tokenizer.json of the tokenizers library, but it cannot"
    with _refusing_library(f"{problem} be read", "copy it or train it again"):
        return tokenizers.Tokenizer.from_file(str(file))


@contextmanager
def _refusing_library(problem: str, remedy: str) -> Iterator[None]:
    """Raise DamagedFileError for bare Exceptions of the tokenizers library, and for its panics."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DamagedFileError(f"{problem} ({error}): {remedy}") from error


def _build(
    folder: Path, kind: str, settings: Mapping[str, Any], side: str
) -> tuple[tokenizers.Tokenizer, dict[str, str]]:
    """The tokenizer, and what its special tokens are called unless the folder says otherwise."""
    if (folder / f"{side}.spm").is_file():
        separate = folder / "target_vocab.json"
        vocab = separate if side == "target" and separate.is_file() else folder / "vocab.json"
        return marian_backend(folder / f"{side}.spm", vocab), _SENTENCEPIECE
    for name in SENTENCEPIECE:
        if (folder / name).is_file():
            backend = sentencepiece_backend(folder / name, kind, settings)
            return backend, _USUAL.get(kind, _SENTENCEPIECE)
    if (folder / "vocab.txt").is_file():
        return _wordpiece(folder / "vocab.txt", settings), _BERT
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return _byte_level(folder, kind, settings)
    raise NotFoundError(
        f"expected a tokenizer at {folder / 'tokenizer.json'}, which does not exist (nor does"
        f" vocab.txt, vocab.json with merges.txt, or {', '.join(SENTENCEPIECE)}): "
        "give a tokenizer.json or a model folder that holds one"
    )


def _wordpiece(file: Path, settings: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """BERT's tokenizer (Devlin et al. 2019): one piece a line."""
    try:
        # str.splitlines would also cut at other separators, which are pieces of some vocabularies.
        pieces = file.read_text(encoding="utf-8").replace("\r\n", "\n").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"expected {file} to be UTF-8, but it is not ({error}). Copy it again."
        ) from error
    vocab = {piece: id_ for id_, piece in enumerate(pieces)}
    backend = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=settings.get("do_lower_case", True),
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.add_special_tokens([token for token in _BERT.values() if token in vocab])
    surround(backend, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    return backend


def _byte_level(
    folder: Path, kind: str, settings: Mapping[str, Any]
) -> tuple[tokenizers.Tokenizer, dict[str, str]]:
    """Byte-pair encoding over bytes, as in GPT-2 (Radford et al. 2019), RoBERTa, BART, Qwen2."""
    problem = f"expected vocab.json and merges.txt in {folder} to be a byte-pair encoding, but"
    with _refusing_library(f"{problem} they are not", "copy them again"):
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    backend = tokenizers.Tokenizer(model)
    space = bool(settings.get("add_prefix_space", False))
    bytes_: pre_tokenizers.PreTokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
    usual = _GPT2
    if kind == "qwen2":
        backend.normalizer = normalizers.NFC()
        words = pre_tokenizers.Split(Regex(_QWEN2_WORDS), behavior="isolated")
        bytes_ = pre_tokenizers.Sequence(
            [words, pre_tokenizers.ByteLevel(add_prefix_space=space, use_regex=False)]
        )
        usual = _QWEN2
    backend.pre_tokenizer, backend.decoder = bytes_, decoders.ByteLevel()
    if kind in _LIKE_ROBERTA:
        usual = _ROBERTA
        surround(backend, "<s> $A </s>", "<s> $A </s> </s> $B </s>")
    special = {token for token in usual.values() if backend.token_to_id(token) is not None}
    backend.add_special_tokens(
        # RoBERTa's mask takes the space before it along, as a word would.
        [AddedToken(t, normalized=False, lstrip=t == "<mask>") for t in sorted(special)]
    )
    return backend, usual


def _add_tokens(backend: tokenizers.Tokenizer, settings: Mapping[str, Any]) -> None:
    """Tokens that a folder without tokenizer.json adds behind its vocabulary."""
    added = settings.get("added_tokens_decoder")
    for id_, entry in sorted((added or {}).items(), key=lambda item: int(item[0])):
        rules = ("single_word", "lstrip", "rstrip", "normalized")
        token = AddedToken(entry["content"], **{name: entry.get(name, False) for name in rules})
        add = backend.add_special_tokens if entry.get("special") else backend.add_tokens
        add([token])
        if backend.token_to_id(entry["content"]) != int(id_):
            raise DamagedFileError(
                f"tokenizer_config.json gives {entry['content']!r} the id {id_}, but in the"
                f" vocabulary it is {backend.token_to_id(entry['content'])}: copy the tokenizer's"
                " files again"
            )


def _special(
    files: JsonFiles,
    settings: Mapping[str, Any],
    backend: tokenizers.Tokenizer,
    usual: Mapping[str, str],
) -> dict[str, str]:
    """The names of the special tokens in the folder's files; else the usual ones it has."""
    stated = {**files.get("special_tokens_map.json", {}), **settings}
    lone = not stated and not usual  # a tokenizer.json and nothing else
    special = {
        name: token
        for names in ((_SENTENCEPIECE, _BERT, _GPT2)[::-1] if lone else (usual,))
        for name, token in names.items()
        if backend.token_to_id(token) is not None
    }
    for name in NAMES:
        token = stated.get(f"{name}_token", ...)
        if isinstance(token, dict):  # older files store the token with its stripping rules
            token = token.get("content")
        if token is None:
            special.pop(name, None)
        elif token is not ...:
            special[name] = str(token)
    return special


def _kind(files: JsonFiles, settings: Mapping[str, Any]) -> str:
    """The family: "bert", "t5", "mbart50", …, by the tokenizer's class, else by the model's."""
    name = str(settings.get("tokenizer_class") or "").removesuffix("Fast")
    if name in ("", "PreTrainedTokenizer", "TokenizersBackend"):
        name = str(files.get("config.json", {}).get("model_type") or "")
    return name.removesuffix("Tokenizer").lower().replace("-", "").replace("_", "")
