"""Models that a page may ask for by name, and their places."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from regard.checkpoints import hub
from regard.errors import BadArgumentError, NotFoundError, unknown
from regard.studio.requests import Offer


class Shelf:
    """Models by the names that a page shows.

    A name that comes with a request is looked up among those that the server's owner offers, and is
    never taken for a path.

    Args:
        models: shipped names, folders and hub:org/name, as the owner named them.
        cache: offer the models of the Hugging Face Hub that are in the local cache.
        download: fetch any model of the Hugging Face Hub that a page names.
    """

    def __init__(
        self, models: Sequence[str | Path], *, cache: bool = False, download: bool = False
    ) -> None:
        self._places: dict[str, str] = {}
        self._download = download
        self._cache = cache or download
        for place in dict.fromkeys(map(str, models)):
            name = hub.short_name(place)
            self._places[place if name in self._places else name] = place

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def place(self, name: str) -> str:
        """The place of the model of a name. Raises BadArgumentError for one that is not offered."""
        if name not in self._places:
            raise unknown("model", name[:80], self._places)
        return self._places[name]

    def offer(self) -> Offer:
        """Models that a page may open besides those that it lists."""
        others = hub.cached_names() if self._cache else []
        return Offer([name for name in others if name not in self._places], self._download)

    def open(self, name: str) -> None:
        """Puts a model of the hub's cache, or of the hub, among those that a page lists."""
        if name in self._places:
            return
        if self._cache and name in self.offer().cached:
            folder = hub.cached(name)
            if folder is None:
                raise NotFoundError(f"{name} is no longer in the cache; fetch it again.")
        elif self._download and hub.is_id(name):
            folder = hub.download(name)
        else:
            raise BadArgumentError(self._refusal(name[:200]))
        self._places[name] = str(folder)

    def close(self, name: str) -> None:
        """Takes a model from those that a page lists."""
        self._places.pop(name, None)

    def _refusal(self, name: str) -> str:
        if hub.is_id(name):
            return (
                f"{name} is not offered here; to fetch it from the Hugging Face Hub, start the page"
                f" with: regard studio --download {name}"
            )
        return (
            "this page cannot open a folder by itself; in a terminal, run:"
            f" regard studio {shlex.quote(name)}"
        )
