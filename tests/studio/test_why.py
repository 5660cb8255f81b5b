"""The server's answers to "why this word?" are the library's."""

import pytest

from regard.inspection import logit_attribution, logit_lens, measures


def test_the_lens_is_the_librarys(client, trace):
    found = client.get("/api/traces/given/lens", params={"step": 3}).json()
    expected = logit_lens(trace, 3)
    assert found["token"] == expected.token
    for layer, one in zip(found["layers"], expected.layers, strict=True):
        assert layer["rank"] == one.rank
        assert layer["probability"] == pytest.approx(one.probability, rel=1e-4)


def test_the_attribution_is_the_librarys_against_another_token_too(client, trace):
    other = trace.generation.steps[3].candidates[1].id
    for against in (None, other):
        asked = {"step": 3} if against is None else {"step": 3, "against": against}
        found = client.get("/api/traces/given/attribution", params=asked).json()
        expected = logit_attribution(trace, 3, against)
        assert found["against"] == expected.against
        assert found["logit"] == pytest.approx(expected.logit, rel=1e-4)
        total = sum(each["value"] for each in found["contributions"])
        assert total == pytest.approx(found["logit"], abs=1e-4)


def test_the_measures_are_the_librarys(client, trace):
    found = client.get("/api/traces/given/measures", params={"step": 3, "axis": "source"}).json()
    [expected] = measures(trace, [3], "source")
    assert found["tokens"] == trace.axes["source"].tokens
    for measure, one in zip(found["measures"], expected.measures, strict=True):
        assert (measure["name"], len(measure["values"])) == (one.name, len(one.values))


def test_a_step_or_axis_that_is_not_there_is_one_sentence(client):
    for what, asked in (("lens", {"step": 99}), ("measures", {"step": 0, "axis": "sauce"})):
        answer = client.get(f"/api/traces/given/{what}", params=asked)
        assert answer.status_code == 400
        assert answer.json()["detail"].endswith((".", "?"))
