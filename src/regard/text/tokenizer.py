"""A subword tokenizer: text to token ids and back, and which ids make up which word."""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import tokenizers
from tokenizers import models

from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnavailableError,
    refusing,
)
from regard.files import whole_file, write_json
from regard.json_files import JsonFiles
from regard.text.formats import open_files
from regard.text.normalize import check_unicode

PAD, EOS, UNK = "<pad>", "</s>", "<unk>"
WORD_START = "▁"  # stands for the space before a word, as in SentencePiece
BYTE_WORD_START = "Ġ"  # the same in byte-level vocabularies, as GPT-2's
LARGEST_ID = 2**24
_UNSPELLABLE = "\U0010ffff"  # no character, now or ever
INSIDE = "##"  # begins a WordPiece that starts no word
# Characters of a text that is encoded without Python's lock. The library releases it for batches
# only, which take longer to begin.
LONG = 2000
# Characters of a text whose words are remembered, and how many are.
SHORT, REMEMBERED = 300, 2**14
# A normalizer and a pre-tokenizer, as JSON, by which no word has to do with another: those of the
# tokenizers that are trained here.
_WORD_BY_WORD = re.compile(
    r'(\{"type":"Sequence","normalizers":\[)?\{"type":"NFC"\}'
    r'(,\{"type":"Replace","pattern":\{"Regex":"\[[^] \\]+\]"\},'
    r'"content":"(\\")?[^ \\"]?"\})*(\]\})?'
    r'\{"type":"Sequence","pretokenizers":\[\{"type":"Metaspace","replacement":"▁",'
    r'"prepend_scheme":"always","split":true\}'
)

# Of tokenizer_config.json, what says how a model wants its text and is saved along.
_KEPT = (
    *("model_max_length", "padding_side", "truncation_side", "chat_template"),
    *("add_bos_token", "add_eos_token"),
    "model_input_names",  # what transformers' tokenizer returns
)


def script(character: str) -> str | None:
    """Return the script of a letter or vowel sign as Unicode's names begin with it; None of
    another.

    >>> script("न"), script("é"), script("7")
    ('DEVANAGARI', 'LATIN', None)
    """
    if unicodedata.category(character)[0] not in "LM":
        return None
    name = unicodedata.name(character, "").split(" ")[0]
    return None if name == "COMBINING" else name


Key, Value = TypeVar("Key"), TypeVar("Value")


class _Memory(dict[Key, Value]):
    """Values by what they are made from, made when they are first asked for. Unlike a function of
    functools.lru_cache, it is copied and pickled with its tokenizer."""

    def __init__(self, make: Callable[[Key], Value]):
        self._make = make

    def __missing__(self, key: Key) -> Value:
        value = self._make(key)
        if len(self) >= REMEMBERED:
            self.clear()
        self[key] = value
        return value


class Word(NamedTuple):
    """A word between spaces and the positions of its pieces in the list of ids.

    >>> Word("house", [4, 5]).indices
    [4, 5]
    """

    text: str
    indices: list[int]


