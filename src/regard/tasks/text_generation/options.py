"""The options of its use."""

from regard.engine.options import WritingOptions
from regard.errors import BadArgumentError
from regard.options import option


class GenerationOptions(WritingOptions):
    """Options of continuing texts."""

    chat: bool = option(False, "Treat each prompt as a message to a chat model.")
    system: str | None = option(None, "Instructions at the beginning of a chat.")
    stop: list[str] | None = option(
        None, "Stop once this has been written; may be given several times."
    )

    def check(self) -> None:
        if self.system is not None and not self.chat:
            raise BadArgumentError("`system` belongs to a chat; add chat=True.")
