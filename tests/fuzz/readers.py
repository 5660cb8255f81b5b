"""The readers of foreign bytes."""

from importlib.util import find_spec
from pathlib import Path
from shutil import which

from fuzz import data_files, model_files, pages, requests, widget
from fuzz.reader import Reader
from regard.checkpoints.card import read_card


def readers() -> dict[str, Reader]:
    """Every reader by its name, but for those that need what is not here."""
    here = {"page": which("node"), "gguf": find_spec("gguf"), "sounds": find_spec("soundfile")}
    here["widget"] = find_spec("anywidget")

    def card(folder: Path, name: str) -> None:
        read_card(folder)

    data, model = data_files, model_files
    return {
        name: Reader(name, make, read)
        for name, make, read in [
            ("config", model.make_config, model.read_config),
            ("models", model.make_models, model.read_model),
            ("card", model.make_card, card),
            ("tokenizer", model.make_tokenizer, model.read_tokenizer),
            ("sentencepiece", model.make_sentencepiece, model.read_sentencepiece_file),
            ("weights", model.make_weights, model.read_weights),
            ("ctranslate2", model.make_ctranslate2, model.read_ctranslate2),
            ("gguf", model.make_gguf, model.read_gguf),
            ("argos", model.make_argos, model.read_argos),
            ("chat", model.make_chat, model.read_chat),
            ("trace", model.make_trace, model.read_trace),
            ("vectors", data.make_vectors, data.read_vectors),
            ("words", data.make_words, data.read_words),
            ("pairs", data.make_pairs, data.read_pair_file),
            ("tables", data.make_tables, data.read_table),
            ("pictures", data.make_pictures, data.read_pictures),
            ("sounds", data.make_sounds, data.read_sounds),
            ("lines", data.make_lines, data.read_line_file),
            ("run", data.make_run, data.read_run),
            ("studio", requests.make_studio, requests.ask),
            ("serve", requests.make_serve, requests.ask),
            ("widget", widget.make_widget, widget.tell),
            ("page", pages.make_page, pages.read_page),
            ("http", requests.make_http, requests.send),
        ]
        if here.get(name, True)
    }
