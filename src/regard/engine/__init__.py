"""Models at work: the native engine and torch, batching, and the base classes of tasks."""
