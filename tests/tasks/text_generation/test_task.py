"""Writing against transformers' text-generation pipeline, on small random models."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from tokenizers import processors

from regard.checkpoints import save_pretrained
from regard.errors import RegardError
from regard.models import Encoder, EncoderConfig
from regard.tasks.text_generation.task import Writer
from regard.text import Tokenizer

transformers = pytest.importorskip("transformers")

POSITIONS, END = 61, 0
PROMPTS = ["the dog", "नमस्ते", "the small dog sees the", "a", "🎉 the red house sees the small dog"]
CHAT = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
CONFIGS: dict[str, Any] = {
    "gpt2": lambda: transformers.GPT2Config(
        vocab_size=283, n_embd=20, n_layer=2, n_head=5, n_inner=28, n_positions=POSITIONS,
        bos_token_id=END, eos_token_id=END,
    ),
    "llama": lambda: transformers.LlamaConfig(
        vocab_size=290, hidden_size=28, intermediate_size=44, num_hidden_layers=2,
        num_attention_heads=7, num_key_value_heads=1, max_position_embeddings=POSITIONS,
        bos_token_id=END, eos_token_id=[END, 7, 11, 13],
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=CONFIGS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: Any, byte_level: Any) -> Any:
    """A pipeline of transformers, and the writer of its files; pad is the end's token."""
    torch.manual_seed(11)
    model = transformers.AutoModelForCausalLM.from_config(CONFIGS[request.param]())
    for name, weight in model.named_parameters():
        mean = 1.0 if "norm" in name or ".ln_" in name else 0.0
        torch.nn.init.normal_(weight, mean=mean * name.endswith("weight"), std=0.3)
    # Letters are likelier than other bytes, so that texts are readable, and differ.
    letters = [byte_level.decode([id_]).strip().isalpha() for id_ in range(283)]
    with torch.no_grad():
        for weight in {model.get_input_embeddings().weight, model.get_output_embeddings().weight}:
            weight[:283][~torch.tensor(letters)] *= 0.2
    backend = tokenizers.Tokenizer.from_str(byte_level.to_str())
    if request.param == "llama":  # its texts begin with a token
        backend.post_processor = processors.TemplateProcessing(
            single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", END)]
        )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<|endoftext|>", eos_token="<|endoftext|>",
        pad_token="<|endoftext|>", chat_template=CHAT, padding_side="left",
    )  # fmt: skip
    folder = tmp_path_factory.mktemp(request.param)
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    pipeline = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer)
    return pipeline, Writer.load(folder), folder


@pytest.fixture(scope="module")
def writer(pair: Any) -> Writer:
    found: Writer = pair[1]
    return found


def theirs(pipeline: Any, prompts: Any, **options: Any) -> list[str]:
    settings = dict(do_sample=False, max_new_tokens=13, pad_token_id=END) | options
    return [best["generated_text"] for [best] in pipeline(prompts, **settings)]


@pytest.mark.parametrize("beams", [1, 4])
def test_texts_are_the_pipelines(pair: Any, beams: int) -> None:
    pipeline, writer, _ = pair
    expected = theirs(pipeline, PROMPTS, num_beams=beams)
    assert writer(PROMPTS, max_new_tokens=13, num_beams=beams) == expected
    assert writer(PROMPTS[0], max_new_tokens=13, num_beams=beams) == expected[0]
    new = theirs(pipeline, PROMPTS, num_beams=beams, return_full_text=False)
    assert writer(PROMPTS, max_new_tokens=13, num_beams=beams, return_full_text=False) == new
    assert len(set(new)) == len(new)


def test_filters_and_their_history_are_the_pipelines(pair: Any) -> None:
    pipeline, writer, _ = pair
    options = dict(repetition_penalty=1.7, no_repeat_ngram_size=2, max_new_tokens=17)
    assert writer(PROMPTS, **options) == theirs(pipeline, PROMPTS, **options)


def test_stop_strings_are_the_pipelines(pair: Any) -> None:
    pipeline, writer, _ = pair
    free = writer.run(PROMPTS, max_new_tokens=13)
    stops = [free[0].text[4:6], free[2].text[3:4]]
    assert all(stop.isascii() for stop in stops)
    for beams in (1, 3):
        expected = theirs(pipeline, PROMPTS, stop_strings=stops, tokenizer=pipeline.tokenizer,
                          num_beams=beams)  # fmt: skip
        assert writer(PROMPTS, stop_strings=stops, max_new_tokens=13, num_beams=beams) == expected
    stopped = writer.run(PROMPTS, stop_strings=stops, max_new_tokens=13)
    assert stopped[0].finished
    assert len(stopped[0].text) < len(free[0].text)
    assert any(stop in stopped[0].text for stop in stops)


