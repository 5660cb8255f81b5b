"""`regard serve`: models behind HTTP, for programs.

A model that writes runs in `decoding.Loop`, where requests share each step; one that reads runs in
`batches.Batches`. `served.Served` has the models, and the modules of routes speak to clients.
"""
