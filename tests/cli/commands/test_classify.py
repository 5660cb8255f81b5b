"""`regard classify`: a label and its score for each line."""

import json

import pytest

from regard.tasks.classification.task import Classifier

LABELS = {0: "good", 1: "bad", 2: "odd"}


@pytest.fixture(scope="module")
def folder(encoder_folder):
    return encoder_folder("Bert", "ForSequenceClassification", id2label=LABELS)


@pytest.fixture(scope="module")
def labels(folder):
    """What the classifier says of a text or a pair, as (label, score)."""
    classifier = Classifier.load(folder)

    def say(*texts):
        result = classifier.run(*([text] for text in texts))[0]
        return [(each.label, f"{each.score:.4f}") for each in result.labels]

    return say


def test_the_best_label_a_line_and_an_empty_line_stays(regard, folder, labels):
    outcome = regard("classify", "-m", folder, stdin=b"Anna sees it.\n\na dog\n")
    first, second = labels("Anna sees it.")[0], labels("a dog")[0]
    assert outcome.out == f"{first[0]}\t{first[1]}\n\n{second[0]}\t{second[1]}\n"
    assert outcome.err == ""


def test_several_labels_come_with_the_lines_number(regard, folder, labels):
    outcome = regard("classify", "-m", folder, "--top-k", 2, stdin=b"\na dog\n")
    rows = [f"2\t{label}\t{score}" for label, score in labels("a dog")[:2]]
    assert outcome.out.splitlines() == ["1\t\t", *rows]


def test_pairs_are_two_columns_or_two_fields(regard, folder, labels):
    expected = labels("the house", "a dog")
    assert expected != labels("the house")
    columns = regard("classify", "-m", folder, "--text-pair", stdin=b"the house\ta dog\n")
    assert columns.out == "\t".join(expected[0]) + "\n"
    fields = b'{"id": 7, "text": "the house", "text_pair": "a dog"}\n'
    outcome = regard("classify", "-m", folder, "--text-pair", "--json", "--top-k", 3, stdin=fields)
    entry = json.loads(outcome.out)
    assert entry["id"] == 7
    assert [(each["label"], f"{each['score']:.4f}") for each in entry["labels"]] == expected


def test_a_label_stays_on_its_line_and_out_of_the_terminals_hands(regard, encoder_folder):
    bad = "lab\nel\tx\x1b]0;y\x07\x9b"
    folder = encoder_folder("Bert", "ForSequenceClassification", id2label={0: bad, 1: bad})
    shown = "lab el x\\x1b]0;y\\x07\\x9b"
    outcome = regard("classify", "-m", folder, stdin=b"a dog\n")
    assert outcome.out.count("\n") == 1
    assert outcome.out.split("\t")[0] == shown
    outcome = regard("classify", "-m", folder, "--top-k", 2, stdin=b"a dog\n")
    assert [line.split("\t")[1] for line in outcome.out.split("\n")[:-1]] == [shown, shown]


def test_an_empty_line_has_no_labels_in_json(regard, folder):
    outcome = regard("classify", "-m", folder, "--json", stdin=b"\n")
    assert json.loads(outcome.out) == {"text": "", "labels": []}


def test_what_was_cut_is_said(regard, folder):
    outcome = regard("classify", "-m", folder, "a", "the house " * 99)
    assert (
        outcome.err
        == "regard: line 2 is longer than the 67 tokens that the model reads; the rest was left"
        " out. Split the text.\n"
    )


def test_images_are_files(regard, tmp_path):
    image = pytest.importorskip("PIL.Image")
    from regard.checkpoints import save_pretrained
    from regard.models import VisionConfig, VisionTransformer

    sizes = dict(image_size=(14, 14), patch_size=(7, 7), d_model=15, num_layers=1, num_heads=3)
    config = VisionConfig(**sizes, d_ff=22, head="classification", labels=("cat", "dog"))
    save_pretrained(VisionTransformer(config), tmp_path)
    (tmp_path / "preprocessor_config.json").write_text('{"size": 14}')
    image.new("RGB", (31, 17), (200, 9, 90)).save(tmp_path / "a.png")
    outcome = regard("classify", "-m", tmp_path, "--images", tmp_path / "a.png")
    label, score = outcome.out.split()
    assert label in ("cat", "dog")
    assert 0.5 <= float(score) <= 1
    missing = regard("classify", "-m", tmp_path, "--images", tmp_path / "b.png")
    assert missing.code == 2
    assert "b.png does not exist" in missing.err


