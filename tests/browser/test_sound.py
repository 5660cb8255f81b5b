"""A sound stands where a source sentence stands otherwise, and words listen to its stretches."""

from pathlib import Path

import numpy as np
import pytest
import torch

from regard.attention.record import Attention
from regard.attention.scores import scaled_dot
from regard.inspection import Tap, Trace
from regard.inspection.answers import AxisInfo
from regard.inspection.naming import of_sound

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

LISTENED = [20, 20, 50, 50, 80]  # positions of 0.02 s, one for each row


def sound_trace() -> Trace:
    """Two seconds in a window of three, of which each row listens to one position."""
    key = torch.eye(150)[None, None]
    tap = Tap(
        name="decoder.layers.0.cross", side="decoder", kind="cross", layer=0,
        attention=Attention(200 * key[:, :, LISTENED], key, key, scaled_dot, None, None),
        queries="target", keys="source",
    )  # fmt: skip
    seconds = AxisInfo([f"{k / 50:.2f}s" for k in range(150)], None, None, None, 150)
    samples = np.sin(np.arange(2 * 16000) / 500).astype(np.float32)
    tokens = ["<s>", "▁a", "▁extraordinarily", "▁of", "▁interesting"]
    axes = {
        "source": of_sound(seconds, samples, 320),
        "target": AxisInfo(
            tokens, [*tokens[1:], "</s>"], [(k, k + 1) for k in range(1, 5)], None, 1
        ),
    }
    return Trace({tap.name: tap}, axes, "whisper", "transcription", text="talk.wav")


def test_a_file_without_room_for_its_heads_has_their_mean(open_page, tmp_path: Path) -> None:
    sound_trace().to_html(tmp_path / "talk.html", limit_mb=0.01)
    page = open_page("", server=(tmp_path / "talk.html").as_uri())
    page.locator(".rg-word--written").get_by_text("of").hover()
    expect(page.locator(".rg-links__lines path")).to_have_count(5)


@pytest.mark.parametrize("width", [1280, 320])
def test_a_word_shows_when_it_listened(open_page, width: int, tmp_path: Path) -> None:
    sound_trace().to_html(tmp_path / "talk.html")
    page = open_page("", server=(tmp_path / "talk.html").as_uri(), width=width)
    stretches = page.locator(".rg-word--stretch")
    expect(stretches).to_have_count(101)  # and the silence behind
    wave = page.locator(".rg-wave")
    expect(wave.locator("text").first).to_have_text("0 s")
    assert len(wave.locator("path").get_attribute("d").split("L")) == 200  # there and back
    page.locator(".rg-word--written").get_by_text("of").hover()
    expect(page.locator(".rg-said")).to_contain_text("1.00s–1.02s")
    shares = stretches.evaluate_all(
        "all => all.map((each) => Number(each.style.getPropertyValue('--share')))"
    )
    assert max(shares) == shares[50] == 1
    # The stretch lies under the 1.00 s of the wave, along it.
    at, whole = stretches.nth(50).bounding_box(), wave.bounding_box()
    along, size = ("x", "width") if width == 1280 else ("y", "height")
    assert at[along] - whole[along] == pytest.approx((whole[size] - 56) / 2, abs=1)
