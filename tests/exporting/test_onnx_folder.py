"""An exported folder gives the package's results, run by ONNX Runtime alone as its README says."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

import regard
from fixtures.graphs import Graphs
from regard import BadArgumentError, UnavailableError, UnsupportedError
from regard.checkpoints import save_pretrained
from regard.exporting.onnx_folder import export_onnx
from regard.exporting.readme import POOLED, SCORES
from regard.tasks import classification
from regard.tasks.embedding import POOLING

TEXT = "What a lovely surprise!"
EXAMPLES = Path(__file__).parents[2] / "examples" / "onnx"
READY = shutil.which("node") is not None and (EXAMPLES / "node_modules").is_dir()
javascript = pytest.mark.skipif(
    not READY, reason="needs Node.js and `npm ci --ignore-scripts` in examples/onnx"
)


class Opened(Graphs):
    """What a program has that knows the folder alone."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.folder = folder
        self.settings = json.loads((folder / "config.json").read_text("utf-8"))

    def tokens(self, text: str) -> np.ndarray:
        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        return np.array([tokenizer.encode(text).ids])


Exporting = Callable[..., Opened]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exporting:
    """The folder of a shipped model in a precision, written once."""

    @cache
    def opened(name: str, precision: str = "fp32") -> Opened:
        folder = tmp_path_factory.mktemp("exported") / name
        export_onnx(name, folder, precision)
        return Opened(folder)

    return opened


def read(opened: Opened, text: str) -> dict[str, Any]:
    ids = opened.tokens(text)
    feeds = {"ids": ids, "mask": np.ones(ids.shape, np.int32)}
    return feeds | {name: np.zeros_like(ids) for name in opened.shapes("body", "token_type")}


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_translator_is_decoded_by_the_loop_of_the_readme(
    exported: Exporting, precision: str
) -> None:
    opened = exported("en-de", precision)
    ids = opened.tokens("Where is the station?")
    _, memory = opened.encode(ids)
    past = opened.empty_past()
    names = ["best", *(name.replace("past", "all") for name in past)]
    written = [opened.settings["decoder_start_token_id"]]
    while written[-1] != opened.settings["eos_token_id"]:
        position = len(written) - 1
        feeds = dict(tokens=np.array([written[-1:]]), position=np.array([position]))
        feeds |= dict(lengths=np.array([position], np.int32), count=np.array([1]))
        feeds |= dict(longest=np.array([position + 1], np.int32))
        best, *found = opened.run("step", feeds | memory | past, names)
        past = dict(zip(past, found, strict=True))
        written.append(int(best[0, 0]))
    translator = regard.load("en-de").run_by("torch")
    [expected] = translator.run(["Where is the station?"], num_beams=1)
    assert written[1:-1] == [translator.tokenizers.target.backend.token_to_id(each)
                             for each in expected.tokens]  # fmt: skip


def test_a_language_model_is_decoded_by_the_loop_of_the_readme(exported: Exporting) -> None:
    opened = exported("shakespeare")
    new = opened.tokens("ROMEO:")
    past = opened.empty_past()
    length, written = 0, []
    names = [name.replace("past", "all") for name in past]
    for _ in range(12):
        positions = length + np.arange(new.shape[1])[None]
        length += new.shape[1]
        feeds = dict(ids=new, lengths=np.array([length - 1], np.int32), count=np.array([1]))
        feeds |= dict(longest=np.array([length], np.int32), last=np.array([[new.shape[1] - 1]]))
        best, *found = opened.run(
            "step", feeds | past | dict(positions=positions), ["best", *names]
        )
        past = dict(zip(past, found, strict=True))
        new = best
        written.append(int(best[0, 0]))
    writer = regard.load("shakespeare").run_by("torch")
    [expected] = writer.run(["ROMEO:"], do_sample=False, max_new_tokens=12)
    assert writer.tokenizer.decode(written) == expected.text


def test_a_classifier_gives_the_scores_of_the_package(exported: Exporting) -> None:
    opened = exported("emotions")
    [states] = opened.run("body", read(opened, TEXT))
    [[logits]] = opened.run("head", {"states": states})
    [expected] = regard.load("emotions").run_by("torch").run([TEXT])
    assert opened.settings["problem_type"] == "multi_label_classification"
    scores = {
        opened.settings["id2label"][str(k)]: 1 / (1 + np.exp(-x)) for k, x in enumerate(logits)
    }
    assert scores == pytest.approx({e.label: e.score for e in expected.labels}, abs=1e-5)


def test_an_encoder_gives_the_vectors_of_the_package_without_its_head(exported: Exporting) -> None:
    opened = exported("sentences")
    assert set(opened.sessions) == {"body"}
    [[states]] = opened.run("body", read(opened, TEXT))
    vector = states.mean(0) / np.linalg.norm(states.mean(0))
    np.testing.assert_allclose(vector, regard.load("sentences").run_by("torch")(TEXT), atol=1e-5)
    text = (opened.folder / "README.md").read_text("utf-8")
    assert f"The vector of a text is {POOLED['mean']}, scaled to length one. At most 64" in text


