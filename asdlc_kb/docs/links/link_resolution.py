"""Resolution of links in pages to visible pages (D-151).

A link is read as a path of files and as an address of the published site. Hidden pages
are not in the lookup, so a link to one is a link to nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from asdlc_kb.attachments.references import INDEX_STEMS
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.links.link_paths import follow_link, read_path
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.links.written_names import URI_PREFIX
from asdlc_kb.files.tree_names import PAGE_SUFFIXES

MAX_LINK_CHARS: Final = 2_000
"""Characters of a link; a longer one leads nowhere."""


@dataclass(frozen=True, slots=True)
class LinkRules:
    """How the generator of a tree publishes its pages."""

    site_url: str = ""
    """Full address of the published site; empty if unknown."""
    prefixes: tuple[str, ...] = ()
    """Leading path parts of the site's own absolute links, as `/en/`."""
    default_language: str = ""
    """The folder whose pages stand for those that another language lacks."""
    alias: str = ""
    """What stands for the root in links, as `@site/docs/`; empty for nothing."""
    has_folder_urls: bool = False
    """Whether `a/b.md` is published as `a/b/`, the base of its relative links."""


_FOLDER_URLS: Final = frozenset({"hugo", "mkdocs", "starlight", "zensical"})
"""Generators that publish `a/b.md` as `a/b/`."""


class PageTarget(NamedTuple):
    """The target of a link: a visible page, or a place in it."""

    path: str
    anchor: str
    """As written, percent-encoded; empty for the whole page."""


def read_rules(configuration: TreeConfiguration) -> LinkRules:
    """Return the rules of a tree as its generator is configured."""
    return LinkRules(
        configuration.site_url,
        configuration.prefixes,
        configuration.default_language,
        alias=_make_alias(configuration),
        has_folder_urls=configuration.generator in _FOLDER_URLS,
    )


def _make_alias(configuration: TreeConfiguration) -> str:
    """Return what stands for the root of a tree of Docusaurus in links."""
    if configuration.generator != "docusaurus" or not configuration.files:
        return ""
    project = configuration.files[0].parent
    if not configuration.root.is_relative_to(project):
        return ""
    return f"@site/{configuration.root.relative_to(project).as_posix()}/"


def resolve_link(
    href: str, source: str, lookup: PathLookup, rules: LinkRules
) -> PageTarget | None:
    """Return the page that a link in the page `source` leads to, or None."""
    if len(href) > MAX_LINK_CHARS:
        return None
    local = localize(href, rules)
    path, _, anchor = local.partition("#")
    if not path:
        return PageTarget(source, anchor) if anchor else None
    found = _find(path, source, lookup, rules)
    return PageTarget(found, anchor) if found is not None else None


def _find(path: str, source: str, lookup: PathLookup, rules: LinkRules) -> str | None:
    names = tuple(dict.fromkeys(_list_names(path, source, rules)))
    for find in (lookup.find_exact, lookup.find_alike):
        for name in names:
            if (found := find(name)) is not None:
                return found
    if (found := _find_untranslated(names, source, lookup, rules)) is not None:
        return found
    written = read_path(path) or ""
    if not names or ".." in written.split("/"):
        return None
    if written.startswith("/"):
        return lookup.find_end(written) or lookup.find_beginning(written)
    return lookup.find_beginning(written)


def _find_untranslated(
    names: Sequence[str], source: str, lookup: PathLookup, rules: LinkRules
) -> str | None:
    """Return the page in the default language for one that the source's lacks."""
    language, slash, _ = source.partition("/")
    if not (slash and rules.default_language) or language == rules.default_language:
        return None
    for name in names:
        folder, _, rest = name.lstrip("/").partition("/")
        if folder == language:
            found = lookup.find_exact(f"{rules.default_language}/{rest}")
            if found is not None:
                return found
    return None


def localize(href: str, rules: LinkRules) -> str:
    """Return an address of a page, here or on the published site, from the root."""
    for prefix in filter(None, (URI_PREFIX, rules.alias)):
        if href.startswith(prefix):
            return f"/{href.removeprefix(prefix).lstrip('/')}"
    if not rules.site_url or ":" not in href:
        return href
    try:
        site, parts = urlsplit(rules.site_url), urlsplit(href)
    except ValueError:
        return href
    folder = f"{site.path.rstrip('/')}/"
    is_ours = parts.scheme in ("http", "https") and parts.netloc == site.netloc
    if not is_ours or not f"{parts.path}/".startswith(folder):
        return href
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    return f"/{parts.path[len(folder) :]}{anchor}"


def resolve_file(href: str, source: str, rules: LinkRules) -> tuple[str, ...]:
    """Return the paths below the root that a link can mean, existing or not.

    For files that are no pages: pictures and downloads. Empty for a link to another
    site, above the root, or within the page.
    """
    names = _list_names(localize(href, rules).partition("#")[0], source, rules)
    return tuple(dict.fromkeys(name.strip("/") for name in names))


def list_published(address: str, rules: LinkRules) -> tuple[str, ...]:
    """Return the names from the root that a full address of the site can mean.

    Empty for any other text; `/` for the root itself.
    """
    if len(address) > MAX_LINK_CHARS or address.startswith(URI_PREFIX):
        return ()
    if localize(address, rules) == address:
        return ()
    # Prefixes are parts of the whole path.
    hrefs = address, urlsplit(address).path
    names = (name for href in hrefs for name in resolve_file(href, "index.md", rules))
    return tuple(dict.fromkeys(name or "/" for name in names))


def _list_names(path: str, source: str, rules: LinkRules) -> Iterator[str]:
    """Yield the names from the root that a path in a page can mean, likeliest first."""
    bases = [source]
    if not path.partition("?")[0].endswith(PAGE_SUFFIXES):
        bases.insert(0 if rules.has_folder_urls else 1, _publish(source))
    for base in bases:
        name = follow_link(path, base)
        if name is None:
            continue
        yield name
        for prefix in rules.prefixes if path.startswith("/") else ():
            lead = f"{prefix.strip('/')}/"
            if f"{name}/".startswith(lead):
                yield name[len(lead) :] or "/"


def _publish(path: str) -> str:
    """Return the path of a page as the index page of the folder it is published as."""
    stem = path.rpartition(".")[0]
    name = stem.rpartition("/")[2]
    is_index = name.lower() in INDEX_STEMS
    return path if is_index else f"{stem}/index.md"
