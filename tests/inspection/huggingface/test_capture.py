"""Traces of transformers models against the weights that transformers itself returns."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

import regard
from regard.errors import RegardError
from regard.inspection.huggingface import trace_transformers
from regard.inspection.huggingface.places import naming_of
from regard.inspection.trace import Trace
from regard.inspection.views.ablation import ablate

transformers = pytest.importorskip("transformers", reason="transformers is an optional extra")

FAMILIES = ["BERT", "GPT-2", "BART", "Marian", "T5", "Llama", "Qwen2", "Mistral", "Gemma2", "ViT"]
PROJECTIONS = ("attn.c_proj", "out_proj", "o_proj", "Attention.o", "attention.output.dense")


@pytest.mark.parametrize("name", FAMILIES)
def test_weights_are_those_of_eager_attention(family, families, name):
    model, inputs = family(name)
    trace = regard.trace(model, **inputs)
    expected = families.eager_weights(model, inputs)
    assert set(trace) == set(expected)
    assert trace.notes == []
    assert families.largest_difference(trace, expected, inputs) <= 1e-5
    assert trace.receipt.row_sum_error <= 1e-5


def test_an_imprecise_log_sum_exp_is_not_taken_either(family, monkeypatch):
    """Kernels are off by 1.5e-5 where a trained model's scores are large, and so would weights."""
    from regard.inspection.huggingface import interface

    model, inputs = family("BERT")
    right = regard.trace(model, **inputs)["encoder.layers.1.self"].weights()

    class Rounded(interface.KernelLse):
        def __torch_dispatch__(self, *arguments):
            returned = super().__torch_dispatch__(*arguments)
            self.lse = None if self.lse is None else self.lse + 1.5e-5
            return returned

    monkeypatch.setattr(interface, "KernelLse", Rounded)
    tap = regard.trace(model, **inputs)["encoder.layers.1.self"]
    assert tap.known_lse is None
    torch.testing.assert_close(tap.weights(), right, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
@torch.no_grad()
def test_a_traced_run_computes_what_an_untraced_one_does(family, name):
    model, inputs = family(name)
    untraced = model(**inputs).logits
    assert torch.equal(regard.trace(model, **inputs).output.logits, untraced)
    assert torch.equal(model(**inputs).logits, untraced)  # and leaves nothing behind


@pytest.mark.parametrize("name", ["Llama", "Mistral", "Gemma2", "GPT-2"])
@torch.no_grad()
def test_padding_on_the_left_is_never_seen(family, families, name):
    model, inputs = family(name)
    inputs = {key: given.flip(1) for key, given in inputs.items()}
    trace, expected = regard.trace(model, **inputs), families.eager_weights(model, inputs)
    for tap, weights in expected.items():
        found = trace[tap].weights(item=1)
        torch.testing.assert_close(found[:, 5:], weights[1, :, 5:], atol=1e-5, rtol=0)
        assert found[:, :, :5].eq(0).all()


def test_the_attention_that_is_heard_is_the_models_own(family):
    model, inputs = family("Llama")
    asked = []
    own = transformers.AttentionInterface._global_mapping["sdpa"]

    def spy(*arguments, **named):
        asked.append(arguments[0])
        return own(*arguments, **named)

    transformers.AttentionInterface.register("sdpa", spy)
    try:
        regard.trace(model, **inputs)
    finally:
        transformers.AttentionInterface.register("sdpa", own)
    assert len(asked) == 3
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("name", ["Llama", "BERT", "Marian"])
def test_the_kernels_log_sum_exp_is_taken_when_there_is_one(family, name):
    model, inputs = family(name)
    for tap in regard.trace(model, **inputs).values():
        assert tap.known_lse is not None
        torch.testing.assert_close(tap.known_lse, tap.attention.scores().logsumexp(-1))


def test_a_wrong_log_sum_exp_is_not_taken(family, monkeypatch):
    from regard.inspection.huggingface import interface

    model, inputs = family("Llama")
    right = regard.trace(model, **inputs)["decoder.layers.1.self"].weights()

    class BaseTwo(interface.KernelLse):
        def __torch_dispatch__(self, *arguments):
            returned = super().__torch_dispatch__(*arguments)
            self.lse = None if self.lse is None else self.lse / 0.6931472
            return returned

    monkeypatch.setattr(interface, "KernelLse", BaseTwo)
    tap = regard.trace(model, **inputs)["decoder.layers.1.self"]
    assert tap.known_lse is None
    torch.testing.assert_close(tap.weights(), right)


@pytest.mark.parametrize("name", FAMILIES)
@torch.no_grad()
def test_the_output_projection_is_the_layers_own(family, name):
    """Σ over heads and keys of α · f(x) is what the projection gives, but for its bias."""
    model, inputs = family(name)
    projected = []

    def keep(module, given, output):
        bias = getattr(module, "bias", None)
        projected.append(output if bias is None else output - bias)

    projections = [module for path, module in model.named_modules() if path.endswith(PROJECTIONS)]
    hooks = [module.register_forward_hook(keep) for module in projections]
    trace = regard.trace(model, **inputs)
    for hook in hooks:
        hook.remove()
    assert len(projected) == len(trace)
    for tap, expected in zip(trace.values(), projected, strict=True):
        values = tap.value[0].repeat_interleave(tap.heads // tap.key_heads, 0)
        of_keys = values @ tap.output_weight
        found = torch.einsum("hqk,hkd->qd", tap.weights(), of_keys)
        torch.testing.assert_close(found, expected[0], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", ["GPT-2", "T5", "Gemma2", "BERT", "ViT"])
@torch.no_grad()
def test_a_head_can_be_switched_off(family, name):
    model, inputs = family(name)
    trace = regard.trace(model, **inputs)
    last = list(trace)[-1]

    def without_head(tap, call):
        if tap != last:
            return None
        output = call.output.clone()
        output[:, 1] = 0
        return output

    before = model(**inputs).logits.reshape(2, -1, trace.rerun(lambda tap, call: None).shape[-1])
    assert torch.equal(trace.rerun(lambda tap, call: None), before)
    assert not torch.allclose(trace.rerun(without_head), before, atol=1e-4)
    assert torch.equal(trace.rerun(lambda tap, call: None), before)


def test_a_rerun_hears_the_taps_with_their_masks(family):
    model, inputs = family("Mistral")
    trace = regard.trace(model, **inputs)
    captured = {}
    trace.rerun(lambda tap, call: captured.update({tap: call}))
    assert list(captured) == list(trace)
    for name, call in captured.items():
        assert torch.equal(call.inputs.query, trace[name].query)
        positions = torch.arange(trace[name].rows)
        expected = trace[name].mask.tile(positions, positions)
        assert torch.equal(call.inputs.mask.tile(positions, positions), expected)


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("BERT", {"tokens"}),
        ("Llama", {"tokens"}),
        ("T5", {"source", "target"}),
        ("ViT", {"patches"}),
    ],
)
def test_axes_are_the_sequences_that_attend(family, name, axes):
    model, inputs = family(name)
    trace = regard.trace(model, **inputs)
    assert set(trace.axes) == axes
    for tap in trace.values():
        assert len(trace.axes[tap.queries].tokens) == tap.rows
        assert len(trace.axes[tap.keys].tokens) == tap.columns


def test_patches_are_named_by_row_and_column(family):
    model, inputs = family("ViT")
    names = regard.trace(model, **inputs).axes["patches"].tokens
    assert names[:5] == ["CLS", "0,0", "0,1", "0,2", "1,0"]
    assert len(names) == 10


def test_tokens_are_named_by_the_tokenizer_or_the_caller(family, tokenizer):
    model, _ = family("Llama")
    encoded = tokenizer("the cat sat .", return_tensors="pt", return_token_type_ids=False)
    axis = regard.trace(model, tokenizer=tokenizer, **encoded).axes["tokens"]
    assert axis.tokens == ["▁the", "▁cat", "▁sat", "▁.", "</s>"]
    assert axis.words == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert axis.predicts[:4] == axis.tokens[1:]
    named = regard.trace(model, tokens=list("abcde"), **encoded)
    assert named.axes["tokens"].tokens == list("abcde")
    with pytest.raises(RegardError, match="each of the 5 positions of tokens; got 4"):
        regard.trace(model, tokens=list("abcd"), **encoded)


def test_a_layer_used_again_counts_on(families):
    config = transformers.AlbertConfig(
        **families.SMALL,
        hidden_size=48,
        embedding_size=16,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=6,
    )
    model = transformers.AlbertModel(config).eval()
    trace = regard.trace(model, input_ids=torch.randint(3, 97, (1, 11)))
    assert list(trace) == [f"encoder.layers.{layer}.self" for layer in range(3)]
    assert trace.rerun is None
    assert "(logits), so nothing can be switched off" in trace.notes[0]


@torch.no_grad()
def own_weights(model, **inputs):
    """What a model with eager attention from the start returns when it is asked for weights."""
    config = copy.deepcopy(model.config)
    config._attn_implementation = "eager"
    eager = type(model)(config).eval()
    eager.load_state_dict(model.state_dict())
    return eager(**inputs, output_attentions=True)


def near(found, expected):
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)


