"""What is wrong with a model folder: its files, its settings, and what it computes."""
