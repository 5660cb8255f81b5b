"""The base of both web servers, `regard studio` and `regard serve`: sockets, access, refusals."""
