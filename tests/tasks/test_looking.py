"""Looking into every family, tile by tile as transformers has it, and without transformers."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import regard
from regard import RegardError
from regard.checkpoints import open_checkpoint, save_pretrained
from regard.engine.doctor.checks import examine
from regard.inspection import Trace
from regard.inspection.huggingface import TracedModel, load_for_tracing
from regard.inspection.huggingface.generating import Hypothesis
from regard.inspection.views.ablation import ablate
from regard.models import VisionConfig, VisionTransformer
from regard.tasks import catalog
from regard.tasks.looking import (
    EXAMPLES,
    SOURCES,
    attention_layers,
    describe,
    look_at,
    open_for_looking,
)

TEXT = "Anna sees the red house."
LABELS = {0: "good", 1: "bad", 2: "odd"}
SEQ2SEQ = ("marian", "pegasus", "bart", "mbart", "m2m100", "t5")
LABELED = "ForSequenceClassification"
ENCODERS = {
    "bert": ("Bert", "ForMaskedLM"),
    "bert-labels": ("Bert", LABELED),
    "bert-answers": ("Bert", "ForQuestionAnswering"),
    "bert-states": ("Bert", "Model"),
    "deberta": ("DebertaV2", LABELED),
    "roberta": ("Roberta", LABELED),
    "electra": ("Electra", LABELED),
    "xlm-roberta": ("XLMRoberta", "ForMaskedLM"),
    "distilbert": ("DistilBert", "ForMaskedLM"),
}
LLAMAS = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}
LLAMAS |= {"olmo2": "Olmo2", "smollm3": "SmolLM3", "phi3": "Phi3", "gemma2": "Gemma2"}
LLAMAS |= {"gemma3": "Gemma3", "mixtral": "Mixtral", "qwen3-moe": "Qwen3Moe"}
LLAMAS |= {"gpt-oss": "GptOss"}
DECODERS = ("gpt2", *LLAMAS)
FAMILIES = (*SEQ2SEQ, *ENCODERS, *DECODERS, "vit")
WITHOUT_LOGITS = ("bert-states",)


@pytest.fixture(scope="session")
def folder_of(
    foreign: Callable[..., Any],
    encoder_folder: Callable[..., Path],
    byte_level: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Path]:
    """A small model of a family as transformers saves it, with a tokenizer of the family's kind."""
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        if name in SEQ2SEQ:
            return foreign(name, folder).folder
        if name in ENCODERS:
            family, head = ENCODERS[name]
            return encoder_folder(family, head, **({"id2label": LABELS} if head == LABELED else {}))
        return vision(folder) if name == "vit" else decoder(name, folder, byte_level)

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = make(name)
        return made[name]

    return folder


def decoder(name: str, folder: Path, backend: Any) -> Path:
    transformers = pytest.importorskip("transformers")
    sizes = dict(vocab_size=backend.get_vocab_size(), bos_token_id=0, eos_token_id=0)
    if name == "gpt2":
        sizes |= dict(n_embd=24, n_layer=2, n_head=3, n_positions=64)
        kind = "GPT2", "GPT2LMHeadModel"
    else:
        sizes |= dict(hidden_size=24, intermediate_size=31, num_hidden_layers=2)
        sizes |= dict(num_attention_heads=6, num_key_value_heads=2, max_position_embeddings=64)
        sizes |= {"sliding_window": 5} if name in ("mistral", "gemma2", "gemma3") else {}
        sizes |= (
            {"intermediate_size": 32} if name in ("mixtral", "gpt-oss") else {}
        )  # as theirs needs it
        sizes |= {"sliding_window": 5, "head_dim": 4} if name == "gpt-oss" else {}
        sizes["pad_token_id"] = None  # some have one that is not in this vocabulary
        kind = LLAMAS[name] + "Text" * (name == "gemma3"), f"{LLAMAS[name]}ForCausalLM"
    torch.manual_seed(5)
    model = getattr(transformers, kind[1])(getattr(transformers, f"{kind[0]}Config")(**sizes))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    end = "<|endoftext|>"
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token=end, eos_token=end
    ).save_pretrained(folder)
    return folder


