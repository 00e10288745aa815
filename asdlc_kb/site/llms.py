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
from asdlc_kb.site.frame import Identity
from asdlc_kb.site.markdown import body_of, cut_title
from asdlc_kb.site.page import TEXT, Page

INDEX: Final = "/llms.txt"
WELL_KNOWN: Final = "/.well-known/llms.txt"
"""Where some look for the same first."""

_PLAIN: Final = str.maketrans({"[": "(", "]": ")", "\\": "\\\\"})
"""So that the text of a link cannot end it."""

LONGEST_NOTE: Final = 300
"""Characters of what is said of a page in the list."""


def write_index(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Page:
    """Return llms.txt: every page with a line."""
    return _make(INDEX, identity, articles, docs)


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


def write_full(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Iterator[bytes]:
    """Yield llms-full.txt in pieces, a page each."""
    yield f"# {identity.title}\n".encode()
    for article in articles.catalog.articles if articles else ():
        where = address.of_article(article)
        head = _head(identity, article.title, where, article.description)
        yield f"{head}{body_of(article)}\n".encode()
    for page in docs.catalog.pages if docs else ():
        assert docs is not None
        head = _head(identity, page.title, docs.addresses[page.path], page.description)
        yield f"{head}{cut_title(page.title, page.body)}\n".encode()


def _head(identity: Identity, title: str, where: str, note: str) -> str:
    """Return what stands above a page's text."""
    said = f"> {_line(note)}\n\n" if note else ""
    return f"\n\n# {title}\n\nSource: {_locate(identity, where)}\n\n{said}"


def _make(
    path: str,
    identity: Identity,
    articles: ArticleShelf | None,
    docs: DocShelf | None,
) -> Page:
    lines = [f"# {identity.title}", ""]
    if identity.tagline:
        lines += [f"> {_line(identity.tagline)}", ""]
    beside = f" The same is served over MCP at {_locate(identity, '/mcp')}."
    lines += [
        "Each page is Markdown at its address. All of it in one file: "
        f"{_locate(identity, address.FULL)}.{beside if identity.has_endpoint else ''}",
        "",
    ]
    for category in articles.categories if articles else ():
        lines += _list_articles(identity, category.title, category.articles)
    for group in docs.catalog.groups if docs else ():
        assert docs is not None
        lines += [f"## {_line(group.title)}", ""]
        for page in group.pages:
            where = address.as_markdown(docs.addresses[page.path])
            lines.append(_item(identity, page.title, where, page.description))
        lines.append("")
    return Page(path, TEXT, "\n".join(lines).encode())


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
    return f"- [{name}]({_locate(identity, where)}){f': {said}' if said else ''}"


def _locate(identity: Identity, where: str) -> str:
    """Return an address: absolute where the public one is known."""
    return identity.locate(where) if identity.base_url else where


def _line(text: str) -> str:
    return " ".join(text.split())
