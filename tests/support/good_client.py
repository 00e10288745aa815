"""A well-behaved client in a process of its own: `good_client.py PORT`.

It makes a call every 5 milliseconds on one connection from an address of its own, until
its input ends, and then prints how long each took and what failed.
"""

import json
import select
import socket
import sys
import time
from typing import Final

HOME: Final = "127.0.0.77"
PAUSE_SECONDS: Final = 0.005
LOT: Final = 50
"""After so many calls it reports that it is alive."""

BOUND: Final = 10.0

_BODY: Final = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_articles", "arguments": {}},
    }
).encode()
_REQUEST: Final = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Accept: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
)


def call(connection: socket.socket) -> None:
    """Make one call; raise OSError or ValueError unless it succeeds."""
    connection.sendall(_REQUEST)
    received = b""
    while b"\r\n\r\n" not in received:
        received += _receive(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        raise ValueError(head)
    (length,) = (
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    )
    while len(body) < length:
        body += _receive(connection)
    if "result" not in json.loads(body):
        raise ValueError(body)


def _receive(connection: socket.socket) -> bytes:
    part = connection.recv(64 * 1024)
    if not part:
        raise ConnectionError("the server hung up")
    return part


def main(port: int) -> None:
    """Call until the input ends."""
    times, errors = [], []
    with socket.create_connection(("127.0.0.1", port), BOUND, (HOME, 0)) as connection:
        call(connection)
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]:
            began = time.perf_counter()
            try:
                call(connection)
            except (OSError, ValueError) as error:
                errors.append(repr(error))
                break
            times.append(time.perf_counter() - began)
            if not len(times) % LOT:
                print("on it goes", flush=True)
    print(json.dumps({"times": times, "errors": errors}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