def vision(folder: Path, head: str = "ForImageClassification") -> Path:
    transformers = pytest.importorskip("transformers")
    image = pytest.importorskip("PIL.Image", reason="images need Pillow")
    config = transformers.ViTConfig(
        hidden_size=24, intermediate_size=31, num_hidden_layers=2, num_attention_heads=3,
        image_size=24, patch_size=8, id2label=LABELS,
    )  # fmt: skip
    torch.manual_seed(5)
    getattr(transformers, f"ViT{head}")(config).save_pretrained(folder)
    preparation = {"size": {"height": 24, "width": 24}, "image_processor_type": "ViTImageProcessor"}
    (folder / "preprocessor_config.json").write_text(json.dumps(preparation))
    image.new("RGB", (40, 30), (200, 30, 90)).save(folder / "picture.png")
    return folder


def options_for(name: str) -> dict[str, Any]:
    if name in SEQ2SEQ:
        return {"target": "the dog"}
    return {"generate": 3} if name in DECODERS else {}


def text_for(name: str, folder: Path) -> str:
    if name == "vit":
        return str(folder / "picture.png")
    return {"distilbert": "Anna sees the [MASK]."}.get(name, TEXT)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_trace_is_that_of_transformers_tile_by_tile(
    name: str, folder_of: Callable[[str], Path], agree: Callable[..., None], tmp_path: Path
) -> None:
    folder = folder_of(name)
    text, options = text_for(name, folder), options_for(name)
    opened = open_for_looking(str(folder))
    assert not isinstance(opened, TracedModel)
    own = look_at(opened, text, **options)
    if name in SEQ2SEQ:
        other = written_by_theirs(opened, own, tmp_path)
    else:
        other = look_at(load_for_tracing(folder), text, **options)
    assert list(own) == list(other)
    assert own.task == other.task
    assert own.axes == other.axes
    for tap, wanted in zip(own.values(), other.values(), strict=True):
        for field in ("name", "side", "kind", "layer", "queries", "keys", "rows", "columns"):
            assert getattr(tap, field) == getattr(wanted, field)
        rows, columns = slice(tap.rows // 3, None), slice(0, 1 + tap.columns // 2)
        agree(tap.weights(queries=rows, keys=columns), wanted.weights(queries=rows, keys=columns))
        if wanted.output_weight is not None:  # of weights that the model hands out
            agree(tap.output_weight, wanted.output_weight)
    assert [layer.tap for layer in attention_layers(str(folder))] == list(own)
    if own.generation is not None:
        compare_generations(own, other)


def written_by_theirs(opened: Any, own: Trace, folder: Path) -> Trace:
    """The same text and hypothesis, with a tokenizer.json, which transformers reads by itself."""
    tokenizer = opened.tokenizers.source
    save_pretrained(opened.model, folder)
    tokenizer.save(folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["additional_special_tokens"] = tokenizer.special_names()
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    theirs = load_for_tracing(folder)
    theirs.model.generation_config.decoder_start_token_id = opened.model.config.start_id
    assert own.output_ids is not None
    found = [Hypothesis(own.output_ids)]
    return theirs.trace_written(theirs.read(own.text), own.text, found, 0, False, 0, "auto")


def compare_generations(own: Trace, other: Trace) -> None:
    assert own.generation is not None
    assert other.generation is not None
    assert own.output_ids == other.output_ids
    for step, wanted in zip(own.generation.steps, other.generation.steps, strict=True):
        assert step.token == wanted.token
        assert step.probability == pytest.approx(wanted.probability, abs=1e-5)
        assert step.candidates[0].token == wanted.candidates[0].token


@pytest.fixture(scope="session")
def without_transformers(folder_of: Callable[[str], Path]) -> dict[str, Any]:
    """What commands and functions give for each family, in a process without transformers."""
    asked = [(name, str(folder_of(name)), text_for(name, folder_of(name))) for name in FAMILIES]
    finished = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps(asked)], capture_output=True, text=True
    )
    assert finished.returncode == 0, finished.stderr
    answers: dict[str, Any] = json.loads(finished.stdout)
    return answers


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_looked_into_without_transformers(
    name: str, without_transformers: dict[str, Any]
) -> None:
    looked, taps, tokens, ablated = without_transformers[name]
    names = [tap["name"] for tap in looked["taps"]]
    assert names == [layer["tap"] for layer in taps]
    assert {tap["queries"] for tap in looked["taps"]} <= set(looked["axes"])
    for axis, about in looked["axes"].items():
        assert tokens[axis] == about["tokens"]
        assert not any(token.isdecimal() for token in about["tokens"][: about["prompt"]])
    if name in WITHOUT_LOGITS:
        assert not looked["can_ablate"]
        assert ablated == (
            "ablation needs the model and its logits: this trace was loaded from a file, or its"
            " model returns no logits, or hands out its weights itself."
        )
        [note] = looked["notes"]
        assert "no scores of words or labels" in note
    else:
        assert looked["can_ablate"]
        assert abs(ablated) > 0


