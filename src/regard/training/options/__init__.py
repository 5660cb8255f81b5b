"""The options of training, each with its only default and its help."""