def test_a_model_of_images_gives_the_logits_of_the_package(exported: Exporting) -> None:
    opened = exported("digits")
    model = regard.load("digits").run_by("torch").model
    pixels = np.random.default_rng(3).normal(
        size=(2, model.config.channels, *model.config.image_size)
    )
    [states] = opened.run("body", {"pixels": pixels.astype(np.float32)})
    [logits] = opened.run("head", {"states": states})
    with torch.inference_mode():
        expected = model(torch.from_numpy(pixels).float())
    np.testing.assert_allclose(logits, expected, atol=1e-4)
    assert (opened.folder / "preprocessor_config.json").is_file()


@pytest.mark.parametrize("name", ["en-de", "shakespeare", "emotions", "sentences"])
def test_the_readme_lists_the_inputs_and_outputs_of_every_graph(
    name: str, exported: Exporting
) -> None:
    opened = exported(name, "int8")
    text = (opened.folder / "README.md").read_text("utf-8")
    for graph, session in opened.sessions.items():
        section = text.split(f"## {graph}.onnx\n")[1].split("## ")[0]
        rows = re.findall(r"^\| (\w+) \| `(\w+)` \| (\w+) \| \((.*)\) \|$", section, re.MULTILINE)
        kinds = {"tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(float)": "float32"}
        expected = [
            (side, each.name, kinds[each.type], ", ".join(map(str, each.shape)))
            for side, values in (("input", session.get_inputs()), ("output", session.get_outputs()))
            for each in values
        ]
        assert rows == expected
    assert "`com.microsoft: MatMulIntegerToFloat`" in text.split("## Where it runs")[1]
    for file in opened.folder.iterdir():
        assert file.suffix == ".onnx" or file.name == "README.md" or f"`{file.name}`" in text


def test_operators_outside_the_standard_are_named_whatever_their_domain(
    encoder_folder: Any, tmp_path: Path
) -> None:
    sizes = dict(hidden_size=32, num_attention_heads=2)
    folder = encoder_folder("Llama", "ForQuestionAnswering", **sizes)
    found = export_onnx(folder, tmp_path / "out")
    assert "ai.onnx: SimplifiedLayerNormalization" in found.own_operators
    assert "com.microsoft: GroupQueryAttention" in found.own_operators
    assert not any(each.endswith((": MatMul", ": Softmax")) for each in found.own_operators)


def test_every_pooling_and_every_kind_of_labels_has_words() -> None:
    assert POOLED.keys() == POOLING.keys()
    assert SCORES.keys() == classification.SCORES.keys()


def test_a_folder_with_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(BadArgumentError, match="output must be a new or an empty folder;"):
        export_onnx("emotions", tmp_path)
    with pytest.raises(BadArgumentError, match="it is a file"):
        export_onnx("emotions", tmp_path / "mine.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_what_cannot_be_exported_leaves_nothing(recurrent_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="RecurrentEncoderDecoder cannot be exported"):
        export_onnx(recurrent_folder, tmp_path / "new" / "out")
    with pytest.raises(
        BadArgumentError, match="precision must be one of fp32, int8, int4; got 'int3'"
    ):
        export_onnx("emotions", tmp_path / "new" / "out", "int3")
    assert not (tmp_path / "new").exists()


def test_a_missing_package_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    message = r"exporting to ONNX needs the package onnx .*pip install onnx\.$"
    with pytest.raises(UnavailableError, match=message):
        export_onnx("digits", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture
def recurrent_folder(tmp_path: Path) -> Path:
    from regard.models import RecurrentConfig, RecurrentEncoderDecoder

    model = RecurrentEncoderDecoder(RecurrentConfig(31, d_model=8, hidden_size=8))
    save_pretrained(model, tmp_path / "recurrent")
    return tmp_path / "recurrent"


@javascript
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_the_translator_in_javascript_writes_what_the_package_writes(
    precision: str, exported: Exporting
) -> None:
    folder = exported("en-de", precision).folder
    text = "I would like to drink a cup of tea."
    expected = regard.load("en-de").run_by("torch")(text, num_beams=1)
    assert said("translate.mjs", folder, text) == expected


@javascript
def test_the_classifier_in_javascript_gives_the_label_of_the_package(exported: Exporting) -> None:
    folder = exported("emotions").folder
    best = regard.load("emotions").run_by("torch").run([TEXT])[0].best
    assert said("classify.mjs", folder, TEXT) == f"{best.label}\t{best.score:.4f}"


def said(program: str, folder: Path, text: str) -> str:
    command = ["node", str(EXAMPLES / program), str(folder), text]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return found.stdout.removesuffix("\n")