WITHOUT = """
import json, sys
sys.modules["transformers"] = None
from contextlib import redirect_stdout
from io import StringIO
import regard
from regard.cli.main import main
from regard.inspection.views.ablation import ablate

def run(*arguments):
    sys.argv = ["regard", *arguments]
    with redirect_stdout(StringIO()) as out:
        try:
            main()
        except SystemExit as end:
            assert not end.code, end.code
    return json.loads(out.getvalue())

def ablated(trace):
    try:
        return ablate(trace, "head", list(trace)[0], head=1).delta
    except regard.RegardError as error:
        return str(error)

answers = {}
for name, folder, text in json.loads(sys.argv[1]):
    trace = regard.trace(regard.load(folder), text)
    tokens = {axis: about.tokens for axis, about in trace.axes.items()}
    looked = run("look", folder, text, "--json")
    answers[name] = looked, run("info", folder, "--taps", "--json"), tokens, ablated(trace)
assert "torch._dynamo" not in sys.modules  # a compiler that takes seconds to import
print(json.dumps(answers))
"""


def test_a_recurrent_model_is_looked_into(run_folder: Path, tmp_path: Path) -> None:
    translator = regard.load(run_folder)
    from regard.models import RecurrentConfig, RecurrentEncoderDecoder
    from regard.tasks.translation.task import Translator

    ids = translator.model.config
    config = RecurrentConfig(
        ids.vocab_size, d_model=10, hidden_size=14, pad_id=ids.pad_id, eos_id=ids.eos_id,
        start_id=ids.start_id,
    )  # fmt: skip
    torch.manual_seed(3)
    model = RecurrentEncoderDecoder(config).eval()
    Translator(model, translator.tokenizers).save(tmp_path)
    trace = look_at(open_for_looking(str(tmp_path)), "the dog", target="der hund")
    assert (
        list(trace) == ["decoder.cross"] == [each.tap for each in attention_layers(str(tmp_path))]
    )
    assert "▁dog" in trace.axes["source"].tokens or trace.axes["source"].words is not None
    assert ablate(trace, "edge", "decoder.cross", query=1, key=0).delta != 0


def test_ids_are_named_by_a_tokenizer(folder_of: Callable[[str], Path]) -> None:
    filler = regard.load(folder_of("bert"))
    ids = torch.tensor([filler.tokenizer.inputs(TEXT).ids])
    named = regard.trace(filler.model, ids=ids, tokenizer=filler.tokenizer)
    assert named.axes["tokens"].tokens == filler.trace(TEXT).axes["tokens"].tokens
    numbered = regard.trace(filler.model, ids=ids)
    assert numbered.axes["tokens"].tokens == [str(id_) for id_ in ids[0].tolist()]
    assert numbered.axes["tokens"].words is None
    with pytest.raises(RegardError, match="inputs by name, such as ids"):
        regard.trace(filler.model, ids)