class Piece(NamedTuple):
    """One subword of a text: `text[start:end]` is what it covers, `word` its word's number.

    Each of the bytes that spell one character covers that character.

    >>> piece = Piece(id=17, text="house", word=2, start=8, end=13)
    >>> "the red house"[piece.start : piece.end]
    'house'
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

    >>> from regard.text import train_tokenizer
    >>> tokenizer = train_tokenizer(["the old man sees the red house"] * 20, vocab_size=400)
    >>> ids = tokenizer.encode("the red man")
    >>> tokenizer.decode(ids)
    'the red man'
    >>> [word.text for word in tokenizer.words(ids)]
    ['the', 'red', 'man']
    """

    def __init__(
        self,
        backend: tokenizers.Tokenizer,
        *,
        pad: str | None = PAD,
        eos: str | None = EOS,
        unk: str | None = UNK,
        others: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """
        Args:
            pad, eos, unk: the tokens' names; None where the family has none.
            others: further special tokens: "bos", "cls", "sep", "mask".
            settings: of tokenizer_config.json, such as model_max_length and chat_template."""
        self.backend = backend
        roles = {"pad": pad, "eos": eos, "unk": unk, **(others or {})}
        self.special = {name: token for name, token in roles.items() if token is not None}
        self._ids = {name: self._special_id(token) for name, token in self.special.items()}
        self.settings = dict(settings or {})
        self.vocab_size = backend.get_vocab_size(with_added_tokens=True)
        self._rows: int | None = None  # of a table of vectors that is shorter than the vocabulary
        backend.encode_special_tokens = True  # not stored in tokenizer.json, so set at every load
        backend.no_padding()  # a file from elsewhere may ask for padding, or for a silent cut
        backend.no_truncation()

    def special_id(self, name: str) -> int:
        """Return the id of a special token: "pad", "eos", "unk", "bos", "cls", "sep" or "mask".

        Raises NotFoundError where the tokenizer has none; `name in tokenizer.special` tells.
        """
        if name not in self._ids:
            raise NotFoundError(
                f"expected the tokenizer to have a special token for {name!r}, but it names none: "
                f"name it in tokenizer_config.json as {name}_token"
            )
        return self._ids[name]

    @property
    def pad_id(self) -> int:
        return self.special_id("pad")

    @property
    def eos_id(self) -> int:
        return self.special_id("eos")

    @property
    def unk_id(self) -> int:
        return self.special_id("unk")

    def for_table(self, rows: int) -> Tokenizer:
        """Return the same for a model with vectors for so many ids: a text with another is refused.

        Models are published with more tokens than vectors: one for padding, for pictures.
        """
        if rows >= self.vocab_size:
            return self
        other = copy.copy(self)
        other._rows = rows
        vars(other).pop("_encoded", None)  # of this tokenizer's words
        return other

    def longest(self, positions: int) -> int:
        """Return the most tokens that a model of so many positions reads of a text: as many, or
        fewer where the tokenizer's files say so."""
        limit = self.settings.get("model_max_length") or positions
        with refusing("model_max_length in tokenizer_config.json is no number"):
            return int(min(positions, float(limit)))  # some files say 1e30, which is no limit

    @property
    def truncation_side(self) -> str:
        """The side on which too long a text is cut: "right", or "left" for its beginning."""
        return str(self.settings.get("truncation_side") or "right")

    def cut(self, ids: Sequence[int], most: int) -> Sequence[int]:
        """Ids without special tokens, cut where there are more than `most`."""
        return ids[max(0, len(ids) - most) :] if self.truncation_side == "left" else ids[:most]

    def encode(self, text: str, *, special_in_text: bool = False) -> list[int]:
        """Token ids of one text, without special tokens but those read in it (see `inputs`)."""
        if len(text) < SHORT and self._is_word_by_word and not special_in_text:
            words = text.split(" ")
            if "" not in words and WORD_START not in text:
                return [id_ for word in words for id_ in self._encoded[word]]
        return self._encode(text, special_in_text=special_in_text)

    @cached_property
    def _encoded(self) -> Mapping[str, list[int]]:
        return _Memory(self._encode)

    @cached_property
    def _is_word_by_word(self) -> bool:
        model, stages = self.backend.model, (self.backend.normalizer, self.backend.pre_tokenizer)
        if not isinstance(model, models.BPE) or model.dropout or None in stages:
            return False
        added = self.backend.get_added_tokens_decoder().values()
        state = b"".join(stage.__getstate__() for stage in stages)
        return bool(_WORD_BY_WORD.match(state.decode())) and all(token.special for token in added)

    def _encode(self, text: str, *, special_in_text: bool = False) -> list[int]:
        backend = self._reading(text, special_in_text=special_in_text)
        with _without_panic():
            if len(text) > LONG:
                [encoding] = backend.encode_batch_fast([text], add_special_tokens=False)
            else:
                encoding = backend.encode(text, add_special_tokens=False)
        return self._with_vectors(encoding.ids)

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of many texts, on all cores (`TOKENIZERS_PARALLELISM=0` for one)."""
        # The fast call leaves out the offsets, which only `pieces` needs.
        backend = self._reading(*texts)
        with _without_panic():
            batch = backend.encode_batch_fast(list(texts), add_special_tokens=False)
        return [self._with_vectors(encoding.ids) for encoding in batch]

    def inputs(
        self, text: str, pair: str | None = None, *, special_in_text: bool = False
    ) -> tokenizers.Encoding:
        """One text, or two together, with the special tokens that its model was trained with.

        Args:
            special_in_text: read "[MASK]" or a chat's "<|user|>" in the text as that token.

        Returns:
            the library's Encoding: ids, type_ids (segments), tokens, offsets, sequence_ids. Each
            reading of these copies the whole list: take it once, before a loop.

        Raises:
            BadArgumentError: text that is not valid Unicode.
        """
        texts = (text,) if pair is None else (text, pair)
        backend = self._reading(*texts, special_in_text=special_in_text)
        with _without_panic():
            encoding: tokenizers.Encoding
            if sum(map(len, texts)) > LONG:
                [encoding] = backend.encode_batch([text if pair is None else texts])
            else:
                encoding = backend.encode(*texts)
        return self._read(encoding)

    def inputs_batch(self, texts: Sequence[tuple[str, str | None]]) -> list[tokenizers.Encoding]:
        """Return the `inputs` of many texts, or pairs, on all cores (`TOKENIZERS_PARALLELISM=0` for
        one)."""
        backend = self._reading(*(text for pair in texts for text in pair if text is not None))
        flat = [text if second is None else (text, second) for text, second in texts]
        with _without_panic():
            encodings: list[tokenizers.Encoding] = backend.encode_batch(flat)
        return [*map(self._read, encodings)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of token ids; special tokens are left out."""
        text: str = self.backend.decode(self._checked(ids), skip_special_tokens=True)
        return text

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the piece of each id; `▁` marks the start of a word."""
        pieces = self._pieces
        return [pieces[id_][0] for id_ in map(int, ids)]

    def words(self, ids: Iterable[int]) -> list[Word]:
        """Return the words that ids spell, each with the positions of its pieces; specials are in
        none.

        Works for ids that a model generated, which never were a text.
        """
        ids, spelled = list(map(int, ids)), self._spelled
        words = [(spelled[*[ids[i] for i in group]], group) for group in self._groups(ids)]
        return [Word(text, group) for text, group in words if text]

    @cached_property
    def _spelled(self) -> Mapping[tuple[int, ...], str]:
        return _Memory(self._spell)

    def _spell(self, ids: tuple[int, ...]) -> str:
        return self.decode(ids).strip()

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text with their word's number and the characters they cover."""
        spans = list(self._spans(text))
        words = self.words(id_ for id_, *_ in spans)
        word_of = {index: number for number, word in enumerate(words) for index in word.indices}
        return [
            Piece(id_, token, word_of.get(index), start, end)
            for index, (id_, token, start, end) in enumerate(spans)
        ]

    def _spans(self, text: str) -> Iterator[tuple[int, str, int, int]]:
        """Each piece's id and text, and from where to where it covers the text."""
        with _without_panic():
            encoding = self._reading(text).encode(text, add_special_tokens=False)
        rows = zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True)
        for id_, token, (start, end) in rows:
            while start < end and text[start] == " ":  # the space that `▁` stands for
                start += 1
            if token == WORD_START:  # the library gives the first one the letter behind it
                end = start
            yield id_, token, start, end

    @cached_property
    def unknown_ids(self) -> frozenset[int]:
        """The ids of the unknown token and of what spells unknown characters: bytes, and beside
        them letters of a script of which the vocabulary has no subword of two letters.

        Few texts suffice to bring a foreign letter into a vocabulary, and teach a model nothing of
        it. A vocabulary of characters alone, or without bytes, has all its letters.
        """
        vocab = self.backend.get_vocab()
        names = {f"<0x{byte:02X}>" for byte in range(256)} & vocab.keys()
        if names:
            pieces = "\n".join(vocab.keys() - names)
            letters = {letter: name for letter in set(pieces) if (name := script(letter))}
            runs = re.findall(f"[{''.join(letters)}]{{2,}}", pieces) if letters else []
            written = {letters[letter] for letter in set("".join(runs))}
            foreign = {x for x, name in letters.items() if written and name not in written}
            names |= {piece for piece in vocab if not foreign.isdisjoint(piece)}
        if "unk" in self.special:
            names.add(self.special["unk"])
        return frozenset(vocab[name] for name in names if name in vocab)

    def unknown_share(self, text: str) -> float:
        """Return the share of a text's characters, spaces not counted, for which the vocabulary has
        no subword but those of `unknown_ids`.

        A byte-level vocabulary, as GPT-2's, has pieces for all. A long text is read in parts, so
        that other threads run in between.
        """
        unknown, characters = 0, 0
        for begin in range(0, len(text), LONG):
            part = text[begin : begin + LONG]
            covered: set[int] = set()
            for id_, _, start, end in self._spans(part):
                if id_ in self.unknown_ids:
                    covered.update(range(start, end))
            places = [place for place, character in enumerate(part) if not character.isspace()]
            unknown += sum(place in covered for place in places)
            characters += len(places)
        return unknown / max(characters, 1)

    def spell(self, text: str) -> list[int]:
        """Token ids of a text's characters: no added token is read in it, special or not."""
        check_unicode(text)
        with _without_panic():
            return self._with_vectors(self._spelling.encode(text, add_special_tokens=False).ids)

    def added_spans(self, text: str) -> list[tuple[str, int, int]]:
        """Return the added tokens that are read in a text with special ones, from where to
        where."""
        added = self.backend.get_added_tokens_decoder()
        with _without_panic():
            encoding = self._reading(text, special_in_text=True).encode(
                text, add_special_tokens=False
            )
        pairs = zip(encoding.ids, encoding.offsets, strict=True)
        return [(added[id_].content, *offsets) for id_, offsets in pairs if id_ in added]

    def added_names(self) -> list[str]:
        """Names of all added tokens, special or not, but those of white space."""
        added = self.backend.get_added_tokens_decoder().values()
        return sorted({token.content for token in added if not token.content.isspace()})

    def special_names(self) -> list[str]:
        """Names of all special tokens, the longest first."""
        added = self.backend.get_added_tokens_decoder().values()
        return sorted({token.content for token in added if token.special}, key=len, reverse=True)

    def save(self, folder: str | Path, *, name: str = "tokenizer.json") -> None:
        """Write tokenizer.json and the two small files with which transformers opens it."""
        folder = Path(folder)
        special = {f"{name}_token": token for name, token in self.special.items()}
        config = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": False,
            **special,
            **{name: self.settings[name] for name in _KEPT if name in self.settings},
        }
        try:
            with whole_file(folder / name) as file:
                file.write_text(self.backend.to_str(pretty=True), encoding="utf-8")
            if name == "tokenizer.json":
                write_json(folder / "tokenizer_config.json", config)
                write_json(folder / "special_tokens_map.json", special)
        except OSError as error:
            raise UnavailableError(
                f"the tokenizer cannot be saved in {folder} ({error.strerror}): free space there, "
                "or name a folder that may be written to"
            ) from error

    @classmethod
    def load(
        cls, path: str | Path, *, side: str = "source", files: JsonFiles | None = None
    ) -> Tokenizer:
        """Open a tokenizer.json, or the tokenizer in a folder, whichever files hold it.

        Args:
            side: "source" or "target", of a folder that has one for each (Marian's).
            files: the folder's JSON, if some of it has been read already.
        """
        opened = open_files(Path(path), side=side, files=files)
        special = dict(opened.special)
        roles = {name: special.pop(name, None) for name in ("pad", "eos", "unk")}
        with refusing(f"the tokenizer in {path} is malformed"):
            return cls(opened.backend, **roles, others=special, settings=opened.settings)

    def _groups(self, ids: list[int]) -> list[list[int]]:
        """Positions of ids, cut before every piece that starts a word; specials left out."""
        groups: list[list[int]] = []
        pieces = self._pieces
        for index, id_ in enumerate(ids):
            _, is_outside, begins = pieces[id_]
            if is_outside:
                continue
            if begins or not groups:
                groups.append([])
            groups[-1].append(index)
        return groups

    @cached_property
    def _pieces(self) -> Mapping[int, tuple[str, bool, bool]]:
        return _Memory(self._piece)

    def _piece(self, id_: int) -> tuple[str, bool, bool]:
        """Return the piece of an id, whether it is in no word, and whether it begins one."""
        token = self.backend.id_to_token(*self._checked([id_])) or self.special.get("unk", "")
        is_outside = any(id_ == its for name, its in self._ids.items() if name != "unk")
        return token, is_outside, self.starts_word(token)

    def starts_word(self, token: str) -> bool:
        """Return True for a piece of the vocabulary that begins a word."""
        if self._is_word_piece:
            return not token.startswith(INSIDE)
        return token.startswith(self._word_start)

    @cached_property
    def _is_word_piece(self) -> bool:
        return isinstance(self.backend.model, models.WordPiece)

    @cached_property
    def _word_start(self) -> str:
        # A byte-level vocabulary has no piece with ▁, and every other has one for the space.
        spaces = self.backend.token_to_id(WORD_START) is not None
        return WORD_START if spaces else BYTE_WORD_START

    def _reading(self, *texts: str, special_in_text: bool = False) -> tokenizers.Tokenizer:
        """Return the backend for these texts: the plain one, unless a special token's name is in
        them."""
        for text in texts:
            check_unicode(text)
        if special_in_text:
            return self._with_special
        if self._reserved is not None:
            normalizer = self.backend.normalizer
            with _without_panic():
                read = [] if normalizer is None else [*map(normalizer.normalize_str, texts)]
            if any(self._reserved.search(text) for text in (*texts, *read)):
                return self._guarded
        return self.backend

    @cached_property
    def _reserved(self) -> re.Pattern[str] | None:
        """The names of special tokens, where text could be taken for them: a unigram model looks
        for the longest pieces in a text, and its special tokens are pieces as any."""
        if not isinstance(self.backend.model, models.Unigram):
            return None
        return re.compile("|".join(map(re.escape, self.special_names())))

    @cached_property
    def _guarded(self) -> tokenizers.Tokenizer:
        """Backend with special tokens that no text can spell."""
        return self._without(set(self.special_names()))

    @cached_property
    def _spelling(self) -> tokenizers.Tokenizer:
        return self._without(set(self.added_names()))

    def _without(self, names: set[str]) -> tokenizers.Tokenizer:
        content = json.loads(self._json())
        if content["model"]["type"] == "Unigram":
            for entry in content["model"]["vocab"]:
                if entry[0] in names:
                    entry[0] = f"{_UNSPELLABLE}{entry[0]}"
        content["added_tokens"] = [t for t in content["added_tokens"] if t["content"] not in names]
        with refusing("tokenizer.json cannot be read without its added tokens"):
            return tokenizers.Tokenizer.from_str(json.dumps(content))

    @cached_property
    def _with_special(self) -> tokenizers.Tokenizer:
        with refusing("tokenizer.json cannot be read again"):
            return tokenizers.Tokenizer.from_str(self._json())

    def _json(self) -> str:
        """Return the library counts all ids up to the largest, which a damaged file can make
        billions."""
        largest = max(self.backend.get_vocab().values(), default=0)
        if largest >= LARGEST_ID:
            raise DamagedFileError(
                f"the tokenizer has the token id {largest:,}, more than any vocabulary has."
                " Copy it again from where it came from."
            )
        text: str = self.backend.to_str()
        return text

    def _checked(self, ids: Iterable[int]) -> list[int]:
        ids = list(map(int, ids))
        if ids and not 0 <= min(ids) <= max(ids) < self.vocab_size:
            wrong = next(id_ for id_ in ids if not 0 <= id_ < self.vocab_size)
            raise BadArgumentError(
                f"token ids must be from 0 to {self.vocab_size - 1}; got {wrong}: "
                "the ids were made with another tokenizer"
            )
        return ids

    def _read(self, encoding: tokenizers.Encoding) -> tokenizers.Encoding:
        if self._rows is not None:  # each reading of the ids copies them
            self._with_vectors(encoding.ids)
        return encoding

    def _with_vectors(self, ids: list[int]) -> list[int]:
        if self._rows is not None and max(ids, default=0) >= self._rows:
            wrong = next(id_ for id_ in ids if id_ >= self._rows)
            raise BadArgumentError(
                f"a text must not have the token {self.backend.id_to_token(wrong)!r} (id {wrong}):"
                f" the model has vectors for {self._rows} tokens only. Leave it out, or use the"
                " tokenizer the model was trained with."
            )
        return ids

    def _special_id(self, token: str) -> int:
        id_ = self.backend.token_to_id(token)
        if id_ is None:
            raise NotFoundError(
                f"expected the tokenizer to have the special token {token!r}, but it has none of "
                "that name: name its own in tokenizer_config.json or train a tokenizer with regard"
            )
        return int(id_)


@contextmanager
def _without_panic() -> Iterator[None]:
    """Turn the library's bare Exceptions, and its panics, which no Exception is, into a
    DamagedFileError."""
    try:
        yield
    except BaseException as error:
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        raise DamagedFileError(
            f"the tokenizer cannot read this text ({error}): its tokenizer.json asks for what the"
            " library cannot do. Copy it again from where it came from."
        ) from error
