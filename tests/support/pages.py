"""Pages as a browser and a crawler see them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from support.site import Site
from support.wire import Answer, ask

PERSON = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
"""The Accept header of browsers."""

_VOID = frozenset("br circle hr img input link meta path".split())


class Document(HTMLParser):
    """One parsed page of HTML; fails if its elements are not nested."""

    def __init__(self, html: bytes | str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        """The text of each script element."""
        self.words = ""
        self._open: list[str] = []
        self.feed(html.decode() if isinstance(html, bytes) else html)
        self.close()
        assert self._open == []

    def all(self, tag: str, name: str) -> list[str]:
        """Return an attribute of every element of a kind that has it."""
        return [
            attributes[name]
            for kind, attributes in self.elements
            if (kind, name in attributes) == (tag, True)
        ]

    @property
    def targets(self) -> list[str]:
        """Every address that a browser can follow or fetch, as written."""
        found = []
        for _, attributes in self.elements:
            found += [
                attributes[name]
                for name in ("href", "src", "action")
                if name in attributes
            ]
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        attributes = {name: value or "" for name, value in attrs}
        assert len(attributes) == len(attrs), f"an attribute twice in {tag}"
        self.elements.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.scripts += [""] if tag == "script" else []
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a void element."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        assert self._open, f"nothing is open at </{tag}>"
        while self._open[-1] in ("li", "p", "td", "th", "tr") and self._open[-1] != tag:
            self._open.pop()
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Record text."""
        if self._open[-1:] == ["script"]:
            self.scripts[-1] += data
        else:
            self.words += data

    def handle_comment(self, data: str) -> None:
        """Fail: these pages have no comments."""
        raise AssertionError(f"a comment: {data}")


@dataclass
class Crawl:
    """Every reachable address, and its page."""

    answers: dict[str, Answer] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    links: set[tuple[str, str, str]] = field(default_factory=set)
    """Page, address and anchor of each internal link."""


async def crawl(
    site: Site,
    starts: Iterable[str] = ("/",),
    headers: Mapping[str, str] = PERSON,
    prefix: str = "",
) -> Crawl:
    """Follow every link of a site; a proxy would cut `prefix` off the addresses."""
    found = Crawl()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path in found.answers:
            continue
        answer = found.answers[path] = await ask(site.port, "GET", path, headers)
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        page = found.documents[path] = Document(answer.body)
        for target in page.targets:
            linked = read_link(path, target, prefix)
            if linked is not None:
                found.links.add((path, *linked))
                waiting.append(linked[0])
    return found


def read_link(page: str, target: str, prefix: str = "") -> tuple[str, str] | None:
    """Return path and anchor of a link in a page; None if it is external."""
    whole = urljoin(f"http://here{prefix}{page}", target)
    parts = urlsplit(urldefrag(whole).url)
    if (parts.scheme, parts.netloc) != ("http", "here"):
        return None
    assert parts.path.startswith(f"{prefix}/"), f"{target} in {page}"
    return parts.path.removeprefix(prefix), unquote(urldefrag(whole).fragment)