def test_the_notes_say_what_the_model_answers(folder_of: Callable[[str], Path]) -> None:
    classifier = regard.load(folder_of("bert-labels"))
    best = classifier.run([TEXT])[0].best
    (note,) = classifier.trace(TEXT).notes
    assert note.startswith(f"label: {best.label} {best.score:.3f}, ")
    filler = regard.load(folder_of("bert"))
    guess = filler.run(["Anna sees the [MASK]."])[0][0][0]
    (note,) = filler.trace("Anna sees the [MASK].").notes
    assert note.startswith("[MASK] at ")
    assert f": {guess.token_str.replace('##', '')}" in note.replace("##", "")
    answerer = regard.load(folder_of("bert-answers"))
    begins, ends = answerer.trace("Who sees the house?", TEXT).notes
    assert begins.startswith("the answer begins with: ")
    assert ends.startswith("the answer ends with: ")


def test_an_answer_is_ablated_at_its_beginning_and_at_its_end(
    folder_of: Callable[[str], Path],
) -> None:
    trace = regard.load(folder_of("bert-answers")).trace("Who sees the house?", TEXT)
    for step in (0, 1):
        found = ablate(trace, "head", "encoder.layers.1.self", head=1, step=step)
        expected = trace.output[0, :, step].softmax(-1)
        assert found.before == pytest.approx(float(expected.max()), abs=1e-6)
        assert found.token == trace.axes["tokens"].tokens[int(expected.argmax())]


def test_an_image_model_without_labels_is_looked_into(tmp_path: Path) -> None:
    folder = vision(tmp_path, "Model")
    trace = look_at(open_for_looking(str(folder)), str(folder / "picture.png"))
    assert trace.axes["patches"].tokens == [
        "CLS", *(f"{row},{column}" for row in range(3) for column in range(3)),
    ]  # fmt: skip
    assert trace.rerun is None


def test_patches_are_counted_in_rows_and_columns() -> None:
    config = VisionConfig(
        image_size=(6, 10), patch_size=(3, 2), d_model=12, num_heads=2, num_layers=1, d_ff=7
    )
    model = VisionTransformer(config).eval()
    trace = regard.trace(model, pixels=torch.randn(1, 3, 6, 10))
    assert trace.axes["patches"].tokens[5:8] == ["0,4", "1,0", "1,1"]


@pytest.mark.parametrize("name", ["bert", "vit", "marian"])
def test_options_that_a_model_has_no_use_for_are_refused(
    name: str, folder_of: Callable[[str], Path]
) -> None:
    folder = folder_of(name)
    with pytest.raises(RegardError, match="does not take `generate` when it is looked at"):
        look_at(open_for_looking(str(folder)), text_for(name, folder), generate=3)


def test_a_page_describes_models_without_loading_them(
    folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    def never(name: str) -> Any:
        raise AssertionError("a model of regard's is described by its files")

    result = {name: describe(str(folder_of(name)), never) for name in ("gpt2", "bert", "t5", "vit")}
    assert {name: each.task for name, each in result.items()} == {
        "gpt2": "generation", "bert": "encoding", "t5": "translation", "vit": "vision",
    }  # fmt: skip
    assert [each.max_tokens for each in result.values()] == [64, 67, 32_768, 9]
    assert result["gpt2"].description == "gpt2, 2 layers, 3 heads"
    assert result["t5"].description == "t5, 2 + 2 layers, 3 heads"


def test_what_regard_does_not_implement_is_opened_by_transformers(
    folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    import shutil

    copied = tmp_path / "model"
    shutil.copytree(folder_of("bert"), copied)
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"architectures": ["BertLMHeadModel"]}))
    assert isinstance(open_for_looking(str(copied)), TracedModel)


