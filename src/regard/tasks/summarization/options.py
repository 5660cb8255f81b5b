"""The options of its use."""

from regard.engine.options import RewritingOptions
from regard.options import option


class SummarizationOptions(RewritingOptions):
    """Options of summarizing."""

    prefix: str | None = option(
        None, "Text to put before every text, such as T5's 'summarize: '.", shown="model's"
    )
