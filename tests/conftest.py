"""What every test starts from: shapes in signatures checked at run time, the same terminal.

Shapes are checked in the tests of the rooms that compute with tensors and nowhere else: a check of
each call took a fifth of the time of all tests. What a terminal is like is a test's own business:
the variables that say so for the person who runs the tests are not seen by the tests.
"""

import gc
import os
import random
import socket
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jaxtyping
import pytest

pytest_plugins = [
    *("fixtures.command", "fixtures.figures", "fixtures.lanes", "fixtures.started"),
    "fixtures.translators",
]

if find_spec("beartype") is not None:
    jaxtyping.install_import_hook(
        ["regard.attention", "regard.models.positions"], "beartype.beartype"
    )


gc.disable()  # until the tests are collected: a fifth of that time went into a search for garbage

if "PYTEST_XDIST_WORKER" in os.environ:  # one of several processes: one processor, not all
    os.environ.setdefault("OMP_NUM_THREADS", "1")


for variable in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM"):
    os.environ.pop(variable, None)


def pytest_collection_finish() -> None:
    """What is there before the first test stays, and is never searched for garbage."""
    gc.freeze()
    gc.enable()


CHECKED = tuple(f"tests/{room}/" for room in ("attention", "generation", "inspection", "models"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what needs trained models, unless it is asked for by its mark."""
    if "real" not in config.option.markexpr:
        items[:] = [item for item in items if "real" not in item.keywords]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Whatever a test, and the fixtures made for it, draw without a seed is the same every time:
    not by which tests this process had before."""
    jaxtyping.config.update("jaxtyping_disable", not item.nodeid.startswith(CHECKED))
    random.seed(1)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(1)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(1)


@pytest.fixture(scope="session")
def same() -> Callable[..., None]:
    """Asserts a relative error of at most 1e-5, by the largest number that is expected."""

    def check(got: Any, expected: Any) -> None:
        import numpy as np

        got, expected = np.asarray(got), np.asarray(expected.detach())
        assert got.shape == expected.shape
        assert got.dtype == np.float32
        assert np.abs(got - expected).max() <= 1e-5 * np.abs(expected).max()

    return check


@pytest.fixture(scope="session")
def agree() -> Callable[..., None]:
    """Asserts that two computations of the same numbers differ by rounding alone.

    A processor with wider registers adds the terms of a sum in another order, so the difference
    grows with the numbers' size and their dtype's precision: the tolerance is 64 units in the last
    place of the largest expected number, some 8 times what the processors tried have shown.
    """
    import numpy as np
    import torch

    def check(got: Any, expected: Any, message: str = "") -> None:
        got, expected = (
            torch.as_tensor(np.asarray(each))
            if not isinstance(each, torch.Tensor)
            else each.detach()
            for each in (got, expected)
        )
        coarsest = max((got.dtype, expected.dtype), key=lambda dtype: torch.finfo(dtype).eps)
        assert got.shape == expected.shape, f"{message} {got.shape} {expected.shape}"
        difference = (got.double() - expected.double()).abs().max().item()
        allowed = 64 * torch.finfo(coarsest).eps * expected.double().abs().max().item()
        assert difference <= allowed, f"{message} {difference:.1e}; at most {allowed:.1e}"

    return check


@pytest.fixture
def as_in_production() -> None:
    """Without those checks, so that our own sentence is what refuses bad input."""
    jaxtyping.config.update("jaxtyping_disable", True)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuses every connection and look-up of a name, and notes it in the list."""
    tried: list[str] = []

    def refuse(*arguments: Any, **options: Any) -> Any:
        tried.append(str(arguments))
        raise OSError("there is no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for method in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, method, refuse)
    return tried


@pytest.fixture(scope="session")
def byte_level() -> Any:
    """A small byte-level BPE tokenizer of the tokenizers library, as GPT-2's, that can chat."""
    tokenizers = pytest.importorskip("tokenizers")
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=283,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = ["the small dog sees the red house", "user assistant system"]
    backend.train_from_iterator(texts * 3, trainer)  # no other script: its letters stay in bytes
    return backend


@pytest.fixture
def lists_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[str]]:
    """Notes which lists of its encodings are read: reading one copies it, so a loop must not.

    `lists_read(tokenizer)` is the list of their names, one for each time.
    """

    def watch(tokenizer: Any) -> list[str]:
        names: list[str] = []
        choose = tokenizer._reading

        class Noted:
            def __init__(self, encoding: Any) -> None:
                self.encoding = encoding

            def __getattr__(self, name: str) -> Any:
                names.append(name)
                return getattr(self.encoding, name)

        class Backend:
            def __init__(self, *texts: str, **options: Any) -> None:
                self.backend = choose(*texts, **options)

            def encode(self, *texts: str, **options: Any) -> Noted:
                return Noted(self.backend.encode(*texts, **options))

            def encode_batch(self, texts: Any, **options: Any) -> list[Noted]:
                return [Noted(each) for each in self.backend.encode_batch(texts, **options)]

            encode_batch_fast = encode_batch

        monkeypatch.setattr(tokenizer, "_reading", Backend)
        return names

    return watch


SENTENCES = [
    "Where is the red house, and who lives in it?",
    "The child likes the small dog, which sees an old tree.",
    "Anna lives in the red house near the river in Vienna.",
]


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Saves a small random transformers model with a tokenizer of its family's kind.

    `encoder_folder("Bert", "ForMaskedLM", **changes of the config)` is its folder.
    """

    def make(family: str, head: str, **changes: Any) -> Path:
        import torch

        transformers = pytest.importorskip("transformers")
        folder = tmp_path_factory.mktemp(f"{family}{head}")
        tokenizer = _TOKENIZERS.get(family, _bert_tokenizer)(folder)
        tokenizer.save_pretrained(folder)
        sizes = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
        sizes |= _SIZES.get(family, _SIZES["Bert"])
        if family == "Roberta":
            sizes |= dict(type_vocab_size=1)
        positions = {"n_positions" if family == "GPT2" else "max_position_embeddings": 67}
        torch.manual_seed(19)
        config = getattr(transformers, f"{family}Config")(**(sizes | positions | changes))
        model = getattr(transformers, f"{family}{head}")(config)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += 0.3 * torch.randn_like(parameter)
        model.save_pretrained(folder)
        return folder

    return make


_SIZES: dict[str, dict[str, Any]] = {
    "Bert": dict(hidden_size=15, num_hidden_layers=2, num_attention_heads=3, intermediate_size=22),
    "DebertaV2": dict(hidden_size=15, num_hidden_layers=2, num_attention_heads=3)
    | dict(intermediate_size=22, relative_attention=True, position_biased_input=False)
    | dict(share_att_key=True, pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm")
    | dict(position_buckets=4, layer_norm_eps=1e-7),
    "DistilBert": dict(dim=15, n_layers=2, n_heads=3, hidden_dim=22),
    "GPT2": dict(n_embd=20, n_layer=2, n_head=5, n_inner=44, bos_token_id=3, eos_token_id=3),
    "Llama": dict(hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=44)
    | dict(num_key_value_heads=1, bos_token_id=0, eos_token_id=2),
    "Bart": dict(d_model=18, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3)
    | dict(decoder_attention_heads=2, encoder_ffn_dim=23, decoder_ffn_dim=23, bos_token_id=0)
    | dict(eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=None),
}


def _bert_tokenizer(folder: Path) -> Any:
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizer

    trained = BertWordPieceTokenizer()
    trained.train_from_iterator(SENTENCES, vocab_size=90, min_frequency=1, show_progress=False)
    return BertTokenizer(vocab=trained.get_vocab())


def _roberta_tokenizer(folder: Path) -> Any:
    from tokenizers import AddedToken
    from transformers import RobertaTokenizer

    _byte_level(folder, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    mask = AddedToken("<mask>", lstrip=True, special=True)  # it takes the space before it along
    return RobertaTokenizer.from_pretrained(folder, mask_token=mask)


def _bart_tokenizer(folder: Path) -> Any:
    from transformers import BartTokenizer

    _byte_level(folder, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return BartTokenizer.from_pretrained(folder)


def _gpt2_tokenizer(folder: Path) -> Any:
    from transformers import GPT2Tokenizer

    _byte_level(folder, ["<s>", "<pad>", "</s>", "<|endoftext|>"])
    return GPT2Tokenizer.from_pretrained(folder, pad_token="<pad>")


def _llama_tokenizer(folder: Path) -> Any:
    """A fast tokenizer that puts <s> before each text, as Llama's does."""
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    backend = _byte_level(folder, ["<s>", "<pad>", "</s>"])._tokenizer
    backend.post_processor = TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B:1", special_tokens=[("<s>", 0)]
    )
    names = dict(bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    return PreTrainedTokenizerFast(tokenizer_object=backend, **names)


def _byte_level(folder: Path, special: list[str]) -> Any:
    from tokenizers import ByteLevelBPETokenizer

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        SENTENCES, vocab_size=310, min_frequency=1, show_progress=False, special_tokens=special
    )
    trained.save_model(str(folder))
    return trained


_TOKENIZERS: dict[str, Callable[[Path], Any]] = {
    "Roberta": _roberta_tokenizer,
    "Bart": _bart_tokenizer,
    "GPT2": _gpt2_tokenizer,
    "Llama": _llama_tokenizer,
}