def test_a_saved_model_of_ours_is_looked_into(tmp_path: Path) -> None:
    torch.manual_seed(3)
    config = VisionConfig(
        image_size=(24, 24), patch_size=(8, 8), d_model=12, num_heads=2, num_layers=1, d_ff=7
    )
    save_pretrained(VisionTransformer(config), tmp_path)
    assert [each.tap for each in attention_layers(str(tmp_path))] == ["encoder.layers.0.self"]


def test_the_sample_of_a_shipped_model_is_what_it_learned_from() -> None:
    samples = {
        name: describe(name, open_for_looking).example for name in catalog.taken_by("studio")
    }
    assert samples["shakespeare"].startswith("My lord")
    assert samples["emotions"].startswith("What a lovely surprise")
    assert samples["en-de"] == SOURCES["en"]
    assert samples["sentences"] == EXAMPLES["encoding"]


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "number as text": ("llama", {"hidden_size": "24"}, "hidden_size must be int; got '24'"),
    "null": ("llama", {"intermediate_size": None}, "intermediate_size must be int; got None"),
    "negative epsilon": ("llama", {"rms_norm_eps": -1}, "norm_eps must be at least 0; got -1"),
    "no theta": ("llama", {"rope_parameters": {"rope_theta": 0}}, "rotary_theta must be above 0"),
    "rotary text": ("llama", {"rope_parameters": "linear"}, "must be a JSON object"),
    "rotary kind": ("llama", {"rope_parameters": {"rope_type": "x"}}, "rope_type must be default"),
    "layers": ("llama", {"num_hidden_layers": -1}, "num_layers must be at least 1; got -1"),
    "window": ("mixtral", {"sliding_window": 0}, "window must be at least 1 token, or None"),
    "experts": ("mixtral", {"num_experts_per_tok": 9}, "from 1 to the 8 experts; got 9"),
    "family": ("llama", {"model_type": "llama4x"}, r"transformers cannot load .* mean 'llama'\?"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_setting_is_refused_in_a_sentence_of_its_own(
    case: str, folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    name, change, message = REFUSED[case]
    shutil.copytree(folder_of(name), tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text("utf-8")) | change
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(RegardError, match=message) as refusal:
        open_for_looking(str(tmp_path))
    assert "\n" not in str(refusal.value)


def test_quantized_weights_are_named(folder_of: Callable[[str], Path], tmp_path: Path) -> None:
    shutil.copytree(folder_of("llama"), tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    config["quantization_config"] = {"quant_method": "gptq", "bits": 4}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    tensors = load_file(tmp_path / "model.safetensors")
    name = "model.layers.0.mlp.up_proj.weight"
    tensors[name.replace("weight", "qweight")] = tensors.pop(name)
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(RegardError, match="quantized by gptq, which is not implemented"):
        regard.from_pretrained(tmp_path)
    wrong = [each for each in examine(open_checkpoint(tmp_path)) if each.level == "wrong"]
    assert [each.message.split(",")[0] for each in wrong] == ["the weights are quantized by gptq"]


def test_doctor_names_the_nearest_family_of_an_unknown_one(
    folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(folder_of("llama"), tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    config |= {"model_type": "newest", "query_scale": 3}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["model.layers.0.mlp.extra.weight"] = tensors.pop("model.norm.weight")
    save_file(tensors, tmp_path / "model.safetensors")
    note = next(each for each in examine(open_checkpoint(tmp_path)) if each.check == "family")
    assert note.message == (
        "of the families here, llama is nearest: its weights lack model.norm.weight; its weights"
        " have besides model.layers.0.mlp.extra.weight; regard does not read there query_scale"
    )


def test_a_language_model_writes_no_token_unasked() -> None:
    letters = ["R", "O", "M", "E", "O", ":"]
    opened = open_for_looking("shakespeare")
    assert look_at(opened, "ROMEO:").axes["tokens"].tokens == letters
    assert regard.load("shakespeare").trace("ROMEO:").axes["tokens"].tokens == letters
    assert len(look_at(opened, "ROMEO:", generate=2).axes["tokens"].tokens) == 8
