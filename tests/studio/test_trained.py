"""The lessons on the trained translator: their numbers are those of torch's own layers."""

import importlib.util
import json
from pathlib import Path

import pytest
import torch
from torch import nn

from regard.tasks.loading import load

TEXT = "The old man bought a small red car"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def translator():
    return load("en-de")


@pytest.fixture(scope="module")
def states(translator):
    """What torch's own layers make of TEXT: the input of each layer, and the last one's output."""
    model = translator.model
    ids = translator.batch([translator.encode(TEXT)])
    with torch.no_grad():
        found = [model.encoder.embed(ids)]
        for layer in model.encoder.layers:
            found.append(theirs(layer)(found[-1]))
    return [each[0] for each in found]


def theirs(layer) -> nn.TransformerEncoderLayer:
    """torch's layer with the same weights."""
    it = nn.TransformerEncoderLayer(256, 4, 1024, 0.0, batch_first=True, norm_first=True)
    own = layer.self_attention
    parts = [own.query, own.key, own.value]
    pairs = [
        (it.self_attn.in_proj_weight, torch.cat([each.weight for each in parts])),
        (it.self_attn.in_proj_bias, torch.cat([each.bias for each in parts])),
    ]
    for mine, other in (
        (own.output, it.self_attn.out_proj), (layer.self_attention_norm, it.norm1),
        (layer.feed_forward_norm, it.norm2), (layer.feed_forward.inner, it.linear1),
        (layer.feed_forward.outer, it.linear2),
    ):  # fmt: skip
        pairs += [(other.weight, mine.weight), (other.bias, mine.bias)]
    with torch.no_grad():
        for parameter, value in pairs:
            parameter.copy_(value)
    return it.eval()


def inside(client, **asked):
    answer = client.post("/api/inside", json={"text": TEXT, **asked})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_each_depth_has_the_cosines_of_torchs_states(client, states):
    got = inside(client, word=3)
    token = got["token"]
    assert got["words"][token] == 3
    assert got["words"][-1] is None
    assert len(got["depths"]) == 7
    for depth, state in zip(got["depths"], states, strict=True):
        expected = torch.cosine_similarity(state[token], state, dim=-1)
        assert depth["cosines"] == pytest.approx(expected.tolist(), abs=1e-4)
        own = torch.cosine_similarity(state[token], states[0][token], dim=-1)
        assert depth["unchanged"] == pytest.approx(float(own), abs=1e-4)


def test_the_parts_of_a_layer_lead_from_torchs_input_to_its_output(client, states, translator):
    got = inside(client, word=3, layer=1)
    token = got["token"]
    part = {each["name"]: torch.tensor(each["vector"]) for each in got["parts"]}
    layer = translator.model.encoder.layers[1]
    assert torch.allclose(part["x"], states[1][token], atol=1e-4)
    assert torch.allclose(part["sum_2"], states[2][token], atol=1e-4)
    norm = nn.functional.layer_norm(
        part["x"], (256,), layer.self_attention_norm.weight, layer.self_attention_norm.bias, 1e-5
    )
    assert torch.allclose(part["norm_1"], norm, atol=1e-4)
    assert torch.allclose(part["sum_1"], part["x"] + part["attention"], atol=1e-5)
    assert torch.allclose(part["sum_2"], part["sum_1"] + part["feed_forward"], atol=1e-4)
    hidden = nn.functional.linear(
        part["norm_2"], layer.feed_forward.inner.weight, layer.feed_forward.inner.bias
    )
    assert (got["active"], got["units"]) == (int((hidden > 0).sum()), 1024)
    for each in got["parts"]:
        vector = torch.tensor(each["vector"])
        assert each["mean"] == pytest.approx(float(vector.mean()), abs=1e-5)
        assert each["deviation"] == pytest.approx(float(vector.std(correction=0)), abs=1e-5)


def following(client, **asked):
    answer = client.post("/api/next", json={"text": TEXT + ".", "step": 2, **asked})
    assert answer.status_code == 200, answer.text
    return answer.json()


def chances(word):
    return [each["chance"] for each in word["candidates"]]


def test_the_next_words_probabilities_are_those_of_the_trace(client, translator):
    word = following(client)
    trace = translator.trace(TEXT + ".")
    steps = trace.generation.steps
    assert word["output"] == [each.token for each in steps]
    theirs = {each.token: each.probability for each in steps[2].candidates}
    ours = {each["token"]: each["probability"] for each in word["candidates"]}
    for token, probability in theirs.items():
        assert ours[token] == pytest.approx(probability, abs=1e-4)
    assert chances(word) == pytest.approx(list(ours.values()))
    assert sum(chances(word)) + word["rest"] == pytest.approx(1, abs=1e-5)
    assert word["possible"] == word["vocabulary"] == 12000


def test_temperature_top_k_and_top_p_are_those_of_torch_on_the_same_scores(client):
    plain = following(client)
    logits = torch.tensor([each["logit"] for each in plain["candidates"]])
    sharp = following(client, temperature=0.5, top_k=5)
    expected = (logits[:5] / 0.5).softmax(-1).tolist()
    assert chances(sharp) == pytest.approx(expected + [0.0] * 7, abs=1e-5)
    assert (sharp["possible"], sharp["rest"]) == (5, pytest.approx(0, abs=1e-6))
    hot = following(client, temperature=4)
    assert chances(hot)[0] < chances(plain)[0]
    kept = following(client, top_p=0.5)
    before = [each["probability"] for each in plain["candidates"]]
    count = kept["possible"]
    assert sum(before[: count - 1]) < 0.5 <= sum(before[:count])
    assert [chance > 0 for chance in chances(kept)] == [i < count for i in range(12)]


def test_a_step_beyond_the_output_is_its_end(client):
    word = following(client, step=99)
    assert word["step"] == len(word["output"]) - 1
    assert word["candidates"][0]["token"] == "</s>"


@pytest.mark.parametrize(
    ("path", "asked", "status", "sentence"),
    [
        ("inside", {"text": ""}, 400, "text"),
        ("inside", {"text": "a cat", "word": 2}, 400, "there are words 0 to 1; got 2"),
        ("inside", {"text": "a cat", "layer": 6}, 400, "there are layers 0 to 5; got 6"),
        ("inside", {"text": "cat " * 65}, 400, "at most 64 tokens"),
        ("next", {"text": "a cat", "top_p": 0}, 422, "top_p: input should be greater than 0"),
        ("next", {"text": "a cat", "temperature": 0}, 422, "temperature: input should be greater"),
        (
            "next",
            {"text": "a cat", "top_k": 0},
            422,
            "top_k: input should be greater than or equal",
        ),
    ],
)
def test_mistakes_are_sentences(client, path, asked, status, sentence):
    answer = client.post(f"/api/{path}", json=asked)
    assert answer.status_code == status
    assert sentence in answer.json()["detail"]


@pytest.mark.long("trains")
def test_the_recorded_training_is_one_that_its_tool_makes():
    tool = ROOT / "tools" / "recorded_training.py"
    if not tool.is_file():
        pytest.skip("tools/ is not part of this copy")
    spec = importlib.util.spec_from_file_location("recorded_training", tool)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.record(20, [10])
    kept = json.loads((ROOT / "web" / "src" / "learn" / "recorded.json").read_text())
    assert made.keys() == kept.keys()
    assert made["moments"][0].keys() == kept["moments"][0].keys()
    assert {name: made[name] for name in ("word", "parameters", "batch", "every")} == {
        name: kept[name] for name in ("word", "parameters", "batch", "every")
    }
    assert len(made["losses"]) == 2
    assert [each["step"] for each in made["moments"]] == [0, 10]
