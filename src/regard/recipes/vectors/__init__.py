"""Learn vectors of texts."""