@pytest.fixture(scope="module")
def vision_folder(tmp_path_factory):
    from regard.checkpoints import save_pretrained
    from regard.models import VisionConfig, VisionTransformer

    folder = tmp_path_factory.mktemp("vision")
    sizes = dict(image_size=(14, 14), patch_size=(7, 7), d_model=15, num_layers=1, num_heads=3)
    config = VisionConfig(**sizes, d_ff=22, head="classification", labels=("cat", "dog"))
    save_pretrained(VisionTransformer(config), folder)
    (folder / "preprocessor_config.json").write_text('{"size": 14}')
    return folder


def test_a_folder_of_images_has_a_line_for_each_with_its_name(regard, vision_folder, tmp_path):
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "more").mkdir()
    files = [tmp_path / "b.png", tmp_path / "more" / "a.jpg"]
    for number, file in enumerate(files):
        image.new("RGB", (31, 17), (200, 9, 90 * number)).save(file)
    (tmp_path / "notes.txt").write_text("not an image")
    outcome = regard("classify", "-m", vision_folder, "--images", tmp_path, "--top-k", 2)
    rows = [line.split("\t") for line in outcome.out.splitlines()]
    assert [row[0] for row in rows] == [str(file) for file in files for _ in range(2)]
    assert {row[1] for row in rows[:2]} == {"cat", "dog"}
    best = regard("classify", "-m", vision_folder, "--images", tmp_path, files[0])
    assert best.out.splitlines()[0].split("\t") == rows[0]
    assert best.out.splitlines()[2].split("\t") == rows[0][1:]
    lines = regard("classify", "-m", vision_folder, "--images", "--json", tmp_path).out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == [str(file) for file in files]


def test_a_broken_image_of_a_folder_costs_one_line(regard, vision_folder, tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name in ("a.png", "c.png"):
        image.new("RGB", (14, 14), (200, 9, 90)).save(tmp_path / name)
    (tmp_path / "b.png").write_text("no image")
    outcome = regard("classify", "-m", vision_folder, "--images", tmp_path)
    assert outcome.code == 2
    rows = [line.split("\t") for line in outcome.out.splitlines()]
    assert [bool(label) for _, label, _ in rows] == [True, False, True]
    assert outcome.err.count("b.png is not an image") == 1
    strict = regard("classify", "-m", vision_folder, "--images", "--strict", tmp_path)
    assert (strict.code, strict.out) == (2, "")


def test_a_folder_without_images_is_refused(regard, vision_folder, tmp_path):
    outcome = regard("classify", "-m", vision_folder, "--images", tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no image in the folder" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "--labels", "x,y"], "--labels need a classifier of entailment (NLI), and none is"),
        (["a", "-m", "FOLDER", "--text-pair", "--images"], "either --text-pair or --images"),
        (["a b", "-m", "FOLDER", "--text-pair"], "line 1: two texts with one tab"),
        (["a", "-m", "FOLDER", "--images"], "to classify images, give digits, or a ViT model"),
    ],
)
def test_bad_input_is_one_sentence(regard, folder, arguments, message):
    outcome = regard("classify", *(str(folder) if a == "FOLDER" else a for a in arguments))
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_labels_of_ones_own(regard, encoder_folder):
    names = {0: "contradiction", 1: "entailment"}
    folder = encoder_folder("Bert", "ForSequenceClassification", id2label=names)
    outcome = regard("classify", "-m", folder, "--labels", "a dog, the house", "the red house")
    [found] = Classifier.load(folder).zero_shot(["the red house"], ["a dog", "the house"])
    assert outcome.out == f"{found.best.label}\t{found.best.score:.4f}\n"
    other = regard("classify", "-m", folder, "--labels", "dog,house", "--template", "see {}", "a")
    [found] = Classifier.load(folder).zero_shot(["a"], ["dog", "house"], template="see {}")
    assert other.out == f"{found.best.label}\t{found.best.score:.4f}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labels", "a,b", "--text-pair"], "--labels are of single texts"),
        (["--template", "see {}"], "--template is about labels of your own; give --labels too"),
        (["--labels", "a,b"], "need a classifier of entailment"),
    ],
)
def test_labels_of_ones_own_are_refused(regard, folder, arguments, message):
    outcome = regard("classify", "-m", folder, *arguments, "the house")
    assert outcome.code == 2
    assert message in outcome.err
