"""Text in, numbers out: subword tokenizers for models."""

from regard.text.normalize import normalize
from regard.text.pair import TokenizerPair
from regard.text.tokenizer import Piece, Tokenizer, Word
from regard.text.train import suggest_vocab_size, train_pair, train_tokenizer

__all__ = [
    "Piece",
    "Tokenizer",
    "TokenizerPair",
    "Word",
    "normalize",
    "suggest_vocab_size",
    "train_pair",
    "train_tokenizer",
]
