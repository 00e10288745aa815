"""Our command line, whose full text is never made: what search costs in memory.

`python unsearched.py serve --docs DIR …`, as `asdlc-kb serve`.
"""

import asyncio

from asdlc_kb import cli
from asdlc_kb.search.service.indexer import Indexer


async def rest(indexer: Indexer) -> None:
    """Follow nothing."""
    await asyncio.Event().wait()


if __name__ == "__main__":
    Indexer.run = rest
    cli.main()