def test_attention_outside_the_interface_is_shown_as_the_model_gives_it(families, tmp_path):
    model = transformers.BloomForCausalLM(
        transformers.BloomConfig(**families.SMALL, hidden_size=48, n_layer=2, n_head=6)
    ).eval()
    ids = torch.randint(3, 97, (2, 11))
    trace = regard.trace(model, input_ids=ids)
    expected = own_weights(model, input_ids=ids).attentions
    assert list(trace) == ["decoder.layers.0.self", "decoder.layers.1.self"]
    for tap, weights in zip(trace.values(), expected, strict=True):
        for item in range(2):
            near(tap.weights(item=item), weights[item])
        assert tap.notes == ["its weights are as the model gave them, not recomputed"]
        assert tap.causal
    assert trace.notes == ["nothing can be ablated in weights that the model itself gives"]
    with pytest.raises(RegardError, match="ablation needs"):
        ablate(trace, "head", "decoder.layers.0.self")
    trace.save(tmp_path / "bloom.safetensors")
    near(Trace.load(tmp_path / "bloom.safetensors")[tap.name].weights(), tap.weights())


def test_attention_of_a_class_that_is_chosen_when_a_model_is_made_is_its_own(families):
    model = transformers.FalconForCausalLM(
        transformers.FalconConfig(
            **families.SMALL, hidden_size=48, num_hidden_layers=2, num_attention_heads=6
        )
    ).eval()
    ids = torch.randint(3, 97, (1, 11))
    weights = own_weights(model, input_ids=ids).attentions[1]
    assert weights[0].triu(1).max() == 0
    near(regard.trace(model, input_ids=ids)["decoder.layers.1.self"].weights(), weights[0])


