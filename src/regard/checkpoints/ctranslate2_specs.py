"""CTranslate2's specifications: the config that a model.bin's settings describe, and which rows of
its variables are our weights.

https://github.com/OpenNMT/CTranslate2/blob/master/python/ctranslate2/specs/transformer_spec.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints.ctranslate2_file import ModelFile
from regard.checkpoints.family import rename
from regard.checkpoints.weights import Scaled
from regard.errors import UnsupportedError
from regard.models.configs.decoder import DecoderConfig
from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.configs.scaling import LinearScaling
from regard.models.configs.speech import SpeechConfig
from regard.models.configs.tables import sinusoids

ACTIVATIONS = ("relu", "gelu_new", "silu", "gelu", "quick_gelu", "tanh")
PADS = ("<pad>", "<blank>", "[PAD]")
NEVER = -1e9  # the logit of a token that CTranslate2's model does not have
# Positions of a model that the file does not limit.
COMPUTED_POSITIONS, ROTARY_POSITIONS = 1024, 4096
# Our names → theirs, without their endings; replaced in this order.
_NAMES = (
    ("embed.every", "encoder/conv1"),
    ("embed.second", "encoder/conv2"),
    ("head.dense", "pooler_dense"),
    (".embed.token_types", "/embeddings_1"),
    (".embed.positions", "/position_encodings"),
    (".embed.norm", "/layernorm_embedding"),
    (".relative_bias.table", "/layer_0/self_attention"),
    (".layers.", "/layer_"),
    (".self_attention_norm", "/self_attention/layer_norm"),
    (".cross_attention_norm", "/attention/layer_norm"),
    (".feed_forward_norm", "/ffn/layer_norm"),
    ("coder.norm", "coder/layer_norm"),
    (".self_attention.", "/self_attention/"),
    (".cross_attention.", "/attention/"),
    ("query_norm", "q_norm"),
    ("key_norm", "k_norm"),
)
_PARTS = ("query", "key", "value")
_ATTENTION = re.compile(r"(.*/(?:self_)?attention)/(query|key|value|output)")
# Settings that do not change what is computed here, or that are read from the shapes.
_IGNORED = re.compile(
    r".*/(alignment_layer|alignment_heads|embeddings_merge|multi_query_attention|num_heads_kv"
    r"|head_dim|scale_alibi|alibi_use_positive_positions|relative_attention_max_distance"
    r"|relative_attention_bias|queries_scale|rotary_\w+|sliding_window|max_position_embeddings)"
    r"|num_heads|pre_norm|activation|with_relative_position"
)
_ENDS = ("endoftext", "startoftranscript")  # of Whisper's texts
_ZERO = "decoder/start_from_zero_embedding"
WIDEST = 2**16  # numbers of a state


@dataclass(frozen=True)
class Ids:
    """Tokens, as the vocabulary and config.json name them.

    Attributes:
        source, target: tokens by their ids.
        settings: CTranslate2's config.json.
    """

    settings: Mapping[str, Any]
    source: Sequence[str]
    target: Sequence[str]

    def of(self, key: str, default: str | None = None) -> int | None:
        """Return the id of the token under a key of config.json; None if the key is missing."""
        token = self.settings.get(key, default)
        return self.target.index(token) if token in self.target else None


@dataclass(frozen=True)
class Piece:
    """Place of one of our weights: rows of a variable.

    Attributes:
        shape: of our weight, whose rows behind the variable's are `fill`.
        first: row of the variable.
        heads: whose pairs of rows take turns in the first `rotated` of each; 0: none do.
    """

    name: str
    shape: tuple[int, ...]
    first: int = 0
    fill: float = 0.0
    heads: int = 0
    rotated: int = 0

    def read(self, file: ModelFile) -> NDArray[Any] | Scaled:
        """Return the weight, in the file's own format."""
        numbers = file.numbers(self.name, slice(self.first, self.first + self.shape[0]))
        if isinstance(numbers, Scaled):
            return Scaled(self._whole(numbers.integers, 0), self._whole(numbers.scales, 1))
        return self._whole(numbers, self.fill)

    def _whole(self, rows: NDArray[Any], fill: float) -> NDArray[Any]:
        if self.heads:
            order = np.arange(self.shape[0]).reshape(self.heads, -1)
            pairs = order[:, : self.rotated].reshape(self.heads, -1, 2).swapaxes(1, 2)
            order[:, : self.rotated] = pairs.reshape(self.heads, -1)
            rows = rows[order.reshape(-1)]
        if more := self.shape[0] - len(rows):
            rows = np.concatenate([rows, np.full((more, *rows.shape[1:]), fill, rows.dtype)])
        return rows


