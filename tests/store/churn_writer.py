"""A program that writes each snapshot that it reads from stdin, and reports it."""

import json
import sys

from store.snapshots import WrittenSource

from asdlc_kb.exceptions import StoreUnavailable
from asdlc_kb.store.database import connect


def write(address: str, line: str) -> str:
    """Write a snapshot of the tree; return its number, or an error."""
    visible, hidden = json.loads(line)
    try:
        with connect(address) as connection:
            source = WrittenSource(connection, options={"tree": "handbook"})
            number = source.write(
                {path: text.encode() for path, text in visible.items()},
                {path: text.encode() for path, text in hidden.items()},
            )
    except StoreUnavailable as error:
        return json.dumps({"error": str(error)})
    return json.dumps({"number": number})


if __name__ == "__main__":
    for each in sys.stdin:
        print(write(sys.argv[1], each), flush=True)
