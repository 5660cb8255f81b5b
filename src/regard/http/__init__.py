"""The base of both web servers, `regard studio` and `regard serve`: sockets, access, refusals."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.http import guard, server, sockets
else:
    guard, server, sockets = modules(__name__, "guard", "server", "sockets")
