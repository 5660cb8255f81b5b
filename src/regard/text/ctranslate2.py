"""The tokenizers of a folder of CTranslate2, whose own files give only tokens by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from regard.errors import NotFoundError, UnsupportedError, refusing
from regard.json_files import JsonFiles
from regard.text.formats import SENTENCEPIECE_FILES
from regard.text.layouts import BERT, numbered_backend, surround, wordpieces_backend
from regard.text.pair import TokenizerPair
from regard.text.sentencepiece import read_sentencepiece
from regard.text.tokenizer import Tokenizer

# Files of transformers' layout, which describe a whole tokenizer.
_WHOLE = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json")
_SENTENCEPIECE = ("sentencepiece.model", *SENTENCEPIECE_FILES)


def tokenizers_of(
    folder: Path,
    files: JsonFiles,
    tokens: Sequence[Sequence[str]],
    settings: Mapping[str, Any],
    sizes: Sequence[int],
    *,
    ends: bool,
) -> TokenizerPair:
    """Return the tokenizers of source and target.

    Args:
        files: the folder's JSON.
        tokens: of source and target, by their ids.
        settings: of CTranslate2's config.json.
        sizes: rows of both tables of vectors; the last one behind `tokens` is padding's.
        ends: whether a source ends with the end of a sentence whatever `settings` say.

    Raises:
        NotFoundError: there is no file that says how a text is divided.
        UnsupportedError: one that divides as Moses does.
    """
    if any((folder / name).is_file() for name in _WHOLE):
        return TokenizerPair.load(folder, files=files)
    with refusing(f"the tokenizer in {folder} is malformed"):
        if "[CLS]" in tokens[0] and "[SEP]" in tokens[0]:
            pieces = tokens[0]
            lower = not any(piece[:1].isupper() for piece in pieces)
            backend = wordpieces_backend(pieces, {"do_lower_case": lower})
            others = {name: BERT[name] for name in ("cls", "sep", "mask") if BERT[name] in pieces}
            pad, unk = (BERT[name] if BERT[name] in pieces else None for name in ("pad", "unk"))
            tokenizer = Tokenizer(backend, pad=pad, eos=None, unk=unk, others=others)
            return TokenizerPair(tokenizer, tokenizer)
        pair = [
            _numbered(_file(folder, side), tokens[place], settings, sizes[place], ends=ends)
            for place, side in enumerate(("source", "target"))
        ]
        joint = tokens[0] == tokens[1] and _file(folder, "source") == _file(folder, "target")
        return TokenizerPair(pair[0], pair[0] if joint else pair[1])


def _file(folder: Path, side: str) -> Path:
    """Return the SentencePiece file of a side; Argos Translate has it beside the model's folder."""
    places = [folder]
    if (folder.parent / "metadata.json").is_file():
        places.append(folder.parent)
    for place in places:
        for name in (f"{side}.spm", *_SENTENCEPIECE):
            if (place / name).is_file():
                return place / name
        if (place / "bpe.model").is_file():
            raise UnsupportedError(
                f"{place / 'bpe.model'} divides words as Moses and subword-nmt do, which is not"
                " implemented. Take a package with a sentencepiece.model."
            )
    raise NotFoundError(
        f"{folder} has no tokenizer, only tokens by their ids. Copy tokenizer.json, or the"
        " SentencePiece model (source.spm and target.spm, or sentencepiece.model), into it from"
        " where the model came from."
    )


def _numbered(
    file: Path, tokens: Sequence[str], settings: Mapping[str, Any], size: int, *, ends: bool
) -> Tokenizer:
    """Return the tokenizer of a SentencePiece file with the ids of a vocabulary."""
    bos, eos, unk = (
        str(settings.get(f"{name}_token") or usual)
        for name, usual in (("bos", "<s>"), ("eos", "</s>"), ("unk", "<unk>"))
    )
    ids: dict[str, int] = {}
    for id_, token in enumerate(tokens):
        ids.setdefault(token, id_)
    present = [token for token in ("<pad>", "<blank>") if token in ids]
    pad: str | None = present[0] if present else None
    if size > len(tokens):
        added = "<added padding>" if present else "<pad>"
        pad, ids[added] = added, size - 1
    backend = numbered_backend(read_sentencepiece(file), ids, unk, (bos, eos, unk, pad or eos))
    start = f"{bos} " if settings.get("add_source_bos") else ""
    end = f" {eos}" if settings.get("add_source_eos") or ends else ""
    if start or end:
        surround(backend, f"{start}$A{end}", f"{start}$A $B{end}")
    others = {"bos": bos} if bos in ids else {}
    return Tokenizer(backend, pad=pad, eos=eos, unk=unk, others=others)
