"""Models computed by the native engine, whose source is in `engine/` at the repository's root."""
