"""llms.txt and llms-full.txt: indexes of the content for language models.

llms.txt follows the convention (llmstxt.org): a title, a summary, text without
headings, then lists of links in sections.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls, CategoryPage
from asdlc_kb.site.pages.doc_pages import DocUrls
from asdlc_kb.site.publications.entries import NOTICE, write_entry
from asdlc_kb.site.rendering.markdown import body_of, cut_title
from asdlc_kb.site.representation import TEXT, Representation

INDEX: Final = urls.INDEX
WELL_KNOWN: Final = "/.well-known/llms.txt"
"""Another address of llms.txt, tried first by some clients."""

DOCUMENTATION: Final = "Documentation"
"""The section title of a documentation tree."""

_PLAIN: Final = str.maketrans({"[": "(", "]": ")", "\\": "\\\\"})
"""Escapes, so that the text of a link cannot end it."""

MAX_NOTE_CHARS: Final = 300
"""Characters of a description in the list."""
MAX_CHARS: Final = 100_000
"""Characters of llms.txt; beyond that it lists sections instead of pages."""


def write_llms(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Representation:
    """Return llms.txt: a line for each page, or for each section if that is long."""
    head = "\n".join(_introduce(identity))
    whole = "\n".join((head, *_list_pages(identity, articles, docs)))
    if len(whole) > MAX_CHARS:
        listed = list_sections(identity, articles, docs)
        whole = "\n".join((head, "## Sections", "", *listed, ""))
    return Representation(INDEX, TEXT, whole.encode())


def write_section(identity: SiteIdentity, category: CategoryPage) -> Representation:
    """Return the llms.txt of a category."""
    listed = _list_articles(identity, category.title, category.articles)
    text = "\n".join((f"# {identity.title}: {category.title}", "", *listed))
    return Representation(f"{category.address}llms.txt", TEXT, text.encode())


def write_docs(identity: SiteIdentity, docs: DocUrls) -> Representation:
    """Return the llms.txt of the documentation."""
    listed = _list_docs(identity, docs)
    text = "\n".join((f"# {identity.title}: {DOCUMENTATION}", "", *listed))
    return Representation(urls.DOCS_INDEX, TEXT, text.encode())


def list_sections(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Iterator[str]:
    """Yield a line for each section, linked to the section's llms.txt."""
    for category in articles.categories if articles else ():
        where = f"{category.address}llms.txt"
        count = _count(len(category.articles), "article")
        yield _item(identity, category.title, where, count)
    if docs is not None and docs.catalog.pages:
        count = _count(len(docs.catalog.pages), "page")
        yield _item(identity, DOCUMENTATION, urls.DOCS_INDEX, count)


def write_llms_full(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Iterator[bytes]:
    """Yield llms-full.txt in pieces: an introduction, then an entry for each page."""
    yield f"# {_line(identity.title)}\n\n{NOTICE}\n".encode()
    for article in articles.catalog.articles if articles else ():
        where = urls.of_article(article)
        body = body_of(article)
        yield _write_entries(identity, article.title, where, article.description, body)
    for page in docs.catalog.pages if docs else ():
        assert docs is not None
        where, body = docs.addresses[page.path], cut_title(page.title, page.body)
        yield _write_entries(identity, page.title, where, page.description, body)


def _write_entries(
    identity: SiteIdentity, title: str, where: str, note: str, body: str
) -> bytes:
    """Return a page as an entry: title, address, description, text."""
    source = identity.cite(where)
    quote = f"> {_line(note)}\n\n" if note else ""
    text = f"# {_line(title)}\n\nSource: {source}\n\n{quote}{body}"
    return f"\n{write_entry(source, text)}".encode()


def _introduce(identity: SiteIdentity) -> Iterator[str]:
    """Yield the lines above the sections."""
    yield from (f"# {identity.title}", "")
    if identity.tagline:
        yield from (f"> {_line(identity.tagline)}", "")
    endpoint = f" The same is served over MCP at {identity.cite('/mcp')}."
    yield (
        "Each page is Markdown at its address. All of it in one file: "
        f"{identity.cite(urls.FULL)}.{endpoint if identity.has_endpoint else ''}"
    )
    yield ""


def _list_pages(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Iterator[str]:
    for category in articles.categories if articles else ():
        yield from _list_articles(identity, category.title, category.articles)
    if docs is not None:
        yield from _list_docs(identity, docs)


def _list_docs(identity: SiteIdentity, docs: DocUrls) -> Iterator[str]:
    for group in docs.catalog.groups:
        yield from (f"## {_line(group.title)}", "")
        for page in group.pages:
            where = urls.as_markdown(docs.addresses[page.path])
            yield _item(identity, page.title, where, page.description)
        yield ""


def _list_articles(
    identity: SiteIdentity, title: str, articles: Iterable[Article]
) -> list[str]:
    rows = (
        _item(
            identity,
            article.title,
            urls.as_markdown(urls.of_article(article)),
            article.description,
        )
        for article in articles
    )
    return [f"## {_line(title)}", "", *rows, ""]


def _item(identity: SiteIdentity, title: str, where: str, note: str) -> str:
    name = _line(title).translate(_PLAIN)
    text = _line(note)[:MAX_NOTE_CHARS]
    return f"- [{name}]({identity.cite(where)}){f': {text}' if text else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _line(text: str) -> str:
    return " ".join(text.split())
