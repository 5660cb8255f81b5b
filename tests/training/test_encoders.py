"""Models that write get a head: they learn, open in transformers, and are adapted as PEFT does."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.tasks.classification.task import Classifier
from regard.tasks.classification.train import evaluate_labels
from regard.tasks.question_answering.task import Answerer
from regard.tasks.question_answering.train import QuestionAnsweringRecipe
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.training.encoders import freeze, layer_rate
from regard.training.examples import read_examples
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")

WRITERS = {"GPT2": "LMHeadModel", "Llama": "ForCausalLM", "Bart": "ForConditionalGeneration"}
TEXTS = ["a lovely dog in the house", "an awful cat", "snow"]


@pytest.fixture(scope="module", params=WRITERS)
def base(request: Any, encoder_folder: Any) -> Path:
    """A model that writes; GPT-2 without a padding token, as the hub's."""
    if request.param != "GPT2":
        return Path(encoder_folder(request.param, WRITERS[request.param]))
    folder = Path(encoder_folder("GPT2", "LMHeadModel", pad_token_id=None))
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text())
    settings.pop("pad_token")
    file.write_text(json.dumps(settings))
    return folder


def theirs(folder: Path, auto: str) -> Any:
    """The model as transformers opens it, all of whose weights are in the file."""
    model, report = getattr(transformers, auto).from_pretrained(folder, output_loading_info=True)
    assert not any(report.values()), report
    return model.eval()


def padded(folder: Path, *texts: Any) -> dict[str, torch.Tensor]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return dict(tokenizer(*texts, padding=True, return_tensors="pt"))


@pytest.mark.long("trains")
def test_a_writer_learns_labels_and_opens_in_transformers(
    base: Path, labeled: Path, classify: Any, tmp_path: Path
) -> None:
    progress, said = classify(
        labeled,
        tmp_path,
        base_model=str(base),
        max_steps=120,
        evaluate_every=120,
        learning_rate=3e-3,
    )
    assert "model: model from" in "\n".join(said)
    folder = tmp_path / "model"
    ours = Classifier.load(folder)
    assert ours.model.config.head == "classification"
    dev = list(read_examples(tmp_path / "data" / "dev.jsonl"))
    assert evaluate_labels(ours, dev).figures["accuracy"] == progress.figures["accuracy"] > 0.7
    reads = padded(folder, TEXTS)
    with torch.no_grad():
        expected = theirs(folder, "AutoModelForSequenceClassification")(**reads).logits
    found = torch.from_numpy(np.stack(ours.logits(ours.read(TEXTS))))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_a_writer_learns_to_answer_and_opens_in_transformers(base: Path, tmp_path: Path) -> None:
    colors = ("red", "small", "old")
    rows = [f"which?\tthe {colors[k % 3]} house number {k}\t{colors[k % 3]}\n" for k in range(60)]
    rows += [f"which?\tthe house number {k} is empty\t\n" for k in range(20)]
    data = tmp_path / "questions.tsv"
    data.write_text("question\tcontext\tanswer\n" + "".join(rows))
    options: dict[str, Any] = {"max_steps": 4, "max_length": 48, "precision": "fp32"}
    settings = QuestionAnsweringOptions(
        output=str(tmp_path / "run"), base_model=str(base), **options
    )
    learn(QuestionAnsweringRecipe(str(data), settings, say=lambda line: None, command=""))
    folder = tmp_path / "run" / "model"
    ours = Answerer.load(folder)
    assert ours.settings.no_answer_threshold is not None
    assert torch.isfinite(torch.tensor(ours.settings.no_answer_threshold))
    reads = padded(folder, ["which?"] * 2, ["the red house", "the house number 3 is empty"])
    with torch.no_grad():
        expected = theirs(folder, "AutoModelForQuestionAnswering")(**reads)
        ids, mask = reads["input_ids"], reads["attention_mask"].bool()
        both = {"source": ids, "target": ids}
        inputs = both if "Bart" in str(base) else {"ids": ids, "attention_mask": mask}
        found = regard.from_pretrained(folder)(**inputs)[mask]
    wanted = torch.stack([expected.start_logits, expected.end_logits], -1)[mask]
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=0)


@pytest.mark.long("trains")
@pytest.mark.filterwarnings("ignore::FutureWarning")  # of transformers, in PEFT
@pytest.mark.filterwarnings("ignore:.*fan_in_fan_out")
@pytest.mark.parametrize("targets", ["attention", "all"])
def test_adapters_of_a_writer_open_in_peft(
    targets: str, base: Path, labeled: Path, classify: Any, tmp_path: Path
) -> None:
    peft = pytest.importorskip("peft")
    options = {"lora_rank": 2, "lora_targets": targets, "max_steps": 3, "learning_rate": 0.01}
    classify(labeled, tmp_path, base_model=str(base), **options)
    merged = Classifier.load(tmp_path / "model")
    pad = {"pad_token_id": merged.model.config.pad_id}
    plain = transformers.AutoModelForSequenceClassification.from_pretrained(
        base, num_labels=2, **pad
    )
    adapted = peft.PeftModel.from_pretrained(plain, str(tmp_path / "adapter")).eval()
    tokens = merged.read(TEXTS[:1])
    with torch.no_grad():
        ids = torch.tensor([tokens[0].ids])
        expected = adapted(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
    found = torch.from_numpy(merged.logits(tokens)[0])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    before, after = (regard.from_pretrained(f).state_dict() for f in (base, tmp_path / "model"))
    name = "decoder.layers.0.self_attention.value.weight"
    assert not torch.equal(before[name], after[name])


def test_only_the_last_layers_of_an_encoder_decoder_learn(encoder_folder: Any) -> None:
    model = regard.from_pretrained(encoder_folder("Bart", "ForSequenceClassification"))
    freeze(model, 3)
    learning = {name.rsplit(".", 3)[0] for name, p in model.named_parameters() if p.requires_grad}
    assert any(name.startswith("encoder.layers.1") for name in learning)
    assert any(name.startswith("decoder.layers.0") for name in learning)
    assert not any(name.startswith(("encoder.layers.0", "encoder.embed")) for name in learning)
    with pytest.raises(RegardError, match="train_layers must be at most 4, the model's layers"):
        freeze(model, 5)


def test_layers_below_learn_more_slowly() -> None:
    layers = {"encoder": 2, "decoder": 3}
    rates = {
        "head.output.weight": 1.0,
        "decoder.norm.weight": 0.5,
        "decoder.layers.2.self_attention.query.weight": 0.5,
        "decoder.layers.0.self_attention.query.weight": 0.5**3,
        "encoder.layers.1.feed_forward.inner.bias": 0.5**4,
        "encoder.layers.0.feed_forward.inner.bias": 0.5**5,
        "encoder.embed.tokens.weight": 0.5**6,
    }
    for name, rate in rates.items():
        assert layer_rate(name, layers, 0.5) == rate, name
    assert layer_rate("encoder.embed.tokens.weight", layers, 1.0) == 1.0


def test_a_base_without_a_place_for_a_head_is_refused(
    labeled: Path, classify: Any, tmp_path: Path
) -> None:
    (tmp_path / "t5").mkdir()
    (tmp_path / "t5" / "config.json").write_text('{"model_type": "t5"}')
    wanted = r"must be a model that a head can be put on .*; it is a t5 model"
    with pytest.raises(RegardError, match=wanted):
        classify(labeled, tmp_path / "run", base_model=str(tmp_path / "t5"))
