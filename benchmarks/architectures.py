"""Which architectures of transformers can be looked into, and are their weights the model's own?

    python benchmarks/architectures.py
    python benchmarks/architectures.py --only bert gpt2 --record again.jsonl

Walks the registry of transformers' auto-models: every architecture that reads text, classifies
images or takes speech. Each is built small with random weights, in a process of its own with
bounds on time and memory, and traced as it is by default, over a batch of a full and, if it reads
text, a padded sequence. The same model runs with `attn_implementation="eager"` beside it; compared
are all weights that it returns when asked for them, or, where it returns none, that its attention
functions compute, over the queries that are no padding. Outcomes are

- equal: every layer's map is the model's own, up to 1e-5;
- given: the layers hand out their weights by themselves, and the trace shows those;
- part: equal, but layers are left out, as the trace's notes say;
- refused: one sentence says why;
- no attention: the model's own run has none to compare with;
- not built: no small model could be made or run, before anything is traced;
- wrong and failed, which are faults of regard.

What is finished is kept in --record, so that the same command again goes on where it was stopped.
"""

import argparse
import copy
import inspect
import json
import multiprocessing
import os
import re
import resource
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import regard
from regard.inspection.huggingface.interface import attention_interface

TOLERANCE = 1e-5
SECONDS, MEMORY = 90, 12 * 2**30
VOCAB, LENGTH, PADDING, TARGET = 128, 19, 5, 13
BATCH, PIXELS, FRAMES, SAMPLES = 2, 32, 64, 8000
GAIN = 2.0  # on initial matrices: weights large enough for attention to be uneven
ROOT = Path(__file__).parents[1]

# The registry's tables, in the order in which an architecture's class is looked for.
TABLES = {
    "SEQ_TO_SEQ_CAUSAL_LM": "text",
    "SPEECH_SEQ_2_SEQ": "speech",
    "CAUSAL_LM": "text",
    "MASKED_LM": "text",
    "SEQUENCE_CLASSIFICATION": "text",
    "TEXT_ENCODING": "text",
    "IMAGE_CLASSIFICATION": "image",
    "CTC": "speech",
    "AUDIO_CLASSIFICATION": "speech",
}

