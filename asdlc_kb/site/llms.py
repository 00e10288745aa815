"""llms.txt and llms-full.txt: what is here, for those who read plain Markdown.

The order of llms.txt is that of the convention (llmstxt.org): a title, a summary, words
without headings, then lists of links in sections.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import address
from asdlc_kb.site.articles import ArticleShelf
from asdlc_kb.site.docs import DocShelf
from asdlc_kb.site.entries import NOTICE, write_entry
from asdlc_kb.site.frame import Identity
from asdlc_kb.site.markdown import body_of, cut_title
from asdlc_kb.site.page import TEXT, Page

INDEX: Final = address.INDEX
WELL_KNOWN: Final = "/.well-known/llms.txt"
"""Where some look for the same first."""

DOCUMENTATION: Final = "Documentation"
"""What all pages of a documentation tree are called together."""

_PLAIN: Final = str.maketrans({"[": "(", "]": ")", "\\": "\\\\"})
"""So that the text of a link cannot end it."""

LONGEST_NOTE: Final = 300
"""Characters of what is said of a page in the list."""
LONGEST: Final = 100_000
"""Characters of llms.txt; where each page's line would take more, sections have one."""


def write_index(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Page:
    """Return llms.txt: every page with a line, or every section where that is long."""
    head = "\n".join(_introduce(identity))
    whole = "\n".join((head, *_list_pages(identity, articles, docs)))
    if len(whole) > LONGEST:
        listed = list_sections(identity, articles, docs)
        whole = "\n".join((head, "## Sections", "", *listed, ""))
    return Page(INDEX, TEXT, whole.encode())


def write_section(
    identity: Identity, articles: ArticleShelf, where: str
) -> Page | None:
    """Return the llms.txt of the category that is listed at an address."""
    for category in articles.categories:
        if category.address == where:
            listed = _list_articles(identity, category.title, category.articles)
            text = "\n".join((f"# {identity.title}: {category.title}", "", *listed))
            return Page(f"{category.address}llms.txt", TEXT, text.encode())
    return None


def write_docs(identity: Identity, docs: DocShelf) -> Page:
    """Return the llms.txt of the documentation."""
    listed = _list_docs(identity, docs)
    text = "\n".join((f"# {identity.title}: {DOCUMENTATION}", "", *listed))
    return Page(address.DOCS_INDEX, TEXT, text.encode())


def list_sections(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Iterator[str]:
    """Yield a line for each section, with a link to its own list."""
    for category in articles.categories if articles else ():
        where = f"{category.address}llms.txt"
        count = _count(len(category.articles), "article")
        yield _item(identity, category.title, where, count)
    if docs is not None and docs.catalog.pages:
        count = _count(len(docs.catalog.pages), "page")
        yield _item(identity, DOCUMENTATION, address.DOCS_INDEX, count)


def write_full(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Iterator[bytes]:
    """Yield llms-full.txt in pieces: what it is, then an entry for each page."""
    yield f"# {_line(identity.title)}\n\n{NOTICE}\n".encode()
    for article in articles.catalog.articles if articles else ():
        where = address.of_article(article)
        body = body_of(article)
        yield _enter(identity, article.title, where, article.description, body)
    for page in docs.catalog.pages if docs else ():
        assert docs is not None
        where, body = docs.addresses[page.path], cut_title(page.title, page.body)
        yield _enter(identity, page.title, where, page.description, body)


def _enter(identity: Identity, title: str, where: str, note: str, body: str) -> bytes:
    """Return a page as an entry: title, address, description, text."""
    source = identity.cite(where)
    said = f"> {_line(note)}\n\n" if note else ""
    text = f"# {_line(title)}\n\nSource: {source}\n\n{said}{body}"
    return f"\n{write_entry(source, text)}".encode()


def _introduce(identity: Identity) -> Iterator[str]:
    """Yield what stands above every section."""
    yield from (f"# {identity.title}", "")
    if identity.tagline:
        yield from (f"> {_line(identity.tagline)}", "")
    beside = f" The same is served over MCP at {identity.cite('/mcp')}."
    yield (
        "Each page is Markdown at its address. All of it in one file: "
        f"{identity.cite(address.FULL)}.{beside if identity.has_endpoint else ''}"
    )
    yield ""


def _list_pages(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Iterator[str]:
    for category in articles.categories if articles else ():
        yield from _list_articles(identity, category.title, category.articles)
    if docs is not None:
        yield from _list_docs(identity, docs)


def _list_docs(identity: Identity, docs: DocShelf) -> Iterator[str]:
    for group in docs.catalog.groups:
        yield from (f"## {_line(group.title)}", "")
        for page in group.pages:
            where = address.as_markdown(docs.addresses[page.path])
            yield _item(identity, page.title, where, page.description)
        yield ""


def _list_articles(
    identity: Identity, title: str, articles: Iterable[Article]
) -> list[str]:
    rows = (
        _item(
            identity,
            article.title,
            address.as_markdown(address.of_article(article)),
            article.description,
        )
        for article in articles
    )
    return [f"## {_line(title)}", "", *rows, ""]


def _item(identity: Identity, title: str, where: str, note: str) -> str:
    name = _line(title).translate(_PLAIN)
    said = _line(note)[:LONGEST_NOTE]
    return f"- [{name}]({identity.cite(where)}){f': {said}' if said else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _line(text: str) -> str:
    return " ".join(text.split())