def test_weights_by_distance_become_a_map(families):
    sizes = {"hidden_size": 48, "intermediate_size": 64, "num_attention_heads": 6}
    config = transformers.LongformerConfig(
        **families.SMALL, **sizes, num_hidden_layers=2, attention_window=4
    )
    model = transformers.LongformerForMaskedLM(config).eval()
    ids = torch.randint(3, 97, (1, 11))
    weights = own_weights(model, input_ids=ids).attentions[0][0]
    found = regard.trace(model, input_ids=ids)["encoder.layers.0.self"].weights()
    assert found.shape == (6, 11, 11)
    for query in range(11):
        for key in range(11):
            away = key - query + 2
            expected = weights[:, query, away] if 0 <= away <= 4 else torch.zeros(6)
            near(found[:, query, key], expected)


def test_what_is_handed_out_and_is_no_map_is_refused(families):
    sizes = {"hidden_size": 48, "intermediate_size": 64, "num_attention_heads": 6}
    config = transformers.YosoConfig(**families.SMALL, **sizes, num_hidden_layers=1)
    with pytest.raises(RegardError, match=r"mixes positions in YosoSelfAttention.*no whole maps"):
        regard.trace(
            transformers.YosoForMaskedLM(config).eval(), input_ids=torch.randint(3, 97, (1, 11))
        )
    windows = transformers.Swinv2Config(
        embed_dim=12, depths=[1, 1], num_heads=[3, 3], image_size=16, patch_size=2, window_size=4
    )
    images = torch.randn(2, 3, 16, 16)
    trace = regard.trace(transformers.Swinv2Model(windows).eval(), pixel_values=images)
    assert list(trace) == ["encoder.layers.1.self"]
    assert "something other than the weights of whole sequences: layer 0" in trace.notes[-1]


def test_whole_maps_are_taken_of_short_texts_only(families, monkeypatch):
    config = transformers.BloomConfig(**families.SMALL, hidden_size=48, n_layer=1, n_head=6)
    model = transformers.BloomForCausalLM(config).eval()
    monkeypatch.setattr("regard.inspection.huggingface.handed_out.MOST", 6 * 10**2)
    assert len(regard.trace(model, input_ids=torch.randint(3, 97, (1, 10)))) == 1
    with pytest.raises(RegardError, match="no whole maps of these inputs"):
        regard.trace(model, input_ids=torch.randint(3, 97, (1, 11)))


