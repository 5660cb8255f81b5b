"""Learn to summarize."""
