"""Learn from running text: to continue it, or to fill in what is masked."""