def test_a_learned_sink_is_a_column_before_the_others(small):
    kinds = ["sliding_attention", "full_attention", "full_attention"]
    config = transformers.GptOssConfig(
        **small, num_local_experts=2, num_experts_per_tok=1, sliding_window=4, layer_types=kinds
    )
    model = transformers.GptOssForCausalLM(config).eval()
    ids = torch.randint(3, 97, (2, 11))
    expected = own_weights(model, input_ids=ids).attentions
    trace = regard.trace(model, input_ids=ids, tokens=list("abcdefghijk"))
    assert trace.axes["tokens and sink"].tokens == ["sink", *"abcdefghijk"]
    for tap, weights in zip(trace.values(), expected, strict=True):
        assert (tap.queries, tap.keys) == ("tokens", "tokens and sink")
        for item in range(2):
            near(tap.weights(item=item)[..., 1:], weights[item])
        near(tap.weights(2).sum(-1), torch.ones(11))
    assert trace.receipt.row_sum_error < 1e-5
    distances = [head.distance for head in trace.patterns("decoder.layers.1.self")]
    assert all(distance is not None for distance in distances)


def test_each_softmax_of_a_layer_is_a_tap(small):
    model = transformers.DiffLlamaForCausalLM(transformers.DiffLlamaConfig(**small)).eval()
    ids = torch.randint(3, 97, (1, 11))
    trace = regard.trace(model, input_ids=ids)
    assert list(trace)[:2] == ["decoder.layers.0.self", "decoder.layers.0.self#2"]
    expected = own_weights(model, input_ids=ids).attentions
    for layer, weights in enumerate(expected):
        for name in (f"decoder.layers.{layer}.self", f"decoder.layers.{layer}.self#2"):
            near(trace[name].weights(), weights[0])
    with torch.no_grad():
        untraced = model(input_ids=ids).logits
    assert trace.rerun is not None
    assert torch.equal(trace.rerun(lambda name, call: None), untraced)
    second = "decoder.layers.0.self#2"
    edited = trace.rerun(lambda name, call: call.output * 0 if name == second else None)
    assert not torch.allclose(edited, untraced)


def test_layers_of_other_lengths_have_axes_of_their_own():
    config = transformers.SegformerConfig(
        num_encoder_blocks=2, depths=[1, 1], sr_ratios=[4, 1], hidden_sizes=[8, 16],
        patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
        decoder_hidden_size=16,
    )  # fmt: skip
    model = transformers.SegformerModel(config).eval()
    images = torch.randn(2, 3, 32, 32)
    trace = regard.trace(model, pixel_values=images)
    axes = [(tap.queries, tap.keys) for tap in trace.values()]
    assert axes == [("patches", "patches (4)"), ("patches (16)", "patches (16)")]
    expected = own_weights(model, pixel_values=images).attentions
    for tap, weights in zip(trace.values(), expected, strict=True):
        near(tap.weights(), weights[0])
    assert len(trace.axes["patches (4)"].tokens) == 4


def test_attention_within_windows_of_an_image_is_refused():
    config = transformers.SwinConfig(
        embed_dim=12, depths=[1], num_heads=[3], image_size=16, patch_size=2, window_size=4
    )
    model = transformers.SwinModel(config).eval()
    with pytest.raises(RegardError, match="within windows of its input"):
        regard.trace(model, pixel_values=torch.randn(2, 3, 16, 16))


def test_layers_without_attention_are_named_and_the_others_shown(families):
    config = transformers.JambaConfig(
        **families.SMALL,
        hidden_size=48,
        intermediate_size=64,
        num_hidden_layers=4,
        num_attention_heads=6,
        num_key_value_heads=2,
        attn_layer_period=2,
        attn_layer_offset=1,
        num_experts=2,
        num_experts_per_tok=1,
        use_mamba_kernels=False,
    )
    model = transformers.JambaForCausalLM(config).eval()
    runs = []
    model.register_forward_hook(lambda *run: runs.append(run))
    trace = regard.trace(model, input_ids=torch.randint(3, 97, (1, 11)))
    assert len(runs) == 1  # mixers have no weights that could be asked for in another
    assert list(trace) == ["decoder.layers.1.self", "decoder.layers.3.self"]
    assert "JambaMambaMixer" in trace.notes[0]
    assert "model.layers.0.mamba, model.layers.2.mamba" in trace.notes[0]


