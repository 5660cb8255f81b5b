"""How large a step of a model is, by its config.json."""

from regard.checkpoints import find_folder
from regard.json_files import read_object


def operations(place: str) -> tuple[int, int]:
    """Bytes of the int8 weights that a step multiplies by, and the multiplications and additions of
    one row (one token) of it, attention's own left out."""
    config = read_object(find_folder(place) / "config.json")

    def field(*names: str, default: int = 0) -> int:
        return next((int(config[name]) for name in names if config.get(name)), default)

    width = field("d_model", "hidden_size", "n_embd")
    inner = field("decoder_ffn_dim", "intermediate_size", "n_inner", default=4 * width)
    layers = field("decoder_layers", "num_hidden_layers", "n_layer")
    heads = field("decoder_attention_heads", "num_attention_heads", "n_head")
    shared = field("num_key_value_heads", default=heads) / heads  # keys and values of a query head
    attention = (2 + 2 * shared) * width * width
    if config.get("is_encoder_decoder"):
        attention += 2 * width * width  # query and output of the other; its keys are of the source
    gated = config["model_type"] in ("llama", "mistral", "qwen2")
    weights = layers * (attention + (3 if gated else 2) * width * inner)
    if config["model_type"] not in ("bert",):
        weights += field("vocab_size") * width
    return int(weights), 2 * int(weights)
