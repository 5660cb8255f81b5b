"""Text in, numbers out: subword tokenizers for models, and static word vectors."""

from regard.text.normalise import normalise
from regard.text.pair import TokenizerPair
from regard.text.tokenizer import Piece, Tokenizer, Word
from regard.text.train import suggest_vocab_size, train_pair, train_tokenizer
from regard.text.vectors import WordVectors, load_vectors

__all__ = [
    "Piece",
    "Tokenizer",
    "TokenizerPair",
    "Word",
    "WordVectors",
    "load_vectors",
    "normalise",
    "suggest_vocab_size",
    "train_pair",
    "train_tokenizer",
]
