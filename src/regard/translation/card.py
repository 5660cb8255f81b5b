"""The model card of a translator."""

import os
from typing import Any

from regard.models import AnyEncoderDecoder
from regard.recipes import card
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
        "language": [
            options.source_language,
            *(list(data.dev_of) or [options.target_language]),
        ],
        "pipeline_tag": "translation",
        "kind": options.model_name(),
        **({"base_model": options.base_model} if options.base_model else {}),
        "vocabulary": model.config.decoder_vocab_size,
        "data": options.data_note or data.origin,
        "training_pairs": len(data.store),
        **card.training_facts(model, options, progress, command),
        # Without the table of sinusoidal positions, which does not learn.
        "parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
    }
    facts["target_tokens"] = facts.pop("tokens")
    card.write_card(folder, title(facts), facts, lines(facts))


def title(facts: dict[str, Any]) -> str:
    """From which language to which."""
    source, *targets = facts["language"]
    return f"{source} → {', '.join(targets)}"


def lines(facts: dict[str, Any]) -> list[str]:
    """What the card says to people."""
    dev = facts["dev"]
    return [
        f"{facts['kind'].capitalize()}: {facts['parameters']:,} parameters with"
        f" {facts['vocabulary']:,} subwords",
        f"Data: {facts['data']} ({facts['training_pairs']:,} pairs after cleaning)",
        f"License of these weights: {facts['license']}",
        f"Command: `{facts['command']}`",
        f"Training: {facts['minutes']} minutes, {facts['step']:,} steps,"
        f" {facts['target_tokens']:,} tokens",
        f"Dev set, {dev['sentences']:.0f} sentences, greedy: BLEU {dev['bleu']:.1f},"
        f" chrF {dev['chrf']:.1f}{_of_each(facts)}",
        f"Whole dev set: loss {dev['loss']:.3f} nats per token",
    ]


def _of_each(facts: dict[str, Any]) -> str:
    """The figures of each target language, where there are several."""
    dev = facts["dev"]
    parts = [
        f"{language}: BLEU {dev[f'bleu_{language}']:.1f}, chrF {dev[f'chrf_{language}']:.1f}"
        for language in facts["language"][1:]
        if f"bleu_{language}" in dev
    ]
    return f" ({'; '.join(parts)})" if parts else ""
