"""Transcribing: the tokens and times of transformers, whose windows are those of the paper."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import regard
from fixtures import speech
from regard.cli.looked import grid_of
from regard.errors import RegardError
from regard.inspection.attribution.contributions import logit_attribution
from regard.tasks.transcription.beginnings import Beginnings
from regard.tasks.transcription.task import Transcriber

transformers = pytest.importorskip("transformers")


class Twins(NamedTuple):
    theirs: Any
    ours: Transcriber
    folder: Path


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    folder = tmp_path_factory.mktemp("whisper")
    theirs, loaded = speech.write(folder), regard.load(folder)
    assert isinstance(loaded, Transcriber)
    return Twins(theirs, loaded, folder)


@pytest.mark.long("long sounds")
@pytest.mark.parametrize("engine", ["torch", "native"])
@pytest.mark.parametrize(
    ("seconds", "beams", "timestamps", "options"),
    [
        (1.0, 1, False, {"language": "de", "task": "translate"}),
        (1.0, 3, True, {"language": "en", "task": "transcribe"}),
        (3.3, 1, True, {"task": "translate"}),
        (4.9, 3, True, {"language": "fr", "task": "transcribe"}),
    ],
)
def test_tokens_segments_and_language_are_those_of_transformers(
    seconds: float, beams: int, timestamps: bool, options: Any, engine: str, twins: Twins
) -> None:
    theirs, ours, folder = twins
    sound = speech.noise(seconds, 5)
    extractor = transformers.WhisperFeatureExtractor.from_pretrained(folder)
    long = dict(truncation=False, padding="longest") if seconds > 1 else {}
    features = extractor(sound, sampling_rate=speech.RATE, return_tensors="pt", **long)
    asked = dict(return_timestamps=timestamps, num_beams=beams, **options)
    with torch.no_grad():
        found = theirs.generate(features.input_features, return_segments=True, **asked)
    parts = found["segments"][0]
    end, first = speech.IDS["<|endoftext|>"], speech.IDS["<|notimestamps|>"] + 1
    [result] = ours.run_by(engine).run(
        [sound], timestamps=timestamps, num_beams=beams, no_speech=1.0, **options
    )
    expected = [id_ for part in parts for id_ in part["tokens"].tolist() if id_ < end]
    assert [id_ for id_ in result.ids if id_ < end] == expected
    assert len(set(expected)) > 5
    texts = {
        (round(float(part["start"]), 2), round(float(part["end"]), 2))
        for part in parts
        if ours.tokenizer.decode(id_ for id_ in part["tokens"].tolist() if id_ < end).strip()
    }
    assert not timestamps or {(each.start, each.end) for each in result.segments} == texts
    assert first not in expected
    assert result.language == options.get("language", result.language)


def test_settings_of_the_checkpoint_are_followed(twins: Twins) -> None:
    [result] = twins.ours.run([speech.noise(2.0)], timestamps=True)
    suppressed = twins.theirs.generation_config.suppress_tokens
    assert suppressed
    assert not set(suppressed) & set(result.ids)
    assert twins.ours.not_followed == ()


def test_a_window_without_speech_is_left_out(twins: Twins) -> None:
    sound = speech.noise(1.0)
    assert twins.ours(sound, language="en", no_speech=1.0)
    assert twins.ours(sound, language="en", no_speech=0.0) == ""


def test_what_the_model_does_not_have_is_refused(twins: Twins, tmp_path: Path) -> None:
    sound, ours = speech.noise(0.1), twins.ours
    for options, sentence in (
        ({"language": "xx"}, "a language of .* must be one of"),
        ({"task": "sing"}, "a task of"),
        ({"alternatives": 2, "num_beams": 2}, "a sound has one transcription"),
    ):
        with pytest.raises(RegardError, match=sentence):
            ours.run([sound], **options)
    alone = Transcriber(ours.model, ours.tokenizer, ours.spectrogram)
    assert alone.run([sound])[0].language is None
    with pytest.raises(RegardError, match="knows one language"):
        alone.run([sound], language="en")
    with pytest.raises(RegardError, match=r"a sound of more than 1 seconds needs"):
        alone.run([speech.noise(1.5)])


def test_each_word_is_seen_to_listen_to_seconds(twins: Twins) -> None:
    sound = speech.noise(1.0, 5)
    trace = twins.ours.trace(sound, language="de")
    assert trace.axes["source"].tokens[:3] == ["0.00s", "0.02s", "0.04s"]
    assert trace.axes["target"].tokens[:4] == [
        "<|startoftranscript|>", "<|de|>", "<|transcribe|>", "<|notimestamps|>",
    ]  # fmt: skip
    weights = trace["decoder.layers.1.cross"].weights(head=0)
    assert weights.shape == (len(trace.axes["target"].tokens), 50)
    theirs = transformers.WhisperForConditionalGeneration.from_pretrained(
        twins.folder, attn_implementation="eager"
    ).eval()
    with torch.no_grad():
        output = theirs(
            torch.from_numpy(twins.ours.spectrogram(sound)[None]),
            decoder_input_ids=torch.as_tensor(trace.read["target"]),
            output_attentions=True,
        )
    expected = output.cross_attentions[1][0, 0]
    assert (torch.as_tensor(weights) - expected).abs().max() <= 1e-5


def test_what_heads_add_to_a_word_of_a_sound_is_its_logit(twins: Twins) -> None:
    trace = twins.ours.trace(speech.noise(1.0, 5), language="de")
    found = logit_attribution(trace, 3)
    assert sum(each.value for each in found.contributions) == pytest.approx(found.logit, abs=1e-5)


def test_a_sound_is_seen_in_stretches_up_to_its_end(twins: Twins, tmp_path: Path) -> None:
    sound = speech.noise(0.59, 5)
    trace = twins.ours.trace(sound, language="de", target="so")
    axis = trace.axes["source"]
    assert axis.words == [*((k, k + 1) for k in range(30)), (30, 50)]
    loud = [np.abs(sound[320 * k : 320 * k + 320]).max() for k in range(30)]
    assert axis.peaks == pytest.approx(loud, abs=1e-4)
    name = "decoder.layers.1.cross"
    weights = np.asarray(trace[name].weights()).mean(0)
    figure = trace.figure(tmp_path / "talk.svg", tap=name)
    drawing, wave = figure.axes[0], figure.axes[1]
    np.testing.assert_allclose(drawing.images[0].get_array(), weights[:, :30], atol=1e-6)
    assert [tick.get_text() for tick in drawing.get_xticklabels()][:2] == ["0.00s", "0.04s"]
    envelope = wave.collections[0].get_paths()[0].vertices
    assert envelope[:, 1].max() == 1
    behind = f"{100 * weights[:, 30:].sum(1).mean():.1f} % of the weight is in the silence behind"
    assert any(behind in text.get_text() for text in figure.texts)
    by_word = trace.figure(tap=name, group="word").axes[0].images[0].get_array()
    rows = trace.axes["target"].words
    expected = [weights[first:last, :30].mean(0) for first, last in rows]
    np.testing.assert_allclose(by_word, expected, atol=1e-6)
    trace.save(tmp_path / "talk.safetensors")
    assert type(trace).load(tmp_path / "talk.safetensors").axes["source"] == axis
    grid = grid_of(trace, name, "mean").splitlines()
    assert grid[0].rstrip() == "".join(" ▁▂▃▄▅▆▇█"[round(8 * x / max(loud))] for x in loud).rstrip()
    assert grid[1].endswith(" s")
    assert grid[1].index("@") == weights[rows[0][0] - 1 : rows[0][1] - 1, :30].mean(0).argmax()


def test_a_longer_sound_is_looked_at_in_its_first_window(twins: Twins) -> None:
    trace = twins.ours.trace(speech.noise(1.5, 5), language="de", target="so")
    assert trace.notes[-1] == "of 1.5 seconds, the first 1 are looked at"
    assert len(trace.axes["source"].peaks or ()) == 50
    assert trace.axes["source"].words == [(k, k + 1) for k in range(50)]


OLD = ("lang_to_id", "task_to_id", "no_timestamps_token_id", "is_multilingual")


def of_old(folder: Path, place: str, forced: list[list[Any]]) -> Any:
    """A checkpoint that says only which ids come first, in one of its files; and transformers'
    model of it."""
    speech.write(folder)
    file = folder / "generation_config.json"
    settings = json.loads(file.read_text())
    times = [*range(speech.IDS["<|notimestamps|>"] + 1, speech.IDS["<|notimestamps|>"] + 52)]
    settings["suppress_tokens"] += times  # which transformers does not know to be times here
    file.write_text(json.dumps({key: settings[key] for key in settings if key not in OLD}))
    content = json.loads((folder / place).read_text()) | {"forced_decoder_ids": forced}
    (folder / place).write_text(json.dumps(content))
    return transformers.WhisperForConditionalGeneration.from_pretrained(folder).eval()


@pytest.mark.parametrize("place", ["generation_config.json", "config.json"])
def test_ids_that_old_files_force_are_those_of_transformers(place: str, tmp_path: Path) -> None:
    names = ("<|de|>", "<|translate|>", "<|notimestamps|>")
    theirs = of_old(tmp_path, place, [[k + 1, speech.IDS[name]] for k, name in enumerate(names)])
    sound, ours = speech.noise(1.0, 5), regard.load(tmp_path)
    assert isinstance(ours, Transcriber)
    extractor = transformers.WhisperFeatureExtractor.from_pretrained(tmp_path)
    features = extractor(sound, sampling_rate=speech.RATE, return_tensors="pt").input_features
    with torch.no_grad():
        ids = theirs.generate(features)[0].tolist()
    end = speech.IDS["<|endoftext|>"]
    [result] = ours.run([sound], no_speech=1.0)
    assert result.language == "de"
    assert result.ids == [id_ for id_ in ids if id_ < end]
    assert ours.run([sound], language="fr", no_speech=1.0)[0].language == "fr"
    assert not ours.not_followed


def test_ids_that_are_forced_and_mean_nothing_are_reported(tmp_path: Path) -> None:
    of_old(tmp_path, "generation_config.json", [[1, 7]])
    assert Transcriber.load(tmp_path).not_followed == ("forced_decoder_ids",)


def test_an_english_model_of_old_begins_with_no_language() -> None:
    zero = speech.IDS["<|notimestamps|>"]
    found = Beginnings.of({"forced_decoder_ids": [[1, zero]]}, speech.IDS)
    assert found == Beginnings(no_timestamps=zero)
    unknown = Beginnings.of({"forced_decoder_ids": [[1, None], [2, zero - 4]]}, speech.IDS)
    assert (unknown.language, unknown.task) == (None, "transcribe")
    assert unknown.languages["fr"] == speech.IDS["<|fr|>"]
