"""Texts to vectors: the states of an encoder, gathered into one for each text.

Reimers and Gurevych 2019, Sentence-BERT.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, arrays_of, finite
from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.engine.batching import read_each
from regard.engine.engines import as_array
from regard.engine.reading import Batch, EncoderTask, Tokens, load_reader
from regard.engine.result import Float32, Result, array
from regard.errors import (
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
    check_choice,
    refusing,
)
from regard.files import write_json
from regard.json_files import JsonFiles, read_json, read_object
from regard.tasks.embedding.options import EncodingOptions
from regard.text import Tokenizer

if TYPE_CHECKING:
    from torch import nn

    from regard.engine.handle import ModelHandle
    from regard.inspection import Trace
    from regard.inspection.answers import Near
    from regard.inspection.hiding import Looks

Vectors = NDArray[np.float32]
EVERYDAY = (  # what the vector of a traced text is compared with
    "The dog is asleep on the sofa.",
    "It will rain all day tomorrow.",
    "She has bought a new car.",
    "This soup tastes wonderful.",
    "The train to Berlin was late.",
    "He could not pay his rent.",
    "I am so happy for you!",
    "The doctor will see you now.",
)
SHORTEST = 1e-12  # length that a vector is divided by, so that zeros stay zeros


@dataclass(frozen=True)
class Embedding(Result):
    """One text as a vector."""

    embedding: Vectors = array(list[Float32])  # (d_model,)
    truncated: bool = False  # the text had more tokens than are read

    @property
    def vector(self) -> Vectors:
        """The embedding."""
        return self.embedding


@dataclass(frozen=True)
class TokenStates:
    """The last layer's state of each token of one text, special tokens included."""

    tokens: list[str]
    states: Vectors  # (tokens, d_model)
    truncated: bool


def _mean(states: Array, attention_mask: Array) -> Array:
    tokens = arrays_of(states).filled(states, ~attention_mask[..., None], 0)
    return tokens.sum(1) / attention_mask.sum(1)[:, None]


def _cls(states: Array, attention_mask: Array) -> Array:
    return states[:, 0]


def _max(states: Array, attention_mask: Array) -> Array:
    arrays = arrays_of(states)
    return arrays.largest(arrays.filled(states, ~attention_mask[..., None], -np.inf).mT)


# States (batch, length, d_model) and which tokens are not padding → one vector each, (batch,
# d_model): tensors, or arrays of numpy.
POOLING: dict[str, Callable[[Array, Array], Array]] = {"mean": _mean, "cls": _cls, "max": _max}


