"""The `regard` command: reading its input, writing its output, and its subcommands."""
