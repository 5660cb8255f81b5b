"""The page with models inside: small, closed to the network, with the model's numbers."""

import base64
import gzip
import json
import re
from dataclasses import replace

import numpy as np
import PIL
import pytest
import tokenizers
import torch

import regard
from fixtures import local, local_image, local_kinds
from regard.errors import RegardError, UnsupportedError
from regard.studio import live_page as pages
from regard.studio.live_model import content
from regard.studio.live_page import live_page
from regard.studio.live_tokenizer import tokenizer_parts
from regard.studio.packing import packed, to_rows
from regard.studio.page import ENGINES
from regard.text import Tokenizer

LARGEST = 14.59e6  # bytes, of en-de's: its int8 numbers as base64, and 1.07 MB


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "live.html"
    made = live_page("en-de")
    made.write(path)
    assert made.megabytes == round(path.stat().st_size / 1e6, 2)
    assert made.parameters == sum(x.numel() for x in regard.load("en-de").model.parameters())
    assert path.stat().st_size <= LARGEST
    return path.read_text(encoding="utf-8")


@pytest.mark.long("computes every number again")
@pytest.mark.parametrize(
    "made_by",
    [
        local,
        local_kinds,
        pytest.param(
            local_image,
            marks=pytest.mark.skipif(
                int(PIL.__version__.split(".")[0]) < 13, reason="Pillow's order of steps"
            ),
        ),
    ],
)
def test_what_the_pages_engine_is_tested_against_is_what_python_computes(made_by):
    kept = json.loads(made_by.FILE.read_text(encoding="utf-8"))
    made = json.loads(json.dumps(made_by.fixture()))

    def same(one, other, where=""):
        if isinstance(one, dict):
            assert one.keys() == other.keys(), where
            for name in one:
                same(one[name], other[name], f"{where}/{name}")
        elif isinstance(one, list) and one and all(isinstance(each, float) for each in one):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-5, err_msg=where)
        elif isinstance(one, list):
            assert len(one) == len(other), where
            for index, pair in enumerate(zip(one, other, strict=True)):
                same(*pair, f"{where}/{index}")
        elif isinstance(one, float):
            assert one == pytest.approx(other, rel=2e-5, abs=1e-5), where
        else:
            assert one == other, where

    same(kept, made)


def unpacked(text: str) -> bytes:
    return gzip.decompress(base64.b64decode(text, validate=True))


