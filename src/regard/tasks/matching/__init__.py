"""Images to the texts that fit them."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import Input, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.matching import command, options, route, score, task, train, train_options
else:
    command, options, route, score, task, train, train_options = modules(
        __name__, "command", "options", "route", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "zero-shot-image-classification",
    "a model of images and texts",
    "to compare images with texts",
    "a CLIP or SigLIP model",
    ("evaluate", "look", "studio", "serve"),
    task=lambda: task.Matcher,
    model="DualEncoder",
    verb="match",
    help="Say which of several texts fits an image.\n\nOne line in, the name of an image file"
    " or of a folder of them; one line out: the text that fits best and its probability,"
    " separated by a tab. Each image of a folder has a line, which begins with its name.",
    inputs=(Input("image", "the image: a file, or data:image/…;base64,…"),),
    options=lambda: options.MatchingOptions,
    result=lambda: task.Match,
    batch_size=8,
    shard=100,
    route=lambda: route.ROUTE,
    command=lambda: command.Match,
    training=Training(
        "matching",
        "Train a model of images and texts further, on images with captions.",
        "Image files with texts: TSV, CSV, JSON lines, Parquet; also .gz.",
        lambda: train.MatchingRecipe,
        lambda: train_options.MatchingOptions,
        lambda: score.MatchEvaluator,
        columns=("image", "text"),
        figures="recall of texts and of images, and reciprocal rank",
    ),
)
