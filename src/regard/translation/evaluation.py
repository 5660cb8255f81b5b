"""How well a translator translates a set of sentence pairs: BLEU, chrF, loss and speed."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from regard.data import read_pairs
from regard.errors import DamagedFileError
from regard.models import AnyEncoderDecoder
from regard.text import normalize
from regard.training import corpus_scores, cross_entropy
from regard.translation.translator import Translator


@dataclass(frozen=True)
class Evaluation:
    """The translations of a test set, and the figures that compare them with its references."""

    translations: list[str]
    bleu: float  # both from 0 to 100, sacreBLEU's
    bleu_signature: str
    chrf: float
    chrf_signature: str
    loss: float  # nats per target token
    sentences: int
    sentences_per_second: float  # of decoding
    num_beams: int


def evaluate(
    translator: Translator,
    pairs: Sequence[tuple[str, str]],
    *,
    batch_size: int = 32,
    progress: Callable[[int], None] = lambda done: None,
    **options: Any,
) -> Evaluation:
    """Translates the sources of (source, reference) pairs and scores the result.

    Args:
        batch_size, progress, options: as `Translator.run` takes them.

    Raises:
        BadArgumentError: no pairs, or what `Translator.run` refuses.
    """
    sources, references = [source for source, _ in pairs], [target for _, target in pairs]
    started = time.perf_counter()
    results = translator.run(sources, batch_size=batch_size, progress=progress, **options)
    seconds = time.perf_counter() - started
    translations = [result.text for result in results]
    scores = corpus_scores(translations, references)
    return Evaluation(
        translations=translations,
        bleu=scores.bleu,
        bleu_signature=scores.bleu_signature,
        chrf=scores.chrf,
        chrf_signature=scores.chrf_signature,
        loss=mean_loss(translator, pairs),
        sentences=len(pairs),
        sentences_per_second=len(pairs) / seconds,
        num_beams=options.get("num_beams", translator.generation.num_beams),
    )


def read_test_set(path: str | Path) -> list[tuple[str, str]]:
    """The (source, reference) pairs in a file; lines with an empty source are left out.

    Raises:
        DamagedFileError: the file has no pairs, or a line that is not a pair.
    """
    pairs = [(pair.source, pair.target) for pair in read_pairs(path) if pair.source.strip()]
    if not pairs:
        raise DamagedFileError(f"{path} contains no sentence pairs; one per line was expected.")
    return pairs


def dev_figures(
    translator: Translator, pairs: Sequence[tuple[str, str]], *, sentences: int
) -> dict[str, float]:
    """What a training run watches: the loss on all pairs; BLEU, chrF and the share of distinct
    outputs of greedy decoding on `sentences` of them, spread evenly: files are often sorted."""
    count = min(sentences, len(pairs))
    scored = [pairs[k * len(pairs) // count] for k in range(count)]
    # A young model rarely ends a sentence; nothing is learned from how long it would go on.
    longest = max(map(len, translator.tokenizers.target.encode_batch([t for _, t in scored])))
    results = translator.run(
        [source for source, _ in scored], batch_size=128, num_beams=1, max_new_tokens=longest + 10
    )
    hypotheses = [result.text for result in results]
    scores = corpus_scores(hypotheses, [target for _, target in scored])
    return {
        "loss": mean_loss(translator, pairs),
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "distinct": len(set(hypotheses)) / len({source for source, _ in scored}),
        "sentences": float(len(scored)),
    }


@torch.inference_mode()
def mean_loss(translator: Translator, pairs: Sequence[tuple[str, str]]) -> float:
    """Cross-entropy per target token, end of sentence included, in nats, without smoothing.

    Source and target are asked as the checkpoint wants them: prefix, special tokens, languages.
    """
    sources = [translator.encode(normalize(source)) for source, _ in pairs]
    targets = [torch.tensor(translator.expected(normalize(target))) for _, target in pairs]
    pad_id = translator.model.config.pad_id
    order = sorted(range(len(pairs)), key=lambda k: len(targets[k]))
    loss, tokens = 0.0, 0
    for start in range(0, len(order), 64):
        chosen = order[start : start + 64]
        source = translator.batch([sources[k] for k in chosen])
        target = pad_sequence([targets[k] for k in chosen], True, pad_id).to(translator.device)
        loss += summed_loss(translator.model, source, target).item()
        tokens += sum(len(targets[k]) for k in chosen)
    return loss / tokens


def summed_loss(
    model: AnyEncoderDecoder, source: Tensor, target: Tensor, label_smoothing: float = 0.0
) -> Tensor:
    """Summed loss over the target's tokens; padded positions never reach the projection.

    Args:
        source: (batch, source length) ids.
        target: (batch, target length) ids.
    """
    hidden = model.hidden(source, target).flatten(0, 1)
    target = target.flatten()
    kept = (target != model.config.pad_id).nonzero()[:, 0]
    return cross_entropy(
        hidden.index_select(0, kept),
        model.output_weight,
        target[kept],
        bias=model.logits_bias,
        label_smoothing=label_smoothing,
    )
