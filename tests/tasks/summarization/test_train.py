"""A summarizer learns from a user's file, and is the same one in transformers and after a crash."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard import RegardError
from regard.checkpoints import open_checkpoint
from regard.checkpoints.card import read_card
from regard.tasks.kinds import kind_of
from regard.tasks.summarization.score import rouge
from regard.tasks.summarization.task import Summarizer
from regard.tasks.summarization.train_options import SummarizationOptions
from regard.training import RunFolder
from regard.training.examples import read_examples

transformers = pytest.importorskip("transformers")
pytest.importorskip("rouge_score")


def test_it_learns_what_decides_the_summary(summarizing: Any) -> None:
    _, progress, said = summarizing
    assert progress.figures["rougeL"] > 60
    assert progress.figures["documents"] == 22
    assert "144 read, 144 kept; none left out" in "\n".join(said)
    assert "100 to train on, 22 dev, 22 test" in said
    assert any(
        line.startswith("dev, the first sentence of each document: ROUGE-1") for line in said
    )


def test_every_summary_of_a_document_is_a_pair_to_train_on(summarizing: Any) -> None:
    data = summarizing[0] / "data"
    examples = list(read_examples(data / "train.jsonl"))
    facts = read_card(summarizing[0] / "model")
    assert facts["training_documents"] == len(examples) == 100
    assert facts["training_summaries"] == sum(len(each.targets) for each in examples) > 100


def test_the_dev_figures_are_those_of_the_saved_model(summarizing: Any) -> None:
    output, progress, _ = summarizing
    summarizer = regard.load(str(output / "model"), "summarization")
    dev = list(read_examples(output / "data" / "dev.jsonl"))
    longest = max(
        len(summarizer.tokenizers.target.encode(text)) for each in dev for text in each.targets
    )
    texts = [each.text for each in dev]
    written = summarizer(texts, num_beams=1, max_new_tokens=longest + 10)
    record = [json.loads(line) for line in (output / "log.jsonl").read_text().splitlines()]
    best = next(entry for entry in record if entry["step"] == progress.best_step)
    expected = rouge(written, [each.targets for each in dev])
    assert {name: best["figures"][name] for name in expected.figures} == expected.figures
    assert best["figures"]["rougeL_low"] == expected.ends[0]["rougeL"]
    assert expected.figures["rougeL"] == progress.best


def test_the_folder_is_a_summarizer_and_greedy_alike_in_transformers(summarizing: Any) -> None:
    folder = summarizing[0] / "model"
    assert kind_of(open_checkpoint(folder)) == "summarization"
    ours = regard.load(str(folder))
    assert isinstance(ours, Summarizer)
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    text = "There was a kind horse.\nIt went to the garden. " * 8
    encoded = tokenizer(text, truncation=True, return_tensors="pt", return_token_type_ids=False)
    assert encoded.input_ids.shape[1] == 64
    generated = theirs.generate(**encoded, num_beams=1)
    [found] = ours.run([text], num_beams=1)
    assert found.truncated
    assert found.text == tokenizer.decode(generated[0], skip_special_tokens=True)
    assert found.text


def test_the_card_says_how_it_was_made(summarizing: Any) -> None:
    facts = read_card(summarizing[0] / "model")
    assert facts["pipeline_tag"] == "summarization"
    text = (summarizing[0] / "model" / "README.md").read_text()
    assert "Reads 64 tokens of a document" in text
    assert "The first sentence of each of them: ROUGE-1" in text


def weights(output: Path) -> dict[str, torch.Tensor]:
    newest = RunFolder(output, warn=pytest.fail).newest()
    assert newest is not None
    return newest.weights


@pytest.mark.slow  # trains
def test_a_crashed_run_ends_with_the_weights_of_an_uninterrupted_one(
    summarized: Path, summarize: Any, tmp_path: Path
) -> None:
    def crash(event: str, progress: Any) -> None:
        if event == "step" and progress.step == 5:
            raise OSError("the power is out")

    options = {"max_steps": 6, "evaluate_every": 2, "dropout": 0.25}
    summarize(summarized, tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        summarize(summarized, tmp_path / "cut", watch=crash, **options)
    summarize(summarized, tmp_path / "cut", **options)
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(whole[name], cut[name]) for name in whole)


@pytest.mark.long("trains")
def test_long_documents_are_cut_and_long_summaries_left_out(summarize: Any, tmp_path: Path) -> None:
    file = tmp_path / "long.tsv"
    rows = [f"document {k} " + "and more " * 30 * (k < 7) + f"\tsummary {k}" for k in range(40)]
    rows += [f"the document {k}\t" + "far too long a summary " * 5 for k in range(4)]
    dev = tmp_path / "dev.tsv"
    dev.write_text("article\tabstract\na document\ta summary\nit is new\ta summary\n")
    file.write_text("article\tabstract\n" + "\n".join(rows) + "\n")
    _, said = summarize(file, tmp_path / "run", max_steps=1, max_source_length=20, dev=str(dev))
    assert any("7 documents cut to 20; 4 summaries over 16 left out" in line for line in said)


def test_dev_rows_of_one_document_are_its_references(summarize: Any, tmp_path: Path) -> None:
    dev = tmp_path / "dev.csv"
    dev.write_text("text,highlights\na dog barks,dog\na  dog barks,barking\nit rains,rain\n")
    file = tmp_path / "train.csv"
    rows = [f"text {k},summary {k}" for k in range(30)] + ["text 3,summary 3", "text 4,", ",x"]
    file.write_text("text,highlights\n" + "\n".join(rows) + "\n")
    _, said = summarize(file, tmp_path / "run", max_steps=1, dev=str(dev))
    found = [each.targets for each in read_examples(tmp_path / "run" / "data" / "dev.jsonl")]
    assert found == [["dog", "barking"], ["rain"]]
    assert "33 read, 30 kept" in "\n".join(said)
    counted = "\n".join(said)
    assert all(why in counted for why in ("1 duplicate", "1 empty summary", "1 empty text"))


@pytest.mark.long("trains")
@pytest.mark.parametrize("family", ["bart", "t5", "pegasus", "marian", "mbart50"])
def test_a_trained_models_tokenizer_prefix_and_settings_are_kept(
    family: str, summarize: Any, foreign: Any, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"num_beams": 3, "max_length": 9}
    if family == "t5":
        task = {"prefix": "two hats ", **settings}
        settings = {"task_specific_params": {"summarization": task, "translation_a_to_b": {}}}
    base = foreign(family, tmp_path / "base", **settings).folder
    words = ["A man is", "looking at", "the dog.", "two hats", "12 dogs", "end", "the man"]
    file = tmp_path / "pairs.tsv"
    file.write_text(
        "".join(f"{a} {b} {k}\t{b} {k}\n" for k in range(3) for a in words for b in words)
    )
    options = {"base_model": str(base), "learning_rate": 1e-12, "max_steps": 1, "warmup": 0}
    summarize(file, tmp_path / "run", max_source_length=30, **options)
    before, after = Summarizer.load(base), Summarizer.load(tmp_path / "run" / "model")
    assert (after.prefix, after.generation) == (before.prefix, before.generation)
    assert after.prefix == ("two hats " if family == "t5" else "")
    assert (after.before, after.after) == (before.before, before.after)
    texts = ["A man is looking at the dog.", "two hats 12 dogs", "the man " * 3]
    assert after(texts) == before(texts)
    assert len(set(after(texts))) > 1
    assert after.room == 30 - len(after.before) - len(after.after)
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "run" / "model").eval()
    ids = after.batch([after.encode(texts[0])])
    generated = theirs.generate(ids, num_beams=1, max_new_tokens=6)[0, 1:].tolist()
    [greedy] = after.run(texts[:1], num_beams=1, max_new_tokens=6)
    assert after.tokenizers.target.tokens(after.without_end(generated)) == greedy.tokens


@pytest.mark.parametrize("family", ["bart", "t5", "mbart", "mbart50", "m2m100"])
def test_the_training_loss_of_a_trained_model_is_transformers_own(
    family: str, foreign: Any, tmp_path: Path
) -> None:
    from regard.tasks.summarization.train import SummarizationRecipe

    base = foreign(family, tmp_path / "base")
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"two  hats {k}\tthe man {k}\n" for k in range(30)))
    options = SummarizationOptions(
        base_model=str(base.folder), max_source_length=30, label_smoothing=0.0, precision="fp32"
    )
    recipe = SummarizationRecipe(str(file), options, say=lambda said: None, command="")
    data = recipe.prepare(tmp_path / "data")
    model = recipe.model(data)
    batch = recipe.batches(data, model).at(0)
    loss, terms, _ = recipe.loss(model, batch)
    pad = model.config.pad_id
    labels = batch.target.masked_fill(batch.target == pad, -100)
    start = torch.full_like(labels[:, :1], model.config.start_id)
    inputs = torch.cat([start, batch.target[:, :-1]], 1)
    expected = base.model(
        input_ids=batch.source, attention_mask=batch.source != pad, decoder_input_ids=inputs,
        labels=labels,
    ).loss  # fmt: skip
    assert (loss / terms).item() == pytest.approx(expected.item(), rel=1e-5)
    # A source stands between the tokens that the model's own tokenizer puts there.
    text = recipe.base.tokenizers.source.decode(batch.source[0].tolist())
    own = base.ids("two  hats ")
    ours = batch.source[0][batch.source[0] != pad].tolist()
    assert (ours[0], ours[-1]) == (own[0], own[-1])
    assert text.startswith("two")


@pytest.mark.long("trains")
def test_a_shipped_translator_can_be_the_beginning(summarize: Any, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"The dog sees {k} trees.\t{k} trees\n" for k in range(40)))
    _, said = summarize(file, tmp_path / "run", base_model="en-de", max_steps=1)
    assert "model: encoder–decoder from en-de" in "\n".join(said)
    found = regard.load(str(tmp_path / "run" / "model"))
    assert isinstance(found, Summarizer)
    assert found.generation.num_beams == 5
    assert read_card(tmp_path / "run" / "model")["base_model"] == "en-de"


def test_another_dropout_leaves_the_weights(foreign: Any, tmp_path: Path) -> None:
    from regard.tasks.summarization.train import SummarizationRecipe

    base = foreign("bart", tmp_path / "base").folder
    options = SummarizationOptions(base_model=str(base), dropout=0.5)
    recipe = SummarizationRecipe("none", options, say=print, command="")
    model = recipe.model(None)  # type: ignore[arg-type]
    assert model.config.dropout == 0.5
    assert model.decoder.embed.tokens.weight is model.encoder.embed.tokens.weight
    before = regard.from_pretrained(base).state_dict()
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


FILES = {
    "named.csv": "id,words,kind\n1,a,x\n2,b,y\n",
    "good.tsv": "document\tsummary\n" + "".join(f"text {k}\tit is {k}\n" for k in range(40)),
    "long.tsv": "document\tsummary\nit is new\t" + "very long " * 40 + "\n",
    "number.jsonl": '{"document": "a", "summary": 3}\n',
    "mixed.jsonl": '{"document": ["a", 4], "summary": "b"}\n',
    "empty.tsv": "document\tsummary\na\t \nb\t\n",
}


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("named.csv", {}, "no column that is known to be the document; its columns are id, words"),
        ("named.csv", {"document": "words"}, "known to be the summary"),
        ("number.jsonl", {}, "line 1: expected a text or a list of texts as the summary; got int"),
        ("mixed.jsonl", {}, "line 1: expected a text or a list of texts as the document; got list"),
        ("empty.tsv", {}, "no example is left of .* 2 empty summary"),
        ("good.tsv", {"dev": "long.tsv"}, "all dev summaries have more than 16 tokens"),
        ("good.tsv", {"base_model": "nowhere"}, "there is no folder nowhere"),
        ("good.tsv", {"base_model": "words-en"}, "words-en is a set of vectors of English"),
        ("good.tsv", {"base_model": "en-de", "norm": "post"}, "norm describes a new model"),
        ("good.tsv", {"base_model": "en-de", "vocab_size": 9}, "vocab_size describes a new model"),
        ("good.tsv", {"preset": "giant"}, "preset must be one of|giant"),
        ("good.tsv", {"max_source_length": 7}, "max_source_length must be at least 8; got 7"),
        ("good.tsv", {"max_tokens": 4}, "max_tokens must be at least"),
        ("none.tsv", {}, "expected a file at .*none.tsv"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_leaves_no_run(
    file: str, options: dict[str, Any], message: str, summarize: Any, tmp_path: Path
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    if "dev" in options:
        options = options | {"dev": str(tmp_path / options["dev"])}
    with pytest.raises(RegardError, match=message):
        summarize(tmp_path / file, tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_a_missing_rouge_score_is_said_before_the_data_are_read(
    summarize: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "rouge_score", None)
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    with pytest.raises(RegardError, match="pip install rouge-score"):
        summarize(tmp_path / "none.tsv", tmp_path / "run")
    assert not (tmp_path / "run").exists()
