"""Learn to write what is said in sounds; data/ as `FileRecipe` has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from regard.data.batches import Tensors
from regard.errors import BadArgumentError
from regard.files import write_json
from regard.generation.config import GREEDY
from regard.models import SpeechEncoderDecoder
from regard.tasks.transcription.audio import Floats, read_sound, sound_seconds
from regard.tasks.transcription.score import (
    TranscriptionEvaluation,
    TranscriptionEvaluator,
    require_rapidfuzz,
)
from regard.tasks.transcription.task import Transcriber
from regard.tasks.transcription.train_options import TranscriptionOptions
from regard.training.card import CardText
from regard.training.examples import Example
from regard.training.files import FileData, FileRecipe, read_together
from regard.training.sequence_scores import spread
from regard.training.sequences import summed_loss, with_dropout

# As Whisper's authors have it: languages written without spaces, whose texts have none before them.
UNSPACED = ("zh", "ja", "th", "lo", "my", "yue")


@dataclass(frozen=True)
class SoundBatch(Tensors):
    """Sounds with their texts."""

    spectrograms: Tensor  # (batch, mel_bins, frames)
    target: Tensor  # (batch, length) ids, the prompt before them and the end behind
    inside: Tensor  # (batch, length), False for padding, which often has the id of the end


class TranscriptionRecipe(FileRecipe[TranscriptionOptions, Transcriber, SoundBatch]):
    """A model that learns what is said in sounds no longer than it reads at once; see `Recipe`.

    The loss is that of every token but the first, those of the language, the task and of no times
    among them (Radford et al. 2022, section 2.3). The best model has the fewest word errors.
    """

    task = Transcriber
    title, tag = "Speech recognition", "automatic-speech-recognition"
    evaluator = TranscriptionEvaluator
    metric, lower = "wer", True
    shown: ClassVar = {"loss": "dev loss {:.3f}", "wer": "WER {:.1%}", "cer": "CER {:.1%}"}

    def check_files(self) -> None:
        require_rapidfuzz()
        super().check_files()
        _ = self.prompt

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The language and the task, as the options or the model have them."""
        options, usual = self.options, self.base.beginnings
        task = "translate" if options.translate else usual.task
        return {"language": options.language or usual.language, "task": task}

    @cached_property
    def prompt(self) -> list[int]:
        """The tokens between the start and a text."""
        base, zero = self.base, self.base.beginnings.no_timestamps
        ids = base.beginnings.chosen(**self.asked, name=base.name)
        if None in ids:
            raise BadArgumentError(
                f"language must say what is spoken: {base.name} knows several. Give one of"
                f" {', '.join(base.beginnings.languages)}."
            )
        return [*(id_ for id_ in ids if id_ is not None), *([] if zero is None else [zero])]

    def target(self, text: str) -> list[int]:
        """Return the ids that the model is to write, but for the start."""
        before = "" if self.asked["language"] in UNSPACED else " "
        ids = self.base.tokenizer.encode(f"{before}{text}")
        return [*self.prompt, *ids, self.base.generation.eos_ids[0]]

    def fault(self, example: Example) -> str | None:
        most, longest = self.base.spectrogram.seconds, self.base.handle.config.max_positions
        if sound_seconds(example.text) > most:
            return f"over {most} seconds"
        return "long text" if len(self.target(example.pair or "")) > longest else None

    def model(self, data: FileData) -> nn.Module:
        return with_dropout(self.base.model, self.options.dropout)

    def batch(self, examples: Sequence[Example]) -> SoundBatch:
        spectrogram = self.base.spectrogram

        def read(file: str) -> Floats:
            return spectrogram(read_sound(file, spectrogram.rate))[:, : spectrogram.frames]

        sounds = np.stack(read_together(read, [example.text for example in examples]))
        targets = [self.target(example.pair or "") for example in examples]
        ids = pad_sequence([torch.tensor(target) for target in targets], True)
        inside = torch.arange(ids.shape[1]) < torch.tensor([*map(len, targets)])[:, None]
        return SoundBatch(torch.from_numpy(sounds), ids, inside)

    def loss(self, model: nn.Module, batch: SoundBatch) -> tuple[Tensor, int, int]:
        writer = cast(SpeechEncoderDecoder, model)
        weight, count = writer.output_weight, int(batch.inside.sum())
        batch = batch.to(weight.device)
        sounds = batch.spectrograms.to(weight.dtype)
        return summed_loss(writer, sounds, batch.target, inside=batch.inside), count, count

    @torch.inference_mode()
    def evaluate(self, model: nn.Module, data: FileData) -> dict[str, float]:
        loss, count, size = 0.0, 0, self.options.batch_size
        for start in range(0, len(data.dev), size):
            summed, terms, _ = self.loss(model, self.batch(data.dev[start : start + size]))
            loss, count = loss + summed.item(), count + terms
        watched = spread(data.dev, self.options.dev_sounds)
        expected = [example.pair or "" for example in watched]
        # A young model rarely ends a text; nothing is learned from how long it would continue.
        most = 10 + max(len(self.target(text)) for text in expected)
        results = self.task_of(model).run(
            [example.text for example in watched], **self.asked, **GREEDY, max_new_tokens=most
        )
        scores = TranscriptionEvaluation.of([result.transcription for result in results], expected)
        return {"loss": loss / count, **scores.figures, "sounds": float(len(watched))}

    def save_task(
        self, model: nn.Module, data: FileData, figures: dict[str, float], folder: Path
    ) -> None:
        super().save_task(model, data, figures, folder)
        file = "generation_config.json"
        settings: dict[str, Any] = dict(self.checkpoint.files.get(file, {}))
        settings.pop("forced_decoder_ids", None)  # which say the same in an older way
        write_json(folder / file, settings | (self.asked if self.base.beginnings.languages else {}))

    def card(self, model: nn.Module, data: FileData, figures: dict[str, float]) -> CardText:
        result = (
            f"Dev set, {figures['sounds']:.0f} sounds, greedy: word errors {figures['wer']:.1%}"
            f" ({figures['plain_wer']:.1%} without case and marks), character errors"
            f" {figures['cer']:.1%}, loss {figures['loss']:.3f}"
        )
        return CardText({"sounds": len(data.train)}, [result])
