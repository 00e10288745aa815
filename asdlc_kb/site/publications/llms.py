"""llms.txt: an index of the content for language models.

It follows the convention (llmstxt.org): a title, a summary, text without
headings, then lists of links in sections.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls, CategoryPage
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.publications.curated import (
    CuratedText,
    CuratedTexts,
    read_curated,
)
from asdlc_kb.site.publications.link_list import (
    DOCUMENTATION,
    count,
    one_line,
    write_link,
)
from asdlc_kb.site.publications.llms_full import SiteTexts
from asdlc_kb.site.representation import TEXT, Representation

INDEX: Final = urls.INDEX
WELL_KNOWN: Final = "/.well-known/llms.txt"
"""Another address of llms.txt, tried first by some clients."""

MAX_CHARS: Final = 100_000
"""Characters of llms.txt; beyond that it lists sections instead of pages."""


def write_llms(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Representation:
    """Return llms.txt: a line for each page, or for each section if that is long.

    Where documentation is served alone, an index that its authors wrote replaces the
    list of its pages. Next to articles it is one entry.
    """
    curated = read_curated(identity, docs)
    is_divided = SiteTexts(identity, articles, docs).is_divided
    files = "All of it in parts" if is_divided else "All of it in one file"
    own = curated.by_source.get("") if articles is None else None
    if own is not None and not own.has_pages:
        own = None
    head = _introduce(identity, files, own.summary if own is not None else "")
    lists: list[Iterable[str]] = [
        _list_articles(identity, category.title, category.articles)
        for category in (articles.categories if articles else ())
    ]
    if own is not None:
        lists.append((own.rest,))
    if docs is not None:
        lists.append(_list_docs(identity, docs, curated, own))
    lines = [head]
    size = len(head)
    for line in chain.from_iterable(lists):
        lines.append(line)
        size += len(line) + 1
        if size > MAX_CHARS:
            listed = list_sections(identity, articles, docs)
            lines = [head, "## Sections", "", *listed, ""]
            break
    whole = "\n".join(lines)
    return Representation(INDEX, TEXT, whole.encode(), files=curated)


def write_section(identity: SiteIdentity, category: CategoryPage) -> Representation:
    """Return the llms.txt of a category."""
    listed = _list_articles(identity, category.title, category.articles)
    text = "\n".join((f"# {identity.title}: {category.title}", "", *listed))
    return Representation(f"{category.address}llms.txt", TEXT, text.encode())


def write_docs(identity: SiteIdentity, docs: DocUrls, source: str) -> Representation:
    """Return the llms.txt of a tree, or of all documentation for the unnamed one.

    If its authors wrote one, it is that.
    """
    curated = read_curated(identity, docs)
    own = curated.by_source.get(source)
    head = own.text if own else f"# {identity.title}: {source or DOCUMENTATION}\n"
    listed = _list_docs(identity, docs, curated, own, source or None)
    text = "\n".join((head, *listed))
    return Representation(urls.of_index(source), TEXT, text.encode(), files=curated)


def list_sections(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Iterator[str]:
    """Yield a line for each section, linked to the section's llms.txt."""
    for category in articles.categories if articles else ():
        where = f"{category.address}llms.txt"
        number = count(len(category.articles), "article")
        yield write_link(identity, category.title, where, number)
    if docs is not None and docs.listed:
        number = count(len(docs.listed), "page")
        yield write_link(identity, DOCUMENTATION, urls.DOCS_INDEX, number)


def _introduce(identity: SiteIdentity, files: str, summary: str = "") -> str:
    """Return the text above the sections; `files` says how all texts are divided."""
    summary = summary or one_line(identity.tagline)
    quote = f"> {summary}\n\n" if summary else ""
    endpoint = f" The same is served over MCP at {identity.cite('/mcp')}."
    return (
        f"# {identity.title}\n\n{quote}Each page is Markdown at its address. {files}: "
        f"{identity.cite(urls.FULL)}.{endpoint if identity.has_endpoint else ''}\n"
    )


def _list_docs(
    identity: SiteIdentity,
    docs: DocUrls,
    curated: CuratedTexts,
    shown: CuratedText | None,
    source: str | None = None,
) -> Iterator[str]:
    """Yield links to indexes of authors, then to the pages that none of them lists.

    `shown` is shown already; a `source` is the only tree. Of a tree with several
    editions the pages of the default one are listed. Pages of no group have a heading
    too: without one, they would belong to the list above them.
    """
    texts = {
        name: text for name, text in curated.by_source.items() if source in (None, name)
    }
    above = ""
    if linked := [text for text in texts.values() if text is not shown]:
        above = DOCUMENTATION
        yield from (f"## {above}", "")
        for text in linked:
            yield write_link(identity, text.title, text.address, text.summary)
        yield ""
    done = {n for n, text in texts.items() if text.has_pages or text is shown}
    for group in docs.catalog.groups:
        pages = [
            page
            for page in group.pages
            if page.edition.is_default
            and page.edition.source not in done
            and source in (None, page.edition.source)
        ]
        title = one_line(group.title) or DOCUMENTATION
        if pages and title != above:
            yield from (f"## {title}", "")
            above = title
        for page in pages:
            where = urls.as_markdown(docs.addresses[page.path])
            yield write_link(identity, page.title, where, page.description)
        if pages:
            yield ""


def _list_articles(
    identity: SiteIdentity, title: str, articles: Iterable[Article]
) -> list[str]:
    rows = (
        write_link(
            identity,
            article.title,
            urls.as_markdown(urls.of_article(article)),
            article.description,
        )
        for article in articles
    )
    return [f"## {one_line(title)}", "", *rows, ""]
