"""The work of a command over whole files, in parts that are written as they are done."""
