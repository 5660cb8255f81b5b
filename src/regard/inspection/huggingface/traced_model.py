"""A transformers model that is given text, or an image, and answers with a trace."""

import inspect
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnsupportedError
from regard.figures.png import png_text
from regard.inspection.huggingface.capture import captured
from regard.inspection.huggingface.generating import Hypothesis, search
from regard.inspection.huggingface.interface import quiet
from regard.inspection.huggingface.places import naming_of
from regard.inspection.trace import Trace
from regard.inspection.writing import written
from regard.lazy import PIL
from regard.packages import optional_package

if TYPE_CHECKING:
    from PIL.Image import Image
    from transformers import (
        BatchEncoding,
        PreTrainedModel,
    )

GENERATED = 20  # tokens that a language model adds by default
UNLIMITED = 32_768  # tokens, for models whose positions have no end

_READING = Lock()  # held while a tokenizer reads


class TracedModel:
    """Model of transformers with its reader: the result of `load_for_tracing`.

    Args:
        task: "translation" (any text to text), "generation", "encoding" or "vision".
    """

    def __init__(self, model: "PreTrainedModel", reader: Any, task: str, *, name: str):
        self.model, self.reader, self.task, self.name = model, reader, task, name

    @property
    def description(self) -> str:
        """Family and size, to choose it by."""
        config = self.model.config.get_text_config()
        layers = [getattr(config, f"{side}_layers", None) for side in ("encoder", "decoder")]
        if None in layers:
            layers = [getattr(config, "num_hidden_layers", None)]
        heads = getattr(config, "num_attention_heads", None)
        parts = [
            self.model.config.model_type,
            " + ".join(str(number) for number in layers if number) + " layers" if layers[0] else "",
            f"{heads} heads" if heads else "",
        ]
        return ", ".join(part for part in parts if part)

    @property
    def max_tokens(self) -> int:
        """Longest text in tokens; of a model of images, the number of patches."""
        config = self.model.config.get_text_config()
        limits = [
            getattr(config, name, None)
            for name in ("max_position_embeddings", "n_positions", "max_source_positions")
        ]
        limits.append(getattr(self.reader, "model_max_length", None))
        for name, module in self.model.named_modules():
            # RoBERTa counts positions from behind its padding's id.
            if isinstance(module, nn.Embedding) and name.endswith("position_embeddings"):
                limits.append(module.num_embeddings - 1 - (module.padding_idx or -1))
        if self.task == "vision":
            limits = [(config.image_size // config.patch_size) ** 2]
        return min(
            [limit for limit in limits if isinstance(limit, int) and limit > 0] + [UNLIMITED]
        )

    def trace(
        self,
        text: str,
        *,
        target: str | None = None,
        hypothesis: int = 0,
        generate: int | None = None,
        forced_beginning: Sequence[int] = (),
        keep: str = "auto",
        **options: object,
    ) -> Trace:
        """Read a text (for a vision model: the path of an image) and traces what it attends to.

        A model that writes does so first, untouched; the maps are of one pass over what it wrote.

        Args:
            target: a continuation or translation to look at instead of the model's own.
            hypothesis: which of the search's results, best first.
            generate: how many tokens it may write; of a language model none, unless an option of
                the search asks for them.
            forced_beginning: ids that what it writes begins with.
            options: of the search, or of sampling, where tokens are drawn: see `generating.search`.
        """
        if not text.strip():
            raise BadArgumentError("there is no text to look at; give a sentence.")
        writes = self.task in ("translation", "generation")
        writing = target is not None or hypothesis or generate or options or forced_beginning
        if not writes and writing:
            raise UnsupportedError(
                f"{self.name} generates nothing, so it takes no target, hypothesis or generate."
            )
        if target is not None and generate is not None:
            raise BadArgumentError("give either a target or generate; got both.")
        if self.task == "generation" and target is None and generate is None:
            searched = hypothesis or options or forced_beginning
            generate = None if searched else 0
        inputs = self.read_image(text) if self.task == "vision" else self.read(text)
        if not writes or (self.task == "generation" and target is None and generate == 0):
            reader = None if self.task == "vision" else self.reader
            trace = captured(
                self.model, inputs, tokenizer=reader, name=self.name, text=text, keep=keep
            )
            patches = trace.axes.get("patches") if self.task == "vision" else None
            if patches is not None and "," in patches.tokens[-1]:  # in a grid
                image = self.picture(inputs["pixel_values"][0])
                trace.axes["patches"] = replace(patches, image=image)
            return trace
        begins = self.known(forced_beginning)
        hypotheses = self.found(inputs, target, generate, begins, options)
        return self.trace_written(
            inputs, text, hypotheses, hypothesis, target is None, len(begins), keep
        )

    def trial(self) -> Trace:
        """Return the trace of no matter what, for the layers that it has."""
        if self.task != "vision":
            return self.trace("a b c")
        return captured(self.model, self.pixels(PIL.Image.new("RGB", (64, 64))))

    def found(
        self,
        inputs: dict[str, Any],
        target: str | None,
        generate: int | None,
        beginning: Sequence[int],
        options: dict[str, Any],
    ) -> list[Hypothesis]:
        """Hypotheses of the model, or the text that the caller gave."""
        read = inputs["input_ids"].shape[1]
        room = self.max_tokens if self.task == "translation" else self.max_tokens - read
        if target is not None:
            return [Hypothesis(self.written(target, room))]
        if generate is not None and generate > room > 0:
            raise BadArgumentError(
                f"{self.name} takes {self.max_tokens:,} tokens, so it can write {room:,} here; got"
                f" generate={generate:,}."
            )
        if generate is None:
            generate = max(2 * read, 32) if self.task == "translation" else GENERATED
        if min(generate, room) < 1:
            raise BadArgumentError(
                f"{self.name} takes {self.max_tokens} tokens, which the text already has; give"
                " a shorter one, or generate=0."
            )
        with quiet():
            left = min(generate, room) - len(beginning)
            if left < 1:
                return [Hypothesis(list(beginning), finished=False)]
            inputs = self.begun(inputs, beginning)
            start = self.start_id if self.task == "translation" else None
            hypotheses = search(self.model, inputs, left, start=start, **options)
        return [replace(beam, tokens=[*beginning, *beam.tokens]) for beam in hypotheses]

    def begun(self, inputs: dict[str, Any], beginning: Sequence[int]) -> dict[str, Any]:
        """Return the inputs with the beginning of the output, which `generate` continues."""
        if not beginning:
            return inputs
        tokens = torch.tensor([list(beginning)], device=self.model.device)
        if self.task == "translation":
            start = torch.tensor([[self.start_id]], device=tokens.device)
            return inputs | {"decoder_input_ids": torch.cat([start, tokens], 1)}
        ids = torch.cat([inputs["input_ids"], tokens], 1)
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}

    def trace_written(
        self,
        inputs: dict[str, Any],
        text: str,
        found: list[Hypothesis],
        hypothesis: int,
        searched: bool,
        forced: int,
        keep: str,
    ) -> Trace:
        """Trace one pass over what was read and written, teacher-forced."""
        pair = self.task == "translation"
        shown = written(
            found,
            hypothesis,
            naming_of(self.reader),
            axis="target" if pair else "tokens",
            prompt=1 if pair else inputs["input_ids"].shape[1],
            searched=searched,
            forced=forced,
        )
        tokens = torch.tensor([shown.ids], device=self.model.device)
        if pair:
            start = torch.tensor([[self.start_id]], device=tokens.device)
            inputs = inputs | {"decoder_input_ids": torch.cat([start, tokens[:, :-1]], 1)}
        else:
            ids = torch.cat([inputs["input_ids"], tokens], 1)
            inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        return captured(
            self.model,
            inputs,
            tokenizer=self.reader,
            name=self.name,
            text=text,
            written=shown,
            keep=keep,
        )

    def read(self, text: str) -> dict[str, Any]:
        """Return the model's inputs for a text."""
        encoded = self.encoded(text, return_tensors="pt")
        self.check_ids(encoded["input_ids"][0].tolist(), "the text", self.max_tokens)
        takes = inspect.signature(self.model.forward).parameters
        device = self.model.device
        return {name: tensor.to(device) for name, tensor in encoded.items() if name in takes}

    def written(self, target: str, room: int) -> list[int]:
        if self.task == "translation":
            ids = self.encoded(text_target=target)["input_ids"]
        else:
            ids = self.encoded(target, add_special_tokens=False)["input_ids"]
        self.check_ids(ids, "the target", room)
        return list(ids)

    def encoded(self, *text: str, **options: object) -> "BatchEncoding":
        """Return the tokenizer's output for a text."""
        # A transformers tokenizer changes its own state in a call: the target's language, padding,
        # truncation.
        with _READING, quiet():
            return self.reader(*text, **options)

    def check_ids(self, ids: list[int], what: str, room: int) -> None:
        if not ids:
            raise BadArgumentError(f"{what} has no tokens; give a sentence.")
        if len(ids) > room:
            raise BadArgumentError(
                f"{what} has {len(ids):,} tokens, and {self.name} takes {room:,}; look at a part"
                " of it."
            )
        self.known(ids)

    def known(self, ids: Sequence[int]) -> list[int]:
        """Return the ids, if all are in the model's vocabulary."""
        vocabulary = getattr(self.model.config.get_text_config(), "vocab_size", None)
        if vocabulary is not None and max(ids, default=0) >= vocabulary:
            raise BadArgumentError(
                f"token ids must be below {self.name}'s vocabulary of {vocabulary}; got"
                f" {max(ids)}. Does the tokenizer belong to this model?"
            )
        return list(ids)

    def read_image(self, path: str) -> dict[str, Any]:
        with optional_package("pillow", "reading images needs"):
            from PIL import Image, UnidentifiedImageError
        sent = path.startswith("data:image/")  # by a page
        if not sent and not Path(path).is_file():
            raise NotFoundError(f"{self.name} looks at images; there is no file {path!r}.")
        try:
            file = BytesIO(b64decode(path.partition(",")[2])) if sent else path
            image = Image.open(file).convert("RGB")
        except (UnidentifiedImageError, OSError, ValueError) as error:
            path = "this text of an image" if sent else path
            raise DamagedFileError(f"{path} is not an image that can be read.") from error
        return self.pixels(image)

    def pixels(self, image: "Image") -> dict[str, Any]:
        pixels = self.reader(images=image, return_tensors="pt")["pixel_values"]
        return {"pixel_values": pixels.to(self.model.device, self.model.dtype)}

    def picture(self, pixels: torch.Tensor) -> str:
        """Return the image that became these pixels, (channels, height, width), as the text of a
        PNG."""
        processor, normal = self.reader, getattr(self.reader, "do_normalize", False)
        mean, std = (processor.image_mean, processor.image_std) if normal else ([0.0], [1.0])
        factor = processor.rescale_factor if getattr(processor, "do_rescale", False) else 1.0
        image = pixels.permute(1, 2, 0).double().cpu()
        image = (image * torch.tensor(std) + torch.tensor(mean)) / factor
        return png_text(image.round().clamp(0, 255).to(torch.uint8).numpy())

    @property
    def start_id(self) -> int:
        """Id that a decoder reads first."""
        for config in (self.model.generation_config, self.model.config):
            for name in ("decoder_start_token_id", "bos_token_id"):
                id_ = getattr(config, name, None)
                if id_ is not None:
                    return int(id_)
        if getattr(self.reader, "cls_token_id", None) is not None:  # of BERT's, as a decoder too
            return int(self.reader.cls_token_id)
        raise DamagedFileError(
            f"{self.name} does not say what its decoder starts with: decoder_start_token_id is"
            " missing in config.json."
        )
