"""Are traced weights those of transformers' own eager attention, family by family?

    python benchmarks/families.py
    python benchmarks/families.py --dtype bfloat16

Each family is built small with random weights, and traced as it is by default: its own attention
implementation, over a batch of a full and a padded text. Beside it runs the same model with
`attn_implementation="eager"` and `output_attentions=True`. Printed is the largest difference of any
weight of any layer and head, over the queries that are no padding.
"""

import argparse
import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import regard

VOCAB, LENGTH, PADDING = 97, 19, 5
SMALL = dict(vocab_size=VOCAB, pad_token_id=0, bos_token_id=1, eos_token_id=2)
# Decoders with rotary positions: 6 heads over 2 of keys, 3 layers.
ROTARY = SMALL | dict(
    hidden_size=48,
    intermediate_size=64,
    num_hidden_layers=3,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=8,
    max_position_embeddings=64,
)


@dataclass(frozen=True)
class Family:
    """A small model of a family, and what it reads."""

    name: str
    build: Callable[[Any], Any]  # from the transformers module
    reads: str = "text"  # "text", "pair" or "image"
    gain: float = 4.0  # on its initial matrices: weights large enough for attention to be uneven


FAMILIES = [
    Family(
        "BERT",
        lambda hf: hf.BertForMaskedLM(
            hf.BertConfig(
                **SMALL,
                hidden_size=48,
                intermediate_size=64,
                num_hidden_layers=3,
                num_attention_heads=6,
                max_position_embeddings=64,
            )
        ),
    ),
    Family(
        "GPT-2",
        lambda hf: hf.GPT2LMHeadModel(
            hf.GPT2Config(**SMALL, n_embd=48, n_layer=3, n_head=6, n_positions=64)
        ),
    ),
    Family("BART", lambda hf: hf.BartForConditionalGeneration(pair(hf.BartConfig)), "pair"),
    Family("Marian", lambda hf: hf.MarianMTModel(pair(hf.MarianConfig)), "pair"),
    Family("M2M100", lambda hf: hf.M2M100ForConditionalGeneration(pair(hf.M2M100Config)), "pair"),
    Family(
        "T5",
        lambda hf: hf.T5ForConditionalGeneration(
            hf.T5Config(
                vocab_size=VOCAB,
                pad_token_id=0,
                eos_token_id=2,
                decoder_start_token_id=0,
                d_model=48,
                d_kv=8,
                d_ff=64,
                num_heads=6,
                num_layers=3,
                num_decoder_layers=2,
                relative_attention_num_buckets=8,
            )
        ),
        "pair",
        gain=1.0,  # its attention is uneven from the start
    ),
    Family("Llama", lambda hf: hf.LlamaForCausalLM(hf.LlamaConfig(**ROTARY))),
    Family("Qwen2", lambda hf: hf.Qwen2ForCausalLM(hf.Qwen2Config(**ROTARY))),
    Family("Qwen3", lambda hf: hf.Qwen3ForCausalLM(hf.Qwen3Config(**ROTARY))),
    Family("OLMo 2", lambda hf: hf.Olmo2ForCausalLM(hf.Olmo2Config(**ROTARY))),
    Family(
        "SmolLM3",
        lambda hf: hf.SmolLM3ForCausalLM(hf.SmolLM3Config(**ROTARY, no_rope_layers=[1, 0, 1])),
    ),
    Family(
        "Mixtral",
        lambda hf: hf.MixtralForCausalLM(hf.MixtralConfig(**ROTARY, num_local_experts=4)),
    ),
    Family(
        "Qwen3-MoE",
        lambda hf: hf.Qwen3MoeForCausalLM(
            hf.Qwen3MoeConfig(
                **ROTARY, num_local_experts=4, num_experts_per_tok=2, moe_intermediate_size=32
            )
        ),
    ),
    Family(
        "gpt-oss",
        lambda hf: hf.GptOssForCausalLM(
            hf.GptOssConfig(**ROTARY, num_local_experts=4, num_experts_per_tok=2, sliding_window=7)
        ),
    ),
    Family("Phi-3", lambda hf: hf.Phi3ForCausalLM(hf.Phi3Config(**ROTARY, sliding_window=7))),
    Family(
        "Mistral",
        lambda hf: hf.MistralForCausalLM(hf.MistralConfig(**ROTARY, sliding_window=7)),
    ),
    Family(
        "Gemma2",
        lambda hf: hf.Gemma2ForCausalLM(
            hf.Gemma2Config(**ROTARY, sliding_window=7, attn_logit_softcapping=2.0)
        ),
    ),
    Family(
        "Gemma3",
        lambda hf: hf.Gemma3ForCausalLM(hf.Gemma3TextConfig(**ROTARY, sliding_window=7)),
    ),
    Family(
        "ViT",
        lambda hf: hf.ViTForImageClassification(
            hf.ViTConfig(
                hidden_size=48,
                intermediate_size=64,
                num_hidden_layers=3,
                num_attention_heads=6,
                image_size=24,
                patch_size=8,
            )
        ),
        "image",
    ),
]


