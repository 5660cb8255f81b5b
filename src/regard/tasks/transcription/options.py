"""The options of its use."""

from regard.options import Options, option


class TranscriptionOptions(Options):
    """Options of writing down what is said."""

    language: str | None = option(
        None, "Language that is spoken, such as en.", shown="model's, or the likeliest"
    )
    task: str | None = option(
        None, "Write what is said, or its English translation.", choices=("transcribe", "translate")
    )
    timestamps: bool = option(False, "Also give the segments with their times.")
    no_speech: float = option(
        0.6,
        "Leave out a window that is likelier than this to hold no speech, if its text is unlikely.",
        min=0,
        max=1,
    )