def test_only_the_pages_own_script_and_its_worker_may_run_and_nothing_is_fetched(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "'wasm-unsafe-eval'; worker-src blob:;" in policy
    assert "http" not in policy
    assert not re.findall(r'(?:src|href)="(?!data:)', page[:5000])


def test_the_model_is_in_the_file(page):
    found = re.search(r'<script type="application/gzip" id="regard-model-0">(.*?)</script>', page)
    model = json.loads(unpacked(found[1]))
    assert model["info"]["name"] == "en-de"
    assert model["decoding"]["num_beams"] == regard.load("en-de").generation.num_beams
    assert (
        len(model["tokenizers"]["source"]["model"]["vocab"])
        == regard.load("en-de").model.config.vocab_size
    )
    pieces = re.findall(r'<script type="application/octet-stream">(.*?)</script>', page)
    assert len(pieces) > 10
    assert sum(len(unpacked(piece)) for piece in pieces) == model["bytes"]
    engines = re.findall(r'id="regard-engine-\d">(.*?)</script>', page)
    assert [unpacked(engine) for engine in engines] == [each.read_bytes() for each in ENGINES]


def test_the_worker_starts_first_then_the_page_and_the_weights_follow(page):
    order = ("regard-engine-0", "new Worker(", " async>", "/octet-stream", 'id="regard-words')
    places = [page.index(part, page.index("<body")) for part in order]
    assert places == sorted(places)


def test_a_row_is_rounded_by_at_most_half_a_step():
    matrix = torch.randn(7, 23)
    matrix[3] = 0
    rounded, scales = to_rows(matrix.numpy())
    error = np.abs(rounded * scales[:, None] - matrix.numpy())
    assert (error <= scales[:, None] * 0.5001).all()
    assert not rounded[3].any()
    assert np.abs(rounded[:3]).max(axis=1).tolist() == [127, 127, 127]


def test_shared_weights_are_packed_once_and_everything_is_aligned():
    made = local.translator(local.VARIANTS["pre"])
    found = packed({name: tensor.numpy() for name, tensor in made.model.state_dict().items()})
    names = ("encoder.embed.tokens.weight", "decoder.embed.tokens.weight")
    assert found.tensors[names[0]] == found.tensors[names[1]]
    assert all(tensor["at"] % 4 == 0 for tensor in found.tensors.values())
    linear = found.tensors["encoder.layers.0.feed_forward.outer.weight"]
    assert (linear["rows"], linear["columns"]) == (24, 20)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"num_beams": 3, "no_repeat_ngram_size": 2}, "is decoded with no_repeat_ngram_size"),
        ({"bad_words_ids": [[3, 4]]}, "bad_words_ids of several tokens"),
    ],
)
def test_a_setting_that_the_page_does_not_follow_is_refused(change, expected):
    made = local.translator(local.VARIANTS["pre"])
    made.generation = made.generation.updated(**change)
    with pytest.raises(UnsupportedError, match=expected):
        content(made)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"resample": 1}, "resizes images by Pillow's filter 1"),
        ({"head": "pooler", "labels": ()}, "attention, positions or a head of another kind"),
    ],
)
def test_a_model_of_images_that_the_page_cannot_run_is_refused(change, expected):
    made = local_image.classifier(local_image.PREPARATIONS[0])
    if "resample" in change:
        made.preparation = replace(made.preparation, **change)
    else:
        made.model.config = replace(made.model.config, **change)
    with pytest.raises(UnsupportedError, match=expected):
        content(made)


def test_several_models_are_in_one_file_in_their_order():
    made = live_page(["emotions", "shakespeare"])
    assert made.models == ["emotions", "shakespeare"]
    found = re.findall(
        r'<script type="application/gzip" id="regard-model-(\d)">(.*?)</script>', made.html
    )
    models = [json.loads(unpacked(text)) for _, text in found]
    assert [model["info"]["name"] for model in models] == made.models
    assert [model["reading"] is None for model in models] == [False, True]
    pieces = re.findall(r'<script type="application/octet-stream">(.*?)</script>', made.html)
    assert sum(len(unpacked(piece)) for piece in pieces) == sum(model["bytes"] for model in models)


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (["en-de", "en-de"], "each of them once; got en-de, en-de"),
        ([], "each of them once; got none"),
    ],
)
def test_what_the_page_cannot_hold_is_refused(models, expected):
    with pytest.raises(RegardError, match=re.escape(expected)):
        live_page(models)


def test_a_model_that_is_too_large_is_refused_before_its_weights_are_read(monkeypatch):
    monkeypatch.setattr(pages, "LARGEST", 3_000_000)
    monkeypatch.setattr(pages, "task_class", lambda kind: pytest.fail("its weights are read"))
    with pytest.raises(UnsupportedError, match=r"en-de has 7 MB .* holds 3 MB"):
        live_page("en-de")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda file: file["model"].update(ignore_merges=True), "BPE has settings of its own"),
        (lambda file: file.update(normalizer={"type": "Lowercase"}), "normalizer is Lowercase"),
        (lambda file: file.update(decoder={"type": "CTC"} | CTC), "decoder is CTC"),
    ],
)
def test_a_tokenizer_that_the_page_cannot_read_is_refused(change, expected):
    file = json.loads(regard.load("emotions").tokenizer.backend.to_str())
    change(file)
    made = Tokenizer(tokenizers.Tokenizer.from_str(json.dumps(file)))
    with pytest.raises(UnsupportedError, match=expected):
        tokenizer_parts("emotions", made)


CTC = {"pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}
