"""Model folders of transformers: what they are opened as, and what is missing in them."""

import json
import shutil
import sys

import pytest
import torch

from regard.errors import RegardError
from regard.inspection.huggingface import TracedModel, load_for_tracing

transformers = pytest.importorskip("transformers", reason="transformers is an optional extra")


def test_a_language_model_goes_on_and_prompt_and_text_are_one_map(folder):
    opened = load_for_tracing(folder("GPT-2"))
    assert (opened.task, opened.max_tokens) == ("generation", 64)
    assert opened.description == "gpt2, 3 layers, 6 heads"
    trace = opened.trace("the cat sat", generate=7, num_beams=3)
    axis, generation = trace.axes["tokens"], trace.generation
    assert axis.prompt == 4  # and the end of sentence that this tokenizer adds
    shown = generation.hypotheses[generation.shown]
    assert axis.tokens == ["▁the", "▁cat", "▁sat", "</s>", *shown.tokens]
    assert axis.predicts[3:-1] == shown.tokens
    assert trace["decoder.layers.0.self"].rows == 4 + len(shown.tokens)
    assert len(generation.hypotheses) == 3
    scores = [each.score for each in generation.hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert trace.model_name == folder("GPT-2").name


def test_a_folder_is_called_by_its_own_name_or_what_it_was_asked_for(folder):
    from regard.tasks.looking import open_for_looking

    path = folder("GPT-2")
    assert open_for_looking(str(path)).trace("the cat", generate=0).model_name == path.name
    assert open_for_looking(str(path), name="mine").name == "mine"


@pytest.mark.parametrize(("name", "beams"), [("GPT-2", None), ("GPT-2", 3), ("Marian", 2)])
def test_what_is_written_may_be_made_to_begin_with_other_words(folder, name, beams):
    opened = load_for_tracing(folder(name))
    steps = opened.trace("the cat sat", generate=6, num_beams=beams).generation.steps
    beginning = [each.candidates[1].id for each in steps[:2]]
    trace = opened.trace("the cat sat", generate=6, num_beams=beams, forced_beginning=beginning)
    assert trace.output_ids[:2] == beginning
    assert "forced: the output begins with" in trace.notes[-1]
    assert len(trace.output_ids) <= 6
    # What follows is what the model writes after these words, as its own `generate` has it.
    if name == "GPT-2" and beams is None:
        first = [each.candidates[0].id for each in trace.generation.steps]
        assert trace.output_ids[2:] == first[2:]
    with pytest.raises(RegardError, match="token ids must be below"):
        opened.trace("the cat sat", forced_beginning=[10**6])


def test_tokens_are_drawn_the_same_by_the_same_seed(folder):
    opened = load_for_tracing(folder("GPT-2"))

    def drawn(**sampling):
        return opened.trace("the cat sat", generate=8, **sampling).output_ids

    before = torch.random.get_rng_state()
    assert drawn(seed=1) == drawn(seed=1) != drawn(seed=2)
    assert drawn(seed=1, top_k=1) == drawn()
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_marian_model_that_is_not_ours_is_opened_by_transformers(folder, tmp_path):
    from regard.tasks.looking import open_for_looking

    copied = tmp_path / "model"
    shutil.copytree(folder("Marian"), copied)
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"activation_function": "relu6"}))
    opened = open_for_looking(str(copied))
    assert isinstance(opened, TracedModel)
    trace = opened.trace("the cat sat", target="Die Katze")
    assert trace["decoder.layers.1.cross"].rows == 3


@pytest.mark.parametrize("name", ["GPT-2", "ViT"])
def test_the_layers_of_a_model_are_known_from_a_trial(folder, name):
    if name == "ViT":
        pytest.importorskip("PIL.Image", reason="images need Pillow")
    taps = list(load_for_tracing(folder(name)).trial())
    side = "decoder" if name == "GPT-2" else "encoder"
    assert taps == [f"{side}.layers.{layer}.self" for layer in range(len(taps))]


def test_steps_have_the_probabilities_of_a_run_token_by_token(folder):
    opened = load_for_tracing(folder("Llama"))
    trace = opened.trace("the cat sat", generate=5, num_beams=1)
    ids = opened.read("the cat sat")["input_ids"]
    for step, id_ in zip(trace.generation.steps, trace.output_ids, strict=True):
        with torch.no_grad():
            expected = opened.model(input_ids=ids).logits[0, -1].softmax(-1)
        assert step.probability == pytest.approx(float(expected.max()), rel=1e-4)
        assert step.candidates[0].token == step.token  # greedy took the likeliest
        ids = torch.cat([ids, torch.tensor([[id_]])], 1)


