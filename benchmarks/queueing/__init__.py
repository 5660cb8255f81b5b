"""A simulated server: what it computes on, what it does with requests, and who sends them."""
