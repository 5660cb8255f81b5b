"""Images to labels."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import Kind, Training

if TYPE_CHECKING:
    from regard.tasks.images import task, train, train_options
else:
    task, train, train_options = modules(__name__, "task", "train", "train_options")

TASK = Kind(
    "image-classification",
    "a classifier of images",
    "to classify images",
    "digits, or a ViT model with labels (ViTForImageClassification)",
    ("classify --images", "evaluate", "look", "studio"),
    task=lambda: task.ImageClassifier,
    model="VisionTransformer",
    training=Training(
        "image-classification",
        "Train a classifier of images.",
        "A folder with a sub-folder of images for each label, or an .npz with the arrays"
        " images and labels.",
        lambda: train.ImageClassificationRecipe,
        lambda: train_options.ImageClassificationOptions,
        columns=("image", "label"),
        figures="accuracy, F1, Matthews' correlation, calibration, loss, confusions",
    ),
)
