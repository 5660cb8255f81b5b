"""The page in a browser: a server on this machine, and the widget in a notebook."""
