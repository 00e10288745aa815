"""The layout of every page: head, header, navigation, footer; rendered by templates."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from tornado.template import Loader

from asdlc_kb.search.policy import MAX_QUERY_CHARS
from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.branding import NO_BRANDING, Branding
from asdlc_kb.site.layout.languages import ENGLISH, is_right_to_left, read_tag
from asdlc_kb.site.layout.texts import Texts, choose_texts
from asdlc_kb.site.representation import HTML, ReadFiles, Representation
from asdlc_kb.unicode.truncation import truncate

MAX_DESCRIPTION_CHARS: Final = 300
"""Characters of a description in a page's head."""

_TEMPLATES: Final = Loader(
    str(Path(__file__).parent / "templates"), whitespace="single"
)
"""Each template is compiled once, for all sites of the process."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address and its title."""

    address: str
    title: str


class FilePlace(NamedTuple):
    """Where a served file is."""

    folder: str
    """The name of the served folder."""
    path: str
    """From that folder."""
    file: str
    """From the repository, or from what contains the folder that was named."""


@dataclass(frozen=True)
class SiteIdentity:
    """The site's name, public address and features."""

    title: str
    tagline: str = ""
    base_url: str | None = None
    """The public address, if it is known; without it no address is absolute."""
    version: str = ""
    has_endpoint: bool = True
    """Whether there is an MCP endpoint."""
    has_search: bool = True
    """Whether the server answers searches: not in a static build."""
    has_projects: bool = False
    """Whether there are pages of projects."""
    has_index: bool = False
    """Whether the browser searches an index: in a static build."""
    needs_token: bool = False
    """Whether the endpoint requires a bearer token."""
    edit_url: str | None = None
    """Template of a file's edit address, with `{file}`, or `{folder}` and `{path}`."""
    social_image: str = ""
    """The full address of the picture in previews of pages without one."""
    signal: str = ""
    """The Content-Signal of robots.txt."""
    entry: str = "knowledge-base"
    """The name of the server's entry in clients."""
    local_url: str = ""
    """The address for clients on the server's machine, without a trailing slash."""
    branding: Branding = NO_BRANDING
    language: str = ""
    """The language of pages that are not of a tree's edition; English if empty."""

    @cached_property
    def prefix(self) -> str:
        """The path prefix of every public address, without a trailing slash."""
        return urls.path_prefix(self.base_url)

    @cached_property
    def index_links(self) -> tuple[str, ...]:
        """Link header values for the site's indexes."""
        links = [(urls.INDEX, "llms-txt"), (urls.FULL, "llms-full-txt")]
        if self.has_endpoint and self.base_url:
            links.append((urls.CARD, "mcp-server-card"))
        return tuple(f'<{self.link(where)}>; rel="{kind}"' for where, kind in links)

    def link(self, path: str) -> str:
        """Return an address of the site with the public path prefix."""
        return f"{self.prefix}{path}"

    def locate(self, path: str) -> str:
        """Return the absolute address; requires the public address."""
        scheme, host, *_ = urlsplit(self.base_url or "")
        return f"{scheme}://{host}{self.link(path)}"

    def edit(self, place: FilePlace) -> str:
        """Return the edit address of a served file; empty without a template."""
        where = self.edit_url or ""
        for name, value in place._asdict().items():
            # A quoted value has no braces.
            where = where.replace(f"{{{name}}}", quote(value))
        return where

    def find_preview(self, picture: str) -> str:
        """Return the full address of the picture in previews; empty without one.

        `picture` is an address on this host, or empty.
        """
        if picture and self.base_url:
            return urljoin(self.base_url, picture)
        return self.social_image

    def cite(self, path: str) -> str:
        """Return an address for a text read elsewhere: absolute if possible."""
        return self.locate(path) if self.base_url else path