def test_a_hybrid_without_an_attention_layer_is_refused_in_a_sentence(families):
    config = transformers.JambaConfig(
        **families.SMALL, hidden_size=48, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=6, attn_layer_period=4, attn_layer_offset=3, num_experts=2,
        use_mamba_kernels=False,
    )  # fmt: skip
    model = transformers.JambaForCausalLM(config).eval()
    ids = torch.randint(3, 97, (1, 11))
    with pytest.raises(ValueError, match="LinearAttention"):
        model(input_ids=ids)  # which makes a cache of attention layers that are not there
    with pytest.raises(RegardError, match="mixes positions in JambaMambaMixer"):
        regard.trace(model, input_ids=ids)


def test_an_attention_function_that_does_something_else_is_refused(family):
    model, inputs = family("Qwen2")

    def halves(module, query, key, value, attention_mask, **options):
        own = transformers.AttentionInterface._global_mapping["sdpa"]
        output, weights = own(module, query, key, value, attention_mask, **options)
        return output / 2, weights

    transformers.AttentionInterface.register("halves", halves)
    transformers.AttentionMaskInterface.register(
        "halves", transformers.AttentionMaskInterface._global_mapping["sdpa"]
    )
    model.set_attn_implementation("halves")
    with pytest.raises(RegardError, match=r"something other than softmax.*off by 50"):
        regard.trace(model, **inputs)


def test_a_projection_that_is_given_something_else_is_unknown(small):
    small = {name: given for name, given in small.items() if name != "head_dim"}
    model = transformers.BitNetForCausalLM(transformers.BitNetConfig(**small)).eval()
    trace = regard.trace(model, input_ids=torch.randint(3, 97, (1, 11)))
    tap = trace["decoder.layers.0.self"]  # BitNet normalizes between attention and projection
    assert tap.output_weight is None
    assert "output projection is unknown" in tap.notes[0]


def test_training_mode_compiled_models_and_caches_are_refused(family):
    model, inputs = family("GPT-2")
    with pytest.raises(RegardError, match=r"past_key_values"):
        regard.trace(model, past_key_values=object(), **inputs)
    model.train()
    with pytest.raises(RegardError, match=r"model\.eval\(\)"):
        regard.trace(model, **inputs)

    class Compiled(nn.Module):
        _orig_mod = model

    with pytest.raises(RegardError, match=r"torch\.compile"):
        trace_transformers(Compiled().eval(), **inputs)


@pytest.mark.parametrize("name", ["GPT-2", "ViT"])
def test_a_pickled_trace_is_the_same_and_has_its_model(family, name):
    model, inputs = family(name)
    trace = regard.trace(model, **inputs)
    other = pickle.loads(pickle.dumps(trace))
    tap = next(iter(trace))
    assert torch.equal(other[tap].weights(), trace[tap].weights())
    assert ablate(other, "head", tap, head=1) == ablate(trace, "head", tap, head=1)


def test_a_failing_run_leaves_the_interface_as_it_was(family):
    model, _ = family("GPT-2")
    own = transformers.AttentionInterface.get_interface
    with pytest.raises(IndexError):
        regard.trace(model, input_ids=torch.full((1, 3), 10_000))
    assert transformers.AttentionInterface.get_interface is own
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_runs_in_other_threads_are_not_heard(family):
    models = [family(name) for name in ("GPT-2", "Marian", "BERT", "T5")]
    expected = [list(regard.trace(model, **inputs)) for model, inputs in models]
    with ThreadPoolExecutor(4) as pool:
        traces = pool.map(lambda each: regard.trace(each[0], **each[1]), models * 3)
        assert [list(trace) for trace in traces] == expected * 3


def test_a_token_that_a_terminal_would_obey_is_shown_as_the_tokenizers_piece():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    vocabulary = {"Ġa": 0, "ĠĽ": 1, "Ċ": 2, "Ã": 3}  # a space and escape, a new line, half an é
    fast = Tokenizer(models.BPE(vocabulary, []))
    fast.pre_tokenizer, fast.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=fast)
    assert naming_of(tokenizer).names([0, 1, 2, 3]) == ["▁a", "▁<0x9B>", "↵", "<0xC3>"]
