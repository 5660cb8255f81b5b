"""Translation: a trained translator, and how one is trained, traced and described."""
