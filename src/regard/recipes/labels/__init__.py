"""Learn to label texts and images."""
