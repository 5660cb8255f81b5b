"""Text in, numbers out: subword tokenizers for models."""

from regard.text.normalise import normalise
from regard.text.pair import TokenizerPair
from regard.text.tokenizer import Piece, Tokenizer, Word
from regard.text.train import suggest_vocab_size, train_pair, train_tokenizer

__all__ = [
    "Piece",
    "Tokenizer",
    "TokenizerPair",
    "Word",
    "normalise",
    "suggest_vocab_size",
    "train_pair",
    "train_tokenizer",
]
