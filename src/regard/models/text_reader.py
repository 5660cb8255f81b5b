"""The models that can read a text for a head."""

from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder

TextReader = Encoder | Decoder | EncoderDecoder
