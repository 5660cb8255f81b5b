"""`regard evaluate`: figures with their signatures."""

import json

import pytest


@pytest.fixture
def pairs(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("ein haus am see\tEIN HAUS AM SEE\nzwei hunde im park\tZWEI HUNDE IM PARK\n")
    return file


def test_figures_and_signatures_are_shown(regard, upper_case, scored, pairs):
    outcome = regard("evaluate", "en-de", pairs)
    assert outcome.code == 0
    bleu = "BLEU         100.00   100.00 to 100.00   nrefs:1|case:mixed|eff:no|tok:13a"
    assert bleu in outcome.out
    assert "chrF         100.00   100.00 to 100.00   nrefs:1|case:mixed" in outcome.out
    assert "loss         1.2500 nats per target token" in outcome.out
    assert "(2 sentences, 5 beams)" in outcome.out


def test_json_gives_the_same(regard, upper_case, scored, pairs):
    figures = json.loads(regard("evaluate", "en-de", pairs, "--json", "--num-beams", 2).out)
    assert figures["bleu"] == pytest.approx(100)
    assert figures["loss"] == 1.25
    assert (figures["sentences"], figures["num_beams"]) == (2, 2)
    assert figures["sentences_per_second"] > 0
    assert upper_case.seen[0]["num_beams"] == 2
    assert figures["intervals"]["bleu"] == pytest.approx([100, 100])


def test_two_translators_are_compared_by_a_paired_test(regard, upper_case, scored, pairs):
    outcome = regard("evaluate", "en-de", pairs, "--compare", "en-de")
    assert "BLEU of en-de: 100.00; difference +0.00, p = 1.000 (paired bootstrap)" in outcome.out
    found = json.loads(regard("evaluate", "en-de", pairs, "--compare", "en-de", "--json").out)
    assert found["compared"]["p"] == 1


def test_hypotheses_are_written_one_a_line(regard, upper_case, scored, pairs, tmp_path):
    regard("evaluate", "en-de", pairs, "--output", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "EIN HAUS AM SEE\nZWEI HUNDE IM PARK\n"


def test_a_model_of_several_languages_is_told_which(regard, upper_case, scored, pairs):
    upper_case.not_followed = ("typical_p",)
    outcome = regard(
        "evaluate", "m", pairs, "--source-language", "de", "--target-language", "en",
        "--prefix", "translate: ",
    )  # fmt: skip
    assert upper_case.seen[0] == {"source": "de", "target": "en"}
    assert upper_case.prefix == "translate: "
    assert "typical_p" in outcome.err


def test_a_line_without_a_tab_is_named(regard, upper_case, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("a\tb\nno tab here\n")
    outcome = regard("evaluate", "en-de", file, "--strict")
    assert outcome.code == 2
    assert "line 2" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_classifier_is_trained_evaluated_and_compared(regard, tmp_path):
    data = tmp_path / "texts.tsv"
    rows = [f"a {word} dog {k}\t{label}" for k in range(20)
            for word, label in (("kind", "good"), ("cruel", "bad"))]  # fmt: skip
    data.write_text("text\tlabel\n" + "\n".join(rows) + "\n")
    run = tmp_path / "run"
    (tmp_path / "test.tsv").write_text("a kind cat\tgood\na cruel cat\tbad\n")
    trained = regard(
        "train", "classification", data, "--output", run, "--preset", "tiny", "--max-steps", 3,
        "--test", tmp_path / "test.tsv",
    )  # fmt: skip
    assert trained.code in (0, 3), trained.err  # a few steps may teach one label alone
    assert "34 to train on, 6 dev, 2 test" in trained.err
    assert "accuracy" in trained.out
    assert "texts              2; intervals are of 95 %" in trained.out
    model = run / "model"
    figures = json.loads(regard("evaluate", model, data, "--compare", model, "--json").out)
    assert figures["compared"] == {
        "model": str(model), "figure": "accuracy", "value": figures["figures"]["accuracy"],
        "difference": 0.0, "p": 1.0,
    }  # fmt: skip
    refused = regard("evaluate", "en-de", data, "--label", "label")
    assert refused.code == 2
    assert "--label cannot be used with a translator (en-de). Leave them out." in refused.err
    refused = regard("evaluate", model, data, "--num-beams", 2, "--output", tmp_path / "out.txt")
    assert refused.code == 2
    assert "--num-beams, --output cannot be used with a classifier of texts" in refused.err


def figures_of(regard, *arguments):
    """The JSON of an evaluation, and the lines that a person sees."""
    shown, machine = regard("evaluate", *arguments), regard("evaluate", *arguments, "--json")
    assert (shown.code, machine.code) == (0, 0), shown.err + machine.err
    return json.loads(machine.out), shown.out


def test_a_model_that_answers_is_scored_by_exact_match_and_f1(regard, encoder_folder, tmp_path):
    folder = encoder_folder("Bert", "ForQuestionAnswering")
    data = tmp_path / "questions.tsv"
    rows = ["q2\tWhere is it?\tin the red house\tred house", "q3\tWho?\tAnna sees the dog\tAnna",
            "q4\tWho sees?\tthe old tree\t"]  # fmt: skip
    data.write_text("id\tquestion\tcontext\tanswer\n" + "\n".join(rows) + "\n")
    found, text = figures_of(regard, folder, data, "--compare", folder)
    assert found["questions"] == 3
    names = {"exact_match", "f1", "has_answer_exact", "has_answer_f1", "no_answer"}
    assert set(found["figures"]) == names
    assert found["figures"]["no_answer"] == 0.0  # it has no threshold, so it always answers
    both = found["figures"]["has_answer_f1"]
    assert found["figures"]["f1"] == pytest.approx(both * 2 / 3)
    assert found["compared"]["p"] == 1.0
    assert found["worst"][0].keys() == {"line", "id", "question", "expected", "answer"}
    line = found["worst"][0]["line"]
    assert found["worst"][0]["id"] == f"q{line}"
    assert f"  line {line}, q{line}: question: " in text
    assert "  F1, with an answer" in text
    assert "questions              3; intervals are of 95 %, by bootstrap" in text


def test_an_encoder_is_scored_by_how_it_ranks_pairs(regard, encoder_folder, tmp_path):
    folder = encoder_folder("Bert", "Model")
    data = tmp_path / "pairs.tsv"
    rows = ["the dog\tthe dog", "the red house\tAnna", "old tree\tthe river", "a\tthe child sees"]
    data.write_text("text\tpair\n" + "\n".join(rows) + "\n")
    found, text = figures_of(regard, folder, data)
    assert found["texts_or_pairs"] == 4
    ranks = [each["rank"] for each in found["worst"]]
    assert ranks == sorted(ranks, reverse=True)
    others = 4 - len(ranks)  # ranked first
    mrr = (others + sum(1 / rank for rank in ranks)) / 4
    assert found["figures"]["mrr"] == pytest.approx(mrr)
    assert "recall@10" in text
    scored = [f"{row}\t{k}" for k, row in enumerate(rows)]
    data.write_text("text\tpair\tscore\n" + "\n".join(scored) + "\n")
    found, text = figures_of(regard, folder, data, "--compare", folder)
    assert set(found["figures"]) == {"spearman"}
    assert found["compared"]["figure"] == "spearman"
    data.write_text("text\tpair\tscore\na\tb\t1\na\tc\t\n")
    refused = regard("evaluate", folder, data, "--strict")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_language_models_are_scored_by_perplexity(regard, encoder_folder, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("Anna sees the old tree. The dog lives in the red house near the river. " * 9)
    folder = encoder_folder("GPT2", "LMHeadModel")
    found, shown = figures_of(regard, folder, text, "--compare", folder, "--batch-size", 2)
    assert set(found["figures"]) == {"loss", "perplexity", "bits_per_byte"}
    low, high = found["intervals"]["perplexity"]
    assert low < found["figures"]["perplexity"] < high
    assert found["compared"]["difference"] == 0.0
    assert "bits per byte" in shown
    other = encoder_folder("Llama", "ForCausalLM")  # the same pieces behind other special tokens
    refused = regard("evaluate", folder, text, "--compare", other)
    assert (refused.code, "a paired test needs the same tokens" in refused.err) == (2, True)
    found, shown = figures_of(regard, encoder_folder("Bert", "ForMaskedLM"), text)
    assert set(found["figures"]) == {"loss", "perplexity", "accuracy"}
    text.write_text("\n")
    refused = regard("evaluate", folder, text)
    assert (refused.code, "no document is left" in refused.err) == (2, True)


def test_a_summarizer_is_scored_beside_the_documents_first_words(regard, encoder_folder, tmp_path):
    pytest.importorskip("rouge_score")
    tasks = {"summarization": {"max_new_tokens": 5, "num_beams": 1}}
    folder = encoder_folder("Bart", "ForConditionalGeneration", task_specific_params=tasks)
    data = tmp_path / "documents.jsonl"
    rows = [
        {"document": "The dog lives here. It sees a tree.", "summary": ["The dog lives here."]},
        {"document": "Anna likes the river. She swims.", "summary": ["Anna swims.", "A river"]},
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    written = tmp_path / "out.txt"
    found, shown = figures_of(regard, folder, data, "--output", written, "--worst", 1)
    assert set(found["figures"]) == {"rouge1", "rouge2", "rougeL"}
    assert found["baselines"]["first sentence"]["rouge1"] > 50
    assert len(found["worst"]) == 1
    assert "Porter's stemmer" in found["note"]
    assert len(written.read_text().splitlines()) == 2
    assert "first sentence         ROUGE-1" in shown
    data.write_text('{"document": "a b", "summary": ""}\n')
    refused = regard("evaluate", folder, data)
    assert (refused.code, "line 1: expected a summary; got an empty" in refused.err) == (2, True)


def test_a_classifier_of_images_is_scored(regard, tmp_path):
    import numpy as np
    import torch

    from regard.checkpoints import save_pretrained
    from regard.models import VisionConfig, VisionTransformer
    from regard.tasks.images.preparation import Preparation, write_preparation

    torch.manual_seed(1)
    sizes = dict(d_model=8, num_layers=1, num_heads=2, d_ff=16, channels=1)
    config = VisionConfig(
        image_size=(8, 8), patch_size=(4, 4), head="classification", labels=("0", "1"), **sizes
    )
    save_pretrained(VisionTransformer(config), tmp_path / "model")
    write_preparation(Preparation((8, 8), mean=(0.5,), std=(0.5,)), tmp_path / "model")
    pixels = np.random.default_rng(1).integers(0, 256, (6, 8, 8)).astype(np.uint8)
    np.savez(tmp_path / "images.npz", images=pixels, labels=np.array([0, 1] * 3))
    found, shown = figures_of(regard, tmp_path / "model", tmp_path / "images.npz")
    wrong = round(6 * (1 - found["figures"]["accuracy"]))
    assert (found["images"], len(found["worst"])) == (6, min(wrong, 5))
    assert "images             6; intervals are of 95 %" in shown
    assert shown.count(f" of {tmp_path / 'images.npz'}") == len(found["worst"])
    np.savez(tmp_path / "others.npz", images=pixels, labels=np.array([0, 7] * 3))
    refused = regard("evaluate", tmp_path / "model", tmp_path / "others.npz")
    assert (refused.code, "has no label '7'" in refused.err) == (2, True)
    refused = regard("evaluate", tmp_path / "model", tmp_path / "images.npz", "--text", "a")
    assert "--text cannot be used with a classifier of images" in refused.err


def test_data_that_is_not_there_is_named(regard, encoder_folder, tmp_path):
    folder = encoder_folder("Bert", "ForMaskedLM")
    outcome = regard("evaluate", folder, tmp_path / "nothing.txt")
    assert outcome.code == 2
    assert "there is no such file or folder" in outcome.err


def test_pairs_and_questions_are_scored_on_a_test_set_after_training(regard, tmp_path):
    animals, places = ("dog", "cat", "horse", "bird", "fish"), ("house", "river", "tree", "snow")
    pairs = [f"a {a} in the {p}\tthe {p} has a {a}" for a in animals for p in places]
    (tmp_path / "pairs.tsv").write_text("text\tpair\n" + "\n".join(pairs) + "\n")
    (tmp_path / "test.tsv").write_text("text\tpair\na cow here\tone cow\na hen\tone hen\n")
    tiny = ("--preset", "tiny", "--max-steps", 2, "--test", tmp_path / "test.tsv")
    outcome = regard(
        "train", "embedding", tmp_path / "pairs.tsv", "--output", tmp_path / "a", *tiny, "--json"
    )
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out.splitlines()[-1])["texts_or_pairs"] == 2
    rows = [f"where is the {a}?\tthe {a} is in the {p}\t{p}" for a in animals for p in places]
    (tmp_path / "asked.tsv").write_text("question\tcontext\tanswer\n" + "\n".join(rows) + "\n")
    (tmp_path / "test.tsv").write_text("question\tcontext\tanswer\nwhere?\tin a house\thouse\n")
    outcome = regard(
        "train", "question-answering", tmp_path / "asked.tsv", "--output", tmp_path / "b", *tiny
    )
    assert outcome.code == 0, outcome.err
    assert "questions              1; intervals are of 95 %" in outcome.out


def test_the_engine_is_the_one_that_is_asked_for(regard, upper_case, scored, pairs):
    for arguments, engine in (((), "auto"), (("--engine", "torch"), "torch")):
        assert regard("evaluate", "en-de", pairs, "--compare", "en-hi", *arguments).code == 0
        assert upper_case.computed_by == engine


def test_a_classifier_is_evaluated_by_the_native_engine(regard, tmp_path):
    (tmp_path / "test.tsv").write_text("What a lovely surprise!\tadmiration\nGo away!\tanger\n")
    arguments = ("evaluate", "emotions", tmp_path / "test.tsv", "--json")
    engines = ((), ("--engine", "torch"), ("--precision", "int8"))
    native, exact, coarse = (
        json.loads(regard(*arguments, *engine).out)["figures"]["loss"] for engine in engines
    )
    assert native == pytest.approx(exact, rel=1e-4)
    assert coarse == pytest.approx(exact, rel=0.1)
    assert coarse != native
    outcome = regard(*arguments, "--engine", "torch", "--precision", "int8")
    assert (outcome.code, "--precision needs --engine native" in outcome.err) == (2, True)
