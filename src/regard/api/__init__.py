"""Functions by the name of a model or of a task: load, pipeline, train, look."""
