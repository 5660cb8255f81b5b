"""The two tokenizers of a translator, which may be one and the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from regard.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class TokenizerPair:
    """The tokenizers of the two sides; one and the same object when the vocabulary is joint."""

    source: Tokenizer
    target: Tokenizer

    @property
    def joint(self) -> bool:
        return self.source is self.target

    def save(self, folder: str | Path) -> None:
        """Write tokenizer.json, and target_tokenizer.json where the target has its own."""
        self.source.save(folder)
        target = Path(folder) / "target_tokenizer.json"
        if self.joint:
            target.unlink(missing_ok=True)  # left by an earlier, separate pair
        else:
            self.target.save(folder, name=target.name)

    @classmethod
    def load(cls, folder: str | Path) -> TokenizerPair:
        """Open the tokenizer or the two tokenizers of a model folder."""
        folder = Path(folder)
        source = Tokenizer.load(folder)
        if (folder / "target_tokenizer.json").is_file():
            return cls(source, Tokenizer.load(folder / "target_tokenizer.json"))
        if (folder / "target.spm").is_file() and not (folder / "tokenizer.json").is_file():
            return cls(source, Tokenizer.load(folder, side="target"))
        return cls(source, source)
