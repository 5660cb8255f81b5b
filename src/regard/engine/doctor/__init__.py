"""Checks of a model folder: its files, its settings, and what it computes."""
