"""The config of the recurrent encoder–decoder, and its presets."""

from dataclasses import dataclass

from regard.errors import BadArgumentError
from regard.models.configs.config import ModelConfig, from_preset, one_of

CELLS = ("gru", "lstm")


@dataclass(frozen=True)
class RecurrentConfig(ModelConfig):
    """Defaults about as Bahdanau's.

    >>> RecurrentConfig(vocab_size=8_000).attention
    'bahdanau'
    """

    vocab_size: int  # number of ids of the source, and of the target if they share them
    target_vocab_size: int | None = None  # None: one vocabulary and one table for both sides
    cell: str = one_of("gru", CELLS)
    # "none": the encoder's last state at every step
    attention: str = one_of("bahdanau", ("none", "bahdanau", "luong"))
    score: str = one_of("general", ("general", "dot"))  # Luong's
    input_feeding: bool = False  # Luong's: the next step also reads the attentional vector
    d_model: int = 512  # width of the embeddings and of the states that are projected to logits
    hidden_size: int = 1024  # width of the states; a bidirectional encoder's halves share it
    encoder_layers: int = 1
    decoder_layers: int = 1
    bidirectional: bool = True  # the encoder
    dropout: float = 0.2  # on embeddings, between layers and before the projection to logits
    max_positions: int = 512  # longest source or target in tasks, in tokens
    pad_id: int = 0
    eos_id: int = 1
    start_id: int = 0  # the decoder's first input

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attention != "luong" and (self.score != "general" or self.input_feeding):
            raise BadArgumentError(
                f"score and input_feeding are for attention 'luong'; got {self.attention!r}."
            )
        if self.bidirectional and self.hidden_size % 2:
            raise BadArgumentError(
                f"a bidirectional encoder needs an even hidden_size; got {self.hidden_size}."
            )
        self._check_ids("pad_id", "eos_id", "start_id", size=self.decoder_vocab_size)

    @property
    def decoder_vocab_size(self) -> int:
        return self.target_vocab_size or self.vocab_size


# tiny and small have about the size of the Transformers of that name. RNNsearch of Bahdanau et
# al. 2015, appendix A.2, has 620 and 1000 where base has powers of two.
RECURRENT_PRESETS: dict[str, dict[str, int | float]] = {
    "tiny": dict(d_model=128, hidden_size=320, dropout=0.3),
    "small": dict(d_model=256, hidden_size=512, dropout=0.2),
    "base": dict(),
}


def recurrent_preset(name: str, vocab_size: int, **changes: object) -> RecurrentConfig:
    """Return the named preset with this vocabulary and any other changes.

    >>> recurrent_preset("tiny", vocab_size=8_000, attention="none").attention
    'none'
    """
    return from_preset(RecurrentConfig, RECURRENT_PRESETS, name, vocab_size=vocab_size, **changes)
