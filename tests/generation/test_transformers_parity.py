"""Token for token the generation of transformers, on a small random Marian model."""

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.generation import GenerationConfig, generate
from regard.generation.filters import filters_for

transformers = pytest.importorskip("transformers")

EOS, PAD, VOCAB, LONGEST = 0, 36, 37, 9


@pytest.fixture(scope="module")
def marian() -> Any:
    torch.manual_seed(0)
    config = transformers.MarianConfig(
        vocab_size=VOCAB,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=32,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=PAD,
        forced_eos_token_id=None,
        scale_embedding=True,
        init_std=1.0,
    )
    model = transformers.MarianMTModel(config).eval()
    model.final_logits_bias[:, EOS] = 4.0  # some sentences end, some are cut
    return model


class WithoutCache:
    """A Marian model as a Decoder that reads everything again at each step."""

    def __init__(self, model: Any, source: Tensor, mask: Tensor):
        self.model, self.source, self.mask = model, source, mask
        self.read = source[:, :0]

    def step(self, tokens: Tensor) -> Tensor:
        self.read = torch.cat([self.read, tokens[:, None]], dim=1)
        output = self.model(
            input_ids=self.source, attention_mask=self.mask, decoder_input_ids=self.read
        )
        return output.logits[:, -1]

    def select(self, rows: Tensor) -> None:
        self.source, self.mask, self.read = self.source[rows], self.mask[rows], self.read[rows]


@pytest.fixture(scope="module")
def batch() -> tuple[Tensor, Tensor]:
    source = torch.randint(1, PAD, (5, 7), generator=torch.Generator().manual_seed(3))
    mask = torch.ones_like(source)
    mask[1, 4:] = mask[3, 2:] = 0
    return source.masked_fill(mask == 0, PAD), mask


FILTERS: list[dict[str, Any]] = [
    {},
    {"no_repeat_ngram_size": 2, "bad_words_ids": [[PAD], [3, 4], [5]]},
    {"repetition_penalty": 1.3, "min_new_tokens": 3},
    {
        "renormalize_logits": True,
        "bad_words_ids": [[PAD]],
        "forced_eos_token_id": EOS,
        "forced_bos_token_id": 7,
    },
]
SEARCHES = [{}] + [
    {"num_beams": num_beams, "length_penalty": penalty, "early_stopping": rule}
    for num_beams, penalty, rule in itertools.product(
        (2, 4), (0.0, 0.6, -1.0), (False, True, "never")
    )
]


@pytest.mark.parametrize("filters", FILTERS, ids=["plain", "forbidding", "penalizing", "forcing"])
def test_tokens_and_scores_equal_transformers(
    marian: Any, batch: tuple[Tensor, Tensor], filters: dict[str, Any]
) -> None:
    source, mask = batch
    lengths = set()
    for search in SEARCHES:
        settings = {"max_new_tokens": LONGEST} | search | filters
        alternatives = min(3, search.get("num_beams", 1))
        theirs = marian.generate(
            source,
            attention_mask=mask,
            return_dict_in_generate=True,
            output_scores=True,
            num_return_sequences=alternatives,
            **settings,
        )
        config = GenerationConfig(
            **settings,
            alternatives=alternatives,
            eos_token_id=EOS,
            pad_token_id=PAD,
            decoder_start_token_id=PAD,
        )
        ours = generate(WithoutCache(marian, source, mask), config.start(len(source)), config)
        flat = list(itertools.chain.from_iterable(ours))
        width = theirs.sequences.shape[1] - 1
        tokens = [[*each.tokens, *[PAD] * (width - len(each.tokens))] for each in flat]
        assert tokens == theirs.sequences[:, 1:].tolist(), settings
        if search:
            assert [each.score for each in flat] == pytest.approx(
                theirs.sequences_scores.tolist(), rel=1e-5
            )
        lengths |= {(len(each.tokens), each.finished) for each in flat}
    assert len(lengths) >= 3  # some ended sooner than others


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.7},
        {"top_k": 5},
        {"top_p": 0.8, "top_k": 0},
        {"min_p": 0.1, "top_k": 0},
        {"temperature": 1.4, "top_k": 9, "top_p": 0.9, "min_p": 0.05, "repetition_penalty": 1.2},
    ],
)
def test_sampling_distributions_equal_transformers(marian: Any, settings: dict[str, Any]) -> None:
    logits = 3 * torch.randn(5, VOCAB, generator=torch.Generator().manual_seed(1))
    history = torch.randint(0, VOCAB, (5, 4), generator=torch.Generator().manual_seed(2))
    theirs = marian._get_logits_processor(
        transformers.GenerationConfig(do_sample=True, **({"top_k": 50} | settings)),
        input_ids_seq_length=1,
    )(history, logits)
    ours = logits
    for each in filters_for(GenerationConfig(do_sample=True, **settings)):
        ours = each(ours, history, 3)
    assert torch.equal(ours.softmax(-1), theirs.softmax(-1))
    assert not torch.equal(ours, logits)


def test_a_saved_config_means_the_same_to_transformers() -> None:
    config = GenerationConfig(
        max_new_tokens=77,
        num_beams=5,
        length_penalty=0.6,
        early_stopping=True,
        bad_words_ids=((PAD,),),
        eos_token_id=EOS,
        pad_token_id=PAD,
        decoder_start_token_id=PAD,
    )
    theirs = transformers.GenerationConfig.from_dict(config.to_dict())
    for name in ("max_new_tokens", "num_beams", "length_penalty", "early_stopping"):
        assert getattr(theirs, name) == getattr(config, name)
    assert theirs.bad_words_ids == [[PAD]]
    assert GenerationConfig.from_dict(theirs.to_dict()) == (config, [])
