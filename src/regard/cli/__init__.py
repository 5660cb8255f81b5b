"""The `regard` command: one file for each subcommand, heavy imports inside the functions."""