class PageLayout:
    """Renders pages; the same values give the same bytes."""

    def __init__(
        self,
        identity: SiteIdentity,
        *,
        has_docs: bool,
        has_articles: bool,
        is_live: bool = False,
        announcement: str = "",
        footer: str = "",
    ) -> None:
        """Render pages with the operator's announcement and footer, as HTML."""
        self._is_live = is_live
        self.identity = identity
        self._has_docs = has_docs
        self._has_articles = has_articles
        self._announcement = announcement
        self._footer = footer

    def find_texts(self, language: str = "") -> Texts:
        """Return the site's texts on pages in a language."""
        return choose_texts(self._find_tag(language))

    def _find_tag(self, language: str) -> str:
        return read_tag(language) or read_tag(self.identity.language) or ENGLISH

    def make(
        self,
        template: str,
        path: str,
        *,
        title: str,
        navigation: Sequence[Link] = (),
        description: str = "",
        alternate: str = "",
        document: str = "",
        status: int = 200,
        awaited: Future[Any] | None = None,
        files: ReadFiles | None = None,
        language: str = "",
        canonical: str = "",
        picture: str = "",
        translations: Iterable[tuple[str, str]] = (),
        read: str = "",
        start: str = "",
        **values: Any,
    ) -> Representation:
        """Return a page rendered from a template with the named values.

        `document` is the URI of the article or page that it is. A page with `awaited`
        text reloads itself; `files` are the attachments shown. `language` is that of
        the text, that of the site if it is empty, `canonical` the address for search
        engines if it is another one, `picture` that of a picture of the text, and
        `translations` are the language tag and the address of each. `read` is the
        public address of a page, if searches prefer pages of its edition, and `start`
        that of the first page of the edition.
        """
        identity = self.identity
        is_found = bool(identity.base_url) and status == 200
        tag = self._find_tag(language)
        text = choose_texts(tag)
        is_translated = tag.lower().partition("-")[0] == text.language
        body = _TEMPLATES.load(template).generate(
            asset=lambda name: identity.link(assets.address(name)),
            alternate=alternate,
            announcement=self._announcement,
            canonical=identity.locate(canonical or path) if is_found else "",
            current=path,
            description=truncate(
                " ".join((description or identity.tagline).split()),
                MAX_DESCRIPTION_CHARS,
            ),
            footer=self._footer,
            has_articles=self._has_articles,
            has_docs=self._has_docs,
            is_awaited=awaited is not None,
            is_live=self._is_live,
            is_right_to_left=is_right_to_left(tag),
            language=tag,
            link=identity.link,
            max_query_chars=MAX_QUERY_CHARS,
            navigation=navigation,
            home=start if start and not self._has_articles else urls.HOME,
            picture=identity.find_preview(picture),
            read=read,
            own_language="" if is_translated else f' lang="{text.language}"',
            site=identity,
            start=start or urls.DOCS,
            text=text,
            title=title,
            translations=[
                (tag, identity.locate(where))
                for tag, where in (translations if is_found else ())
            ],
            where=urls,
            **values,
        )
        links = self._links(alternate)
        # A page that reloads on changes must not be an earlier one.
        rules = "" if self._is_live else identity.link(assets.address(assets.PREFETCH))
        return Representation(
            path,
            HTML,
            body,
            status,
            alternate,
            document,
            links=links,
            rules=rules,
            awaited=awaited,
            files=files,
        )

    def write_file(self, template: str, **values: Any) -> bytes:
        """Return an HTML file with its style sheets in it, which needs no other one."""
        styles = map(assets.read_text, ("style.css", "insights.css"))
        return _TEMPLATES.load(template).generate(
            link=self.identity.link,
            site=self.identity,
            styles="\n".join(styles),
            **values,
        )

    def _links(self, alternate: str) -> tuple[str, ...]:
        lists = self.identity.index_links
        if not alternate:
            return lists
        where = self.identity.link(alternate)
        return (*lists, f'<{where}>; rel="alternate"; type="text/markdown"')
