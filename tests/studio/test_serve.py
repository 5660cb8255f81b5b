"""The socket that the studio answers on."""

import asyncio
import socket

from regard.studio.serve import bind


def test_a_short_answer_does_not_wait_for_the_one_before():
    async def accepted_without_delay() -> int:
        found = asyncio.get_running_loop().create_future()

        async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            sock = writer.get_extra_info("socket")
            found.set_result(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()
            await writer.wait_closed()

        listener = bind(0)
        async with await asyncio.start_server(accepted, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            nodelay = await found
            writer.close()
            await writer.wait_closed()
        return nodelay

    assert asyncio.run(accepted_without_delay())
