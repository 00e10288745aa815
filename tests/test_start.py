"""The start of a server of articles: what it does not load (D-141)."""

import sys

from support.knowledge import KnowledgeBase
from support.processes import list_loaded

PROGRAM = """
import asyncio, os, signal, sys
from asdlc_kb import app
from asdlc_kb.settings import Settings

async def ask(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.close()
    print(*sys.modules)
    os.kill(os.getpid(), signal.SIGTERM)

def announce(port):
    tasks.append(asyncio.ensure_future(ask(port)))

tasks = []
settings = Settings(content=sys.argv[1], port=0, cache_dir="off")
app.run(app.serve(app.build(settings), announce))
"""

NOT_NEEDED = {
    "another source": {"asdlc_kb.project.scanner", "asdlc_kb.providers.docs"},
    "a client of servers": {"asdlc_kb.connect", "tornado.httpclient"},
    "full text": {"tantivy"},
    "meaning": {"numpy", "tokenizers", "asdlc_kb.search.semantic"},
    "signed tokens": {"joserfc", "cryptography", "asdlc_kb.ops.auth.jwt"},
    "several processes": {"asdlc_kb.cluster", "redis"},
    "the website": {"asdlc_kb.site.pages", "pygments", "nh3"},
    "Markdown's grammar": {"markdown_it", "mdit_py_plugins"},
    "all of YAML": {"ruamel.yaml"},
    "the text of metrics": {"prometheus_client"},
    "TLS": {"asdlc_kb.web.connections.tls_stream"},
    "a command line": {"click", "asdlc_kb.cli", "tomllib"},
    **(
        {"events where the kernel has no inotify": {"watchfiles", "anyio"}}
        if sys.platform == "linux"
        else {}
    ),
}
"""Modules that a running server of articles has no use for, by what they serve."""


def test_a_server_of_articles_loads_only_what_it_needs(
    knowledge: KnowledgeBase,
) -> None:
    """After its first answer; each of these would cost time and memory."""
    loaded = list_loaded(PROGRAM, str(knowledge.root))
    assert "asdlc_kb.providers.articles.provider" in loaded
    found = {why: names & loaded for why, names in NOT_NEEDED.items()}
    assert not any(found.values()), found
