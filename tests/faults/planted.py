"""Faults that the tests must find: one line of the program made wrong at a time.

`python tools/plant_faults.py` plants each in a copy of the repository and runs the tests named with
it. A fault whose old text is no longer there, or stands there twice, fails: give it its new place.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """One wrong line."""

    name: str
    file: str  # in the repository
    old: str  # occurs there once
    new: str
    tests: tuple[str, ...]  # files of tests that find it, or a script and its arguments


def fault(name: str, file: str, old: str, new: str, *tests: str) -> Fault:
    return Fault(name, file, old, new, tests)


FAULTS = (
    # Attention, positions
    fault(
        "a causal query sees the next position",
        "src/regard/attention/masks.py",
        "return (keys <= queries[:, None])[None, None]",
        "return (keys <= queries[:, None] + 1)[None, None]",
        "tests/attention/test_masks.py",
    ),
    fault(
        "a window ends one position too early",
        "src/regard/attention/masks.py",
        "return ((distance >= -self.left) & (distance <= self.right))[None, None]",
        "return ((distance > -self.left) & (distance <= self.right))[None, None]",
        "tests/attention/test_masks.py",
    ),
    fault(
        "an empty row has a log-sum-exp that is finite",
        "src/regard/attention/softmax.py",
        'lse = (top + divisor.log()).masked_fill(empty, float("-inf"))',
        "lse = top + divisor.log()",
        "tests/attention/test_softmax.py",
        "tests/attention/test_kernels.py",
    ),
    fault(
        "padded keys of the short kernel get weight",
        "src/regard/attention/kernels/short.py",
        "addend[..., keys:] = lowest(dtype)",
        "addend[..., keys:] = 0",
        "tests/attention/test_kernels.py",
    ),
    fault(
        "the blocked kernel forgets to fade what it has summed",
        "src/regard/attention/kernels/blocked.py",
        "self.total = self.total * fade + weights.sum(-1, keepdim=True)",
        "self.total = self.total + weights.sum(-1, keepdim=True)",
        "tests/attention/test_kernels.py",
    ),
    fault(
        "the fused kernel drops the mask where there is a bias",
        "src/regard/attention/kernels/choice.py",
        'added = added.masked_fill(whole.hidden, float("-inf"))',
        "added = added.masked_fill(whole.hidden, 0)",
        "tests/attention/test_kernels.py",
    ),
    fault(
        "one head's record takes a neighbor's keys",
        "src/regard/attention/record.py",
        "key_head = head // (self.query.shape[1] // self.key.shape[1])",
        "key_head = head % self.key.shape[1]",
        "tests/attention/test_record.py",
    ),
    fault(
        "rotary positions turn the other half the wrong way",
        "src/regard/models/positions/rotary.py",
        "second * cosine + first * sine, rest], -1)",
        "second * cosine - first * sine, rest], -1)",
        "tests/models/positions/test_rotary.py",
    ),
    # Layers, models, checkpoints
    fault(
        "a layer's window is one wider than its setting",
        "src/regard/models/layers/transformer.py",
        "allowed = Window(window - 1, 0 if self.causal else window - 1)",
        "allowed = Window(window, 0 if self.causal else window)",
        "tests/models/test_decoder.py",
        "tests/models/layers/test_transformer_stack.py",
        "tests/checkpoints/families/test_llama.py",
    ),
    fault(
        "a cache reorders keys and leaves values in place",
        "src/regard/models/layers/attention.py",
        "self._value = self._value.index_select(0, rows)",
        "self._value = self._value",
        "tests/models/layers/test_attention.py",
    ),
    fault(
        "an encoder-decoder sees the padding of its source",
        "src/regard/models/encoder_decoder.py",
        "mask, positions = Padding(token), None",
        "mask, positions = Padding(source >= 0), None",
        "tests/models/test_encoder_decoder.py",
    ),
    fault(
        "a Mistral without the setting has as many key heads as queries",
        "src/regard/checkpoints/families/llama.py",
        'defaults={"num_key_value_heads": 8, **_WINDOW}, windows="all"',
        'defaults={"num_key_value_heads": None, **_WINDOW}, windows="all"',
        "tests/checkpoints/families/test_llama.py",
    ),
    fault(
        "two parts of BERT's feed-forward network change places",
        "src/regard/checkpoints/families/bert.py",
        '(".feed_forward.outer", ".output.dense"),',
        '(".feed_forward.outer", ".attention.output.dense"),',
        "tests/checkpoints/families/test_bert.py",
    ),
    fault(
        "integers of Q6_K are not centered on zero",
        "src/regard/checkpoints/gguf_groups.py",
        "return integers.view(np.int8) - np.int8(32), scales, np.zeros_like(scales)",
        "return integers.view(np.int8), scales, np.zeros_like(scales)",
        "tests/checkpoints/test_gguf.py",
    ),
    fault(
        "an adapter is written without its rank in alpha",
        "src/regard/checkpoints/adapters.py",
        '"lora_alpha": first.scale * rank,',
        '"lora_alpha": first.scale,',
        "tests/training/test_adapters.py",
    ),
    fault(
        "two copies of a tied weight may differ",
        "src/regard/checkpoints/fit.py",
        "if one.dtype != other.dtype or not (one == other).all():",
        "if one.dtype != other.dtype:",
        "tests/checkpoints/test_fit.py",
        "tests/checkpoints/test_pretrained.py",
    ),
    # The native engine
    fault(
        "the last id of a vocabulary and one beyond are read",
        "src/regard/engine/native/texts.py",
        ".view(np.uint64).max() >= self.vocab_size:",
        ".view(np.uint64).max() > self.vocab_size:",
        "tests/engine/native/test_reads.py",
        "tests/engine/native/test_decoders.py",
        "tests/engine/native/test_decodes.py",
    ),
    fault(
        "a prompt's padding on the left moves its tokens",
        "src/regard/engine/native/texts.py",
        'order = np.argsort(~mask, axis=1, kind="stable")',
        'order = np.argsort(mask, axis=1, kind="stable")',
        "tests/engine/native/test_decoders.py",
    ),
    # Text and data
    fault(
        "the words of a text include empty ones",
        "src/regard/text/tokenizer.py",
        "return [Word(text, group) for text, group in words if text]",
        "return [Word(text, group) for text, group in words]",
        "tests/text/test_tokenizer.py",
    ),
    fault(
        "a byte order mark becomes part of the first text",
        "src/regard/data/lines.py",
        "block = block.removeprefix(codecs.BOM_UTF8)",
        "block = block.removeprefix(b'')",
        "tests/data/test_lines.py",
        "tests/data/test_reader.py",
    ),
    fault(
        "a table is divided by the sign of its first line alone",
        "src/regard/data/csv_rows.py",
        "return widths.count(widths[0]) if widths and widths[0] > 1 else 0",
        "return widths[0] if widths and widths[0] > 1 else 0",
        "tests/data/test_reader.py",
        "tests/data/test_headers.py",
        "tests/data/test_lines.py",
    ),
    fault(
        "every text with accents is taken for Windows-1252",
        "src/regard/data/encodings.py",
        "return usual > 10 * odd and 2 * usual > len(letters) and _is_western(letters)",
        "return usual > 10 * odd and 2 * usual > len(letters)",
        "tests/data/test_lines.py",
        "tests/data/test_reader.py",
    ),
    fault(
        "a ratio of lengths is by characters alone",
        "src/regard/data/clean.py",
        "sizes = [(len(source), len(target)), (len(source.encode()), len(target.encode()))]",
        "sizes = [(len(source), len(target))]",
        "tests/data/test_clean.py",
    ),
    fault(
        "the last of equal sources falls into another part",
        "src/regard/data/split.py",
        "return int(sources[min(count, len(sources)) - 1]) + 1",
        "return int(sources[min(count, len(sources)) - 1])",
        "tests/data/test_split.py",
    ),
    fault(
        "a batch may pass its number of tokens by a row",
        "src/regard/data/batches.py",
        "fits = longest * np.arange(1, len(longest) + 1) <= self.max_tokens",
        "fits = longest * np.arange(len(longest)) <= self.max_tokens",
        "tests/data/test_batches.py",
    ),
    # Training
    fault(
        "moments are not put back when a run resumes",
        "src/regard/training/optimizer.py",
        "owner[parameter].state[parameter][key] = weights.part(parameter, value)",
        "weights.part(parameter, value)",
        "tests/training/test_loop.py",
    ),
    fault(
        "a linear rate ends a step too early",
        "src/regard/training/schedule.py",
        "done = (step - warmup) / max(1, last + 1 - warmup)",
        "done = (step - warmup) / max(1, last - warmup)",
        "tests/training/test_schedule.py",
    ),
    fault(
        "the mean of checkpoints counts one too few",
        "src/regard/training/loop.py",
        "share = self.run.mean(earlier), 1 / (len(earlier) + 1)",
        "share = self.run.mean(earlier), 1 / len(earlier)",
        "tests/training/test_loop.py",
    ),
    fault(
        "the smoothing of labels has no gradient",
        "src/regard/training/loss.py",
        "grad_weight -= hidden.sum(0, dtype=wide) * (smoothing / vocab)",
        "grad_weight -= 0",
        "tests/training/test_loss.py",
    ),
    # Generation, exported graphs
    fault(
        "a repetition penalty rewards unlikely tokens",
        "src/regard/generation/filters.py",
        "penalized = arrays.where(logits < 0, logits * self.penalty, logits / self.penalty)",
        "penalized = logits / self.penalty",
        "tests/generation/test_filters.py",
    ),
    fault(
        "a beam search stops with room for a better hypothesis",
        "src/regard/generation/search.py",
        "return self.early_stopping is True or not best_running > self.hypotheses[-1].score",
        "return True",
        "tests/generation/test_transformers_parity.py",
        "tests/generation/test_search.py",
    ),
    fault(
        "int8 rows of the page's file share one scale",
        "src/regard/studio/packing.py",
        "scales = (np.abs(values).max(axis=1) / LARGEST)",
        "scales = (np.full(len(values), np.abs(values).max()) / LARGEST)",
        "tests/studio/test_live_page.py",
    ),
    # Tasks, recipes
    fault(
        "an answer begins with the space before it",
        "src/regard/tasks/question_answering/spans.py",
        "while start < end and context[start].isspace():",
        "while start > end and context[start].isspace():",
        "tests/tasks/question_answering/test_spans.py",
        "tests/tasks/question_answering/test_task.py",
    ),
    fault(
        "macro F1 is weighted by how often a label is predicted",
        "src/regard/training/labels.py",
        "macro_f1=float(f1[counted].mean()),",
        "macro_f1=float(_ratio(2 * both.sum(), answers.sum() + right.sum())),",
        "tests/training/test_label_metrics.py",
    ),
    fault(
        "one short word is enough to doubt a text's language",
        "src/regard/engine/calibration.py",
        "return functional >= 2 or (",
        "return functional >= 1 or (",
        "tests/engine/test_calibration.py",
    ),
    fault(
        "a refused item has its place in the batch, not in the list",
        "src/regard/engine/batching.py",
        "each.index = flat[chosen[each.index]][0]",
        "each.index = flat[each.index][0]",
        "tests/engine/test_batching.py",
    ),
    fault(
        "a sentence is chosen by its best token",
        "src/regard/tasks/extraction/task.py",
        "score = float(np.mean([token.probabilities[place] for token in inside]))",
        "score = float(np.max([token.probabilities[place] for token in inside]))",
        "tests/tasks/extraction/test_task.py",
    ),
    fault(
        "a loss counts texts, not tokens",
        "src/regard/training/sequence_scores.py",
        "return loss / sum(map(len, targets))",
        "return loss / len(targets)",
        "tests/training/test_sequence_scores.py",
    ),
    fault(
        "an interval has the deviation of the whole, not of a sample",
        "src/regard/training/resampling.py",
        "half = quantile * float(np.std(values, ddof=1)) / math.sqrt(len(values))",
        "half = quantile * float(np.std(values)) / math.sqrt(len(values))",
        "tests/training/test_resampling.py",
    ),
    fault(
        "the paired test is not centered on no difference",
        "src/regard/training/resampling.py",
        "np.abs(drawn - measured) >= abs(measured)",
        "np.abs(drawn) >= abs(measured)",
        "tests/training/test_resampling.py",
    ),
    fault(
        "a fold is trained on all rows",
        "src/regard/training/folds.py",
        "    part.fold = fold\n",
        "    part.fold = Fold(0, fold.count)\n",
        "tests/training/test_folds.py",
    ),
    # Translation
    fault(
        "the shortest of overlapping terms is taken",
        "src/regard/tasks/translation/glossary.py",
        "longest = sorted(self.terms, key=len, reverse=True)",
        "longest = sorted(self.terms, key=len)",
        "tests/tasks/translation/test_glossary.py",
    ),
    fault(
        "edits of a translation may cross",
        "src/regard/tasks/translation/placing.py",
        "if edit.begin < place:",
        "if edit.end < place:",
        "tests/tasks/translation/test_passages.py",
        "tests/tasks/translation/test_markup.py",
    ),
    fault(
        "new rows of an embedding are drawn around zero",
        "src/regard/tasks/translation/growing.py",
        "mean, deviation = known.mean(0), known.std(0)",
        "mean, deviation = 0 * known.mean(0), known.std(0)",
        "tests/tasks/translation/test_growing.py",
    ),
    # Serving, files, studio
    fault(
        "one refused text takes its batch with it",
        "src/regard/serving/batches.py",
        "                    self._read([job])\n",
        "                    job.fail(error)\n",
        "tests/serving/test_batches.py",
    ),
    fault(
        "a request may have the rows that are kept for short texts",
        "src/regard/serving/limits.py",
        "most = self.rows - self.kept",
        "most = self.rows",
        "tests/serving/test_limits.py",
    ),
    fault(
        "a shard begins where a full one would have ended",
        "src/regard/cli/jobs/shards.py",
        "                first, count, start = first + count, 0, place\n",
        "                first, count, start = first + lines, 0, place\n",
        "tests/cli/jobs/test_shards.py",
    ),
    fault(
        "several results for each text are not counted",
        "src/regard/serving/limits.py",
        "if number * results > self.waiting:",
        "if number > self.waiting:",
        "tests/serving/test_limits.py",
        "tests/serving/test_routes.py",
    ),
    fault(
        "a job continues with other settings",
        "src/regard/cli/jobs/store.py",
        "if before.get(name) != now.get(name):",
        "if name not in before:",
        "tests/cli/jobs/test_job.py",
    ),
    fault(
        "a change under a job is not looked for",
        "src/regard/cli/jobs/watch.py",
        "if _marks(path) != self._marks[path]:",
        "if not self._marks:",
        "tests/cli/jobs/test_changes.py",
    ),
    fault(
        "a part's checksum leaves its bad lines out",
        "src/regard/cli/jobs/store.py",
        "        digest.update(bad)\n",
        "",
        "tests/cli/jobs/test_changes.py",
    ),
    fault(
        "a page of another site is answered",
        "src/regard/http/guard.py",
        'if origin is not None and origin.lower() != f"http://{host.lower()}":',
        'if origin is not None and origin == "null":',
        "tests/studio/test_guard.py",
    ),
    # Looking inside
    fault(
        "the blocks at the edge of a tile take zeros for scores",
        "src/regard/inspection/views/tiles.py",
        'values, library = padded(values, height, width, float("-inf"))',
        "values, library = padded(values, height, width, 0.0)",
        "tests/inspection/views/test_tiles.py",
    ),
    fault(
        "entropy is in nats",
        "src/regard/inspection/views/statistics.py",
        "entropy=entropy / (seeing * math.log(2)),",
        "entropy=entropy / seeing,",
        "tests/inspection/views/test_statistics.py",
    ),
    fault(
        "a head's share of a pattern is that of its best row",
        "src/regard/inspection/views/patterns.py",
        "share = float(self.weight[place][counts].mean())",
        "share = float(self.weight[place][counts].max())",
        "tests/inspection/views/test_patterns.py",
    ),
    # Figures, explanation
    fault(
        "negative colors are darker than positive ones",
        "src/regard/figures/style.py",
        "_arm(_ORANGE, STEPS // 2, darkest=0.42)",
        "_arm(_ORANGE, STEPS // 2, darkest=0.25)",
        "tests/figures/test_color.py",
        "tests/figures/test_heatmap.py",
    ),
    fault(
        "an explanation's scores are scaled twice",
        "src/regard/course/explanation/steps.py",
        "unscaled = setup.score if factor is None else dot",
        "unscaled = setup.score",
        "tests/course/explanation/test_vectors.py",
        "tests/course/explanation/test_model.py",
        "tests/course/explanation/test_sentence.py",
    ),
    # The command, files, documents
    fault(
        "a user's mistake ends with the code of a defect",
        "src/regard/cli/main.py",
        'return 1 if message is None else getattr(error, "exit_code", 2)',
        "return 1",
        "tests/cli/test_app.py",
        "tests/cli/test_errors.py",
    ),
    fault(
        "a column is as wide as its letters, not as its cells",
        "src/regard/cli/columns.py",
        "widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]",
        "widths = [max(map(len, column)) for column in zip(*cells, strict=True)]",
        "tests/cli/test_columns.py",
    ),
    fault(
        "a flag of a call that is read without typer is lost",
        "src/regard/cli/plain_call.py",
        "common[FLAGS[argument]] = True",
        "common[FLAGS[argument]] = False",
        "tests/cli/test_plain_call.py",
    ),
    fault(
        "a file that was cut short takes the name of the whole one",
        "src/regard/files.py",
        "        with suppress(OSError):  # on a read-only disk it was never made\n"
        "            temporary.unlink()",
        "        with suppress(OSError):\n            os.replace(temporary, path)",
        "tests/test_files.py",
    ),
    fault(
        "a document names an option that there is not",
        "README.md",
        "$ regard train classification reviews.csv --output",
        "$ regard train classification reviews.csv --outputs",
        "tools/documents.py",
    ),
    fault(
        "a link of a document leads nowhere",
        "docs/index.md",
        "](start/learner.md)",
        "](begin/learner.md)",
        "tools/documents.py",
    ),
)
