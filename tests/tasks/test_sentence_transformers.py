"""The files with which sentence-transformers says how texts become vectors, old and new."""

import json

import pytest

from regard import RegardError
from regard.tasks.sentence_transformers import EmbedderSettings, read_settings

OLD = "sentence_transformers.models."


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


def test_a_folder_without_them_has_the_mean_at_length_one(tmp_path):
    assert read_settings(tmp_path) == EmbedderSettings(tmp_path, "mean", normalize=True)


def test_flags_of_old_files_are_read(tmp_path):
    modules = {"Transformer": "0_Transformer", "Pooling": "1_Pooling"}
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    folder = write(tmp_path, modules, pooling, {"max_seq_length": 128, "do_lower_case": True})
    assert read_settings(folder) == EmbedderSettings(
        tmp_path / "0_Transformer", "cls", normalize=False, max_length=128, lowercase=True
    )


def test_the_name_in_new_files_is_read(tmp_path):
    modules = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    folder = write(tmp_path, modules, {"pooling_mode": "max", "embedding_dimension": 15})
    assert read_settings(folder) == EmbedderSettings(tmp_path, "max", normalize=True)


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
        read_settings(folder)


def test_another_module_is_refused(tmp_path):
    with pytest.raises(RegardError, match="it names Dense"):
        read_settings(write(tmp_path, {"Transformer": "", "Dense": "2_Dense"}))


def test_a_missing_or_damaged_file_is_named(tmp_path):
    folder = write(tmp_path, {"Transformer": "", "Pooling": "1_Pooling"})
    with pytest.raises(RegardError, match=r"asks for .*1_Pooling/config.json, which is missing"):
        read_settings(folder)
    (folder / "modules.json").write_text("[")
    with pytest.raises(RegardError, match=r"modules.json is not valid JSON"):
        read_settings(folder)
