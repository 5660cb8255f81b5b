"""Layouts of the families' tokenizers: special tokens, where they stand around a text, the ids.

The ids of a checkpoint are not always those of its SentencePiece file: fairseq put its own
special tokens first, Pegasus left room for a hundred, Marian's are in a vocab.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

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

Settings = Mapping[str, Any]

BERT = {
    "pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]",
}  # fmt: skip
_ROBERTA = {
    "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "bos": "<s>", "cls": "<s>", "sep": "</s>",
    "mask": "<mask>",
}  # fmt: skip
GPT2 = {"eos": "<|endoftext|>", "bos": "<|endoftext|>", "unk": "<|endoftext|>"}
_QWEN2 = {"eos": "<|endoftext|>", "pad": "<|endoftext|>"}
SENTENCEPIECE = {"pad": "<pad>", "eos": "</s>", "unk": "<unk>"}
_LLAMA = {"bos": "<s>", "eos": "</s>", "unk": "<unk>"}
_BYTE_LEVEL = {"roberta": _ROBERTA, "bart": _ROBERTA, "qwen2": _QWEN2}  # of all others: GPT-2's
QWEN2_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3_WORDS = QWEN2_WORDS.replace(r"|\p{N}|", r"|\p{N}{1,3}|")

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
_M2M100 = [
    "af", "am", "ar", "ast", "az", "ba", "be", "bg", "bn", "br", "bs", "ca", "ceb", "cs", "cy",
    "da", "de", "el", "en", "es", "et", "fa", "ff", "fi", "fr", "fy", "ga", "gd", "gl", "gu",
    "ha", "he", "hi", "hr", "ht", "hu", "hy", "id", "ig", "ilo", "is", "it", "ja", "jv", "ka",
    "kk", "km", "kn", "ko", "lb", "lg", "ln", "lo", "lt", "lv", "mg", "mk", "ml", "mn", "mr",
    "ms", "my", "ne", "nl", "no", "ns", "oc", "or", "pa", "pl", "ps", "pt", "ro", "ru", "sd",
    "si", "sk", "sl", "so", "sq", "sr", "ss", "su", "sv", "sw", "ta", "th", "tl", "tn", "tr",
    "uk", "ur", "uz", "vi", "wo", "xh", "yi", "yo", "zh", "zu",
]  # fmt: skip
_FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")
_PEGASUS_OFFSET = 103  # ids before the first piece that is no special token, less two
# Below every sum of scores, so that a piece which is another side's is taken only where this
# side's model knows nothing.
_OTHER_SIDE = -1e6


def sentencepiece_backend(
    file: Path, kind: str, settings: Settings
) -> tuple[tokenizers.Tokenizer, dict[str, str]]:
    """Return the tokenizer of a family (`kind`: "t5", "llama", …) from its SentencePiece file, and
    its special tokens.

    Args:
        settings: of tokenizer_config.json.
    """
    if kind == "m2m100":
        return _m2m100_backend(file, settings), _ROBERTA
    model = read_sentencepiece(file)
    if kind not in _SENTENCEPIECE:
        raise UnsupportedError(
            f"expected the SentencePiece model {file} to be of T5, Pegasus, Llama, Mistral, mBART,"
            f" M2M100, XLM-RoBERTa, DeBERTa or Marian; config.json says {kind or 'nothing'!r}:"
            " convert it to a tokenizer.json with transformers"
        )
    special, build = _SENTENCEPIECE[kind]
    return build(model, settings), special


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
    backend = numbered_backend(model, ids, "<unk>", ("</s>", "<unk>", "<pad>"))
    surround(backend, "$A </s>", "$A $B </s>")
    return backend


def numbered_backend(
    model: SentencePiece, ids: Mapping[str, int], unk: str, special: Iterable[str]
) -> tokenizers.Tokenizer:
    """Tokenizer of a SentencePiece model whose pieces have other ids; pieces without one are left
    out."""
    scores = {
        piece: score
        for (piece, score), kind in zip(model.pieces, model.kinds, strict=True)
        if kind not in (UNKNOWN, CONTROL)
    }
    vocab = [(f"<unused {id_}>", _OTHER_SIDE) for id_ in range(max(ids.values()) + 1)]
    for piece, id_ in ids.items():
        vocab[id_] = (piece, scores.get(piece, _OTHER_SIDE))
    backend = make_backend(model, vocab, unk_id=ids[unk])
    backend.add_special_tokens([AddedToken(t, normalized=False) for t in special if t in ids])
    languages = [piece for piece in ids if piece.startswith(">>") and piece.endswith("<<")]
    backend.add_tokens([AddedToken(token, normalized=False) for token in languages])
    return backend


def _m2m100_backend(file: Path, settings: Settings) -> tokenizers.Tokenizer:
    """M2M100's tokenizer: ids from vocab.json as Marian's, and its languages behind them."""
    if (codes := settings.get("language_codes", "m2m100")) != "m2m100":
        raise UnsupportedError(
            f"language_codes must be 'm2m100' for a tokenizer here; tokenizer_config.json says"
            f" {codes!r}. Convert it to a tokenizer.json with transformers."
        )
    backend = marian_backend(file, file.with_name("vocab.json"))
    languages = [AddedToken(f"__{code}__", normalized=False) for code in _M2M100]
    backend.add_special_tokens(languages)
    language = f"__{settings.get('src_lang') or 'en'}__"
    surround(backend, f"{language} $A </s>", f"{language} $A $B </s>")
    return backend


def put_nllbs_language_first(backend: tokenizers.Tokenizer, settings: Settings) -> None:
    """Surrounds a text as NLLB's models read it, whatever their tokenizer.json says: in those that
    were published the language still comes last."""
    if settings.get("legacy_behaviour"):
        raise UnsupportedError(
            "legacy_behaviour must be false for a tokenizer here; tokenizer_config.json says true."
            " Remove it: NLLB's models read the language first."
        )
    language = settings.get("src_lang") or "eng_Latn"
    surround(backend, f"{language} $A </s>", f"{language} $A $B </s>")


def wordpiece_backend(file: Path, settings: Settings) -> tokenizers.Tokenizer:
    """BERT's tokenizer (Devlin et al. 2019): one piece a line."""
    try:
        # str.splitlines would also cut at other separators, which are pieces of some vocabularies.
        pieces = file.read_text(encoding="utf-8").replace("\r\n", "\n").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"expected {file} to be UTF-8, but it is not ({error}). Copy it again."
        ) from error
    return wordpieces_backend(pieces, settings)