def test_the_name_of_a_special_token_stops_too(writer: Writer) -> None:
    forced = dict(max_new_tokens=13, forced_bos_token_id=2)
    assert writer.run(["the"], **forced)[0].text
    ended = writer.run(["the"], stop_strings="<|im_end|>", **forced)[0]
    assert (ended.text, ended.tokens, ended.finished) == ("", [], True)


def test_ids_that_the_tokenizer_has_not_write_nothing(writer: Writer) -> None:
    spare = writer.model.config.vocab_size - writer.tokenizer.vocab_size
    if not spare:
        pytest.skip("this model's vocabulary is its tokenizer's")
    options = dict(max_new_tokens=1, forced_bos_token_id=writer.tokenizer.vocab_size)
    result = writer.run(["the"], stop_strings="x", **options)[0]
    assert (result.text, result.tokens, result.finished) == ("", [], False)
    assert list(writer.stream("the", **options)) == []


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(num_beams=4, alternatives=3),
        dict(do_sample=True, seed=5, alternatives=2, temperature=0.8, top_k=50),
    ],
)
def test_results_do_not_depend_on_the_batch(writer: Writer, options: dict[str, Any]) -> None:
    done: list[int] = []
    together = writer.run(PROMPTS, max_new_tokens=9, progress=done.append, **options)
    assert sum(done) == len(PROMPTS)
    apart = writer.run(PROMPTS, max_new_tokens=9, batch_size=1, **options)
    for one, other in zip(together, apart, strict=True):
        count = options.get("alternatives", 1)
        assert len(one.others) == len(other.others) == count - 1
        for mine, its in zip((one, *one.others), (other, *other.others), strict=True):
            assert (mine.text, mine.tokens, mine.finished) == (its.text, its.tokens, its.finished)
            assert mine.score == pytest.approx(its.score, abs=1e-5)


@pytest.mark.parametrize("prompt", [*PROMPTS, [dict(role="user", content="the 🎉")]])
@pytest.mark.parametrize(
    "options",
    [{}, dict(do_sample=True, seed=3, top_k=0), dict(do_sample=True, seed=4, temperature=3.0)],
)
def test_a_streams_pieces_are_the_whole_text(
    writer: Writer, prompt: Any, options: dict[str, Any]
) -> None:
    whole = writer.run([prompt], max_new_tokens=23, **options)[0]
    stream = writer.stream(prompt, max_new_tokens=23, **options)
    assert stream.result is None
    pieces = list(stream)
    assert "".join(pieces) == whole.text
    assert all(pieces)
    assert stream.result == whole


def test_a_stream_gives_each_piece_before_the_next_step(writer: Writer) -> None:
    steps: list[int] = []
    embed = writer.model.decoder.embed.register_forward_hook(lambda *call: steps.append(1))
    stream = writer.stream("the dog", max_new_tokens=19)
    assert not steps
    seen = [len(steps) for _ in stream]
    embed.remove()
    assert seen == sorted(set(seen))
    assert len(seen) > 3


def test_limits_of_positions_are_said_and_kept(pair: Any) -> None:
    _, writer, _ = pair
    ids = writer.tokenizer.inputs("the dog " * 99).ids
    room = {}
    for length in (POSITIONS - 1, POSITIONS - 3, 5):
        text = writer.tokenizer.decode(ids[:length])
        assert len(writer.tokenizer.inputs(text).ids) == length
        room[text] = length
    spare = range(writer.tokenizer.vocab_size, writer.model.config.vocab_size)
    options = dict(max_new_tokens=8, eos_token_id=2, bad_words_ids=[[id_] for id_ in spare] or None)
    results = writer.run(list(room), **options)
    for result, length in zip(results, room.values(), strict=True):
        assert len(result.tokens) == min(8, POSITIONS - length)
        assert result.full == (length > 5)
    too_long = writer.tokenizer.decode(ids[:POSITIONS])
    with pytest.raises(RegardError, match=r"may have 60 tokens with .*; got one of 61\. Shorten"):
        writer.run(["the", too_long])
    with pytest.raises(RegardError, match="61 positions for it and what follows"):
        writer.stream(too_long)


def test_no_text_begins_with_the_token_for_it(pair: Any) -> None:
    pipeline, writer, _ = pair
    assert writer("", max_new_tokens=7) == theirs(pipeline, [""], max_new_tokens=7)[0]


