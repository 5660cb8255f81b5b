"""Views of a trace: tiles, statistics, labeled parts, a cell, and what ablation does."""
