"""The subcommands of `regard`, a file for each; heavy imports stand inside the functions."""
