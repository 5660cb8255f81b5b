"""`regard.pipeline`; its types are in pipeline.pyi."""

from typing import Any

from regard.tasks.pipelines import Device, Model, Pipeline, opened


def pipeline(
    task: str | None = None,
    model: Model | None = None,
    *,
    device: Device = None,
    **arguments: object,
) -> Pipeline[Any]:
    """Return a pipeline for a task, by the name it had in transformers v4.

    >>> translate = regard.pipeline("translation_en_to_de")
    >>> translate("Where is the station?", max_length=40)
    [{'translation_text': 'Wo ist der Bahnhof?'}]

    Args:
        task: a name in `ARGUMENTS`, "sentiment-analysis", or "translation_XX_to_YY"; None: what the
            model was made for.
        model: a folder, "hub:org/name", or what `regard.load` gave. It may be left out for the
            translations that come with the package.
        device: where to compute; a number is that of a GPU, and -1 the CPU.
        arguments: others that v4 has, those of every call included: the table is in
            docs/howto/pipelines.md.

    Raises:
        BadArgumentError: an unknown task or argument, no model, or an object of another task.
        UnsupportedError: an argument that has no counterpart here; the message says what to write
            instead.
        RegardError: any that `load` raises.
    """
    return opened(task, model, device, arguments)
