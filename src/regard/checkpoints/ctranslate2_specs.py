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
    """What the vocabulary and config.json say of tokens.

    Attributes:
        source, target: tokens by their ids.
        settings: CTranslate2's config.json.
    """

    source: Sequence[str]
    target: Sequence[str]
    settings: Mapping[str, Any]

    def of(self, key: str, default: str | None = None) -> int | None:
        """The id of the token that config.json names by a key; None where there is none."""
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
        """The weight, in the file's own format."""
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
        common = self._same(read, written, "layers", "heads")
        tables = [self._embeddings(side) for side in ("encoder", "decoder")]
        sizes = [self._file.shape(table)[0] for table in tables]
        self._check_vocabulary(len(self._ids.source), sizes[0])
        self._check_vocabulary(len(self._ids.target), sizes[1])
        shared = self._file.is_one(*tables)
        zero = self.starts_from_zeros = bool(self._setting(_ZERO, False))
        pads = {self._ids.source.index(p) for p in PADS if p in self._ids.source} & {
            self._ids.target.index(p) for p in PADS if p in self._ids.target
        }
        added = zero or not pads  # a row of zeros behind both tables
        rows = [max(sizes) + 1] * 2 if added else sizes
        pad = rows[1] - 1 if added else min(pads)
        start, eos = self._ids.of("decoder_start_token", "<s>"), self._ids.of("eos_token", "</s>")
        if eos is None:
            raise ValueError(f"the vocabulary lacks {self._ids.settings.get('eos_token', '</s>')}")
        scaled = self._setting("decoder/scale_outputs", 0)
        if scaled and abs(float(scaled) * common["d_model"] ** 0.5 - 1) > 1e-3:
            raise self._lacks("decoder/scale_outputs")
        return EncoderDecoderConfig(
            vocab_size=rows[0],
            target_vocab_size=None if shared else rows[1],
            encoder_layers=read["layers"],
            decoder_layers=written["layers"],
            encoder_heads=read["heads"],
            decoder_heads=written["heads"],
            tied_output=self._is_tied(),
            scale_output=bool(scaled),
            logits_bias=added or "decoder/projection/bias" in self._file,
            pad_id=pad,
            eos_id=eos,
            start_id=pad if zero else eos if start is None else start,
            dropout=0.1,
            **common,
        )

    def _speech(self) -> SpeechConfig:
        read, written = self._stack("encoder"), self._stack("decoder")
        read["positions"], states = "learned", read.pop("max_positions")
        written["scale_embedding"] = read["scale_embedding"] = False
        common = self._same(read, written, "layers", "heads", "max_positions")
        common["max_positions"] = written["max_positions"]
        for name in ("norm_kind", "gated", "attention_bias", "head_dim", "feed_forward_bias"):
            if common[name] != getattr(SpeechConfig, name):
                raise ValueError(f"a Whisper model with {name}={common[name]}")
        vocab = self._file.shape("decoder/embeddings/weight")[0]
        self._check_vocabulary(len(self._ids.target), vocab)
        if self._setting(_ZERO, False):
            raise self._lacks(_ZERO)
        end, start = (self._ids.target.index(f"<|{t}|>") for t in _ENDS)
        return SpeechConfig(
            vocab_size=vocab,
            encoder_layers=read["layers"],
            decoder_layers=written["layers"],
            encoder_heads=read["heads"],
            decoder_heads=written["heads"],
            mel_bins=self._file.shape("encoder/conv1/weight")[1],
            source_positions=states,
            tied_output=self._is_tied(),
            pad_id=end,
            eos_id=end,
            start_id=start,
            **common,
        )

    def _decoder(self) -> DecoderConfig:
        stack = self._stack("decoder")
        vocab = self._file.shape("decoder/embeddings/weight")[0]
        self._check_vocabulary(len(self._ids.target), vocab)
        first = "decoder/layer_0/self_attention"
        heads, keys, norm = stack.pop("heads"), self._key_heads, stack.pop("norm")
        if norm != "pre" or stack.pop("embedding_norm"):
            raise self._lacks(
                "decoder/pre_norm" if norm != "pre" else "decoder/layernorm_embedding"
            )
        if self._setting(_ZERO, False):
            raise self._lacks(_ZERO)
        if stack["positions"] != "rotary":
            stack["positions"] = "learned"
        stack |= self._rotary(first, stack["head_dim"] or stack["d_model"] // heads)
        window = self._setting(
            "decoder/sliding_window", self._setting(f"{first}/sliding_window", 0)
        )
        tied = self._is_tied()
        if "decoder/projection/bias" in self._file:
            raise self._lacks("decoder/projection/bias")
        return DecoderConfig(
            vocab_size=vocab,
            num_layers=stack.pop("layers"),
            num_heads=heads,
            num_key_heads=None if keys == heads else keys,
            attention_output_bias=f"{first}/linear_1/bias" in self._file,
            query_key_norm="head" if f"{first}/q_norm/gamma" in self._file else "none",
            window=int(window) or None,
            tied_output=tied,
            output_cap=self._setting("decoder/final_logit_softcapping") or None,
            bos_id=self._ids.of("bos_token", "<s>"),
            eos_id=self._ids.of("eos_token", "</s>"),
            **stack,
        )

    def _encoder(self) -> EncoderConfig:
        stack = self._stack("encoder")
        vocab = self._file.shape("encoder/embeddings_0/weight")[0]
        self._check_vocabulary(len(self._ids.target), vocab)
        for name, usual in (
            ("score", "scaled_dot"),
            ("head_dim", None),
            ("scale_embedding", False),
        ):
            if stack.pop(name) != usual:
                raise ValueError(f"an encoder whose {name} is not {usual}")
        if stack.pop("positions") == "relative" or self._setting("pooler_activation", 5) != 5:
            raise self._lacks("relative_attention_bias or pooler_activation")
        types = "encoder/embeddings_1/weight"
        if types in self._file and self._setting("encoder/embeddings_merge") != 1:
            raise self._lacks("encoder/embeddings_merge")
        return EncoderConfig(
            vocab_size=vocab,
            num_layers=stack.pop("layers"),
            num_heads=stack.pop("heads"),
            norm_first=stack.pop("norm") == "pre",
            token_types=self._file.shape(types)[0] if types in self._file else None,
            head="pooler" if "pooler_dense/weight" in self._file else "none",
            pad_id=next((self._ids.target.index(p) for p in PADS if p in self._ids.target), None),
            **stack,
        )

    def _stack(self, side: str) -> dict[str, Any]:
        """Fields of one stack of layers, and beside them its "layers" and "heads"."""
        file, first = self._file, f"{side}/layer_0"
        attention = f"{first}/self_attention"
        layer = re.compile(rf"{side}/layer_(\d{{1,4}})/")
        numbers = {int(m[1]) for name in file.variables if (m := layer.match(name))}
        if self._setting(f"{side}/alibi", 0):
            raise self._lacks(f"{side}/alibi")
        if numbers != set(range(len(numbers))):
            raise ValueError(f"it lacks some of the layers of its {side}")
        heads, activation = (
            int(self._setting(f"{side}/{name}", self._setting(name, usual)))
            for name, usual in (("num_heads", 8), ("activation", 3 if self._hears(side) else 0))
        )
        width = file.shape(f"{attention}/linear_0/weight")[1]
        keys = int(self._setting(f"{attention}/num_heads_kv", heads))
        head_dim, rest = divmod(file.shape(f"{attention}/linear_0/weight")[0], heads + 2 * keys)
        if rest or not 0 <= activation < len(ACTIVATIONS) or width > WIDEST:
            raise ValueError(f"{heads} and {keys} heads of {width}, and activation {activation}")
        self._key_heads = keys
        if keys != heads and file.specification != "TransformerDecoderSpec":
            raise self._lacks(f"{attention}/num_heads_kv")
        pre = bool(self._setting(f"{side}/pre_norm", self._setting("pre_norm", True)))
        if pre and f"{side}/layer_norm/gamma" not in file:
            raise UnsupportedError(
                f"a model of CTranslate2 must have {side}/layer_norm, a norm of its last states;"
                f" {file.file} has none. Open the folder that it was converted from."
            )
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

    def _hears(self, side: str) -> bool:
        return side == "encoder" and self._file.specification == "WhisperSpec"

    def _score(self, attention: str, head_dim: int) -> str:
        scale = self._setting(f"{attention}/queries_scale")
        if scale is None or abs(scale * head_dim**0.5 - 1) < 1e-3:
            return "scaled_dot"
        if scale != 1:
            raise self._lacks(f"{attention}/queries_scale")
        return "dot"

    def _scales(self, side: str, width: int) -> bool:
        """A flag, or the number by which embeddings are multiplied."""
        name = f"{side}/scale_embeddings"
        if name not in self._file:
            name = f"{side}/embeddings/multiply_by_sqrt_depth"
        scale = self._setting(name, 1)
        if name not in self._file or self._file.variables[name].dtype == "int8":
            return bool(scale)
        if scale != 1 and abs(scale / width**0.5 - 1) > 1e-3:
            raise self._lacks(name)
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
        kind = self._setting(f"{attention}/rotary_scaling_type", -1)
        if kind not in (-1, 0):
            raise self._lacks(f"{attention}/rotary_scaling_type")
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

    def _same(self, read: Any, written: Any, *others: str) -> dict[str, Any]:
        """The fields of both stacks, which must agree but for `others`; the shorter table of
        positions is for both."""
        longest = [s["max_positions"] for s in (read, written) if "max_positions" in s]
        if longest and "max_positions" not in others:
            read["max_positions"] = written["max_positions"] = min(longest)
        if {read["positions"], written["positions"]} == {"sinusoidal", "learned"}:
            read["positions"] = written["positions"] = "learned"
        for name in read.keys() | written.keys():
            if name not in others and read.get(name) != written.get(name):
                raise UnsupportedError(
                    f"encoder and decoder of {self._file.file} must have the same {name}; they have"
                    f" {read.get(name)} and {written.get(name)}. Open the folder that it was"
                    " converted from."
                )
        return {name: value for name, value in read.items() if name not in others}

    def _embeddings(self, side: str) -> str:
        name = f"{side}/embeddings_0/weight"
        return name if name in self._file else f"{side}/embeddings/weight"

    def _is_tied(self) -> bool:
        table, output = "decoder/embeddings/weight", "decoder/projection/weight"
        self._file.used |= {output, f"{output}_scale"}
        return self._file.is_one(table, output)

    def _check_vocabulary(self, tokens: int, rows: int) -> None:
        if tokens != rows:
            raise ValueError(f"a vocabulary of {tokens} tokens for a table of {rows} rows")

    def _setting(self, name: str, default: Any = None) -> Any:
        return self._file.setting(name, default)

    def _lacks(self, name: str) -> UnsupportedError:
        return UnsupportedError(
            f"{name} of {self._file.file} is not implemented. Open the folder that it was converted"
            " from, or use ctranslate2."
        )

    def _piece(self, name: str, shapes: Mapping[str, tuple[int, ...]]) -> Piece | NDArray[Any]:
        """The place of one of our weights, or the weight itself where the file lacks it."""
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
        """The variable that holds one of our weights, the first row there, and all its rows."""
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
        """A weight that the file leaves out: a bias of zeros, or a table of positions."""
        if theirs == "decoder/projection/bias":
            tokens = len(self._ids.target)
            return np.where(np.arange(shape[0]) < tokens, 0, NEVER).astype(np.float32)
        if theirs.endswith("/bias"):
            return np.zeros(shape, np.float32)
        if theirs.endswith("/position_encodings/encodings"):  # from 1 on, as OpenNMT-tf's
            return np.ascontiguousarray(sinusoids(np, shape[0] + 1, shape[1], spread=True)[1:])
        raise ValueError(f"it has no {theirs}")

    def _check_rest(self) -> None:
        """Refuse a model that has more than its config says."""
        rest = sorted(self._file.variables.keys() - self._file.used)
        if more := [name for name in rest if not _IGNORED.fullmatch(name)]:
            raise self._lacks(more[0])
