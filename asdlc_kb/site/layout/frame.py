"""What is around every page: head, header, navigation, foot, and the templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from tornado.template import Loader

from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets
from asdlc_kb.site.representation import HTML, Representation

MAX_DESCRIPTION_CHARS: Final = 300
"""Characters of a description in a page's head."""

_TEMPLATES: Final = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Link:
    """An address and what it is called."""

    address: str
    title: str


@dataclass(frozen=True)
class SiteIdentity:
    """What the site is called and where it is."""

    title: str
    tagline: str = ""
    base_url: str | None = None
    """The public address, if it is known; nothing is absolute without it."""
    version: str = ""
    has_endpoint: bool = True
    """Whether there is an MCP endpoint beside the pages."""
    has_search: bool = True
    """Whether somebody answers searches: files do not."""
    needs_token: bool = False
    """Whether the endpoint answers only who sends a token."""
    edit_url: str | None = None
    """Where any file is changed: `{folder}` and `{path}` in it stand for which."""
    signal: str = ""
    """What others may do with the content, as robots.txt says it."""

    @cached_property
    def prefix(self) -> str:
        """Below which path browsers see everything; without a slash at its end."""
        # One slash in front: two would be the beginning of a host.
        bare = urlsplit(self.base_url or "").path.strip("/")
        return f"/{quote(unquote(bare))}" if bare else ""

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """What a Link header says of where everything is."""
        found = [(urls.INDEX, "llms-txt"), (urls.FULL, "llms-full-txt")]
        if self.has_endpoint and self.base_url:
            found.append((urls.CARD, "mcp-server-card"))
        return tuple(f'<{self.link(where)}>; rel="{kind}"' for where, kind in found)

    def link(self, path: str) -> str:
        """Return where a browser finds an address of the site."""
        return f"{self.prefix}{path}"

    def locate(self, path: str) -> str:
        """Return the absolute address; only where the public address is known."""
        scheme, host, *_ = urlsplit(self.base_url or "")
        return f"{scheme}://{host}{self.link(path)}"

    def edit(self, folder: str, path: str) -> str:
        """Return where a file of a served folder is changed; empty if nobody says."""
        where = self.edit_url or ""
        return where.replace("{folder}", quote(folder)).replace("{path}", quote(path))

    def cite(self, path: str) -> str:
        """Return an address for a text that is read elsewhere: as whole as is known."""
        return self.locate(path) if self.base_url else path


class PageLayout:
    """Puts pages together; the same values give the same bytes."""

    def __init__(
        self,
        identity: SiteIdentity,
        *,
        has_docs: bool,
        has_articles: bool,
        is_live: bool = False,
    ) -> None:
        self._is_live = is_live
        self.identity = identity
        self._has_docs = has_docs
        self._has_articles = has_articles
        self._loader = Loader(str(_TEMPLATES), whitespace="single")

    def make(
        self,
        template: str,
        path: str,
        *,
        title: str,
        navigation: Sequence[Link] = (),
        description: str = "",
        alternate: str = "",
        status: int = 200,
        **values: Any,
    ) -> Representation:
        """Return a page of a template; what it shows is given by name."""
        identity = self.identity
        body = self._loader.load(template).generate(
            asset=lambda name: identity.link(assets.address(name)),
            alternate=alternate,
            canonical=identity.locate(path)
            if identity.base_url and status == 200
            else "",
            current=path,
            description=" ".join(description.split())[:MAX_DESCRIPTION_CHARS],
            has_articles=self._has_articles,
            has_docs=self._has_docs,
            is_live=self._is_live,
            link=identity.link,
            navigation=navigation,
            site=identity,
            title=title,
            where=urls,
            **values,
        )
        return Representation(
            path, HTML, body, status, alternate, links=self._links(alternate)
        )

    def _links(self, alternate: str) -> tuple[str, ...]:
        lists = self.identity.lists
        if not alternate:
            return lists
        where = self.identity.link(alternate)
        return (*lists, f'<{where}>; rel="alternate"; type="text/markdown"')
