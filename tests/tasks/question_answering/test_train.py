"""Questions are answered out of a text after training, in transformers too; windows and loss."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.checkpoints.card import read_card
from regard.tasks.question_answering.score import evaluate_answers
from regard.tasks.question_answering.task import Answerer
from regard.tasks.question_answering.train import (
    QuestionAnsweringRecipe,
    answer_windows,
    span_loss,
)
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.training import Progress, RunFolder
from regard.training.examples import Example, read_examples
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")

ANIMALS = ("dog", "cat", "horse", "bird", "fish", "mouse", "cow", "hen")
PLACES = ("house", "river", "street", "tree", "garden", "snow")
COLORS = ("red", "blue", "green")
QUESTION = "which color is it?"


def articles(*, impossible: bool = True) -> dict[str, Any]:
    """Articles whose contexts name one color among other words, or none."""
    draw = random.Random(7)
    data = []
    for k in range(8):
        paragraphs = []
        for n in range(6):
            color = COLORS[(k + n) % 3]
            words = draw.sample([*ANIMALS, *PLACES], 7)
            context = f"{' '.join(words[: k % 7])} {color} {' '.join(words[k % 7 :])} and a man"
            context = context.strip()
            answers = [{"text": color, "answer_start": context.index(color)}]
            qas = [{"id": f"{k}.{n}", "question": QUESTION, "answers": answers}]
            paragraphs.append({"context": context, "qas": qas})
            if impossible:
                plain = context.replace(f"{color} ", "")
                none = {"question": QUESTION, "answers": [], "is_impossible": True}
                paragraphs.append({"context": plain, "qas": [{"id": f"{k}.{n}.x"} | none]})
        data.append({"title": f"article {k}", "paragraphs": paragraphs})
    return {"data": data}


@pytest.fixture(scope="module")
def squad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("squad") / "train.json"
    path.write_text(json.dumps(articles()))
    return path


def train(
    data: Path | str, output: Path, *, watch: Any = None, **options: Any
) -> tuple[Progress, list[str]]:
    said: list[str] = []
    tiny: dict[str, Any] = {"preset": "tiny", "precision": "fp32", "batch_size": 16}
    settings = QuestionAnsweringOptions(output=str(output), **(tiny | options))
    recipe = QuestionAnsweringRecipe(str(data), settings, say=said.append, command="regard train")
    progress = learn(recipe, watch=watch or (lambda event, progress: None))
    return progress, said


@pytest.fixture(scope="module")
def trained(
    squad: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Progress, list[str]]:
    output = tmp_path_factory.mktemp("run")
    return output, *train(squad, output, max_steps=60, evaluate_every=20, learning_rate=3e-3)


def test_it_learns_which_words_are_answers_and_when_there_is_none(trained: Any) -> None:
    output, progress, said = trained
    assert progress.figures["f1"] == 1.0
    assert progress.figures["has_answer_exact"] == progress.figures["no_answer"] == 1.0
    answerer = regard.load(str(output / "model"))
    assert isinstance(answerer, Answerer)
    assert answerer(QUESTION, "dog river green hen and a man") == "green"
    assert answerer(QUESTION, "dog river hen and a man") == ""
    options = {"or_none": False}
    assert answerer(QUESTION, "dog river hen and a man", **options) != ""
    assert any("24 of them without an answer" in line for line in said)


def test_no_article_is_in_two_parts(trained: Any) -> None:
    data = trained[0] / "data"
    parts = [
        {each.group for each in read_examples(data / f"{name}.jsonl")}
        for name in ("train", "dev", "test")
    ]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 8
    assert all(parts)


def test_the_folder_opens_in_transformers_with_the_same_logits(trained: Any) -> None:
    folder = str(trained[0] / "model")
    theirs = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    read = tokenizer([(QUESTION, "a red dog"), ("color?", "a fish is near the blue river")],
                     padding=True, return_tensors="pt")  # fmt: skip
    with torch.no_grad():
        expected = theirs(**read)
        ours = regard.from_pretrained(folder)(
            read["input_ids"],
            token_type_ids=read["token_type_ids"],
            attention_mask=read["attention_mask"].bool(),
        )
    kept = read["attention_mask"].bool()
    for k, logits in enumerate((expected.start_logits, expected.end_logits)):
        torch.testing.assert_close(ours[..., k][kept], logits[kept], atol=1e-5, rtol=1e-5)


def test_the_settings_are_in_the_folder(trained: Any) -> None:
    answerer = Answerer.load(str(trained[0] / "model"))
    threshold = trained[1].figures["threshold"]
    assert isinstance(answerer.settings.no_answer_threshold, type(threshold))  # of the best step
    assert (answerer.settings.max_answer_len, answerer.settings.max_seq_len) == (30, 384)
    assert answerer.settings.doc_stride == 128
    facts = read_card(trained[0] / "model")
    assert facts["pipeline_tag"] == "question-answering"
    assert facts["training_questions"] == 48
    assert facts["dev"]["f1"] == 1.0
    assert 'Answers "" unless' in (trained[0] / "model" / "README.md").read_text()


def weights(output: Path) -> dict[str, torch.Tensor]:
    newest = RunFolder(output, warn=pytest.fail).newest()
    assert newest is not None
    return newest.weights


@pytest.mark.slow  # trains
def test_a_crashed_run_ends_with_the_weights_of_an_uninterrupted_one(
    squad: Path, tmp_path: Path
) -> None:
    def crash(event: str, progress: Any) -> None:
        if event == "step" and progress.step == 5:
            raise OSError("the power is out")

    options = {"max_steps": 6, "evaluate_every": 4}
    train(squad, tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        train(squad, tmp_path / "cut", watch=crash, **options)
    train(squad, tmp_path / "cut", **options)
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(whole[name], cut[name]) for name in whole)


def test_without_open_questions_there_is_always_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    file.write_text(json.dumps(articles(impossible=False)))
    progress, _ = train(file, tmp_path / "run", max_steps=1)
    assert set(progress.figures) == {"exact_match", "f1"}
    answerer = Answerer.load(str(tmp_path / "run" / "model"))
    assert answerer.settings.no_answer_threshold is None
    assert answerer(QUESTION, "dog river hen and a man") != ""


def test_long_contexts_are_read_in_windows(trained: Any, tmp_path: Path) -> None:
    file = tmp_path / "long.tsv"
    rows = []
    for k in range(40):
        words = ["the old man sleeps"] * 9
        words.insert(k % 10, f"near the {COLORS[k % 3]} {PLACES[k % 6]} number {k}")
        rows.append(f"{QUESTION}\t{' '.join(words)}\t{COLORS[k % 3]}\n")
    file.write_text("question\tcontext\tanswer\n" + "".join(rows))
    _, said = train(file, tmp_path / "run", max_steps=2, max_length=24, doc_stride=6)
    [line] = [line for line in said if "windows" in line]
    assert "windows of at most 24 tokens" in line
    settings = Answerer.load(str(tmp_path / "run" / "model")).settings
    assert (settings.max_seq_len, settings.doc_stride) == (24, 6)


def test_fine_tuning_keeps_the_bases_head_and_tokenizer(
    trained: Any, squad: Path, tmp_path: Path
) -> None:
    base = str(trained[0] / "model")
    options = {"max_steps": 1, "learning_rate": 1e-9, "train_layers": 0}
    progress, said = train(squad, tmp_path, base_model=base, **options)
    assert progress.figures["f1"] == 1.0  # of the base already
    assert "258 of them trained" in "\n".join(said)


def test_the_command_takes_columns_and_answer_says_nothing_where_it_should(
    trained: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from regard.cli.main import main

    folder = str(trained[0] / "model")
    for more, expected in (([], ""), (["--always-answer"], None)):
        monkeypatch.setattr("sys.argv", ["regard"])
        with pytest.raises(SystemExit) as stop:
            main(["answer", "-m", folder, QUESTION, "--text", "dog river hen and a man", *more])
        assert not stop.value.code
        text = capsys.readouterr().out.split("\t")[0]
        assert text == expected if expected is not None else text


HEAD = "question\tcontext\tanswer\n"
GOOD = HEAD + "".join(f"who?\tthe man number {k} sleeps\tman\n" for k in range(40))


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (GOOD, {"answer": "reply"}, "has no column 'reply'"),
        (GOOD.replace("\tman\n", "\tcow\n"), {}, "no example is left .*40 answer not in its cont"),
        (HEAD + "who?\tthe man\tman\n", {}, "would take all 1|dev examples"),
        (GOOD.replace("who?", "who is it " * 30), {"max_length": 24}, "no dev question"),
        (GOOD, {"preset": "giant"}, "preset must be one of"),
        (GOOD, {"base_model": "nowhere"}, "nowhere"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_leaves_no_run(
    content: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "data.tsv").write_text(content)
    with pytest.raises(RegardError, match=message):
        train(tmp_path / "data.tsv", tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_evaluating_needs_questions(trained: Any) -> None:
    answerer = Answerer.load(str(trained[0] / "model"))
    with pytest.raises(RegardError, match="needs at least one question"):
        evaluate_answers(answerer, [])
    context = "dog tree red house and a man"
    scores = evaluate_answers(answerer, [Example(QUESTION, context, [["red", 9]])])
    assert np.array_equal(scores.exact, [1.0])
    assert scores.margins[0] > (answerer.settings.no_answer_threshold or 0.0)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of transformers, through PEFT
def test_adapters_are_merged_into_the_model_and_open_in_peft(
    trained: Any, squad: Path, tmp_path: Path
) -> None:
    peft = pytest.importorskip("peft")
    base = str(trained[0] / "model")
    train(squad, tmp_path / "run", base_model=base, lora_rank=2, max_steps=3)
    theirs = peft.PeftModel.from_pretrained(
        transformers.AutoModelForQuestionAnswering.from_pretrained(base),
        str(tmp_path / "run" / "adapter"),
    ).eval()
    folder = str(tmp_path / "run" / "model")
    read = transformers.AutoTokenizer.from_pretrained(folder)(
        QUESTION, "a red dog", return_tensors="pt"
    )
    with torch.no_grad():
        expected = theirs.base_model.model(**read)  # PEFT's own forward drops the token types
        ours = regard.from_pretrained(folder)(
            read["input_ids"], token_type_ids=read["token_type_ids"]
        )
    torch.testing.assert_close(ours[..., 0], expected.start_logits, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ours[..., 1], expected.end_logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("family", ["Bert", "Roberta"])
def test_windows_and_answers_lie_where_transformers_puts_them(
    family: str, encoder_folder: Any
) -> None:
    folder = encoder_folder(family, "ForQuestionAnswering")
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = Answerer.load(folder).tokenizer
    context = "The child likes the small dog, which sees Anna's old tree. " * 4
    place = (context.index("old tree", 70), context.index("old tree", 70) + len("old tree"))
    encoding = ours.inputs("who sees it?", context)
    found = answer_windows(encoding, place, 40, 11)
    read = theirs("who sees it?", context, truncation="only_second", max_length=40, stride=11,
                  return_overflowing_tokens=True, return_offsets_mapping=True)  # fmt: skip
    assert len(found) == len(read["input_ids"]) > 2
    held = 0
    for number, window in enumerate(found):
        assert [encoding.ids[k] for k in window.positions] == read["input_ids"][number]
        inside = [k for k, text in enumerate(read.sequence_ids(number)) if text == 1]
        assert (window.begin, window.end) == (inside[0], inside[-1] + 1)
        offsets = read["offset_mapping"][number]
        covered = [k for k in inside if offsets[k][0] < place[1] and offsets[k][1] > place[0]]
        starts, ends = offsets[inside[0]][0] <= place[0], offsets[inside[-1]][1] >= place[1]
        expected = (covered[0], covered[-1]) if covered and starts and ends else (0, 0)
        assert (window.first, window.last) == expected
        held += window.last > 0
    assert 0 < held < len(found)


def test_a_question_without_room_or_an_answer_without_tokens_has_no_window(
    encoder_folder: Any,
) -> None:
    tokenizer = Answerer.load(encoder_folder("Bert", "ForQuestionAnswering")).tokenizer
    encoding = tokenizer.inputs("who sees the dog " * 10, "the red house near the river " * 9)
    assert answer_windows(encoding, None, 40, 11) == []
    assert answer_windows(tokenizer.inputs("who", "a  dog"), (1, 2), 40, 11) == []


def test_the_loss_is_over_the_context_and_the_first_token() -> None:
    logits = torch.randn(2, 7, 2, generator=torch.Generator().manual_seed(3))
    places = torch.tensor([[4, 5, 3, 6], [0, 0, 2, 5]])
    expected = 0.0
    for row, (first, last, begin, end) in enumerate(places.tolist()):
        kept = [0, *range(begin, end)]
        for k, wanted in enumerate((first, last)):
            scores = logits[row, kept, k].log_softmax(0)
            expected -= scores[kept.index(wanted)].item() / 2
    assert span_loss(logits, places).item() == pytest.approx(expected, rel=1e-5)