# What a configuration's numbers become, by their names; a number that is smaller stays.
SIZES = [
    (r"feat_extract|num_conv", 16),
    (r"^n(um)?(_expert)?_group$|topk_group", 1),
    (r"mamba_d_ssm", 128),
    (r"(^|_)vocab_size(_|$)", VOCAB),
    (r"mamba_(d_head|head_dim)", 32),
    (r"rotary_dim", 8),
    (r"lora_rank|head_dim|^d_kv$|^d_key$|^d_head$|head_size|^lru_width$", 16),
    (r"key_value_heads|num_kv_heads|n_groups$|multi_query_group_num", 2),
    (r"attention_heads|num_heads|n_heads?$|_heads$", 4),
    (r"num_hidden_groups|inner_group_num", 1),
    (r"experts_per_tok|top_?k$|moe_k$", 2),
    (r"experts", 4),
    (r"layers$|n_layers?$|num_layer$|num_blocks", 2),
    (r"intermediate|ffn|inner_dim|d_ff|_d_inner|n_inner", 64),
    (r"hidden_size|d_model|n_embd|^dim$|embedding_size|hidden_dim|d_embed|emb_dim|embed_dim", 64),
    (r"^image_size$|^input_size$", PIXELS),
    (r"^patch_size$", 8),
]
KINDS_OF_LAYERS = ("layer_types", "layers_block_type", "attention_layers", "mlp_layer_types")
STAGES = ("depths", "hidden_sizes", "embed_dims")  # of models whose sizes hang together
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
# What general rules do not find, by architecture.
FIXES: dict[str, dict[str, Any]] = {
    "bamba": {"attn_layer_indices": [1]},
    "deepseek_v2": {"num_experts_per_tok": 2},
    "cohere_compass_text": {"rope_parameters": {"full_attention": ROPE}},
    "dots1": {
        "n_routed_experts": 4,
        "n_shared_experts": 1,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
    },
    "dots3_note_text": {"head_dim": 32},
    "esm": {"pad_token_id": 1, "mask_token_id": 2},
    "esmc": {"num_key_value_heads": 4},
    "falcon_h1": {"mamba_n_heads": 4, "mamba_d_head": 32},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"]},
    "hrm_text": {"num_hidden_layers": 16, "num_layers_per_stack": 2},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "layoutlmv3": {"coordinate_size": 12, "shape_size": 8},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "lilt": {"hidden_size": 48},
    "longcat_flash": {"qk_head_dim": 32},
    "mamba2": {"head_dim": 32},
    "mistral4": {"head_dim": 32},
    "mobilebert": {"intra_bottleneck_size": 64, "true_hidden_size": 64},
    "mobilevitv2": {"image_size": 256},
    "moonshine": {"decoder_num_key_value_heads": 4, "encoder_num_key_value_heads": 4},
    "moonshine_streaming": {"num_key_value_heads": 4},
    "nemotron": {"num_key_value_heads": 2},
    "perceiver": {"d_latents": 64, "num_latents": 16},
    "qwen4_exp_text": {
        "indexer_n_heads": 2,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 16,
        "indexer_budget": 8,
        "indexer_compress_ratio": 4,
    },
    "recurrent_gemma": {"num_hidden_layers": 3},
    "reformer": {"is_decoder": True, "axial_pos_embds": False},
    "xmod": {"default_language": "en_XX"},
    "zamba": {
        "attention_hidden_size": 128,
        "attention_head_dim": 32,
        "num_hidden_layers": 4,
        "layers_block_type": ["linear_attention", "hybrid"] * 2,
    },
    "zamba2": {"attention_head_dim": 32, "mamba_headdim": 32, "hybrid_layer_ids": [1]},
}
READS = {"imagegpt": "text", "pop2piano": "text", "dia": "text"}  # ids of colors, of sounds


def architectures() -> dict[str, tuple[str, str]]:
    """The class and kind of input of each architecture, by its name in the registry."""
    tables = import_module("transformers.models.auto.modeling_auto")
    found: dict[str, tuple[str, str]] = {}
    for table, reads in TABLES.items():
        for name, kind in getattr(tables, f"MODEL_FOR_{table}_MAPPING_NAMES").items():
            kind = kind if isinstance(kind, str) else kind[0]
            found.setdefault(name, (kind, READS.get(name, reads)))
    return dict(sorted(found.items()))


def small(values: dict[str, Any]) -> dict[str, Any]:
    """A configuration's values with its sizes cut down, those of its parts too."""
    kinds = next((values[name] for name in KINDS_OF_LAYERS if values.get(name)), [0, 0])
    once = [kinds.index(kind) for kind in dict.fromkeys(map(str, kinds)) if kind in kinds]
    kept = sorted({*once, *range(max(2 - len(once), 0) + 1)})[: max(2, len(once))]
    deep = "lora_rank" in " ".join(values)  # latent attention shares no heads
    cut: dict[str, Any] = {}
    for name, value in values.items():
        if name in ("out_features", "out_indices", "stage_names"):
            continue
        if isinstance(value, dict) and name == "per_layer_config":
            value = {new: value[old] for new, old in enumerate(kept) if old in value}
        elif isinstance(value, dict) and (name.endswith("config") or "model_type" in value):
            value = small(value) | FIXES.get(value.get("model_type", ""), {})
        elif isinstance(value, list) and len(value) == len(kinds) > 2:
            value = [cut_down(name, value[old], values, deep) for old in kept]
        elif name in ("num_hidden_layers", "num_layers") and kinds != [0, 0]:
            value = len(kept)
        else:
            value = cut_down(name, value, values, deep)
        cut[name] = value
    return cut


