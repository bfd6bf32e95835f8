"""The socket on which a server listens."""

import socket


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on a port of an address of this machine; 0: any free one.

    Raises:
        ValueError: if the port is in use, or the address is not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of sockets that name TCP does asyncio send small messages at once.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(256)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(
            f"cannot listen on port {port} of {host}: {reason.lower()}; --port 0 takes a free one"
        ) from None
    return found
