"""The model card: README.md beside the weights, its facts also as YAML front matter."""

import json
import os
from pathlib import Path
from typing import Any

from regard.files import whole_file
from regard.models import AnyEncoderDecoder
from regard.training import Progress
from regard.translation.data import TranslationData
from regard.translation.options import TrainingOptions


def write_card(
    folder: str | os.PathLike[str],
    model: AnyEncoderDecoder,
    options: TrainingOptions,
    data: TranslationData,
    progress: Progress,
    command: str,
) -> None:
    """Writes the card of the best model so far of a training run."""
    facts = {
        "language": [options.source_language, options.target_language],
        "license": options.license,
        "pipeline_tag": "translation",
        "library_name": "regard",
        "kind": options.model_name(),
        **({"base_model": options.base_model} if options.base_model else {}),
        "parameters": sum(
            parameter.numel() for parameter in model.parameters() if parameter.requires_grad
        ),
        "vocabulary": model.config.decoder_vocab_size,
        "data": options.data_note or data.origin,
        "training_pairs": len(data.store),
        "command": command,
        "minutes": round(progress.seconds / 60, 1),
        "step": progress.step,
        "target_tokens": progress.tokens,
        "dev": {name: round(value, 4) for name, value in progress.figures.items()},
    }
    with whole_file(Path(folder) / "README.md") as file:
        file.write_text(render(facts), encoding="utf-8")


def render(facts: dict[str, Any]) -> str:
    """The card's text. The values of its front matter are JSON, which is also YAML."""
    front = "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()
    )
    source, target = facts["language"]
    dev, vocabulary = facts["dev"], facts["vocabulary"]
    return f"""---
{front}
---
# {source} → {target}

{facts["kind"].capitalize()}: {facts["parameters"]:,} parameters with {vocabulary:,} subwords.

- Data: {facts["data"]} ({facts["training_pairs"]:,} pairs after cleaning)
- License of these weights: {facts["license"]}
- Command: `{facts["command"]}`
- Training: {facts["minutes"]} minutes, {facts["step"]:,} steps, {facts["target_tokens"]:,} tokens
- Dev set, {dev["sentences"]:.0f} sentences, greedy: BLEU {dev["bleu"]:.1f}, chrF {dev["chrf"]:.1f}
- Whole dev set: loss {dev["loss"]:.3f} nats per token
"""
