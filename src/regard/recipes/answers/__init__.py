"""Learn to find answers in texts."""
