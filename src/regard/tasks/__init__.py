"""What the models are for, each a class that takes text and gives text."""
