"""Tasks: uses of the models, each a class that takes text and gives text."""
