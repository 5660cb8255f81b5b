"""The two tokenizers of a translator, which may be one and the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from regard.json_files import JsonFiles
from regard.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class TokenizerPair:
    """The tokenizers of the two sides; one and the same object when the vocabulary is joint.

    >>> from regard.text import train_tokenizer
    >>> tokenizer = train_tokenizer(["the old man sees the red house"] * 20, vocab_size=400)
    >>> TokenizerPair(tokenizer, tokenizer).joint
    True
    """

    source: Tokenizer
    target: Tokenizer

    @property
    def joint(self) -> bool:
        return self.source is self.target

    def for_tables(self, source: int, target: int) -> TokenizerPair:
        """Return the same for a model with so many vectors; see `Tokenizer.for_table`."""
        read = self.source.for_table(source)
        if self.joint and source == target:
            return TokenizerPair(read, read)
        return TokenizerPair(read, self.target.for_table(target))

    def save(self, folder: str | Path) -> None:
        """Write tokenizer.json, and target_tokenizer.json where the target has its own."""
        self.source.save(folder)
        target = Path(folder) / "target_tokenizer.json"
        if self.joint:
            target.unlink(missing_ok=True)  # left by an earlier, separate pair
        else:
            self.target.save(folder, name=target.name)

    @classmethod
    def load(cls, folder: str | Path, *, files: JsonFiles | None = None) -> TokenizerPair:
        """Open the tokenizer or the two tokenizers of a model folder.

        Args:
            files: the folder's JSON, if some of it has been read already.
        """
        folder = Path(folder)
        files = files or JsonFiles(folder)
        source = Tokenizer.load(folder, files=files)
        if (folder / "target_tokenizer.json").is_file():
            return cls(source, Tokenizer.load(folder / "target_tokenizer.json", files=files))
        if (folder / "target.spm").is_file() and not (folder / "tokenizer.json").is_file():
            return cls(source, Tokenizer.load(folder, side="target", files=files))
        return cls(source, source)
