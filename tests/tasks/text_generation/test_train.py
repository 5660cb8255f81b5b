"""A language model learns from running text, and is the same in transformers and after a crash."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

import regard
from fixtures.families import DECODERS
from regard import RegardError
from regard.checkpoints.card import read_card
from regard.generation import GenerationConfig
from regard.models import Decoder, DecoderConfig
from regard.tasks.text_generation.blocks import BlockBatch
from regard.tasks.text_generation.task import Writer
from regard.tasks.text_generation.train import LanguageModelRecipe, summed_loss
from regard.tasks.text_generation.train_options import LanguageModelOptions
from regard.training import Progress, RunFolder
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")

SMALL: dict[str, Any] = {
    "tokenizer": "characters", "layers": 2, "heads": 2, "d_model": 32, "block": 16,
    "batch_size": 8, "precision": "fp32", "sample_tokens": 20, "learning_rate": 5e-3,
}  # fmt: skip
TEXT = "the cat sat on the mat. the dog ran to the cat.\n"


def write(
    data: Path, output: Path, *, watch: Any = None, **options: Any
) -> tuple[Progress, list[str]]:
    said: list[str] = []
    own = SMALL if "base_model" not in options else {"precision": "fp32", "block": 16}
    settings = LanguageModelOptions(output=str(output), **(own | options))
    recipe = LanguageModelRecipe(str(data), settings, say=said.append, command="regard train")
    return learn(recipe, watch=watch or (lambda event, progress: None)), said


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("text") / "text.txt"
    file.write_text(TEXT * 60)
    return file


@pytest.fixture(scope="module")
def trained(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    output = tmp_path_factory.mktemp("run")
    return output, *write(text, output, max_steps=120, evaluate_every=60)


def test_it_learns_the_text(trained: Any) -> None:
    output, progress, said = trained
    assert progress.figures["loss"] < 1.3
    assert progress.figures["perplexity"] == pytest.approx(math.exp(progress.figures["loss"]))
    # Each character of this text is a byte.
    assert progress.figures["bits_per_byte"] == pytest.approx(
        progress.figures["loss"] / math.log(2)
    )
    assert "dev: the last 10% of the text" in said
    writer = regard.load(str(output / "model"))
    assert isinstance(writer, Writer)
    assert writer("the cat", do_sample=False, max_new_tokens=4)[:7] == "the cat"


def test_the_loss_is_that_of_transformers(trained: Any) -> None:
    output, progress, _ = trained
    model = transformers.AutoModelForCausalLM.from_pretrained(output / "model").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(output / "model")
    assert type(model).__name__ == "GPT2LMHeadModel"
    text = (TEXT * 60)[int(0.9 * len(TEXT * 60)) :]
    ids = tokenizer(text)["input_ids"]
    blocks = torch.tensor([ids[k : k + 17] for k in range(0, len(ids) - 16, 16)])
    with torch.no_grad():
        logits = model(blocks[:, :-1]).logits
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), blocks[:, 1:].flatten())
    assert progress.best == pytest.approx(float(expected), abs=1e-5)


def test_samples_are_kept(trained: Any) -> None:
    output, _, said = trained
    samples = (output / "samples.txt").read_text()
    assert samples.count("=== step ") == 2
    assert "=== step 120, dev loss" in samples
    assert sum(sentence.startswith("sample: ") for sentence in said) == 2


def test_the_card_says_how_it_was_made(trained: Any) -> None:
    facts = read_card(trained[0] / "model")
    assert facts["pipeline_tag"] == "text-generation"
    assert facts["training_tokens"] == int(0.9 * len(TEXT * 60))
    assert facts["dev"]["loss"] == pytest.approx(trained[1].best, abs=1e-4)


def weights(output: Path) -> dict[str, torch.Tensor]:
    newest = RunFolder(output, warn=pytest.fail).newest()
    assert newest is not None
    return newest.weights


def test_a_sample_is_shown_with_its_control_characters_escaped(tmp_path: Path) -> None:
    said: list[str] = []
    options = LanguageModelOptions(output=str(tmp_path))
    recipe = LanguageModelRecipe("", options, say=said.append, command="")
    recipe._sample = "ab\x1b[2J\x07\x9bc\n"
    recipe.watch("evaluate", Progress(step=1, figures={"loss": 2.0}))
    assert said == [r"sample: 'ab\x1b[2J\x07\x9bc\n'"]
    assert recipe._sample in (tmp_path / "samples.txt").read_text()


@pytest.mark.long("trains")
def test_a_crashed_run_ends_with_the_weights_and_samples_of_an_uninterrupted_one(
    text: Path, tmp_path: Path
) -> None:
    def crash(event: str, progress: Progress) -> None:
        if event == "evaluate" and progress.step == 12:  # after its sample, before its checkpoint
            raise OSError("the power is out")

    options = {"max_steps": 16, "evaluate_every": 4}
    write(text, tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        write(text, tmp_path / "cut", watch=crash, **options)
    write(text, tmp_path / "cut", **options)
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(whole[name], cut[name]) for name in whole)
    samples = [(tmp_path / name / "samples.txt").read_text() for name in ("whole", "cut")]
    assert samples[0] == samples[1]


@pytest.mark.long("trains")
def test_many_documents_are_packed_and_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(f'{{"text": "the cat number {k}"}}\n' for k in range(80)))
    _, said = write(file, tmp_path / "run", max_steps=30, tokenizer="bytes", block=64)
    assert "dev: 8 of 80 documents" in said
    model = regard.load(str(tmp_path / "run" / "model"))
    assert isinstance(model, Writer)
    assert model.generation.eos_ids == (model.tokenizer.eos_id,)
    options = LanguageModelOptions(
        output=str(tmp_path / "run"), **(SMALL | {"tokenizer": "bytes", "block": 64})
    )
    recipe = LanguageModelRecipe(str(file), options, say=lambda said: None, command="")
    data = recipe.prepare(tmp_path / "run" / "data")
    end = data.tokenizer.eos_id
    assert data.train.tokens[0] == data.train.tokens[-1] == end
    assert int((np.asarray(data.train.tokens) == end).sum()) == 72 + 1
    batch = recipe.batches(data, recipe.model(data)).at(0)
    assert batch.documents is not None
    assert int(batch.documents.max()) >= 2


@pytest.mark.long("trains")
def test_it_continues_a_trained_model(trained: Any, text: Path, tmp_path: Path) -> None:
    base = str(trained[0] / "model")
    progress, _ = write(text, tmp_path, base_model=base, max_steps=1, learning_rate=1e-9)
    assert progress.figures["loss"] == pytest.approx(trained[1].best, abs=1e-4)


@pytest.mark.long("trains")
@pytest.mark.parametrize(
    ("more", "architecture"),
    [
        ({}, "LlamaForCausalLM"),
        ({"experts": 3}, "MixtralForCausalLM"),
        (
            {"experts": 3, "sinks": True, "gate_limit": 7.0, "feed_forward_bias": True},
            "GptOssForCausalLM",
        ),
    ],
)
def test_it_continues_a_llama_and_a_model_with_experts(
    trained: Any, text: Path, tmp_path: Path, more: dict[str, Any], architecture: str
) -> None:
    tokenizer = regard.load(str(trained[0] / "model")).tokenizer  # type: ignore[attr-defined]
    same: dict[str, Any] = dict(
        d_model=16, num_layers=1, num_heads=2, d_ff=32, norm_kind="rms", activation="silu",
        gated=True, feed_forward_bias=False, attention_bias=False, attention_output_bias=False,
        positions="rotary", tied_output=False, eos_id=0,
    )  # fmt: skip
    config = DecoderConfig(tokenizer.vocab_size, **same | more)
    from regard.checkpoints import from_pretrained, save_pretrained

    before = Decoder(config)
    save_pretrained(before, tmp_path / "base")
    tokenizer.save(tmp_path / "base")
    write(text, tmp_path / "run", base_model=str(tmp_path / "base"), max_steps=2)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "run" / "model")
    assert type(model).__name__ == architecture
    after = from_pretrained(tmp_path / "run" / "model").state_dict()
    still = [name for name, old in before.state_dict().items() if torch.equal(old, after[name])]
    assert not still


def test_the_saved_settings_of_decoding_are_followed(trained: Any) -> None:
    writer = Writer.load(str(trained[0] / "model"))
    assert writer.generation.do_sample
    assert writer.generation.top_k == 200
    assert isinstance(writer.generation, GenerationConfig)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "giant"}, "giant"),
        ({"tokenizer": "words"}, "tokenizer"),
        ({"vocab_size": 300}, "vocab_size is for subwords"),
        ({"heads": 3}, "d_model must be a multiple of heads; got 32 and 3"),
        ({"block": 4096, "max_tokens": 100}, "max_tokens must be at least block, 4096; got 100"),
        ({"block": 2000}, "the dev text must have more than 2000 tokens"),
        ({"dev_fraction": 1.0}, "dev_fraction must be above 0 and below 1"),
        ({"beta2": 1.0}, "beta2"),
        ({"base_model": "nowhere"}, "there is no folder nowhere"),
        ({"base_model": "x", "layers": 2}, "layers is of a model from random weights"),
        ({"text": "words"}, "is plain text, which has no columns"),
        ({"dev": "missing.txt"}, "expected a file at missing.txt"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_run(
    options: dict[str, Any], message: str, text: Path, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=message):
        write(text, tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_an_encoder_is_no_base(text: Path, tmp_path: Path) -> None:
    from regard.checkpoints import save_pretrained
    from regard.models import Encoder, encoder_preset

    save_pretrained(Encoder(encoder_preset("tiny", 40, pad_id=0)), tmp_path / "bert")
    with pytest.raises(RegardError, match=r"must be a language model .* it is a bert model"):
        write(text, tmp_path / "run", base_model=str(tmp_path / "bert"))


def test_a_language_models_loss_is_of_its_capped_logits() -> None:
    torch.manual_seed(3)
    model = Decoder(DecoderConfig(31, **DECODERS["gemma2"]))
    ids = torch.tensor([[5, 9, 2, 30, 7, 11]])
    batch = BlockBatch(ids[:, :-1], ids[:, 1:], None)
    found, logits = summed_loss(model, batch), model(batch.ids)
    assert logits.abs().max() < 4.0  # the cap
    torch.testing.assert_close(found, cross_entropy(logits[0], ids[0, 1:], reduction="sum"))
    found.backward()
    assert model.decoder.embed.tokens.weight.grad.abs().max() > 0