class Embedder(EncoderTask):
    """Turns texts into vectors whose directions say what the texts are about.

    >>> embedder = regard.load("sentences")
    >>> english, german, other = embedder(["It is late.", "Es ist spät.", "I eat bread."])
    >>> english.shape
    (128,)
    >>> bool(english @ german > english @ other)
    True

    Args:
        model: an encoder in evaluation mode; its head, if any, is not used.
        pooling: "mean" of the tokens' states, the first token's ("cls"), or their "max".
        normalize: to length one.
        max_length: tokens that are read of a text, special ones included; None: the model's.
        lowercase: before the tokenizer.
        prompt: put before every text.
        name: what to call it in messages.
    """

    def __init__(
        self,
        model: "nn.Module | ModelHandle",
        tokenizer: Tokenizer,
        *,
        pooling: str = "mean",
        normalize: bool = True,
        max_length: int | None = None,
        lowercase: bool = False,
        prompt: str = "",
        name: str = "embedder",
    ):
        check_choice("pooling", pooling, POOLING)
        super().__init__(model, tokenizer, name=name)
        self.pooling, self.normalize, self.lowercase = pooling, normalize, lowercase
        self.prompt = prompt
        self._reader.max_length = min(max_length or sys.maxsize, self._reader.max_length)

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the encoder in `folder`, with the settings of sentence-transformers if it has
        them.

        Raises:
            UnsupportedError: no encoder, or a module of sentence-transformers that is not
                supported.
        """
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        encoder, settings = read_settings(checkpoint)
        if encoder != checkpoint.folder:
            checkpoint = Checkpoint(encoder, name=name)
        handle, tokenizer = load_reader(checkpoint, head=None, name=name, lazily=lazily)
        return cls(handle, tokenizer, name=name, **settings)

    @property
    def max_length(self) -> int:
        """Tokens that are read of a text, special ones included."""
        return self._reader.max_length

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return int(self.handle.config.d_model)

    def __call__(self, text: str | Sequence[str], **options: Any) -> Vectors:
        """One text → (d_model,); a list → (texts, d_model). Options as in `run`."""
        results = self.run([text] if isinstance(text, str) else text, **options)
        if isinstance(text, str):
            return results[0].vector
        empty = np.zeros((0, self.width), np.float32)
        return np.stack([result.vector for result in results]) if results else empty

    def run(
        self,
        texts: Sequence[str],
        *,
        pooling: str | None = None,
        normalize: bool | None = None,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Embedding]:
        """Return the vector of each text, whatever else is in the list.

        Args:
            pooling, normalize: the embedder's own where None.
            batch_size: texts read together.
            progress: called with the number of texts just finished.
        """
        EncodingOptions(pooling=pooling, normalize=normalize)
        pool = POOLING[pooling or self.pooling]
        normalize = self.normalize if normalize is None else normalize

        def compute(batch: Batch) -> Vectors:
            vectors = self._pooled(batch, pool)
            if not normalize:
                return vectors
            lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
            return vectors / np.maximum(lengths, SHORTEST)

        tokens = read_each(self._tokens, texts)
        groups = [[each] for each in tokens]
        found = self.computed(groups, compute, batch_size, progress)
        return [
            Embedding(vector, text.truncated) for text, [vector] in zip(tokens, found, strict=True)
        ]

    def _pooled(self, batch: Batch, pool: Callable[[Array, Array], Array]) -> Vectors:
        """(batch, d_model)"""
        states, mask = self.hidden(batch), batch.attention_mask
        if not isinstance(states, np.ndarray):
            return as_array(pool(states, arrays_of(states).array(mask, like=states)))
        # Each text without its padding, on which the order of a sum depends: the native
        # engine's vectors have the same bits in every batch.
        lengths = enumerate(mask.sum(1).tolist())
        found = [pool(states[k : k + 1, :n], mask[k : k + 1, :n]) for k, n in lengths]
        return np.concatenate(found).astype(np.float32)

    def trace(self, text: str, *, looks: "Looks" = (), keep: str = "auto") -> "Trace":
        """Read a text and keep what every attention layer was given: see `Trace`.

        Args:
            looks: what a position sees alone, in every head and layer: {10: 1} by number, {"it":
                "animal"} by word, {"encoder.layers.2.self:1:10": 1} in one head.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: no text, or one with more tokens than the model reads.
        """
        trace = self._reader.trace(self._as_read(text), looks=looks, keep=keep)
        if not looks:
            trace.nearest = self._nearest(text)
        return trace

    def _nearest(self, text: str) -> "list[Near]":
        """Return a few everyday sentences, the nearest first."""
        from regard.inspection.answers import Near

        vector, *vectors = [result.vector for result in self.run([text, *EVERYDAY], normalize=True)]
        near = [
            Near(*pair)
            for pair in zip(EVERYDAY, (np.stack(vectors) @ vector).tolist(), strict=True)
        ]
        return sorted(near, key=lambda sentence: -sentence.cosine)

    def states(self, text: str) -> TokenStates:
        """Return the vector of each token of a text, from the last layer."""
        tokens = self._tokens(text)
        states = finite(as_array(self.hidden(self._reader.batch([tokens]))[0]))
        return TokenStates(self.tokenizer.tokens(tokens.ids), states, tokens.truncated)

    def _tokens(self, text: str) -> Tokens:
        return self._reader.tokens(self._as_read(text))

    def _as_read(self, text: str) -> str:
        text = self.prompt + text
        return text.lower() if self.lowercase else text


def read_settings(checkpoint: Checkpoint) -> tuple[Path, dict[str, Any]]:
    """Return the encoder's folder and an `Embedder`'s arguments, by the modules.json of
    sentence-transformers; without that file, the folder itself, and the pooling that the
    checkpoint names.

    Raises:
        UnsupportedError: a module other than an encoder, pooling and normalization.
        NotFoundError: a missing file.
    """
    folder = checkpoint.folder
    if not (folder / "modules.json").is_file():
        return folder, {} if checkpoint.pooling is None else {"pooling": checkpoint.pooling}
    with refusing(f"{folder}/modules.json is malformed"):
        modules = {
            str(module["type"]).rpartition(".")[2]: folder / str(module.get("path", ""))
            for module in read_json(folder / "modules.json")
        }
    if other := modules.keys() - {"Transformer", "Pooling", "Normalize"}:
        raise UnsupportedError(
            f"{folder}/modules.json may name Transformer, Pooling and Normalize; it names"
            f" {', '.join(sorted(other))}. Use sentence-transformers for this model."
        )
    model = modules.get("Transformer", folder)
    settings = JsonFiles(model).get("sentence_bert_config.json", {})
    length = settings.get("max_seq_length")
    if not isinstance(length, int | None):
        raise DamagedFileError(
            f"max_seq_length in {model}/sentence_bert_config.json must be a number of tokens;"
            f" it is {length!r}. Copy the file again from where it came from."
        )
    pooling = _pooling(modules["Pooling"] / "config.json") if "Pooling" in modules else "mean"
    prompt = read_prompt(folder)
    if prompt and "Pooling" in modules:
        _check_prompt(modules["Pooling"] / "config.json")
    return model, {
        "pooling": pooling,
        "normalize": "Normalize" in modules,
        "max_length": length,
        "lowercase": bool(settings.get("do_lower_case")),
        "prompt": prompt,
    }


PROMPTS = "config_sentence_transformers.json"


def read_prompt(folder: Path) -> str:
    """Return the prompt that stands before every text, as `default_prompt_name` says.

    Raises:
        DamagedFileError: there is no prompt of that name.
    """
    settings = JsonFiles(folder).get(PROMPTS, {})
    name, prompts = settings.get("default_prompt_name"), settings.get("prompts") or {}
    if name is None:
        return ""
    if not isinstance(prompts, dict) or not isinstance(prompts.get(name), str):
        raise DamagedFileError(
            f"default_prompt_name in {folder / PROMPTS} must be one of its prompts; it is {name!r}."
            " Copy the file again from where it came from."
        )
    return str(prompts[name])


def _check_prompt(pooling: Path) -> None:
    if read_object(pooling).get("include_prompt") is False:
        raise UnsupportedError(
            f"{pooling} leaves the prompt out of a text's vector, which is not supported. Use"
            " sentence-transformers for this model."
        )


def write_settings(
    folder: Path,
    *,
    d_model: int,
    pooling: str,
    normalize: bool,
    max_length: int,
    lowercase: bool,
    prompt: str = "",
) -> None:
    """Write the files of sentence-transformers beside the model in `folder`, which `read_settings`
    and that library read; the arguments are those of `Embedder`.

    Args:
        d_model: numbers of a vector.
    """
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    write_json(
        folder / "modules.json",
        [
            {
                "idx": number,
                "name": str(number),
                "path": path,
                "type": f"sentence_transformers.models.{kind}",
            }
            for number, (path, kind) in enumerate(modules if normalize else modules[:2])
        ],
    )
    names = {"cls": "cls_token", "mean": "mean_tokens", "max": "max_tokens"}
    flags = {f"pooling_mode_{names[name]}": name == pooling for name in names}
    settings = {"word_embedding_dimension": d_model, **flags}
    write_json(folder / "1_Pooling" / "config.json", settings)
    sizes = {"max_seq_length": max_length, "do_lower_case": lowercase}
    write_json(folder / "sentence_bert_config.json", sizes)
    if prompt:
        prompts = {"prompts": {"default": prompt}, "default_prompt_name": "default"}
        write_json(folder / PROMPTS, prompts)


def _pooling(file: Path) -> str:
    """By its name, or by the flags of older files."""
    if not file.is_file():
        raise NotFoundError(f"modules.json asks for {file}, which is missing. Copy it too.")
    settings = read_object(file)
    flags = [key for key, value in settings.items() if key.startswith("pooling_mode_") and value]
    names = settings.get("pooling_mode") or [
        flag.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for flag in flags
    ]
    names = [names] if isinstance(names, str) else names
    if len(names) != 1 or names[0] not in POOLING:
        raise UnsupportedError(
            f"{file} must name one way of pooling of {', '.join(POOLING)}; it names"
            f" {', '.join(map(str, names)) or 'none'}. Use sentence-transformers for this model."
        )
    return str(names[0])
