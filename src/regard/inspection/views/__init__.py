"""What can be seen of a trace: tiles, statistics, labeled parts, a cell, and what ablation does."""