def pair(config: Any) -> Any:
    """Three encoder layers of six heads, two decoder layers of four."""
    return config(
        **SMALL,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
        d_model=48,
        encoder_layers=3,
        decoder_layers=2,
        encoder_attention_heads=6,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=64,
    )


def build(family: Family, dtype: torch.dtype = torch.float32) -> Any:
    """The model in evaluation mode, with random weights that are the same every time."""
    import transformers

    torch.manual_seed(7)
    model = family.build(transformers).to(dtype).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(family.gain)
    return model


def inputs_of(family: Family, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """A batch of two: a text of full length and a shorter one, padded on the right; or images."""
    torch.manual_seed(11)
    if family.reads == "image":
        return {"pixel_values": torch.randn(2, 3, 24, 24, dtype=dtype)}
    ids = torch.randint(3, VOCAB, (2, LENGTH))
    real = torch.ones_like(ids)
    ids[1, -PADDING:] = real[1, -PADDING:] = 0
    inputs = {"input_ids": ids, "attention_mask": real}
    if family.reads == "pair":
        inputs["decoder_input_ids"] = torch.randint(3, VOCAB, (2, 13))
    return inputs


@torch.no_grad()
def eager_weights(model: Any, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What transformers returns when it is asked for weights, by tap name."""
    slow = copy.deepcopy(model)
    slow.set_attn_implementation("eager")
    output = slow(**inputs, output_attentions=True)
    if slow.config.is_encoder_decoder:
        kinds = {
            "encoder.layers.{}.self": output.encoder_attentions,
            "decoder.layers.{}.self": output.decoder_attentions,
            "decoder.layers.{}.cross": output.cross_attentions,
        }
    else:
        causal = type(model).__name__.endswith(("ForCausalLM", "LMHeadModel"))
        kinds = {("decoder" if causal else "encoder") + ".layers.{}.self": output.attentions}
    return {
        name.format(layer): weights
        for name, layers in kinds.items()
        for layer, weights in enumerate(layers)
    }


def largest_difference(trace: Any, expected: dict[str, Tensor], inputs: dict[str, Tensor]) -> float:
    """Over all taps, sequences, heads and entries whose query is a token."""
    largest = 0.0
    for name, weights in expected.items():
        tap = trace[name]
        for item in range(len(weights)):
            found = tap.weights(item=item)
            found = found[..., found.shape[-1] - weights.shape[-1] :]  # theirs are without a sink
            # A query that is padding has weights in transformers too; no one reads them.
            rows = LENGTH - PADDING if item and tap.queries in ("tokens", "source") else None
            difference = (found - weights[item].float()).abs()[:, :rows]
            largest = max(largest, float(difference.max()))
    return largest


def main() -> None:
    """Prints a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dtype", default="float32", choices=["float32", "float64", "bfloat16"])
    options = parser.parse_args()
    dtype = getattr(torch, options.dtype)
    print(f"{'family':9}  {'runs as':7}  taps  output bit-equal  largest difference")
    for family in FAMILIES:
        model, inputs = build(family, dtype), inputs_of(family, dtype)
        with torch.no_grad():
            untraced = model(**inputs).logits
        trace = regard.trace(model, **inputs)
        expected = eager_weights(model, inputs)
        assert set(trace) == set(expected), (sorted(trace), sorted(expected))
        equal = "yes" if torch.equal(trace.output.logits, untraced) else "NO"
        difference = largest_difference(trace, expected, inputs)
        implementation = model.config._attn_implementation
        print(
            f"{family.name:9}  {implementation:7}  {len(trace):4}  {equal:16}  {difference:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
