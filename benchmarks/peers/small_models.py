"""Small models of transformers with odd sizes and random weights: every family that opens here.

Their own arithmetic is asked for (`attn_implementation="eager"`), not the kernel that both would
call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

VOCAB, PAD, EOS, START = 43, 1, 2, 3

TOKENS = dict(vocab_size=VOCAB, pad_token_id=PAD, bos_token_id=None, eos_token_id=EOS)
TOKENS |= dict(decoder_start_token_id=START)
WORDS = dict(num_hidden_layers=2, num_attention_heads=3, hidden_size=15, intermediate_size=22)
WORDS |= dict(max_position_embeddings=19, type_vocab_size=3, layer_norm_eps=1e-3)
MODERN = dict(num_hidden_layers=4, num_attention_heads=3, hidden_size=18, intermediate_size=22)
MODERN |= dict(max_position_embeddings=19, norm_eps=1e-3, local_attention=4)
MODERN_BIASED = dict(attention_bias=True, mlp_bias=True, norm_bias=True, classifier_bias=True)
MODERN_BIASED |= dict(classifier_pooling="mean", layer_types=["sliding_attention"] * 3)
MODERN_BIASED |= dict(num_hidden_layers=3, num_labels=5, classifier_activation="relu")
DEBERTA = WORDS | dict(relative_attention=True, position_biased_input=False, type_vocab_size=0)
DEBERTA |= dict(share_att_key=True, pos_att_type="p2c|c2p", norm_rel_ebd="layer_norm")
DEBERTA |= dict(position_buckets=4)
DISTIL = dict(dim=15, n_layers=2, n_heads=3, hidden_dim=22, max_position_embeddings=19)
GPT2 = dict(n_embd=20, n_layer=3, n_head=5, n_inner=44, n_positions=37)
UNTIED = dict(n_layer=1, n_inner=None, tie_word_embeddings=False, scale_attn_weights=False)
LLAMA = dict(hidden_size=28, intermediate_size=44, num_hidden_layers=3, num_attention_heads=7)
LLAMA |= dict(max_position_embeddings=64)
TIED = dict(num_hidden_layers=1, attention_bias=True, mlp_bias=True, tie_word_embeddings=True)
TIED |= dict(rms_norm_eps=0.01)
WIDE = LLAMA | dict(num_key_value_heads=1, head_dim=6)  # seven queries to a key, head_dim ≠ d / h
UPPER = dict(use_sliding_window=True, sliding_window=3, max_window_layers=1)
LINEAR = dict(rope_type="linear", rope_theta=100.0, factor=2.0)
LLAMA3 = dict(rope_type="llama3", rope_theta=500.0, factor=4.0, low_freq_factor=1.0)
LLAMA3 |= dict(high_freq_factor=3.0, original_max_position_embeddings=16)
YARN = dict(rope_type="yarn", rope_theta=500.0, factor=4.0, beta_fast=2.0, beta_slow=0.5)
YARN |= dict(original_max_position_embeddings=16)
BIASED = dict(attention_bias=True, tie_word_embeddings=True)
PARTS = LLAMA | dict(hidden_size=56, num_key_value_heads=1, original_max_position_embeddings=32)
LONG = dict(rope_type="longrope", rope_theta=500.0, partial_rotary_factor=0.75)
LONG |= dict(short_factor=[1.0, 1.5, 2.5], long_factor=[2.0, 4.0, 8.0])
EXPERTS = dict(num_local_experts=5, num_experts_per_tok=2)
NARROW = dict(moe_intermediate_size=20)  # whole steps of 16 bytes, as theirs needs
OSS = dict(num_key_value_heads=1, sliding_window=3, swiglu_limit=0.2, rope_parameters=YARN)
GEMMA = WIDE | dict(query_pre_attn_scalar=9, sliding_window=3)
CAPPED = dict(attn_logit_softcapping=1.5, final_logit_softcapping=4.0)
LOCAL = ["sliding_attention", "full_attention", "sliding_attention"] * 2
PAIR = dict(d_model=18, encoder_layers=3, decoder_layers=2, max_position_embeddings=19)
PAIR |= dict(encoder_attention_heads=3, decoder_attention_heads=2, forced_eos_token_id=None)
PAIR |= dict(encoder_ffn_dim=23, decoder_ffn_dim=23)
SCALED = dict(scale_embedding=True)
NO_DROP = dict(encoder_layerdrop=0.0, decoder_layerdrop=0.0)
TWO_TABLES = dict(share_encoder_decoder_embeddings=False, decoder_vocab_size=VOCAB - 4)
TWO_TABLES |= dict(activation_function="relu", encoder_layers=1)
T5 = dict(d_model=17, d_kv=5, d_ff=23, num_layers=3, num_decoder_layers=2, num_heads=3)
T5 |= dict(relative_attention_num_buckets=6, relative_attention_max_distance=7)
GATED = dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False)
TOWER = dict(num_hidden_layers=2, num_attention_heads=3, hidden_size=15, intermediate_size=22)
TOWER |= dict(layer_norm_eps=1e-3)
READS = TOWER | TOKENS | dict(eos_token_id=START, max_position_embeddings=19)
SEES = TOWER | dict(hidden_size=12, num_hidden_layers=3, image_size=6, patch_size=2)
CLIP = dict(text_config=READS, vision_config=SEES, projection_dim=9)
SIGLIP = dict(text_config=READS | dict(projection_size=12), vision_config=SEES)
SOUND = dict(num_mel_bins=5, max_source_positions=7, max_target_positions=19)
SOUND |= dict(suppress_tokens=None, begin_suppress_tokens=None)
VIT = WORDS | dict(image_size=[6, 10], patch_size=[3, 2])


@dataclass(frozen=True)
class Case:
    """A family, and the settings that make it small and odd."""

    name: str
    architecture: str  # a class of transformers
    settings: Mapping[str, Any]
    output_table: bool = False  # T5's files may hold one whatever config.json says

    @property
    def writes(self) -> bool:
        """Whether it continues a text."""
        return self.architecture.endswith(("CausalLM", "LMHeadModel", "MTModel", "Generation"))

    def build(self) -> Any:
        """The model, in evaluation mode; none of its weights is zero or one."""
        import transformers

        architecture = getattr(transformers, self.architecture)
        config = architecture.config_class(**(TOKENS | self.settings))
        model = architecture._from_config(config, attn_implementation="eager").eval()
        if self.output_table:
            model.lm_head.weight = nn.Parameter(torch.empty_like(model.shared.weight))
        torch.manual_seed(7)
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if weight.requires_grad:  # tables of sinusoids have none
                    middle = weight.clone() if _is_scale(name) else 0.0  # 1, or Gemma's 0
                    if name == "logit_scale":  # a logarithm
                        middle = 2.5
                    weight.copy_(_deviation(name) * torch.randn_like(weight) + middle)
            if hasattr(model, "final_logits_bias"):  # which is no parameter
                model.final_logits_bias.normal_(std=0.05)
        return model


def _deviation(name: str) -> float:
    """Of random weights; of biases little, or what they prefer would follow every text."""
    return 0.05 if name.endswith("bias") else 0.2


def _is_scale(name: str) -> bool:
    """Whether a weight multiplies what has been normalized, so that it stays about what it is."""
    return name.endswith("weight") and ("norm" in name.lower() or ".ln_" in name)


def heads(name: str, prefix: str, settings: Mapping[str, Any]) -> list[Case]:
    """An encoder with each of its heads; the first of them has one layer."""
    one = {"n_layers" if "n_layers" in settings else "num_hidden_layers": 1}
    return [
        Case(f"{name}, no head", f"{prefix}Model", {**settings, **one}),
        Case(f"{name}, words", f"{prefix}ForMaskedLM", settings),
        Case(
            f"{name}, classes", f"{prefix}ForSequenceClassification", {**settings, "num_labels": 5}
        ),
        Case(f"{name}, answers", f"{prefix}ForQuestionAnswering", settings),
    ]


def reads(name: str, prefix: str, settings: Mapping[str, Any]) -> list[Case]:
    """A model that could write, with each of the heads that it reads a text for."""
    classes = {**settings, "num_labels": 5}
    return [
        Case(f"{name}, classes", f"{prefix}ForSequenceClassification", classes),
        Case(f"{name}, answers", f"{prefix}ForQuestionAnswering", settings),
    ]


CASES = (
    *heads("BERT", "Bert", WORDS),
    Case("BERT, pretraining", "BertForPreTraining", WORDS),
    *heads("RoBERTa", "Roberta", WORDS),
    *heads("XLM-R", "XLMRoberta", WORDS),
    *heads("ELECTRA", "Electra", WORDS | dict(embedding_size=9)),
    Case("ELECTRA, as wide", "ElectraModel", WORDS | dict(embedding_size=15)),
    *heads("DeBERTa", "DebertaV2", DEBERTA),
    Case(
        "DeBERTa, token types",
        "DebertaV2ForMaskedLM",
        DEBERTA | dict(type_vocab_size=3, legacy=False, max_relative_positions=8, num_labels=5),
    ),
    *heads("ModernBERT", "ModernBert", MODERN),
    Case("ModernBERT, mean", "ModernBertForSequenceClassification", MODERN | MODERN_BIASED),
    *heads("DistilBERT", "DistilBert", DISTIL),
    Case("GPT-2", "GPT2LMHeadModel", GPT2),
    Case("GPT-2, untied", "GPT2LMHeadModel", GPT2 | UNTIED),
    *reads("GPT-2", "GPT2", GPT2),
    Case("Llama", "LlamaForCausalLM", WIDE | dict(rope_parameters=LLAMA3)),
    Case("Llama, tied", "LlamaForCausalLM", LLAMA | TIED | dict(rope_parameters=LINEAR)),
    *reads("Llama", "Llama", WIDE | dict(rope_parameters=LLAMA3)),
    Case("Mistral", "MistralForCausalLM", WIDE | dict(hidden_size=25, sliding_window=3)),
    Case("Mistral, all seen", "MistralForCausalLM", WIDE | dict(sliding_window=None)),
    *reads("Mistral", "Mistral", WIDE | dict(hidden_size=25, sliding_window=3)),
    Case(
        "Mistral, all seen, answers",
        "MistralForQuestionAnswering",
        WIDE | dict(sliding_window=None),
    ),
    Case("Qwen2", "Qwen2ForCausalLM", WIDE | UPPER),
    Case("Qwen2, longer", "Qwen2ForCausalLM", WIDE | dict(rope_parameters=YARN)),
    *reads("Qwen2", "Qwen2", WIDE | UPPER),
    Case("Qwen3", "Qwen3ForCausalLM", WIDE | UPPER),
    Case("Qwen3, biased", "Qwen3ForCausalLM", WIDE | TIED | dict(attention_bias=True)),
    *reads("Qwen3", "Qwen3", WIDE | UPPER),
    Case("OLMo 2", "Olmo2ForCausalLM", WIDE),
    Case("OLMo 2, biased", "Olmo2ForCausalLM", LLAMA | BIASED | dict(num_key_value_heads=7)),
    *reads("OLMo 2", "Olmo2", WIDE)[:1],
    Case("SmolLM3", "SmolLM3ForCausalLM", WIDE | dict(num_hidden_layers=5)),
    Case(
        "SmolLM3, biased",
        "SmolLM3ForCausalLM",
        LLAMA | TIED | dict(num_key_value_heads=7, no_rope_layers=[0]),
    ),
    *reads("SmolLM3", "SmolLM3", WIDE | dict(no_rope_layers=[1, 0, 1])),
    Case("Mixtral", "MixtralForCausalLM", WIDE | EXPERTS),
    Case("Mixtral, a window", "MixtralForCausalLM", WIDE | EXPERTS | dict(sliding_window=3)),
    *reads("Mixtral", "Mixtral", WIDE | EXPERTS),
    Case("Qwen3-MoE", "Qwen3MoeForCausalLM", WIDE | EXPERTS | NARROW),
    Case(
        "Qwen3-MoE, biased",
        "Qwen3MoeForCausalLM",
        WIDE | EXPERTS | NARROW | BIASED | dict(norm_topk_prob=True, mlp_only_layers=[1]),
    ),
    *reads("Qwen3-MoE", "Qwen3Moe", WIDE | EXPERTS | NARROW | dict(decoder_sparse_step=2)),
    Case("gpt-oss", "GptOssForCausalLM", WIDE | EXPERTS | OSS),
    Case(
        "gpt-oss, as long as it was",
        "GptOssForCausalLM",
        WIDE | EXPERTS | OSS | dict(rope_parameters=dict(rope_type="default"), sliding_window=50),
    ),
    *reads("gpt-oss", "GptOss", WIDE | EXPERTS | OSS)[:1],
    Case("Phi-3", "Phi3ForCausalLM", LLAMA | dict(sliding_window=3)),
    Case("Phi-3, a part rotated", "Phi3ForCausalLM", PARTS | dict(rope_parameters=LONG)),
    *reads("Phi-3", "Phi3", PARTS | dict(rope_parameters=LONG))[:1],
    Case("Gemma 2", "Gemma2ForCausalLM", GEMMA | CAPPED),
    Case("Gemma 2, biased", "Gemma2ForCausalLM", GEMMA | BIASED | dict(sliding_window=50)),
    *reads("Gemma 2", "Gemma2", GEMMA | CAPPED)[:1],
    Case("Gemma 3", "Gemma3ForCausalLM", GEMMA | dict(layer_types=LOCAL[:3])),
    Case(
        "Gemma 3, longer",
        "Gemma3ForCausalLM",
        GEMMA
        | dict(num_hidden_layers=5, layer_types=LOCAL[:5], num_key_value_heads=7)
        | dict(rope_parameters=dict(full_attention=LINEAR)),
    ),
    *reads("Gemma 3", "Gemma3Text", GEMMA | dict(layer_types=LOCAL[:3]))[:1],
    Case("Marian", "MarianMTModel", PAIR | SCALED),
    Case("Marian, two tables", "MarianMTModel", PAIR | SCALED | TWO_TABLES),
    Case("Pegasus", "PegasusForConditionalGeneration", PAIR | SCALED),
    Case("BART", "BartForConditionalGeneration", PAIR),
    Case("BART, scaled", "BartForConditionalGeneration", PAIR | SCALED | dict(encoder_layers=1)),
    *reads("BART", "Bart", PAIR),
    Case("mBART", "MBartForConditionalGeneration", PAIR),
    Case("M2M100", "M2M100ForConditionalGeneration", PAIR | SCALED | NO_DROP),
    Case(
        "M2M100, unscaled",
        "M2M100ForConditionalGeneration",
        PAIR
        | NO_DROP
        | dict(scale_embedding=False, activation_function="gelu")
        | dict(encoder_layers=1, decoder_layers=4),
    ),
    Case("T5", "T5ForConditionalGeneration", T5),
    Case("T5 1.1", "T5ForConditionalGeneration", T5 | GATED, output_table=True),
    Case("T5 1.1, tied", "T5ForConditionalGeneration", T5 | GATED | dict(num_decoder_layers=1)),
    Case("mT5", "MT5ForConditionalGeneration", T5 | dict(tie_word_embeddings=True)),
    Case("mT5, untied", "MT5ForConditionalGeneration", T5 | GATED, output_table=True),
    Case("ViT", "ViTForImageClassification", VIT),
    Case("ViT, no head", "ViTModel", VIT | dict(qkv_bias=False, num_hidden_layers=1)),
    Case("CLIP", "CLIPModel", CLIP),
    Case("CLIP, its old end", "CLIPModel", CLIP | dict(text_config=READS | dict(eos_token_id=2))),
    Case("SigLIP", "SiglipModel", SIGLIP),
    Case("Whisper", "WhisperForConditionalGeneration", PAIR | SOUND),
    Case(
        "Whisper, relu",
        "WhisperForConditionalGeneration",
        PAIR | SOUND | dict(activation_function="relu", encoder_layers=1, decoder_layers=3),
    ),
)
