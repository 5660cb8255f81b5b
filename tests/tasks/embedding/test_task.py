"""Vectors of texts, against transformers' hidden states gathered by hand."""

import json
import shutil

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.checkpoints import Checkpoint
from regard.tasks.embedding.task import POOLING, Embedder, read_settings, write_settings

transformers = pytest.importorskip("transformers")

TEXTS = ["Anna sees the old tree.", "", "Who lives in the red house near the river?"]
OLD = "sentence_transformers.models."
KINDS = [("Bert", "Model"), ("Roberta", "ForMaskedLM"), ("DistilBert", "ForSequenceClassification")]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: "".join(kind))
def folder(request, encoder_folder):
    return encoder_folder(*request.param)


@pytest.fixture(scope="module")
def embedder(encoder_folder):
    return Embedder.load(encoder_folder("Bert", "Model"))


def expected_states(folder, text):
    """Of transformers, without any head, (tokens, d_model)."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    base = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        return base(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()


def test_vectors_are_those_of_transformers_states(folder):
    embedder = Embedder.load(folder)
    pooled = {
        "mean": lambda states: states.mean(0),
        "cls": lambda states: states[0],
        "max": lambda states: states.max(0),
    }
    for pooling, pool in pooled.items():
        wanted = np.stack([pool(expected_states(folder, text)) for text in TEXTS])
        found = embedder(TEXTS, pooling=pooling, normalize=False)
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    lengths = np.linalg.norm(embedder(TEXTS), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-6)
    np.testing.assert_allclose(embedder(TEXTS[0]), embedder(TEXTS)[0], atol=1e-6)


def test_states_are_those_of_every_token(folder):
    found = Embedder.load(folder).states(TEXTS[0])
    np.testing.assert_allclose(found.states, expected_states(folder, TEXTS[0]), atol=1e-5)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert found.tokens == tokenizer.convert_ids_to_tokens(tokenizer(TEXTS[0])["input_ids"])


def test_company_changes_nothing(embedder):
    alone = np.stack([embedder(text) for text in TEXTS])
    together = embedder(TEXTS, batch_size=2)
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_a_longer_text_is_cut_and_says_so(embedder):
    long = "the red house " * 40
    results = embedder.run([TEXTS[0], long])
    assert [result.truncated for result in results] == [False, True]
    assert len(embedder.states(long).tokens) == 67


def test_settings_are_followed(embedder):
    model, tokenizer = embedder.model, embedder.tokenizer
    cut = Embedder(model, tokenizer, max_length=7, pooling="cls", normalize=False, lowercase=True)
    assert cut.states("THE RED HOUSE NEAR THE RIVER").tokens[:3] == ["[CLS]", "the", "red"]
    assert len(cut.states("the red house near the river").tokens) == 7
    states = cut.states("the dog").states
    np.testing.assert_allclose(cut("the dog"), states[0], atol=1e-6)


def test_nothing_is_an_empty_array(embedder):
    assert embedder([]).shape == (0, 15)


def test_unknown_pooling_is_refused(embedder):
    with pytest.raises(RegardError, match="pooling must be one of mean, cls, max; got 'sum'"):
        embedder("a", pooling="sum")


def write(folder, modules, pooling=None, sizes=None):
    listed = [{"path": path, "type": f"{OLD}{kind}"} for kind, path in modules.items()]
    (folder / "modules.json").write_text(json.dumps(listed))
    if pooling is not None:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
    if sizes is not None:
        file = folder / modules["Transformer"] / "sentence_bert_config.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(sizes))
    return folder


def test_a_folder_without_sentence_transformers_files_has_the_defaults(tmp_path):
    assert read_settings(Checkpoint(tmp_path)) == (tmp_path, {})


def test_pooling_flags_of_old_files_are_read(tmp_path):
    modules = {"Transformer": "0_Transformer", "Pooling": "1_Pooling"}
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    folder = write(tmp_path, modules, pooling, {"max_seq_length": 128, "do_lower_case": True})
    assert read_settings(Checkpoint(folder)) == (
        tmp_path / "0_Transformer",
        {"pooling": "cls", "normalize": False, "max_length": 128, "lowercase": True, "prompt": ""},
    )


def test_the_pooling_in_new_files_is_read(tmp_path):
    modules = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    folder = write(tmp_path, modules, {"pooling_mode": "max", "embedding_dimension": 15})
    assert read_settings(Checkpoint(folder)) == (
        tmp_path,
        {"pooling": "max", "normalize": True, "max_length": None, "lowercase": False, "prompt": ""},
    )


@pytest.mark.parametrize(
    ("pooling", "names"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, "mean, max"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean_sqrt_len"),
        ({}, "none"),
    ],
)
def test_other_pooling_is_refused(tmp_path, pooling, names):
    folder = write(tmp_path, {"Transformer": "", "Pooling": "1_Pooling"}, pooling)
    with pytest.raises(RegardError, match=f"of mean, cls, max; it names {names}\\. Use sentence"):
        read_settings(Checkpoint(folder))


def test_another_module_of_sentence_transformers_is_refused(tmp_path):
    with pytest.raises(RegardError, match="it names Dense"):
        read_settings(Checkpoint(write(tmp_path, {"Transformer": "", "Dense": "2_Dense"})))


def test_a_missing_or_damaged_file_of_sentence_transformers_is_named(tmp_path):
    folder = write(tmp_path, {"Transformer": "", "Pooling": "1_Pooling"})
    with pytest.raises(RegardError, match=r"asks for .*1_Pooling/config.json, which is missing"):
        read_settings(Checkpoint(folder))
    (folder / "modules.json").write_text("[")
    with pytest.raises(RegardError, match=r"modules.json is not valid JSON"):
        read_settings(Checkpoint(folder))


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
@pytest.mark.parametrize("normalize", [True, False])
def test_what_is_written_is_read_again(tmp_path, pooling, normalize):
    settings = {
        "pooling": pooling, "normalize": normalize, "max_length": 64, "lowercase": normalize,
        "prompt": "query: " if normalize else "",
    }  # fmt: skip
    write_settings(tmp_path, d_model=15, **settings)
    assert read_settings(Checkpoint(tmp_path)) == (tmp_path, settings)


def test_the_prompt_of_the_files_stands_before_every_text(folder, tmp_path):
    write_settings(
        tmp_path, d_model=15, pooling="mean", normalize=False, max_length=64, lowercase=False,
        prompt="who: ",
    )  # fmt: skip
    for file in folder.iterdir():
        shutil.copy(file, tmp_path)
    states = expected_states(folder, "who: the dog")
    embedder = Embedder.load(tmp_path)
    np.testing.assert_allclose(embedder("the dog"), states.mean(0), atol=1e-5)
    np.testing.assert_allclose(embedder.states("the dog").states, states, atol=1e-5)


def test_prompts_without_a_default_stand_before_no_text(tmp_path):
    folder = write(tmp_path, {"Transformer": ""})
    prompts = {"prompts": {"query": "query: "}, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    assert read_settings(Checkpoint(folder))[1]["prompt"] == ""


def test_a_default_prompt_that_is_missing_or_not_pooled_is_refused(tmp_path):
    folder = write(tmp_path, {"Transformer": "", "Pooling": "1_Pooling"}, {"include_prompt": False})
    pooling = {"pooling_mode_mean_tokens": True, "include_prompt": False}
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": {"query": "q: "}, "default_prompt_name": "query"}))
    with pytest.raises(RegardError, match="leaves the prompt out of a text's vector"):
        read_settings(Checkpoint(folder))
    file.write_text(json.dumps({"prompts": {}, "default_prompt_name": "query"}))
    with pytest.raises(RegardError, match="must be one of its prompts; it is 'query'"):
        read_settings(Checkpoint(folder))


def test_padding_that_is_no_number_changes_no_mean():
    states = torch.randn(2, 3, 4)
    states[1, 2], mask = torch.nan, torch.tensor([[True] * 3, [True, True, False]])
    want = torch.stack([states[0].mean(0), states[1, :2].mean(0)])
    torch.testing.assert_close(POOLING["mean"](states, mask), want)
