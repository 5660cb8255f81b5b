"""A subword tokenizer: text to token ids and back, and which ids make up which word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import tokenizers

from regard.errors import RegardError

PAD, EOS, UNK = "<pad>", "</s>", "<unk>"
WORD_START = "▁"  # stands for the space before a word, as in SentencePiece


class Word(NamedTuple):
    """A word between spaces and the positions of its pieces in the list of ids."""

    text: str
    indices: list[int]


class Piece(NamedTuple):
    """One subword of a text: `text[start:end]` is what it covers, `word` its word's number.

    Each of the bytes that spell one character covers that character.
    """

    id: int
    text: str
    word: int | None  # None: a surplus space, which belongs to no word
    start: int
    end: int


class Tokenizer:
    """A thin class over `tokenizers.Tokenizer` that knows padding, end of sentence and words.

    `encode` adds no special tokens, and never reads one out of the text: a user's "</s>" is four
    characters. `decode(encode(text))` is the text in NFC without outer spaces.
    """

    def __init__(
        self, backend: tokenizers.Tokenizer, *, pad: str = PAD, eos: str = EOS, unk: str = UNK
    ) -> None:
        self.backend = backend
        self.pad_token, self.eos_token, self.unk_token = pad, eos, unk
        self.pad_id, self.eos_id, self.unk_id = (self._special_id(t) for t in (pad, eos, unk))
        self.vocab_size = backend.get_vocab_size(with_added_tokens=True)
        backend.encode_special_tokens = True  # not stored in tokenizer.json, so set at every load
        backend.no_padding()  # a file from elsewhere may ask for padding, or for a silent cut
        backend.no_truncation()

    def encode(self, text: str) -> list[int]:
        """Token ids of one text, without special tokens."""
        ids: list[int] = self.backend.encode(text, add_special_tokens=False).ids
        return ids

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of many texts, on all cores (`TOKENIZERS_PARALLELISM=0` for one)."""
        # The fast call leaves out the offsets, which only `pieces` needs.
        batch = self.backend.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in batch]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token ids; special tokens are left out."""
        text: str = self.backend.decode(self._checked(ids), skip_special_tokens=True)
        return text

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The piece of each id; `▁` marks the start of a word."""
        return [self.backend.id_to_token(i) or self.unk_token for i in self._checked(ids)]

    def words(self, ids: Iterable[int]) -> list[Word]:
        """The words that ids spell, each with the positions of its pieces; specials are in none.

        Works for ids that a model generated, which never were a text.
        """
        ids = list(ids)
        spelled = [(self.decode(ids[i] for i in group), group) for group in self._groups(ids)]
        return [Word(text.strip(), group) for text, group in spelled if text.strip()]

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text with their word's number and the characters they cover."""
        encoding = self.backend.encode(text, add_special_tokens=False)
        word_of = {
            index: number
            for number, word in enumerate(self.words(encoding.ids))
            for index in word.indices
        }
        found = []
        for index, (id_, token) in enumerate(zip(encoding.ids, encoding.tokens, strict=True)):
            start, end = encoding.offsets[index]
            while start < end and text[start] == " ":  # the space that `▁` stands for
                start += 1
            if token == WORD_START:  # the library gives the first one the letter behind it
                end = start
            found.append(Piece(id_, token, word_of.get(index), start, end))
        return found

    def save(self, folder: str | Path, *, name: str = "tokenizer.json") -> None:
        """Write tokenizer.json and the two small files with which transformers opens it."""
        folder = Path(folder)
        special = {
            "pad_token": self.pad_token,
            "eos_token": self.eos_token,
            "unk_token": self.unk_token,
        }
        config = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": False,
            **special,
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(self.backend.to_str(pretty=True), encoding="utf-8")
            if name == "tokenizer.json":
                _write_json(folder / "tokenizer_config.json", config)
                _write_json(folder / "special_tokens_map.json", special)
        except OSError as error:
            raise RegardError(
                f"the tokenizer cannot be saved in {folder} ({error.strerror}): free space there, "
                "or name a folder that may be written to"
            ) from error

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Open a tokenizer.json, or the folder that holds one."""
        path = Path(path)
        file = path / "tokenizer.json" if path.is_dir() else path
        if not file.is_file():
            raise RegardError(
                f"expected a tokenizer at {file}, which does not exist: "
                "give a tokenizer.json or a model folder that holds one"
            )
        try:
            backend = tokenizers.Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises bare Exception
            raise RegardError(
                f"expected {file} to be a tokenizer.json of the tokenizers library, but it cannot "
                f"be read ({error}): copy it again or train it anew"
            ) from error
        return cls(backend, **_special_names(file.parent))

    def _groups(self, ids: list[int]) -> list[list[int]]:
        """Positions of ids, cut before every piece that starts a word; specials left out."""
        special = {self.pad_id, self.eos_id}
        groups: list[list[int]] = []
        for index, (id_, token) in enumerate(zip(ids, self.tokens(ids), strict=True)):
            if id_ in special:
                continue
            if not groups or token.startswith(WORD_START):
                groups.append([])
            groups[-1].append(index)
        return groups

    def _checked(self, ids: Iterable[int]) -> list[int]:
        ids = [int(i) for i in ids]
        for id_ in ids:
            if not 0 <= id_ < self.vocab_size:
                raise RegardError(
                    f"token ids must be from 0 to {self.vocab_size - 1}; got {id_}: "
                    "the ids were made with another tokenizer"
                )
        return ids

    def _special_id(self, token: str) -> int:
        id_ = self.backend.token_to_id(token)
        if id_ is None:
            raise RegardError(
                f"expected the tokenizer to have the special token {token!r}, but it has none of "
                "that name: name its own in tokenizer_config.json or train a tokenizer with regard"
            )
        return int(id_)


@dataclass(frozen=True)
class TokenizerPair:
    """The tokenizers of the two sides; one and the same object when the vocabulary is joint."""

    source: Tokenizer
    target: Tokenizer

    @property
    def joint(self) -> bool:
        return self.source is self.target

    def save(self, folder: str | Path) -> None:
        """Write tokenizer.json, and target_tokenizer.json where the target has its own."""
        self.source.save(folder)
        target = Path(folder) / "target_tokenizer.json"
        if self.joint:
            target.unlink(missing_ok=True)  # left by an earlier, separate pair
        else:
            self.target.save(folder, name=target.name)

    @classmethod
    def load(cls, folder: str | Path) -> TokenizerPair:
        """Open the tokenizer or the two tokenizers of a model folder."""
        source = Tokenizer.load(folder)
        target = Path(folder) / "target_tokenizer.json"
        return cls(source, Tokenizer.load(target) if target.is_file() else source)


def _special_names(folder: Path) -> dict[str, str]:
    """What tokenizer_config.json calls the special tokens; empty where there is no such file."""
    file = folder / "tokenizer_config.json"
    if not file.is_file():
        return {}
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RegardError(f"expected {file} to be JSON, but it is not ({error})") from error
    names: dict[str, str] = {}
    for name in ("pad", "eos", "unk"):
        token = config.get(f"{name}_token")
        if isinstance(token, dict):  # older files store the token with its stripping rules
            token = token.get("content")
        if token is not None:
            names[name] = token
    return names


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
