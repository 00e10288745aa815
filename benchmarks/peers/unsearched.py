"""Our command line without a full-text index, to measure the memory of search.

`python unsearched.py serve --docs DIR …`, as `asdlc-kb serve`.
"""

import asyncio

from asdlc_kb import cli
from asdlc_kb.search.service.indexer import Indexer


async def rest(indexer: Indexer) -> None:
    """Never build the index."""
    await asyncio.Event().wait()


if __name__ == "__main__":
    Indexer.run = rest
    cli.main()
