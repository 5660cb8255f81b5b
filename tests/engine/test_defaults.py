"""Where a checkpoint keeps its settings, and which of them comes first."""

import json
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.checkpoints import Checkpoint
from regard.engine.defaults import read_defaults


def write(folder: Path, config: dict[str, Any], generation: Any = None) -> Path:
    (folder / "config.json").write_text(json.dumps({"model_type": "bart", **config}))
    if generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(generation))
    return folder


def test_an_older_checkpoint_has_them_in_config_json(tmp_path: Path) -> None:
    # As facebook/bart-large-cnn was published.
    config = {
        "d_model": 1024, "early_stopping": True, "forced_bos_token_id": 0, "length_penalty": 2.0,
        "max_length": 142, "min_length": 56, "no_repeat_ngram_size": 3, "num_beams": 4,
        "prefix": " ", "vocab_size": 50264,
    }  # fmt: skip
    defaults = read_defaults(Checkpoint(write(tmp_path, config)))[""]
    generation = defaults.generation
    assert (generation.max_new_tokens, generation.min_new_tokens) == (141, 55)
    assert (generation.num_beams, generation.length_penalty) == (4, 2.0)
    assert (generation.early_stopping, generation.no_repeat_ngram_size) == (True, 3)
    assert generation.forced_bos_token_id == 0
    assert (defaults.prefix, defaults.not_followed) == (" ", ())


def test_generation_config_json_replaces_those(tmp_path: Path) -> None:
    folder = write(tmp_path, {"num_beams": 4, "max_length": 30}, {"max_length": 12})
    generation = read_defaults(Checkpoint(folder))[""].generation
    assert (generation.num_beams, generation.max_new_tokens) == (1, 11)


def test_a_tasks_own_come_before_both(tmp_path: Path) -> None:
    tasks = {
        "summarization": {"min_length": 5, "num_beams": 4, "prefix": "summarize: "},
        "translation_en_to_de": {"max_length": 300, "prefix": "translate English to German: "},
    }
    folder = write(tmp_path, {"task_specific_params": tasks}, {"num_beams": 2, "max_length": 9})
    defaults = read_defaults(Checkpoint(folder))
    assert list(defaults) == ["", "summarization", "translation_en_to_de"]
    assert [each.prefix for each in defaults.values()] == [
        "", "summarize: ", "translate English to German: ",
    ]  # fmt: skip
    assert [each.generation.num_beams for each in defaults.values()] == [2, 4, 2]
    assert [each.generation.max_new_tokens for each in defaults.values()] == [8, 8, 299]
    assert defaults["summarization"].generation.min_new_tokens == 4


def test_what_is_not_followed_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, {"typical_p": 0.5, "token_healing": True, "num_beam_groups": 1})
    assert read_defaults(Checkpoint(folder))[""].not_followed == ("typical_p", "token_healing")


@pytest.mark.parametrize("none", [None, {}])
def test_a_config_that_names_no_task_has_none(none: Any, tmp_path: Path) -> None:
    folder = write(tmp_path, {"task_specific_params": none, "prefix": None})
    defaults = read_defaults(Checkpoint(folder))
    assert list(defaults) == [""]
    assert defaults[""].prefix == ""


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, {}, [])
    with pytest.raises(RegardError, match=r"generation_config\.json must be a JSON object; it is"):
        read_defaults(Checkpoint(folder))
    (folder / "generation_config.json").write_text("{")
    with pytest.raises(RegardError, match=r"generation_config\.json is not valid JSON"):
        read_defaults(Checkpoint(folder))


def test_a_setting_of_the_wrong_type_is_one_sentence(tmp_path: Path) -> None:
    names = ("max_length", "num_beams", "prefix", "eos_token_id", "bad_words_ids", "top_k")
    refused = 0
    for wrong in ("wide", [], {"a": {}}, [[]], 1.5, -1):
        for config, generation in (
            *(({}, {name: wrong}) for name in names),
            ({"task_specific_params": wrong}, None),
            ({"task_specific_params": {"summarization": wrong}}, None),
        ):
            folder = write(tmp_path, config, {} if generation is None else generation)
            try:
                read_defaults(Checkpoint(folder))
            except RegardError:
                refused += 1
    assert refused >= 29


def test_how_much_a_summarizer_reads_is_a_setting_of_its_task(tmp_path: Path) -> None:
    task = {"summarization": {"max_source_length": 64}}
    defaults = read_defaults(Checkpoint(write(tmp_path, {"task_specific_params": task})))
    assert (defaults[""].max_source_length, defaults["summarization"].max_source_length) == (
        None,
        64,
    )
    assert defaults["summarization"].not_followed == ()
    for wrong in (0, "64", True):
        task = {"summarization": {"max_source_length": wrong}}
        with pytest.raises(RegardError, match="malformed"):
            read_defaults(Checkpoint(write(tmp_path, {"task_specific_params": task})))
