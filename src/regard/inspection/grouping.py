"""Words and sentences as spans of tokens, and maps between them instead of between tokens."""

from collections.abc import Collection, Sequence

from regard.arrays import Array, arrays_of
from regard.shapes import Float

Span = tuple[int, int]

ENDS = (".", "!", "?", "…", "؟")  # of a sentence, if the next token begins a word
ALWAYS_END = ("।", "॥", "。", "！", "？")  # where a script has no numbers or spaces to go by
CLOSING = "\"'”’»)]}」』"  # may follow the end of a sentence and still belong to it

SPECIAL = frozenset(
    {"<s>", "</s>", "<pad>", "<unk>", "<mask>", "<bos>", "<eos>", "<|endoftext|>"}
    | {"[CLS]", "[SEP]", "[PAD]", "[MASK]"}
)
_STARTS = ("▁", "↵", "Ġ", "Ċ", " ", "\n")  # SentencePiece; byte-level BPE; decoded tokens
_GOES_ON = "##"  # WordPiece
_STOPS = "</w>"  # the first BPEs


def group_words(
    weights: Float[Array, "rows columns"],
    target_words: Sequence[Sequence[int]],
    source_words: Sequence[Sequence[int]],
) -> Float[Array, "target_words source_words"]:
    """Weights of words from weights of their pieces: summed over a source word's pieces (what is
    looked at adds up), averaged over a target word's (each piece looks once), as in Clark et al.
    2019, section 4.1.

    >>> weights = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    >>> group_words(weights, target_words=[[0, 1]], source_words=[[0, 1], [2]])
    tensor([[0.5000, 0.5000]])

    Args:
        weights: (target pieces, source pieces).
        target_words, source_words: for each word the positions of its pieces; of a span, its
            `range(*span)`.

    Returns:
        (target words, source words); what a row misses to 1 went to pieces of no word, as eos.
    """
    columns = [weights[:, list(pieces)].sum(1) for pieces in source_words]
    arrays = arrays_of(weights)
    if not columns or not target_words:
        return arrays.zeros(len(target_words), len(source_words), like=weights)
    by_source = arrays.library.stack(columns, 1)
    return arrays.library.stack([by_source[list(pieces)].mean(0) for pieces in target_words])


def word_spans(tokens: Sequence[str], special: Collection[str] = SPECIAL) -> list[Span]:
    """Half-open spans of the words that tokens spell, read from the marks that tokenizers leave.

    Known are ▁ (SentencePiece), Ġ and Ċ (byte-level BPE), a space (tokens that were decoded), ↵ (a
    new line, as axes show it), ## (WordPiece) and </w> (the first BPEs). Where no token has a mark,
    each is a word of its own.
    """
    plain = [token for token in tokens if token not in special]
    if any(token.startswith(_STARTS) for token in plain):
        begins = [token.startswith(_STARTS) for token in tokens]
    elif any(token.endswith(_STOPS) for token in plain):
        begins = [True, *(token.endswith(_STOPS) for token in tokens[:-1])]
    else:
        begins = [not token.startswith(_GOES_ON) for token in tokens]
    spans: list[Span] = []
    inside = False
    for index, token in enumerate(tokens):
        if token in special:
            inside = False
        elif inside and not begins[index]:
            spans[-1] = (spans[-1][0], index + 1)
        else:
            spans.append((index, index + 1))
            inside = True
    return spans


def sentence_spans(tokens: Sequence[str]) -> list[Span]:
    """Half-open spans that end after final punctuation; together they are all of the tokens.

    A point inside a word, as in 3.5, ends nothing; quotation marks and brackets that close belong
    to the sentence before them, and so do special tokens at the end.
    """
    starts = {start for start, _ in word_spans(tokens)}
    spans: list[Span] = []
    first = 0
    end = ""  # the punctuation that was met
    for index, token in enumerate(tokens):
        bare = token.strip("".join(_STARTS)).removesuffix(_STOPS)
        if token in SPECIAL or not bare.rstrip(CLOSING):
            continue
        if end in ALWAYS_END or (end and index in starts):
            spans.append((first, index))
            first = index
        last = bare.rstrip(CLOSING)[-1]
        end = last if last in ENDS + ALWAYS_END else ""
    if tokens:
        spans.append((first, len(tokens)))
    return spans