def test_a_text_can_be_read_without_writing(folder):
    trace = load_for_tracing(folder("Llama")).trace("the cat sat .", generate=0)
    assert trace.generation is None
    assert trace.axes["tokens"].tokens == ["▁the", "▁cat", "▁sat", "▁.", "</s>"]


@pytest.mark.parametrize("name", ["Marian", "T5"])
def test_a_translation_is_traced_as_the_decoder_read_it(folder, name):
    opened = load_for_tracing(folder(name))
    trace = opened.trace("the cat sat", target="Die Katze")
    axis = trace.axes["target"]
    assert axis.tokens[1:] == ["▁Die", "▁Katze"]
    assert axis.predicts == ["▁Die", "▁Katze", "</s>"]
    assert axis.prompt == 1
    assert [step.token for step in trace.generation.steps] == axis.predicts
    assert trace["decoder.layers.1.cross"].weights().shape[1:] == (3, 4)
    found = opened.trace("the cat sat", num_beams=2, hypothesis=1)
    assert found.generation.shown == 1
    assert found.axes["target"].predicts == found.generation.hypotheses[1].tokens


def test_a_trace_of_writing_can_be_ablated(folder):
    from regard.inspection.views.ablation import ablate

    trace = load_for_tracing(folder("GPT-2")).trace("the cat sat", generate=4)
    result = ablate(trace, "head", "decoder.layers.2.self", head=1, step=2)
    assert result.before == pytest.approx(trace.generation.steps[2].probability, rel=1e-4)
    assert result.delta != 0


def test_an_encoder_reads_a_text(folder):
    opened = load_for_tracing(folder("BERT"))
    trace = opened.trace("the cat sat .")
    assert (opened.task, trace.task) == ("encoding", "encoding")
    assert list(trace) == [f"encoder.layers.{layer}.self" for layer in range(3)]
    with pytest.raises(RegardError, match="generates nothing"):
        opened.trace("the cat", target="Die Katze")


def test_a_vision_model_reads_an_image(folder, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="images need Pillow")
    opened = load_for_tracing(folder("ViT"))
    file = tmp_path / "picture.png"
    image.new("RGB", (40, 30), (200, 30, 90)).save(file)
    trace = opened.trace(str(file))
    assert trace.axes["patches"].tokens[:2] == ["CLS", "0,0"]
    assert trace.task == "vision"
    assert trace.token_of(1) == "LABEL_1"
    with pytest.raises(RegardError, match="there is no file"):
        opened.trace("the cat")
    file.write_text("not a picture")
    with pytest.raises(RegardError, match="not an image"):
        opened.trace(str(file))


def test_texts_that_cannot_be_read_are_one_sentence(folder):
    opened = load_for_tracing(folder("GPT-2"))
    with pytest.raises(RegardError, match="no text"):
        opened.trace("  ")
    with pytest.raises(RegardError, match=r"the text has 71 tokens, and .* takes 64"):
        opened.trace("the" + " the" * 69)
    with pytest.raises(RegardError, match="which the text already has"):
        opened.trace("the" + " the" * 62, generate=1)
    with pytest.raises(RegardError, match=r"can write 61 here; got generate=62"):
        opened.trace("the cat", generate=62)
    with pytest.raises(RegardError, match="either a target or generate"):
        opened.trace("the cat", target="sat", generate=3)
    with pytest.raises(RegardError, match="hypotheses 0 to 1; got 2"):
        opened.trace("the cat", num_beams=2, hypothesis=2)


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("config.json", "it has no config.json"),
        ("model.safetensors", "has no weights"),
        ("tokenizer.json", "has no tokenizer"),
    ],
)
def test_what_is_missing_is_said(folder, tmp_path, missing, sentence):
    copied = tmp_path / "model"
    shutil.copytree(folder("GPT-2"), copied)
    (copied / missing).unlink()
    with pytest.raises(RegardError, match=sentence):
        load_for_tracing(copied)


