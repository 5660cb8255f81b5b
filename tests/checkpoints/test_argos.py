"""Packages of Argos Translate: by their path, and those that are installed."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

import regard
from fixtures.ctranslate2 import write_folder
from regard import RegardError
from regard.checkpoints import argos, open_checkpoint
from regard.cli.app import app
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnsupportedError
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.text.sentencepiece import read_sentencepiece

FILE = Path(__file__).parents[1] / "text" / "sentencepiece" / "unigram.model"


def package(folder: Path, source: str = "en", target: str = "de", seed: int = 1) -> Path:
    """An unpacked package of a random model."""
    pieces = [piece for piece, _ in read_sentencepiece(FILE).pieces if piece[0] != "<"]
    tokens = ["<unk>", "<s>", "</s>", *pieces]
    torch.manual_seed(seed)
    sizes = dict(d_model=8, d_ff=8, encoder_layers=1, decoder_layers=1, max_positions=40)
    config = EncoderDecoderConfig(
        len(tokens), **sizes, encoder_heads=2, decoder_heads=2, norm="pre"
    )
    write_folder(folder / "model", EncoderDecoder(config), tokens, "int8")
    shutil.copy(FILE, folder / "sentencepiece.model")
    facts = {"from_code": source, "to_code": target, "package_version": "1.0"}
    (folder / "metadata.json").write_text(json.dumps(facts))
    return folder


def packed(file: Path, folder: Path, **more: str) -> Path:
    """A zip of the folder's files, and of others by their names."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for part in filter(Path.is_file, sorted(folder.rglob("*"))):
            zipped.write(part, f"translate-en_de-1_0/{part.relative_to(folder)}")
        for name, content in more.items():
            zipped.writestr(name, content)
    return file


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(tmp_path / "packages"))


def test_a_package_opens_by_its_path(tmp_path: Path) -> None:
    file = packed(tmp_path / "en_de.argosmodel", package(tmp_path / "package"))
    translator = regard.load(file)
    assert translator("the old man", max_new_tokens=4) == regard.load(tmp_path / "package")(
        "the old man", max_new_tokens=4
    )
    assert (translator.generation.num_beams, translator.generation.length_penalty) == (4, 0.2)
    assert open_checkpoint(file).card["language"] == ["en", "de"]


def test_it_is_unpacked_once_and_without_what_no_model_needs(tmp_path: Path) -> None:
    file = packed(
        tmp_path / "a.argosmodel", package(tmp_path / "package"), **{"x/stanza/big.pt": "no"}
    )
    folder = argos.unpacked(file).parent
    assert not (folder / "stanza").exists()
    (folder / "mark").touch()
    assert argos.unpacked(file).parent == folder
    assert (folder / "mark").exists()


@pytest.mark.parametrize(
    "name", ["../outside", "/outside", "x/../../outside", "x\\..\\..\\outside", "C:/outside"]
)
def test_a_file_that_would_be_written_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    file = packed(tmp_path / "a.argosmodel", package(tmp_path / "package"), **{name: "bad"})
    with pytest.raises(DamagedFileError, match=r"written elsewhere, .*; nothing was unpacked"):
        argos.unpacked(file)
    assert not (tmp_path / "cache").exists()


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    zeros = "0" * 100_000_000
    file = packed(tmp_path / "a.argosmodel", package(tmp_path / "p"), **{"x/model/vmap.txt": zeros})
    with pytest.raises(
        DamagedFileError, match=r"becomes 100,000,000 bytes of .* nothing was unpack"
    ):
        argos.unpacked(file)


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"no zip at all"])
def test_what_is_no_zip_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.argosmodel").write_bytes(content)
    with pytest.raises(DamagedFileError, match="not a whole package of Argos Translate"):
        argos.unpacked(tmp_path / "a.argosmodel")


def test_a_damaged_package_leaves_nothing(tmp_path: Path) -> None:
    file = packed(tmp_path / "a.argosmodel", package(tmp_path / "package"))
    content = file.read_bytes()
    place = content.index(b"model.bin") + 200
    file.write_bytes(content[:place] + b"\0" * 50 + content[place + 50 :])
    with pytest.raises(RegardError, match="not a whole package"):
        argos.unpacked(file)
    assert not [*(tmp_path / "cache" / "regard" / "argos").iterdir()]


def test_a_package_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "metadata.json").write_text("{}")
    file = packed(tmp_path / "a.argosmodel", tmp_path / "package")
    with pytest.raises(DamagedFileError, match=r"must have metadata\.json and model/model.bin"):
        argos.unpacked(file)


def test_a_prefix_of_the_target_is_refused(tmp_path: Path) -> None:
    folder = package(tmp_path / "package")
    (folder / "metadata.json").write_text('{"target_prefix": "__de__"}')
    with pytest.raises(UnsupportedError, match="target_prefix"):
        open_checkpoint(folder)


def test_installed_packages_have_names(tmp_path: Path) -> None:
    folder = package(tmp_path / "packages" / "translate-en_de-1_0")
    assert open_checkpoint("argos:en-de").folder == folder / "model"
    with pytest.raises(NotFoundError, match=r"from 'de' to 'en'; installed: en → de\. Install one"):
        open_checkpoint("argos:de-en")
    with pytest.raises(BadArgumentError, match="argos:en-de, say"):
        open_checkpoint("argos:ende")


def test_the_fewest_packages_lead_from_one_language_to_another(tmp_path: Path) -> None:
    for pair in ("de-en", "en-fr", "fr-es", "en-es"):
        package(tmp_path / "packages" / pair, *pair.split("-"))
    names = [folder.name for folder in argos.route("de", "es")]
    assert names == ["de-en", "en-es"]
    with pytest.raises(UnsupportedError, match="argos:de-en, then argos:en-es"):
        open_checkpoint("argos:de-es")


def test_the_command_translates_by_way_of_a_third_language(tmp_path: Path) -> None:
    for number, pair in enumerate(("de-en", "en-es")):
        package(tmp_path / "packages" / pair, *pair.split("-"), seed=number)
    first, second = (regard.load(tmp_path / "packages" / pair) for pair in ("de-en", "en-es"))
    expected = second.run([first.run(["the old man"])[0].translation], max_new_tokens=5)
    call = ["translate", "--argos", "de", "es", "--max-new-tokens", "5", "the old man"]
    answer = CliRunner().invoke(app, call)
    assert answer.exit_code == 0, answer.output
    assert expected[0].line() in answer.stdout


def test_argos_and_a_model_contradict_each_other(tmp_path: Path) -> None:
    call = ["translate", "--argos", "de", "es", "--model", "en-de", "the old man"]
    answer = CliRunner().invoke(app, call)
    assert answer.exit_code != 0
