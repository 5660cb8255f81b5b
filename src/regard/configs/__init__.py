"""What a model is besides its weights, as data, which needs no torch."""
