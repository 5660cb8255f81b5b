"""The tasks that can be trained: what each needs and gives, and where its recipe is."""

from pkgutil import resolve_name
from typing import Any, NamedTuple

_TEXT = "Text: a file or folder; JSON lines, CSV, Parquet; also .gz."


class TrainableTask(NamedTuple):
    """A task that can be trained; its classes are named `module:class`, imported when needed."""

    summary: str
    data: str  # what it is trained on
    recipe: str  # a `Recipe`
    options: str  # the `RunOptions` of that recipe
    task: str  # what loads the result: a name in catalog.LOADED
    layout: str = "Hugging Face's"  # of the result

    def recipe_class(self) -> Any:
        return resolve_name(self.recipe)

    def options_class(self) -> Any:
        return resolve_name(self.options)


TRAINABLE = {
    "translation": TrainableTask(
        "Train a translator on sentence pairs.",
        "Files of sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz. Of several target"
        " languages, de=FILE hi=FILE.",
        "regard.translation.training:TranslationRecipe",
        "regard.translation.options:TrainingOptions",
        "translation",
    ),
    "classification": TrainableTask(
        "Train a classifier of texts, or of pairs of texts.",
        "Texts with labels: TSV, CSV, JSON lines, Parquet; also .gz.",
        "regard.recipes.labels.classification:ClassificationRecipe",
        "regard.recipes.options.encoders:ClassificationOptions",
        "text-classification",
    ),
    "image-classification": TrainableTask(
        "Train a classifier of images.",
        "A folder with a sub-folder of images for each label, or an .npz with the arrays images and"
        " labels.",
        "regard.recipes.labels.image_classification:ImageClassificationRecipe",
        "regard.recipes.options.images:ImageClassificationOptions",
        "image-classification",
    ),
    "summarization": TrainableTask(
        "Train a model that summarizes documents, or rewrites any text as another.",
        "Documents with summaries: JSON lines, CSV, TSV, Parquet; also .gz.",
        "regard.recipes.summaries.summarization:SummarizationRecipe",
        "regard.recipes.options.sequences:SummarizationOptions",
        "summarization",
    ),
    "language-model": TrainableTask(
        "Train a language model, which continues a text, on running text.",
        _TEXT,
        "regard.recipes.language.language_model:LanguageModelRecipe",
        "regard.recipes.options.language:LanguageModelOptions",
        "text-generation",
    ),
    "masked-language-model": TrainableTask(
        "Train an encoder on running text, from which other tasks start (--from).",
        _TEXT,
        "regard.recipes.language.masked_language_model:MaskedLanguageModelRecipe",
        "regard.recipes.options.language:MaskedLanguageModelOptions",
        "fill-mask",
    ),
    "token-classification": TrainableTask(
        "Train a model that labels words: named entities, parts of speech.",
        "Sentences in columns (CoNLL), JSON lines or Parquet with words and labels, or with texts"
        " and spans; also .gz.",
        "regard.recipes.tokens.token_classification:TokenClassificationRecipe",
        "regard.recipes.options.encoders:TokenClassificationOptions",
        "token-classification",
    ),
    "question-answering": TrainableTask(
        "Train a model that finds the answer to a question in a text.",
        "Questions with contexts and answers: SQuAD's JSON, or TSV, CSV, JSON lines, Parquet; also"
        " .gz.",
        "regard.recipes.answers.question_answering:QuestionAnsweringRecipe",
        "regard.recipes.options.encoders:QuestionAnsweringOptions",
        "question-answering",
    ),
    "embedding": TrainableTask(
        "Train a model that turns texts into vectors, close where the texts belong together.",
        "Pairs of texts that belong together, or with a score: TSV, CSV, JSON lines, Parquet; also"
        " .gz.",
        "regard.recipes.vectors.embedding:EmbeddingRecipe",
        "regard.recipes.options.encoders:EmbeddingOptions",
        "feature-extraction",
        layout="sentence-transformers'",
    ),
}
