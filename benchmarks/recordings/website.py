"""Recordings of the website: every reachable page, and other answers."""

import gzip
import re
import time
from html import unescape
from typing import Final
from urllib.parse import urljoin, urlsplit

from benchmarks.recordings.product import MAX_WAIT, Answer, RecordingError, Server

MAX_PATHS: Final = 1_500
"""Maximum paths to request of one website."""

_STARTS: Final = (
    "/",
    "/llms.txt",
    "/llms-full.txt",
    "/.well-known/llms.txt",
    "/docs/llms.txt",
    "/concepts/llms.txt",
    "/robots.txt",
    "/sitemap.xml",
    "/feed.xml",
    "/concepts/feed.xml",
    "/hidden/feed.xml",
    "/.well-known/agent-skills/index.json",
    "/.well-known/skills/index.json",
    "/.well-known/ai-catalog.json",
    "/.well-known/mcp.json",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/kb/mcp",
    "/.well-known/nosuch",
    "/mcp/server-card",
    "/health",
    "/ready",
    "/map",
    "/connect",
    "/tags/",
    "/tags/ci-cd",
    "/tags/CI-CD",
    "/tags/nosuch",
    "/many/page/2",
    "/many/page/1",
    "/many/page/3",
    "/many/page/x",
    "/articles/alpha",
    "/articles/same",
    "/articles/draft-one",
    "/articles/nosuch",
    "/articles/docs/",
    "/articles/docs/guide",
    "/concepts",
    "/concepts//alpha",
    "/concepts/alpha/",
    "/concepts/alpha.html",
    "/concepts/alpha.md",
    "/concepts/Alpha",
    "/concepts/draft-one",
    "/concepts/draft-one.md",
    "/hidden/",
    "/hidden/only",
    "/nosuch",
    "/nosuch/",
    "/concepts/nosuch",
    "/docs",
    "/docs/guide",
    "/docs/guide/",
    "/docs/guide/index.md",
    "/docs/guide/install.md",
    "/docs/guide/plans",
    "/docs/guide/plan",
    "/docs/api/comp",
    "/docs/api/comp.mdx",
    "/docs/sidebar",
    "/docs/notes/long%20page",
    "/practices/werkzeuge-f%C3%BCr-%C3%A4pfel",
    "/zebra/feed.xml~",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/%ff",
    "/%00",
    "/-/nosuch",
    "/-/events",
    "/-/search.json",
    "/-/search.json?q=zeppelin",
    "/-/search.json?q=zepelin",
    "/-/search.json?q=CANARY",
    "/-/search.json?q=throughput",
    "/search",
    "/search?q=",
    "/search?q=zeppelin",
    "/search?q=xylofone",
    "/search?q=CANARY",
    "/search?q=%3Cscript%3E",
    "/search?q=" + "x" * 3000,
    "/favicon.ico",
)

_VARIANTS: Final[tuple[tuple[str, str, dict[str, str]], ...]] = (
    ("HEAD", "/", {}),
    ("HEAD", "/concepts/other", {}),
    ("POST", "/", {}),
    ("DELETE", "/concepts/alpha", {}),
    ("OPTIONS", "/", {}),
    ("POST", "/health", {}),
    ("GET", "/", {"Accept": "text/markdown"}),
    ("GET", "/concepts/alpha", {"Accept": "text/markdown"}),
    ("GET", "/concepts/alpha", {"Accept": "text/plain"}),
    ("GET", "/concepts/alpha", {"Accept": "text/html;q=0.5, text/markdown"}),
    ("GET", "/concepts/alpha", {"Accept": "application/json"}),
    ("GET", "/docs/guide/install", {"Accept": "text/markdown"}),
    ("GET", "/docs/guide/", {"Accept": "text/markdown"}),
    ("GET", "/nosuch", {"Accept": "text/markdown"}),
    ("GET", "/", {"Host": "evil.example"}),
    ("GET", "/", {"Host": "localhost"}),
    ("GET", "/", {"Origin": "https://evil.example"}),
    ("GET", "/", {"X-Forwarded-For": "203.0.113.9"}),
    ("GET", "/concepts/alpha", {"Range": "bytes=0-9"}),
    ("GET", "/", {"X" * 9: "y" * 70_000}),
    ("GET", "/" + "x" * 9_000, {}),
)