class Described:
    """The config and the weights' places of a model.bin.

    Raises:
        UnsupportedError: a specification, a setting or a variable that regard lacks.
        LookupError, TypeError, ValueError: a malformed file.
    """

    def __init__(self, file: ModelFile, ids: Ids):
        self._file, self._ids = file, ids
        kinds = {
            "TransformerSpec": self._encoder_decoder,
            "WhisperSpec": self._speech,
            "TransformerDecoderSpec": self._decoder,
            "TransformerEncoderSpec": self._encoder,
        }
        if file.specification not in kinds:
            raise UnsupportedError(
                f"{file.file} must be a {', '.join(kinds)} of CTranslate2; it is a"
                f" {file.specification}. Open the folder that it was converted from."
            )
        self.config: Any = kinds[file.specification]()
        shapes = self.config.shapes()
        self.pieces = {name: self._piece(name, shapes) for name in shapes}
        self._check_rest()

    def _encoder_decoder(self) -> EncoderDecoderConfig:
        read, written = self._stack("encoder"), self._stack("decoder")
        tables = [self._embeddings(side) for side in ("encoder", "decoder")]
        tokens = self._ids.source, self._ids.target
        sizes = [self._rows(*pair) for pair in zip(tables, tokens, strict=True)]
        shared, zero = self._file.is_one(*tables), bool(self._setting(_ZERO, False))
        pads = set.intersection(*({names.index(p) for p in PADS if p in names} for names in tokens))
        added = zero or not pads  # a row of zeros behind both tables
        rows = [max(sizes) + 1] * 2 if added else sizes
        pad = rows[1] - 1 if added else min(pads)
        start, eos = self._ids.of("decoder_start_token", "<s>"), self._ids.of("eos_token", "</s>")
        if eos is None:
            raise ValueError("the vocabulary lacks the end of a sentence")
        scaled = float(self._setting("decoder/scale_outputs", 0))
        close = abs(scaled * written["d_model"] ** 0.5 - 1) < 1e-3
        self._check("decoder/scale_outputs", scaled == 0 or close)
        self.starts_from_zeros = zero
        return EncoderDecoderConfig(
            vocab_size=rows[0],
            target_vocab_size=None if shared else rows[1],
            tied_output=self._is_tied(),
            scale_output=scaled != 0,
            logits_bias=added or "decoder/projection/bias" in self._file,
            pad_id=pad,
            eos_id=eos,
            start_id=pad if zero else eos if start is None else start,
            dropout=0.1,
            **self._both(read, written),
        )

    def _speech(self) -> SpeechConfig:
        read, written = self._stack("encoder"), self._stack("decoder")
        states = read["max_positions"]
        read |= {name: written[name] for name in ("positions", "max_positions", "scale_embedding")}
        fields = self._both(read, written)
        for name in ("norm_kind", "gated", "attention_bias", "head_dim", "scale_embedding"):
            self._check(f"{name} {fields[name]}", fields[name] == getattr(SpeechConfig, name))
        self._check(_ZERO, not self._setting(_ZERO, False))
        end, start = (self._ids.target.index(f"<|{token}|>") for token in _ENDS)
        return SpeechConfig(
            vocab_size=self._rows("decoder/embeddings/weight", self._ids.target),
            mel_bins=self._file.shape("encoder/conv1/weight")[1],
            source_positions=states,
            tied_output=self._is_tied(),
            pad_id=end,
            eos_id=end,
            start_id=start,
            **fields,
        )

    def _decoder(self) -> DecoderConfig:
        stack, file, first = self._stack("decoder"), self._file, "decoder/layer_0/self_attention"
        heads, keys = stack.pop("heads"), self._key_heads
        self._check("decoder/pre_norm", stack.pop("norm") == "pre")
        self._check("decoder/layernorm_embedding", not stack.pop("embedding_norm"))
        self._check(_ZERO, not self._setting(_ZERO, False))
        self._check("decoder/projection/bias", "decoder/projection/bias" not in file)
        self._check("relative_attention_bias", stack["positions"] != "relative")
        if stack["positions"] == "sinusoidal":
            stack["positions"] = "learned"
        stack |= self._rotary(first, stack["head_dim"] or stack["d_model"] // heads)
        window = self._setting(f"{first}/sliding_window", 0)
        return DecoderConfig(
            vocab_size=self._rows("decoder/embeddings/weight", self._ids.target),
            num_layers=stack.pop("layers"),
            num_heads=heads,
            num_key_heads=None if keys == heads else keys,
            attention_output_bias=f"{first}/linear_1/bias" in file,
            query_key_norm="head" if f"{first}/q_norm/gamma" in file else "none",
            window=self._setting("decoder/sliding_window", window) or None,
            tied_output=self._is_tied(),
            output_cap=self._setting("decoder/final_logit_softcapping"),
            bos_id=self._ids.of("bos_token", "<s>"),
            eos_id=self._ids.of("eos_token", "</s>"),
            **stack,
        )

    def _encoder(self) -> EncoderConfig:
        stack, types = self._stack("encoder"), "encoder/embeddings_1/weight"
        usual = {"score": "scaled_dot", "head_dim": None, "scale_embedding": False}
        for name, value in usual.items():
            self._check(f"{name} {stack[name]}", stack.pop(name) == value)
        positions = stack.pop("positions")
        self._check(f"{positions} positions", positions in ("learned", "sinusoidal"))
        self._check("pooler_activation", self._setting("pooler_activation", 5) == 5)
        has_types, merges = types in self._file, self._setting("encoder/embeddings_merge")
        self._check("encoder/embeddings_merge", not has_types or merges == 1)
        pads = [self._ids.target.index(p) for p in PADS if p in self._ids.target]
        return EncoderConfig(
            vocab_size=self._rows("encoder/embeddings_0/weight", self._ids.target),
            num_layers=stack.pop("layers"),
            num_heads=stack.pop("heads"),
            norm_first=stack.pop("norm") == "pre",
            token_types=self._file.shape(types)[0] if has_types else None,
            head="pooler" if "pooler_dense/weight" in self._file else "none",
            pad_id=pads[0] if pads else None,
            **stack,
        )

    def _stack(self, side: str) -> dict[str, Any]:
        """Fields of one stack of layers, and beside them its "layers" and "heads"."""
        file, first = self._file, f"{side}/layer_0"
        attention, of_sound = f"{first}/self_attention", side == "encoder" and self._is_speech
        layer = re.compile(rf"{side}/layer_(\d{{1,4}})/")
        numbers = {int(m[1]) for name in file.variables if (m := layer.match(name))}
        if numbers != set(range(len(numbers))):
            raise ValueError(f"it lacks some of the layers of its {side}")
        heads, activation, pre = (
            int(self._setting(f"{side}/{name}", self._setting(name, usual)))
            for name, usual in (("num_heads", 8), ("activation", 3 * of_sound), ("pre_norm", 1))
        )
        outputs, width = file.shape(f"{attention}/linear_0/weight")
        keys = self._key_heads = int(self._setting(f"{attention}/num_heads_kv", heads))
        head_dim, rest = divmod(outputs, heads + 2 * keys)
        if rest or not 0 <= activation < len(ACTIVATIONS) or width > WIDEST:
            raise ValueError(f"{heads} and {keys} heads of {width}, and activation {activation}")
        alone = file.specification == "TransformerDecoderSpec"
        self._check(f"{attention}/num_heads_kv", keys == heads or alone)
        self._check(f"{side}/alibi", not self._setting(f"{side}/alibi", False))
        self._check(f"{side} without layer_norm", f"{side}/layer_norm/gamma" in file or not pre)
        rms = f"{attention}/layer_norm/beta" not in file
        eps = self._ids.settings.get("layer_norm_epsilon")
        return {
            "layers": len(numbers),
            "heads": heads,
            "d_model": width,
            "d_ff": file.shape(f"{first}/ffn/linear_0/weight")[0],
            "head_dim": None if head_dim * heads == width else head_dim,
            "norm": "pre" if pre else "post",
            "norm_kind": "rms" if rms else "layer",
            "norm_eps": (1e-6 if rms else 1e-5) if eps is None else float(eps),
            "activation": ACTIVATIONS[activation],
            "gated": f"{first}/ffn/linear_0_noact/weight" in file,
            "feed_forward_bias": any(f"{first}/ffn/linear_{i}/bias" in file for i in (0, 1)),
            "attention_bias": f"{attention}/linear_0/bias" in file,
            "score": self._score(attention, head_dim),
            "scale_embedding": self._scales(side, width),
            "embedding_norm": f"{side}/layernorm_embedding/gamma" in file,
            **self._positions(side, width),
        }

    def _score(self, attention: str, head_dim: int) -> str:
        scale = self._setting(f"{attention}/queries_scale")
        usual = scale is None or abs(scale * head_dim**0.5 - 1) < 1e-3
        self._check(f"{attention}/queries_scale", usual or scale == 1)
        return "scaled_dot" if usual else "dot"

    def _scales(self, side: str, width: int) -> bool:
        """Return a flag, or the number by which embeddings are multiplied."""
        new, old = f"{side}/scale_embeddings", f"{side}/embeddings/multiply_by_sqrt_depth"
        name = new if new in self._file else old
        scale = self._setting(name, True)
        if name not in self._file or self._file.variables[name].dtype == "int8":
            return bool(scale)
        self._check(name, scale == 1 or abs(scale / width**0.5 - 1) < 1e-3)
        return bool(scale != 1)

    def _positions(self, side: str, width: int) -> dict[str, Any]:
        file, attention = self._file, f"{side}/layer_0/self_attention"
        if (bias := f"{attention}/relative_attention_bias") in file:
            distance = int(self._setting(f"{attention}/relative_attention_max_distance"))
            buckets = {"relative_buckets": file.shape(bias)[0], "relative_distance": distance}
            return {"positions": "relative", **buckets}
        if f"{attention}/rotary_dim" in file:
            return {"positions": "rotary", "max_positions": ROTARY_POSITIONS}
        table = f"{side}/position_encodings/encodings"
        if table not in file:
            return {"positions": "learned", "max_positions": COMPUTED_POSITIONS}
        stored = file.stored(file.variables[table])
        sines = stored.dtype == np.float32 and stored.shape[1] == width and width % 2 == 0
        sines = sines and np.allclose(stored, sinusoids(np, len(stored), width), 0, 1e-6)
        return {"positions": "sinusoidal" if sines else "learned", "max_positions": len(stored)}

    def _rotary(self, attention: str, head_dim: int) -> dict[str, Any]:
        if f"{attention}/rotary_dim" not in self._file:
            return {}
        kind = f"{attention}/rotary_scaling_type"
        self._check(kind, self._setting(kind, -1) in (-1, 0))
        factor = self._setting(f"{attention}/rotary_scaling_factor", 1)
        size = int(self._setting(f"{attention}/rotary_dim")) or head_dim
        self._rotated = size if self._setting(f"{attention}/rotary_interleave", True) else 0
        return {
            "rotary_theta": float(self._setting(f"{attention}/rotary_base", 10000.0)),
            "rotary_share": size / head_dim,
            "rotary_scaling": None if factor == 1 else LinearScaling(float(factor)),
        }

    starts_from_zeros = False  # True where the decoder's first token has no vector
    _rotated = 0  # numbers of a head that are rotated in pairs of neighbors

    @property
    def _is_speech(self) -> bool:
        return self._file.specification == "WhisperSpec"

    def _both(self, read: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of both stacks, which must agree but for the number of layers and
        heads; the shorter table of positions is for both."""
        sides = {
            f"{side}_{name}": stack.pop(name)
            for side, stack in (("encoder", read), ("decoder", written))
            for name in ("layers", "heads")
        }
        if "max_positions" in read.keys() & written.keys():
            longest = min(read["max_positions"], written["max_positions"])
            read["max_positions"] = written["max_positions"] = longest
        if {read["positions"], written["positions"]} == {"sinusoidal", "learned"}:
            read["positions"] = written["positions"] = "learned"
        for name in read.keys() | written.keys():
            if read.get(name) != written.get(name):
                raise UnsupportedError(
                    f"encoder and decoder of {self._file.file} must have the same {name}; they have"
                    f" {read.get(name)} and {written.get(name)}. Open the folder that it was"
                    " converted from."
                )
        return written | sides

    def _embeddings(self, side: str) -> str:
        name = f"{side}/embeddings_0/weight"
        return name if name in self._file else f"{side}/embeddings/weight"

    def _is_tied(self) -> bool:
        table, output = "decoder/embeddings/weight", "decoder/projection/weight"
        self._file.used |= {output, f"{output}_scale"}
        return self._file.is_one(table, output)

    def _rows(self, table: str, tokens: Sequence[str]) -> int:
        """Rows of a table of vectors, one for each token."""
        rows = self._file.shape(table)[0]
        if len(tokens) != rows:
            raise ValueError(f"a vocabulary of {len(tokens)} tokens for a table of {rows} rows")
        return rows

    def _setting(self, name: str, default: object = None) -> Any:
        return self._file.setting(name, default)

    def _check(self, name: str, fits: bool) -> None:
        """Raise UnsupportedError for a setting, or a variable, that does not fit."""
        if not fits:
            raise UnsupportedError(
                f"{name} of {self._file.file} is not implemented. Open the folder that it was"
                " converted from, or use ctranslate2."
            )

    def _piece(self, name: str, shapes: Mapping[str, tuple[int, ...]]) -> Piece | NDArray[Any]:
        """Return the place of one of our weights, or the weight itself where the file lacks it."""
        shape, config, file = shapes[name], self.config, self._file
        theirs, first, total = self._name(name, shapes)
        file.used |= {theirs, f"{theirs}_scale"}
        if theirs not in file:
            return self._made(theirs, shape)
        rows, *others = file.shape(theirs)
        grows = name.endswith(("embed.tokens.weight", "output.weight", "logits_bias"))
        cut = theirs.endswith("/encodings") and rows > shape[0]
        if others != [*shape[1:]] or not (cut or rows == total or (grows and rows < total)):
            raise ValueError(f"{theirs} is {file.shape(theirs)}, for {name} of {shape}")
        piece = Piece(theirs, shape, first, fill=NEVER if name == "logits_bias" else 0.0)
        if name.endswith("value.bias") and config.key_bias is False:
            keys = Piece(theirs, shape, first - shape[0]).read(file)
            if np.asarray(keys).any():
                raise ValueError(f"{theirs} has numbers for keys, which have no bias")
        if self._rotated and re.search(r"\.(query|key)\.(weight|bias)$", name):
            heads = config.num_heads if ".query." in name else self._key_heads
            return replace(piece, heads=heads, rotated=self._rotated)
        return piece

    def _name(self, name: str, shapes: Mapping[str, tuple[int, ...]]) -> tuple[str, int, int]:
        """Return the variable that holds one of our weights, the first row there, and all its
        rows."""
        path, _, kind = name.rpartition(".")
        rows = shapes[name][0]
        if name == "logits_bias" or path == "output":
            return f"decoder/projection/{kind if path else 'bias'}", 0, rows
        if path.startswith("embed.") and not path.endswith(("every", "second")):
            path = f"encoder.{path}"
        if path.endswith(".embed.tokens"):
            return self._embeddings(path.partition(".")[0]), 0, rows
        stem = rename(path, _NAMES)
        if match := _ATTENTION.fullmatch(stem):
            layer = path.removesuffix(match[2])
            parts = {part: shapes[f"{layer}{part}.weight"][0] for part in _PARTS}
            cross = match[1].endswith("/attention")
            if match[2] == "output":
                return f"{match[1]}/linear_{1 + cross}/{kind}", 0, rows
            joined = (["query"], ["key", "value"]) if cross else (["query", "key", "value"],)
            number = next(n for n, those in enumerate(joined) if match[2] in those)
            before = joined[number][: joined[number].index(match[2])]
            total = sum(parts[part] for part in joined[number])
            first = sum(parts[part] for part in before)
            return f"{match[1]}/linear_{number}/{kind}", first, total
        if match := re.fullmatch(r"(.*)\.feed_forward\.(gate|inner|outer)", stem):
            gated = "_noact" if match[2] == "inner" and self.config.gated else ""
            return f"{match[1]}/ffn/linear_{int(match[2] == 'outer')}{gated}/{kind}", 0, rows
        if stem.endswith("norm") or "layernorm" in stem:
            kind = {"weight": "gamma", "bias": "beta"}[kind]
        elif stem.endswith("position_encodings"):
            kind = "encodings"
        elif path.endswith("relative_bias.table"):
            kind = "relative_attention_bias"
        return f"{stem}/{kind}", 0, rows

    def _made(self, theirs: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return a weight that the file leaves out: a bias of zeros, or a table of positions."""
        if theirs == "decoder/projection/bias":
            tokens = len(self._ids.target)
            return np.where(np.arange(shape[0]) < tokens, 0, NEVER).astype(np.float32)
        if theirs.endswith("/bias"):
            return np.zeros(shape, np.float32)
        if theirs.endswith("/position_encodings/encodings"):  # from 1 on, as OpenNMT-tf's
            return np.ascontiguousarray(sinusoids(np, shape[0] + 1, shape[1], spread=True)[1:])
        raise ValueError(f"it has no {theirs}")

    def _check_rest(self) -> None:
        """Refuse a model that has more than its config says, or whose attentions differ."""
        for name in sorted(self._file.variables.keys() - self._file.used):
            first = re.sub(r"layer_\d+/(?:self_)?attention/", "layer_0/self_attention/", name)
            same = first in self._file and self._file.is_one(first, name)
            self._check(name, same and _IGNORED.fullmatch(name) is not None)
