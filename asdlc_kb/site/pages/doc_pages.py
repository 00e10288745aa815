"""Documentation pages, each with sidebar and topbar."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from asdlc_kb.docs.links.written_names import page_uri
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.site import urls
from asdlc_kb.site.layout import paging
from asdlc_kb.site.layout.frame import FilePlace, Link, PageLayout
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.pages.json_ld import describe_page
from asdlc_kb.site.rendering.attachment_resolver import AttachmentResolver
from asdlc_kb.site.rendering.html_cache import HtmlCache, list_headings
from asdlc_kb.site.rendering.link_resolver import SiteLinks
from asdlc_kb.site.rendering.long_text import cut_long_text
from asdlc_kb.site.rendering.summary import find_picture, summarize
from asdlc_kb.site.representation import Representation


@dataclass(frozen=True, slots=True)
class DocPages:
    """Renders the pages of a documentation tree. Blocks: use it in a thread."""

    frame: PageLayout
    rendering: HtmlCache
    locate: Callable[[str], FilePlace]
    """Returns where the file of a page is."""

    def home(
        self, view: DocUrls, navigation: Sequence[Link], links: SiteLinks
    ) -> Representation:
        """Return the index of the tree, an introduction, or else the list."""
        page = view.by_address.get(view.home)
        if page is None:
            return self.list(view, navigation, 1)
        return self.page(view, page, navigation, links)

    def page(
        self,
        view: DocUrls,
        page: DocPage,
        navigation: Sequence[Link],
        links: SiteLinks,
    ) -> Representation:
        """Return a page of documentation."""
        link = view.link(page)
        where = link.address
        prefix = self.frame.identity.prefix
        files = view.files.open_text(page.referring_text)
        attachments = AttachmentResolver(
            files, lambda name: f"{prefix}{urls.of_file(name)}"
        )
        source = page.html_text
        shown = cut_long_text(source)
        html, awaited = self.rendering.render(
            shown,
            attachments.wrap(links.of_page(page)),
            attachments.find_picture,
        )
        title, end, text = html.text.partition("</h1>\n")
        if not (end and title.startswith(("<h1 ", "<h1>"))):
            # A text that waits for its rendering, or cannot be rendered.
            heading = f"<h1>{escape(page.title, quote=False)}</h1>\n"
            title, end, text = heading if html.is_plain else "", "", html.text
        below = () if text.strip() or not page.is_index else view.list_below(page)
        before, after = view.find_neighbours(page)
        own_texts = self.frame.find_texts(page.edition.language)
        editions = view.linker.find(page, own_texts)
        identity = self.frame.identity
        headings = list_headings(html)
        sidebar = view.open_sidebar(page.edition)
        crumbs = tuple(
            Link("" if entry.is_external else entry.address, entry.title)
            for entry in sidebar.list_ancestors(where)
        )
        date = view.dates.find(page)
        description = page.description or summarize(text, headings) or page.title
        return self.frame.make(
            "doc.html",
            where,
            title=page.title,
            description=description,
            navigation=navigation,
            alternate=urls.as_markdown(where),
            document=page_uri(page.path),
            page=page,
            edit=identity.edit(self.locate(page.path)),
            top=title + end,
            html=text,
            is_plain=html.is_plain and awaited is None,
            is_cut=len(shown) < len(source),
            below=[(view.link(each), each.description) for each in below],
            headings=headings,
            entries=sidebar.fold(where),
            crumbs=crumbs,
            date=date,
            data=describe_page(identity, link, description, date, crumbs),
            picture=find_picture(text),
            topbar=view.topbar,
            before=before,
            after=after,
            awaited=awaited,
            files=files,
            language=page.edition.language,
            canonical=editions.default_address,
            translations=editions.translations,
            editions=editions,
            read="" if page.edition.is_default else identity.link(where),
            start=view.find_start(page.edition),
        )

    def list(
        self, view: DocUrls, navigation: Sequence[Link], number: int
    ) -> Representation:
        """Return a page of the list of pages, for a tree without an index."""
        text = self.frame.find_texts()
        part = paging.paginate(view.listed, urls.DOCS, number)
        groups: dict[str, list[Link]] = {}
        shown = {page.path for page in part.entries}
        for title, page in view.list_by_group():
            if page.path in shown:
                groups.setdefault(title, []).append(view.link(page))
        return self.frame.make(
            "docs.html",
            part.path,
            title=part.page_title(text("Documentation"), text),
            description=self.frame.identity.tagline,
            navigation=navigation,
            entries=view.open_sidebar().fold(part.path),
            topbar=view.topbar,
            part=part,
            groups=groups.items(),
        )
