"""Tasks: uses of the models, each a class that takes text and gives text."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.tasks import evaluation, kinds, loading, looking, roles
else:
    evaluation, kinds, loading, looking, roles = modules(
        __name__, "evaluation", "kinds", "loading", "looking", "roles"
    )
