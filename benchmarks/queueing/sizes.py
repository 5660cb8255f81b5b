"""How much a step of a model reads, by its config.json."""

from regard.checkpoints import find_folder
from regard.json_files import read_object

FLOAT = 4  # bytes of a key's or a value's number


def sizes(place: str) -> dict[str, int]:
    """Bytes of the int8 weights that a step multiplies by, and of the keys and values that it reads
    of each token before it, of each row."""
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
    reads = config["model_type"] == "bert"  # and writes nothing
    if not reads:
        weights += field("vocab_size") * width
    kept = 0 if reads else int(2 * layers * shared * width) * FLOAT
    return {"weights": int(weights), "kept": kept}