def test_a_damaged_file_is_one_sentence(folder, tmp_path):
    copied = tmp_path / "model"
    shutil.copytree(folder("GPT-2"), copied)
    weights = copied / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(RegardError, match="cannot load the model") as error:
        load_for_tracing(copied)
    assert "\n" not in str(error.value)


def test_code_from_a_folder_is_never_run(folder, tmp_path):
    copied = tmp_path / "model"
    shutil.copytree(folder("GPT-2"), copied)
    config = json.loads((copied / "config.json").read_text())
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "mine.MineConfig"}}
    (copied / "config.json").write_text(json.dumps(config))
    ran = tmp_path / "ran"
    (copied / "mine.py").write_text(f"open({str(ran)!r}, 'w')\n")
    with pytest.raises(RegardError, match="cannot load the configuration"):
        load_for_tracing(copied)
    assert not ran.exists()


def test_without_transformers_it_is_named(folder, monkeypatch):
    path = folder("GPT-2")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(RegardError, match=r"pip install 'transformers>=5\.20'"):
        load_for_tracing(path)


def test_opening_and_writing_print_nothing(folder, capfd):
    load_for_tracing(folder("GPT-2")).trace("the cat", generate=2)
    assert capfd.readouterr() == ("", "")
    assert transformers.utils.logging.is_progress_bar_enabled()


@pytest.mark.parametrize("decoder", ["Bert", "GPT2"])
@pytest.mark.parametrize("says", [True, False])
def test_two_models_in_one_are_traced_as_the_decoder_read_it(decoder, says, tokenizer, tmp_path):
    torch.manual_seed(4)
    vocabulary = dict(vocab_size=len(tokenizer), is_decoder=True, add_cross_attention=True)
    sizes = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=17)
    bert = dict(sizes, max_position_embeddings=40)
    config = transformers.BertConfig(vocab_size=len(tokenizer), **bert)
    if decoder == "Bert":
        writer = transformers.BertLMHeadModel(transformers.BertConfig(**vocabulary, **bert))
    else:
        small = dict(n_embd=12, n_layer=2, n_head=2, n_positions=40, eos_token_id=2, bos_token_id=1)
        writer = transformers.GPT2LMHeadModel(transformers.GPT2Config(**vocabulary, **small))
    model = transformers.EncoderDecoderModel(encoder=transformers.BertModel(config), decoder=writer)
    if says:
        model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = 1
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    if not says:  # as a tokenizer of BERT's has it
        settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
        settings["cls_token"] = "<s>"
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    opened = load_for_tracing(tmp_path)
    trace = opened.trace("the cat sat", generate=4)
    assert {each.kind for each in trace.values()} == {"self", "cross"}
    assert trace["decoder.layers.1.cross"].columns == 4  # three words and the end
    written = [*trace.axes["target"].predicts]
    assert 1 <= len(written) <= 4
    expected = opened.model.generate(
        **opened.read("the cat sat"), decoder_start_token_id=1, max_new_tokens=4, min_new_tokens=1,
        pad_token_id=0, eos_token_id=None, do_sample=False,
    )[0, 1:]  # fmt: skip
    shown = tokenizer.convert_ids_to_tokens(expected[: len(written)].tolist())
    assert [each.replace("▁", "").strip() for each in written] == [
        each.replace("▁", "") for each in shown
    ]


@pytest.mark.parametrize("name", ["T5EncoderModel", "T5ForSequenceClassification"])
def test_a_t5_that_reads_is_traced_with_its_own_numbers(name, tokenizer, tmp_path):
    torch.manual_seed(4)
    sizes = dict(d_model=12, d_kv=5, d_ff=17, num_layers=2, num_heads=3, decoder_start_token_id=0)
    config = transformers.T5Config(vocab_size=len(tokenizer), eos_token_id=2, **sizes)
    model = getattr(transformers, name)(config).eval()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    opened = load_for_tracing(tmp_path)
    assert (type(opened.model).__name__, opened.task) == (name, "encoding")
    trace = opened.trace("the cat sat")
    ids = tokenizer("the cat sat", return_tensors="pt")
    query = model.get_encoder().block[0].layer[0].SelfAttention.q
    assert trace["encoder.layers.0.self"].rows == ids["input_ids"].shape[1]
    assert torch.equal(
        opened.model.get_encoder().block[0].layer[0].SelfAttention.q.weight, query.weight
    )
