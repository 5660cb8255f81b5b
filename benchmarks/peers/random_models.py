"""Models of usual sizes with random weights, in Hugging Face's layout: their speed is real."""

import json
from pathlib import Path

import torch

VOCAB = {"marian": 32000, "big": 32000, "gpt2": 50257, "bert": 30522}
VOCAB |= {"llama": 128256, "qwen": 151936}


def saved(name: str, folder: Path) -> Path:
    """The folder of the model, which is made if it is not there."""
    import transformers

    if (folder / "config.json").is_file():
        return folder
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(5)
    vocab = VOCAB[name]
    if name in ("marian", "big"):  # the Transformer's base and big model
        size = 2 if name == "big" else 1
        config = transformers.MarianConfig(
            vocab_size=vocab,
            d_model=512 * size,
            encoder_layers=6,
            decoder_layers=6,
            encoder_ffn_dim=2048 * size,
            decoder_ffn_dim=2048 * size,
            encoder_attention_heads=8 * size,
            decoder_attention_heads=8 * size,
            max_position_embeddings=512,
            activation_function="relu",
            scale_embedding=True,
            pad_token_id=vocab - 1,  # where Marian's own models have it
            eos_token_id=1,
            decoder_start_token_id=vocab - 1,
            forced_eos_token_id=None,
        )
        model = transformers.MarianMTModel(config)
    elif name == "gpt2":
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_positions=2048))
    elif name in ("llama", "qwen"):
        common = dict(vocab_size=vocab, num_key_value_heads=8, max_position_embeddings=2048)
        common |= dict(tie_word_embeddings=True, bos_token_id=1, eos_token_id=1)
        if name == "llama":
            config = transformers.LlamaConfig(
                hidden_size=2048,
                intermediate_size=8192,
                num_hidden_layers=16,
                num_attention_heads=32,
                rope_theta=500000.0,
                **common,
            )
        else:
            config = transformers.Qwen3Config(
                hidden_size=1024,
                intermediate_size=3072,
                num_hidden_layers=28,
                num_attention_heads=16,
                head_dim=128,
                rope_theta=1000000.0,
                **common,
            )
        model = transformers.AutoModelForCausalLM.from_config(config).half()
    else:
        model = transformers.BertModel(transformers.BertConfig())
    model.eval().save_pretrained(folder)
    write_tokenizer(vocab, folder, pad=vocab - 1 if name in ("marian", "big") else 0)
    return folder


def write_tokenizer(vocab: int, folder: Path, *, pad: int) -> None:
    """A tokenizer whose tokens are numbers, which converters ask for."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    names = [f"t{k}" for k in range(vocab)]
    names[1], names[2], names[pad] = "</s>", "<unk>", "<pad>"
    tokens = {name: k for k, name in enumerate(names)}
    tokenizer = Tokenizer(models.WordLevel(tokens, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "bos_token": "</s>",
        "unk_token": "<unk>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