_REVALIDATED: Final = (
    "/",
    "/concepts/other",
    "/concepts/other.md",
    "/docs/",
    "/llms.txt",
    "/robots.txt",
)

_LINKS: Final = re.compile(
    r'(?:href|src)="([^"]*)"|\]\(<?([^)>\s]+)>?\)|<loc>([^<]*)</loc>|"url": ?"([^"]*)"'
)


def record_website(
    server: Server,
    name: str,
    base: str = "",
    limit: int = MAX_PATHS,
    headers: dict[str, str] | None = None,
) -> dict[str, str]:
    """Return the answers to each path that is known or linked.

    Absolute addresses that begin with `base` are paths of this website.
    """
    found: dict[str, str] = {}
    waiting = list(_STARTS)
    seen = set(waiting)
    while waiting and len(found) < limit:
        path = waiting.pop(0)
        if path == "/-/events":
            continue
        answer = _ask_rendered(server, path, headers)
        found[f"{name} GET {path[:200]}"] = server.show(answer)
        if answer.status != 200 or not _is_read(answer.header("Content-Type"), path):
            continue
        for link in _find_links(answer.body.decode(), path, base):
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    return found


def _ask_rendered(server: Server, path: str, headers: dict[str, str] | None) -> Answer:
    """Return a page that is rendered: a long one is shown as code until it is."""
    end = time.monotonic() + MAX_WAIT
    while (answer := server.ask(path, headers=headers)).header("Refresh"):
        if time.monotonic() > end:
            raise RecordingError(f"{path} is never rendered")
        time.sleep(0.1)
    return answer


def _is_read(kind: str, path: str) -> bool:
    """Say whether an answer's links are followed: not those of articles' Markdown."""
    return not path.endswith((".md", "llms-full.txt", ".js", ".css")) and bool(
        re.match(r"text/html|text/plain|text/markdown|application/.*(xml|json)", kind)
    )


def _find_links(text: str, path: str, base: str) -> list[str]:
    links = []
    for groups in _LINKS.findall(text):
        link = unescape(next(filter(None, groups), ""))
        for prefix in filter(None, (base, urlsplit(base).path)):
            if link == prefix or link.startswith(f"{prefix}/"):
                link = link.removeprefix(prefix) or "/"
        parts = urlsplit(urljoin(path, link.partition("#")[0]))
        if not link or parts.scheme or parts.netloc or not parts.path.startswith("/"):
            continue
        # The links of search pages are endless: a query can be anything.
        if parts.path.startswith("/mcp") and parts.path != "/mcp/server-card":
            continue
        query = f"?{parts.query}" if parts.query else ""
        target = parts.path + query
        if target.isascii() and " " not in target:
            links.append(target)
    return links


def record_variants(server: Server, name: str) -> dict[str, str]:
    """Return answers to other methods and headers, validators and compression."""
    recording = {}
    for method, path, headers in _VARIANTS:
        shown = {key: value[:60] for key, value in headers.items()}
        text = server.show(server.ask(path, method, headers))
        recording[f"{name} {method} {path[:100]} {shown or ''}"] = text
    for path in _REVALIDATED:
        first = server.ask(path)
        for label, tag in (("same", first.header("Etag")), ("any", "*")):
            answer = server.ask(path, headers={"If-None-Match": tag})
            recording[f"{name} GET {path} If-None-Match: {label}"] = server.show(answer)
        packed = server.ask(path, headers={"Accept-Encoding": "gzip"})
        is_packed = packed.header("Content-Encoding") == "gzip"
        body = gzip.decompress(packed.body) if is_packed else packed.body
        text = f"{packed.status} packed={is_packed} same={body == first.body}"
        recording[f"{name} GET {path} gzip"] = text
    return recording


def record_metrics(server: Server, name: str) -> dict[str, str]:
    """Return names, types and labels of the metrics, in order, without values."""
    text = server.ask("/metrics").body.decode()
    lines = {
        line if line.startswith("#") else line.rpartition(" ")[0]
        for line in text.splitlines()
    }
    return {f"{name} /metrics": server.normaliser.normalise("\n".join(sorted(lines)))}