def cut_down(name: str, value: Any, values: dict[str, Any], deep: bool) -> Any:
    """One value of a configuration."""
    if value is None and name in ("head_dim", "vocab_size"):
        return {"head_dim": 16, "vocab_size": VOCAB}[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        return value
    if name.endswith("token_id"):
        return min(value, VOCAB - 1)
    staged = any(isinstance(values.get(each), list | tuple) for each in STAGES)
    if staged and not name.endswith("vocab_size"):
        return value
    size = next((size for rule, size in SIZES if re.search(rule, name)), value)
    return min(value, 4 if deep and "key_value_heads" in name else size)


def build(name: str) -> nn.Module:
    """The architecture with small sizes and random weights, the same every time."""
    import transformers

    kind = transformers.models.auto.configuration_auto.CONFIG_MAPPING[name]
    config = kind.from_dict(small(kind().to_dict()) | FIXES.get(name, {}))
    made = getattr(transformers, architectures()[name][0])
    if made.config_class is not None and not isinstance(config, made.config_class):
        config = config.get_text_config(decoder=True)
    torch.manual_seed(7)
    model: nn.Module = made(config).float().eval()
    count = sum(each.numel() for each in model.parameters())
    if count > 80e6:
        raise ValueError(f"it still has {count / 1e6:.0f} million parameters")
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(GAIN)
    return model


def inputs_of(model: nn.Module, reads: str) -> dict[str, Tensor]:
    """A batch of two, as the model's forward takes it."""
    torch.manual_seed(11)
    takes, config = inspect.signature(model.forward).parameters, model.config
    most = min(VOCAB, getattr(config, "vocab_size", None) or VOCAB) - 8
    decoder = {}
    if "decoder_input_ids" in takes:
        decoder["decoder_input_ids"] = torch.randint(3, most, (2, TARGET))
    if reads == "text":
        ids = torch.randint(3, most, (2, LENGTH))
        inputs = {"input_ids": ids}
        if "attention_mask" in takes:
            pad = getattr(config, "pad_token_id", 0)
            ids[1, -PADDING:] = pad if isinstance(pad, int) and pad >= 0 else 0
            inputs["attention_mask"] = (torch.arange(LENGTH) < ends(2)[:, None]).long()
        return inputs | decoder
    if reads == "image":
        config = getattr(config, "vision_config", config)
        size = getattr(config, "image_size", 64) or 64
        height, width = (size, size) if isinstance(size, int) else size
        return {"pixel_values": torch.randn(2, getattr(config, "num_channels", 3), height, width)}
    reason: Exception = ValueError("it reads no input that is known here")
    bins = [getattr(config, name, 0) for name in ("num_mel_bins", "feature_size", "num_mels")]
    frames = [2 * getattr(config, "max_source_positions", 0), getattr(config, "max_length", 0)]
    for shape in [
        (SAMPLES,),
        *((f, b) for b in (*bins, 80, 128, 160) for f in (*frames, FRAMES) if f and b),
        *((b, f) for b in (*bins, 80, 128, 160) for f in (*frames, FRAMES) if f and b),
    ]:
        inputs = {model.main_input_name: torch.randn(2, *shape)} | decoder
        try:
            with torch.no_grad():
                model(**inputs)
        except Exception as error:
            reason = error
        else:
            return inputs
    raise reason


def ends(batch: int) -> Tensor:
    """Where each text of the batch ends: the first is full."""
    return torch.tensor([LENGTH] + [LENGTH - PADDING] * (batch - 1))


KINDS = {
    "encoder_attentions": ("encoder", "self"),
    "decoder_attentions": ("decoder", "self"),
    "cross_attentions": ("decoder", "cross"),
    "attentions": ("", "self"),
}


@torch.no_grad()
def own_weights(
    model: nn.Module, inputs: dict[str, Tensor]
) -> tuple[dict[tuple[str, str], list[Tensor]], str]:
    """What transformers computes when it is asked for weights, by side and kind, and who says so:
    the "model", or only its "layers"."""
    config = copy.deepcopy(model.config)
    config._attn_implementation = "eager"
    slow = type(model)(config).eval()  # some choose the class of their layers by it
    slow.load_state_dict(model.state_dict())
    slow(**inputs)  # BigBird attends to a short text as others do from the second time on
    computed: list[Tensor] = []
    with overhearing(computed):
        output = slow(**inputs, output_attentions=True, return_dict=True)
    returned = {
        of: [each for each in getattr(output, name, None) or () if are_weights(each)]
        for name, of in KINDS.items()
    }
    returned = {of: layers for of, layers in returned.items() if layers}
    # A model of stages returns some of its layers, and windows as if each were a sequence.
    if returned and all(len(each) == BATCH for layers in returned.values() for each in layers):
        return returned, "model"
    return ({("", ""): computed} if computed else returned), "layers"


def are_weights(returned: Any) -> bool:
    """Return True for a layer's weights; some return scores instead, or states."""
    return isinstance(returned, Tensor) and float(returned.min()) >= 0


@contextmanager
def overhearing(computed: list[Tensor]) -> Iterator[None]:
    """Keeps the weights that eager attention functions return."""
    interface = attention_interface()
    original = interface.get_interface

    def get_interface(self: Any, implementation: Any, default: Any) -> Any:
        function = original(self, implementation, default)

        def run(*arguments: Any, **named: Any) -> Any:
            returned = function(*arguments, **named)
            if isinstance(returned[1], Tensor):
                computed.append(returned[1])
            return returned

        return run

    interface.get_interface = get_interface
    try:
        yield
    finally:
        interface.get_interface = original


def compare(trace: Any, expected: dict[tuple[str, str], list[Tensor]]) -> tuple[int, int, float]:
    """Layers in the trace, layers of the model, and the largest difference of those in both."""
    worst, found = 0.0, 0
    for (side, kind), layers in expected.items():
        taps = [tap for tap in trace.values() if side in ("", tap.side)]
        taps = [tap for tap in taps if kind in tap.name] or taps
        if len(taps) == len(layers):
            differences = [differ(*pair) for pair in zip(taps, layers, strict=True)]
        else:  # each of the fewer with the nearest of the others
            table = [[differ(tap, layer) for layer in layers] for tap in taps]
            table = table if len(taps) < len(layers) else list(map(list, zip(*table, strict=True)))
            nearest = [min(row, default=float("inf")) for row in table]
            differences = [each for each in nearest if each < float("inf")]
        found += len(differences)
        worst = max([worst, *differences])
    return found, sum(map(len, expected.values())), worst


def differ(tap: Any, weights: Tensor) -> float:
    """The largest difference of any weight whose query is no padding."""
    largest = 0.0
    if weights.ndim != 4 or len(weights) != tap.batch:
        return float("inf")
    for item in range(len(weights)):
        found, own = tap.weights(item=item), weights[item].float()
        if found.shape[-1] == own.shape[-1] + 1:  # a sink, which transformers leaves out
            found, sink = found[..., 1:], found[..., :1]
            found = found / (1 - sink) if float((own.sum(-1) - 1).abs().max()) < 1e-3 else found
        if found.shape[-1] == found.shape[-2] < own.shape[-1]:  # a window around each query
            half = own.shape[-1] // 2
            wide = nn.functional.pad(found, (half, half))
            rows = [wide[:, row, row : row + 2 * half + 1] for row in range(tap.rows)]
            found = torch.stack(rows, 1)
        if found.shape[:-1] != own.shape[:-1]:
            return float("inf")
        if found.shape[-1] > own.shape[-1] + 1:  # two that transformers returns in parts
            parts = found[..., : own.shape[-1]], found[..., -own.shape[-1] :]
            found = min(parts, key=lambda part: float((part - own).abs().max()))
        if found.shape != own.shape:
            return float("inf")
        padded = tap.queries in ("tokens", "source") and tap.rows == LENGTH
        rows = int(ends(2)[item]) if padded else None
        largest = max(largest, float((found - own).abs()[:, :rows].nan_to_num(9).max()))
    return largest


def examine(name: str) -> dict[str, Any]:
    """The outcome of one architecture."""
    warnings.simplefilter("ignore")
    reads = architectures()[name][1]
    outcome: dict[str, Any] = {"name": name, "reads": reads}
    try:
        model = build(name)
        inputs = inputs_of(model, reads)
        expected, by = own_weights(model, inputs)
    except Exception as error:
        return outcome | {"outcome": "not built", "why": sentence(error)}
    if not expected:
        try:
            trace = regard.trace(model, **inputs)
        except regard.RegardError as error:
            none = "it has no attention layers" in str(error)
            kind = "no attention" if none else "refused"
            return outcome | {"outcome": kind, "why": sentence(error)}
        except Exception as error:
            return outcome | {"outcome": "failed", "why": sentence(error)}
        return outcome | {"outcome": "unchecked", "why": f"{len(trace)} taps, nothing to compare"}
    try:
        trace = regard.trace(model, **inputs)
        found, of, worst = compare(trace, expected)
    except regard.RegardError as error:
        return outcome | {"outcome": "refused", "why": sentence(error)}
    except Exception as error:
        return outcome | {"outcome": "failed", "why": sentence(error)}
    outcome |= {"found": found, "of": of, "taps": len(trace), "worst": worst, "by": by}
    if worst > TOLERANCE:
        return outcome | {"outcome": "wrong", "why": "; ".join(trace.notes)}
    if found < of:
        return outcome | {"outcome": "part", "why": "; ".join(trace.notes)}
    given = any("as the model gave them" in note for tap in trace.values() for note in tap.notes)
    return outcome | {"outcome": "given" if given else "equal", "why": "; ".join(trace.notes)}


def sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return (
        text if isinstance(error, regard.RegardError) else f"{type(error).__name__}: {text[:150]}"
    )


def work(name: str, sender: Connection) -> None:
    """Examines in this process, which may not grow by more than MEMORY."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])  # those of the parent too
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    torch.set_num_threads(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    sender.send(examine(name))


def examined(name: str) -> dict[str, Any]:
    """The outcome, from a process that ends with it."""
    processes = multiprocessing.get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(name, sender))
    process.start()
    sender.close()
    outcome = {"name": name, "reads": architectures()[name][1], "outcome": "not built"}
    try:
        if receiver.poll(SECONDS):
            return dict(receiver.recv())
        return outcome | {"why": f"not finished in {SECONDS} seconds"}
    except EOFError:
        return outcome | {"why": f"its process ended ({process.exitcode})"}
    finally:
        process.kill()
        process.join()


def main() -> None:
    """Prints the count of each outcome, and a line for each architecture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="architectures by their names in the registry")
    parser.add_argument("--record", type=Path, default=ROOT / "runs" / "architectures.jsonl")
    options = parser.parse_args()
    options.record.parent.mkdir(parents=True, exist_ok=True)
    lines = options.record.read_text().splitlines() if options.record.exists() else []
    done = {outcome["name"]: outcome for outcome in map(json.loads, lines)}
    names = options.only or list(architectures())
    examine("bert")  # imports once what every process then has
    with options.record.open("a") as record:
        for name in names:
            if name not in done:
                done[name] = examined(name)
                record.write(json.dumps(done[name]) + "\n")
                record.flush()
                print(f"{name}: {done[name]['outcome']}", file=sys.stderr, flush=True)
    print_table([done[name] for name in names])


def print_table(outcomes: list[dict[str, Any]]) -> None:
    """The counts, then a line for each architecture."""
    for outcome, count in Counter(each["outcome"] for each in outcomes).most_common():
        print(f"{count:4} {outcome}")
    print(f"\n{'architecture':30} reads  {'outcome':12} layers  error  and why")
    for each in outcomes:
        layers = f"{each['found']}/{each['of']}" if "of" in each else ""
        worst = f"{each['worst']:.0e}" if "worst" in each else ""
        print(
            f"{each['name']:30} {each['reads']:6} {each['outcome']:12} {layers:>6}  {worst:>5}"
            f"  {each['why']}".rstrip()
        )


if __name__ == "__main__":
    main()
