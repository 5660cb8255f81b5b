"""Layouts of SentencePiece models: the order of their pieces and the special tokens around a text.

The ids of a checkpoint are not always those of its SentencePiece file: fairseq put its own
special tokens first, Pegasus left room for a hundred, Marian's are in a vocab.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, processors

from regard.errors import DamagedFileError, NotFoundError, UnsupportedError
from regard.json_files import read_object
from regard.text.sentencepiece import (
    CONTROL,
    UNKNOWN,
    Scored,
    SentencePiece,
    make_backend,
    read_sentencepiece,
)

# In this order behind the pieces; mBART-50 has the second group too.
_LANGUAGES = [
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN",
    "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO",
    "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN",
]  # fmt: skip
_MORE_LANGUAGES = [
    "af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK",
    "ml_IN", "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN",
    "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI",
]  # fmt: skip
_FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")
_PEGASUS_OFFSET = 103  # ids before the first piece that is no special token, less two
# Below every sum of scores, so that a piece which is another side's is taken only where this
# side's model knows nothing.
_OTHER_SIDE = -1e6


def sentencepiece_backend(
    file: Path, kind: str, settings: Mapping[str, Any]
) -> tokenizers.Tokenizer:
    """The tokenizer of a family (`kind`: "t5", "llama", …) from its SentencePiece file.

    Args:
        settings: of tokenizer_config.json.
    """
    model = read_sentencepiece(file)
    if kind in ("t5", "mt5"):
        return _t5(model, int(settings.get("extra_ids", 100)) if kind == "t5" else 0)
    if kind == "pegasus":
        return _pegasus(model)
    if kind in ("llama", "mistral"):
        return _llama(model, settings)
    if kind in ("xlmroberta", "mbart", "mbart50"):
        return _fairseq(model, kind, str(settings.get("src_lang") or "en_XX"))
    raise UnsupportedError(
        f"expected the SentencePiece model {file} to be of T5, Pegasus, Llama, Mistral, mBART,"
        f" XLM-RoBERTa or Marian; config.json says {kind or 'nothing'!r}: convert it to a"
        " tokenizer.json with transformers"
    )


def marian_backend(file: Path, vocab_file: Path) -> tokenizers.Tokenizer:
    """Tokenizer of one side of Marian's pair: its SentencePiece model, ids from vocab.json."""
    model = read_sentencepiece(file)
    ids = read_vocab(vocab_file)
    for token in ("</s>", "<unk>"):
        if token not in ids:
            raise DamagedFileError(
                f"expected {vocab_file} to have the special token {token!r}, but it is missing:"
                " copy it again"
            )
    scores = {
        piece: score
        for (piece, score), kind in zip(model.pieces, model.kinds, strict=True)
        if kind not in (UNKNOWN, CONTROL)
    }
    vocab = [(f"<unused {id_}>", _OTHER_SIDE) for id_ in range(max(ids.values()) + 1)]
    for piece, id_ in ids.items():
        vocab[id_] = (piece, scores.get(piece, _OTHER_SIDE))
    backend = make_backend(model, vocab, unk_id=ids["<unk>"])
    special = [token for token in ("</s>", "<unk>", "<pad>") if token in ids]
    languages = [piece for piece in ids if piece.startswith(">>") and piece.endswith("<<")]
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    backend.add_tokens([AddedToken(token, normalized=False) for token in languages])
    surround(backend, "$A </s>", "$A $B </s>")
    return backend


def read_vocab(file: Path) -> dict[str, int]:
    """A vocab.json: piece → id."""
    if not file.is_file():
        raise NotFoundError(f"{file} is missing; it maps pieces to ids. Copy it from the model.")
    ids = read_object(file)
    if not all(isinstance(id_, int) and 0 <= id_ < 10_000_000 for id_ in ids.values()):
        raise DamagedFileError(f"{file} must map pieces to ids, and does not. Copy it again.")
    return ids


def surround(backend: tokenizers.Tokenizer, single: str, pair: str) -> None:
    """Sets which special tokens stand around a text ($A) and around two; `:1` is the segment."""
    tokens = {
        part.partition(":")[0] for part in f"{single} {pair}".split() if not part.startswith("$")
    }
    backend.post_processor = processors.TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(token, _id(backend, token)) for token in sorted(tokens)],
    )


def _t5(model: SentencePiece, sentinels: int) -> tokenizers.Tokenizer:
    extra = [f"<extra_id_{k}>" for k in reversed(range(sentinels))]
    backend = make_backend(model, [*model.pieces, *((token, 0.0) for token in extra)])
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in extra])
    surround(backend, "$A </s>", "$A </s> $B </s>")
    return backend


def _pegasus(model: SentencePiece) -> tokenizers.Tokenizer:
    room = [f"<unk_{k}>" for k in range(2, _PEGASUS_OFFSET)]
    special = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *room]
    vocab: list[Scored] = [*((token, 0.0) for token in special), *model.pieces[2:]]
    backend = make_backend(model, vocab, unk_id=model.unk_id + _PEGASUS_OFFSET)
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    surround(backend, "$A </s>", "$A $B </s>")
    return backend


def _llama(model: SentencePiece, settings: Mapping[str, Any]) -> tokenizers.Tokenizer:
    backend = make_backend(model)
    start = "<s> " if settings.get("add_bos_token", True) else ""
    end = " </s>" if settings.get("add_eos_token", False) else ""
    if start or end:
        surround(backend, f"{start}$A{end}", f"{start}$A{end} {start}$B{end}")
    return backend


def _fairseq(model: SentencePiece, kind: str, language: str) -> tokenizers.Tokenizer:
    languages = {"xlmroberta": [], "mbart": _LANGUAGES}.get(kind, _LANGUAGES + _MORE_LANGUAGES)
    behind = [*languages, "<mask>"]
    vocab = [
        *((token, 0.0) for token in _FAIRSEQ),
        *model.pieces[3:],  # the file's own <unk>, <s>, </s>
        *((token, 0.0) for token in behind),
    ]
    backend = make_backend(model, vocab, unk_id=3)
    special = [*_FAIRSEQ, *languages]
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    backend.add_special_tokens([AddedToken("<mask>", normalized=False, lstrip=True)])
    if kind == "xlmroberta":
        surround(backend, "<s> $A </s>", "<s> $A </s> </s> $B </s>")
    elif kind == "mbart":
        surround(backend, f"$A </s> {language}", f"$A $B </s> {language}")
    else:
        surround(backend, f"{language} $A </s>", f"{language} $A $B </s>")
    return backend


def _id(backend: tokenizers.Tokenizer, token: str) -> int:
    id_ = backend.token_to_id(token)
    if id_ is None:
        raise DamagedFileError(
            f"expected the tokenizer to have the special token {token!r}, but it has none of"
            " that name: copy its files again"
        )
    return int(id_)
