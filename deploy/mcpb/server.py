"""The entry point of the bundle for Claude Desktop: a server over stdio.

The host writes an empty text where the user chose no folder. Such an option counts as
not given.
"""

import os
import sys

from asdlc_kb.cli import main

CONTENT = "ASDLC_KB_CONTENT"

if __name__ == "__main__":
    if not os.environ.get(CONTENT):
        os.environ.pop(CONTENT, None)
    main(["stdio", *(word for word in sys.argv[1:] if not word.endswith("="))])
