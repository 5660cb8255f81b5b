"""Configs: a model besides its weights, as data, which needs no torch."""
