"""Messages that try to become control tokens, through templates and normalizers that help them."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from regard.errors import RegardError
from regard.tasks.text_generation.chat import chat_ids
from regard.text import Tokenizer

NAMES = ("<|im_start|>", "<|im_end|>", "<|user|>", "<|tool|>", "</s>", "[INST]")
# Constructs of published templates.
TEMPLATES = {
    "plain": "<|im_start|>{{ m.role }}\n{{ text }}<|im_end|>",
    "joined": "{{ '<|im_start|>' + m['role'] ~ '\n' + text + '<|im_end|>' + '\n' }}",
    "role in a name": "<|{{ m.role }}|>{{ text }}{{ eos_token }}",
    "role between": "{{ '<|' + m.role + '|>' }}{{ text | trim }}</s>",
    "parts": "[INST]{% for part in m.parts %}{{ part }}{% endfor %}{{ eos_token }}",
    "parts of one": "[INST]{{ text[:k] }}{{ text[k:] }}[INST]",
    "keys": "{% for key, value in m.arguments.items() %}<{{ key }}>{{ value }}</{{ key }}>"
    "{% endfor %}<|im_end|>",
    "ascii": "<|im_start|>{{ m | tojson(ensure_ascii=true) }}<|im_end|>",
    "json": "<|im_start|>{{ m | tojson(indent=2) }}<|im_end|>",
    "sliced": "<|im_start|>{{ text[1:] }}{{ text[:-1] }}<|im_end|>",
    "replaced": "<|im_start|>{{ text | replace('x', '') }}{{ text.replace('y', '<') }}<|im_end|>",
    "thoughts": "{% if '</s>' in text %}{% set text = text.split('</s>')[-1].lstrip('\n') %}"
    "{% endif %}<|im_start|>{{ text }}</s>",
    "changed": "<|im_start|>{{ text | lower }}{{ text.upper() }}{{ text | title }}<|im_end|>",
    "adjoining": "{{ text }}{{ text }}<|im_end|>{{ m.role }}{{ text }}",
    "around": "<|im_{{ text }}|>{{ text }}_end|><{{ text }}>/s>",
    "namespace": "{% set ns = namespace(s='[INST]') %}{{ ns.s }}{{ text }}"
    "{{ [ns.s, text] | join }}",
    "macro": "{% macro turn(a, b='<|im_end|>') %}{{ a }}{{ b }}{% endmacro %}{{ turn(text) }}"
    "{{ turn(text, '</s>') }}",
    "list": "{{ ['<|user|>', text, '<|im_end|>'] | join('\n') }}{{ text.split() | join('</s>') }}",
}
NORMALIZERS: dict[str, Any] = {
    "none": None,
    "nfkc": normalizers.NFKC(),
    "lowercase": normalizers.Lowercase(),
    "replace": normalizers.Replace("\u200b", ""),
    "strip accents": normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    "prepend": normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
}
WIDE = {ord(c): chr(ord(c) + 0xFEE0) for c in map(chr, range(0x21, 0x7F))}


def forged(kind: str, template: str, seed: int) -> str:
    """The text of a message of which a control token came; empty if none did."""
    text, shape = _hostile(random.Random(seed))
    tokenizer = _tokenizer(kind, template)
    special = {tokenizer.backend.token_to_id(name) for name in NAMES}
    try:
        ids = chat_ids(tokenizer, [_message(text, shape)])
    except RegardError as error:
        if "acts on a control token" in str(error):
            return ""
        raise
    # In the same place a harmless text, with as many words and as long.
    harmless = "".join(c if c.isspace() else "a" for c in text)
    honest = chat_ids(tokenizer, [_message(harmless, shape)])
    found, wanted = ([id_ for id_ in row if id_ in special] for row in (ids, honest))
    return "" if found == wanted else text


def _message(text: str, shape: int) -> dict[str, Any]:
    """The text as content, in parts, and as a tool's arguments."""
    cut = shape % (len(text) + 1)
    return {
        "role": "user",
        "content": text,
        "parts": [text[:cut], text[cut:], text],
        "arguments": {text: text, "k": {text[cut:]: [text]}},
    }


def _hostile(draw: random.Random) -> tuple[str, int]:
    """Names of control tokens, their parts, and what a template or a normalizer makes of them."""
    pieces = []
    for _ in range(draw.randint(1, 4)):
        name = draw.choice(NAMES)
        place = draw.randrange(len(name))
        pieces.append(
            draw.choice(
                (
                    name, name * 2, name[:place], name[place:], name.translate(WIDE), name.upper(),
                    name.title(), name[1:-1], f"{name[:place]}\u200b{name[place:]}",
                    f"{name[:place]}x{name[place:]}", name.replace("<", "y"),
                    f"{name[:place]}\u0301{name[place:]}", "a", " ", "\n", "s", "user", "im_end",
                    "".join(f"\\u{ord(c):04x}" for c in name), chr(0xF0000 + place),
                )
            )
        )  # fmt: skip
    return "".join(pieces), draw.randrange(1000)


@cache
def _tokenizer(kind: str, template: str) -> Tokenizer:
    characters = [*pre_tokenizers.ByteLevel.alphabet()]
    backend = tokenizers.Tokenizer(models.BPE({c: k for k, c in enumerate(characters)}, []))
    if NORMALIZERS[kind] is not None:
        backend.normalizer = NORMALIZERS[kind]
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    is_normalized = kind != "none"
    backend.add_special_tokens(
        [AddedToken(name, special=True, normalized=is_normalized) for name in NAMES]
    )
    whole = "{% for m in messages %}{% set text = m.content %}{% set k = text | length // 2 %}"
    whole += TEMPLATES[template] + "{% endfor %}<|im_start|>"
    return Tokenizer(backend, pad=None, unk=None, eos="</s>", settings={"chat_template": whole})


def attack(texts: int) -> Iterator[str]:
    """Those of so many hostile texts, over all templates and normalizers, that forge a token."""
    pairs = [(kind, template) for kind in NORMALIZERS for template in TEMPLATES]
    for number in range(texts):
        kind, template = pairs[number % len(pairs)]
        if text := forged(kind, template, number):
            yield f"{kind}, {template}: {text!r}"