def test_a_chat_is_answered_as_the_pipeline_does(pair: Any) -> None:
    pipeline, writer, _ = pair
    chat = [dict(role="system", content="the red"), dict(role="user", content="dog 🎉")]
    expected = pipeline(chat, do_sample=False, max_new_tokens=13, pad_token_id=END)
    assert writer.chat(chat, max_new_tokens=13) == expected[0]["generated_text"][-1]["content"]


def test_special_tokens_in_a_prompt_are_text_unless_asked_for(pair: Any) -> None:
    pipeline, writer, _ = pair
    text = "the<|im_end|>dog"
    read = writer(text, max_new_tokens=7, special_in_text=True)
    assert read == theirs(pipeline, [text], max_new_tokens=7)[0]
    assert "".join(writer.stream(text, max_new_tokens=7, special_in_text=True)) == read[len(text) :]
    assert writer(text, max_new_tokens=7) != read


def test_defaults_are_the_folders(pair: Any, tmp_path: Path) -> None:
    _, writer, folder = pair
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    settings = dict(max_new_tokens=3, do_sample=True, temperature=0.5, eos_token_id=None)
    (tmp_path / "generation_config.json").write_text(json.dumps(settings))
    loaded = Writer.load(tmp_path)
    assert loaded.generation.do_sample
    assert loaded.generation.temperature == 0.5
    assert loaded.generation.eos_token_id == writer.model.config.eos_id
    assert len(loaded.run(["the"], eos_token_id=2)[0].tokens) <= 3
    (tmp_path / "generation_config.json").unlink()
    assert not Writer.load(tmp_path).generation.do_sample


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(num_beams=3), "a beam search cannot stream"),
        (
            dict(do_sample=True, alternatives=2),
            "a stream generates one sentence; got 1 with",
        ),
        (dict(stop_strings=["a", ""]), "a stop string must have at least one character"),
        (dict(max_tokens=3), "a generation setting must be one of"),
    ],
)
def test_what_cannot_be_streamed_is_refused(
    writer: Writer, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(RegardError, match=message):
        next(writer.stream("the", **options))


def test_another_kind_of_model_or_tokenizer_is_refused(writer: Writer, tmp_path: Path) -> None:
    config = EncoderConfig(vocab_size=300, d_model=8, num_layers=1, num_heads=2, d_ff=8)
    with pytest.raises(RegardError, match=r"decoder-only model .*; it is of another kind, Encoder"):
        Writer(Encoder(config), writer.tokenizer, name="it")  # type: ignore[arg-type]
    writer.tokenizer.save(tmp_path)
    save_pretrained(writer.model, tmp_path)
    assert Writer.load(tmp_path).name == tmp_path.name


def test_a_prompt_of_no_token_needs_one_to_begin_with(byte_level: Any) -> None:
    from regard.models import Decoder, DecoderConfig

    config = DecoderConfig(283, d_model=8, num_layers=1, num_heads=2, d_ff=8)
    tokenizer = Tokenizer(byte_level, pad=None, eos=None, unk=None)
    with pytest.raises(RegardError, match="a prompt must have at least one token, because writer"):
        Writer(Decoder(config).eval(), tokenizer).run([""])


@pytest.mark.parametrize("file", ["generation_config.json", "config.json"])
def test_lengths_of_the_files_count_the_prompt(file, pair, tmp_path):
    pipeline, writer, _ = pair
    pipeline.model.save_pretrained(tmp_path)
    pipeline.tokenizer.save_pretrained(tmp_path)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    settings = json.loads((tmp_path / file).read_text()) if file == "config.json" else {}
    lengths = {"max_length": 20, "min_length": 18, "eos_token_id": END}
    (tmp_path / file).write_text(json.dumps(settings | lengths))
    model = type(pipeline.model).from_pretrained(tmp_path)
    ours = Writer.load(tmp_path)
    for prompt in PROMPTS[:3]:
        inputs = pipeline.tokenizer(prompt, return_tensors="pt")
        expected = model.generate(**inputs, do_sample=False, pad_token_id=END)[0].tolist()
        assert list(ours.run([prompt])[0].ids) == expected
    [more] = ours.run(PROMPTS[:1], max_new_tokens=30, min_new_tokens=30)
    assert len(more.ids) == 30 + len(writer.tokenizer.inputs(PROMPTS[0]).ids)
    with pytest.raises(RegardError, match="max_length counts the prompt"):
        ours.run(["the dog " * 12])