def wordpieces_backend(pieces: Sequence[str], settings: Settings) -> tokenizers.Tokenizer:
    """BERT's tokenizer of these pieces, by their ids."""
    vocab = {piece: id_ for id_, piece in enumerate(pieces)}
    backend = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=settings.get("do_lower_case", True),
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.add_special_tokens([token for token in BERT.values() if token in vocab])
    surround(backend, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    return backend


def byte_level_backend(
    folder: Path, kind: str, settings: Settings
) -> tuple[tokenizers.Tokenizer, dict[str, str]]:
    """Byte-pair encoding over bytes, as in GPT-2 (Radford et al. 2019), RoBERTa, BART, Qwen2."""
    problem = f"expected vocab.json and merges.txt in {folder} to be a byte-pair encoding, but"
    with refusing_library(f"{problem} they are not", "copy them again"):
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    backend = tokenizers.Tokenizer(model)
    space = bool(settings.get("add_prefix_space", False))
    bytes_: pre_tokenizers.PreTokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
    if kind == "qwen2":
        backend.normalizer = normalizers.NFC()
        words = pre_tokenizers.Split(Regex(QWEN2_WORDS), behavior="isolated")
        bytes_ = pre_tokenizers.Sequence(
            [words, pre_tokenizers.ByteLevel(add_prefix_space=space, use_regex=False)]
        )
    backend.pre_tokenizer, backend.decoder = bytes_, decoders.ByteLevel()
    special = _BYTE_LEVEL.get(kind, GPT2)
    if special is _ROBERTA:
        surround(backend, "<s> $A </s>", "<s> $A </s> </s> $B </s>")
    present = {token for token in special.values() if backend.token_to_id(token) is not None}
    backend.add_special_tokens(
        # RoBERTa's mask takes the space before it along, as a word would.
        [AddedToken(t, normalized=False, lstrip=t == "<mask>") for t in sorted(present)]
    )
    return backend, special


@contextmanager
def refusing_library(problem: str, remedy: str) -> Iterator[None]:
    """Raise DamagedFileError for bare Exceptions of the tokenizers library, and for its panics."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DamagedFileError(f"{problem} ({error}): {remedy}") from error


def read_vocab(file: Path) -> dict[str, int]:
    """Return a vocab.json: piece → id."""
    if not file.is_file():
        raise NotFoundError(f"{file} is missing; it maps pieces to ids. Copy it from the model.")
    ids = read_object(file)
    if not all(isinstance(id_, int) and 0 <= id_ < 10_000_000 for id_ in ids.values()):
        raise DamagedFileError(f"{file} must map pieces to ids, and does not. Copy it again.")
    return ids


def surround(backend: tokenizers.Tokenizer, single: str, pair: str) -> None:
    """Set which special tokens stand around a text ($A) and around two; `:1` is the segment."""
    tokens = {
        part.partition(":")[0] for part in f"{single} {pair}".split() if not part.startswith("$")
    }
    backend.post_processor = processors.TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(token, _id(backend, token)) for token in sorted(tokens)],
    )


def _t5(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    return _mt5(model, settings, int(settings.get("extra_ids", 100)))


def _mt5(model: SentencePiece, settings: Settings, sentinels: int = 0) -> tokenizers.Tokenizer:
    extra = [f"<extra_id_{k}>" for k in reversed(range(sentinels))]
    backend = make_backend(model, [*model.pieces, *((token, 0.0) for token in extra)])
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in extra])
    surround(backend, "$A </s>", "$A </s> $B </s>")
    return backend


def _pegasus(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    room = [f"<unk_{k}>" for k in range(2, _PEGASUS_OFFSET)]
    special = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *room]
    vocab: list[Scored] = [*((token, 0.0) for token in special), *model.pieces[2:]]
    backend = make_backend(model, vocab, unk_id=model.unk_id + _PEGASUS_OFFSET)
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    surround(backend, "$A </s>", "$A $B </s>")
    return backend


def _llama(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    backend = make_backend(model)
    start = "<s> " if settings.get("add_bos_token", True) else ""
    end = " </s>" if settings.get("add_eos_token", False) else ""
    if start or end:
        surround(backend, f"{start}$A{end}", f"{start}$A{end} {start}$B{end}")
    return backend


def _xlm_roberta(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    backend = _fairseq(model, [])
    surround(backend, "<s> $A </s>", "<s> $A </s> </s> $B </s>")
    return backend


def _deberta(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    if settings.get("split_by_punct"):
        raise UnsupportedError(
            "split_by_punct must be false for a tokenizer here; tokenizer_config.json says true."
            " Convert it to a tokenizer.json with transformers."
        )
    added = [] if any(piece == "[MASK]" for piece, _ in model.pieces) else [("[MASK]", 0.0)]
    backend = make_backend(model, [*model.pieces, *added])
    backend.add_special_tokens([AddedToken("[MASK]", normalized=False)])
    if settings.get("do_lower_case"):
        backend.normalizer = normalizers.Sequence([normalizers.Lowercase(), backend.normalizer])
    surround(backend, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    return backend


def _mbart(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    backend, language = _fairseq(model, _LANGUAGES), settings.get("src_lang") or "en_XX"
    surround(backend, f"$A </s> {language}", f"$A $B </s> {language}")
    return backend


def _mbart50(model: SentencePiece, settings: Settings) -> tokenizers.Tokenizer:
    backend = _fairseq(model, _LANGUAGES + _MORE_LANGUAGES)
    language = settings.get("src_lang") or "en_XX"
    surround(backend, f"{language} $A </s>", f"{language} $A $B </s>")
    return backend


def _fairseq(model: SentencePiece, languages: list[str]) -> tokenizers.Tokenizer:
    vocab = [
        *((token, 0.0) for token in _FAIRSEQ),
        *model.pieces[3:],  # the file's own <unk>, <s>, </s>
        *((token, 0.0) for token in [*languages, "<mask>"]),
    ]
    backend = make_backend(model, vocab, unk_id=3)
    special = [*_FAIRSEQ, *languages]
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    backend.add_special_tokens([AddedToken("<mask>", normalized=False, lstrip=True)])
    return backend


_SENTENCEPIECE = {
    "t5": (SENTENCEPIECE, _t5), "mt5": (SENTENCEPIECE, _mt5), "pegasus": (SENTENCEPIECE, _pegasus),
    "llama": (_LLAMA, _llama), "mistral": (_LLAMA, _llama),
    "debertav2": (BERT, _deberta), "xlmroberta": (_ROBERTA, _xlm_roberta),
    "mbart": (_ROBERTA, _mbart),
    "mbart50": (_ROBERTA, _mbart50),
}  # fmt: skip


def _id(backend: tokenizers.Tokenizer, token: str) -> int:
    id_ = backend.token_to_id(token)
    if id_ is None:
        raise DamagedFileError(
            f"expected the tokenizer to have the special token {token!r}, but it has none of"
            " that name: copy its files again"
        )
    return int(id_)
