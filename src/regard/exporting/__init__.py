"""A model as files that run without this package."""
