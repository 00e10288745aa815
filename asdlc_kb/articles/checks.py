"""Consistency checks across articles: `asdlc-kb check` for a whole catalog.

Problems within one file are recorded when it is read (`schema`, `files`). Problems
between files are computed here, on demand, for the author: they name hidden articles,
so they must not reach clients or the website.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from enum import Enum
from typing import Final

from asdlc_kb.articles.aliases import FIELD as ALIASES
from asdlc_kb.articles.article import Article, SourcePosition, Unreadable
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import ArticleTarget, locate
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.articles.text_checks import check_text
from asdlc_kb.articles.written_names import list_exact_names
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.anchor_index import AnchorIndex
from asdlc_kb.markup.outline import Outline, OutlineLink, read_outline

CODES: Final[Mapping[str, str]] = {
    "KB001": "a file or folder cannot be read, is too large (2 MiB), is not UTF-8 "
    "text, or a link points outside the root or to a file that is not served",
    "KB002": "a name, or a place of an article, that is not served",
    "KB003": "two names that differ only in case or in the form of their accents",
    "KB004": "a file that its writer keeps open",
    "KB005": "a folder has no article or page to check",
    "KB010": "frontmatter is missing, has no end or cannot be parsed, or the file is "
    "empty",
    "KB011": "a required field is missing",
    "KB012": "a field has an invalid value",
    "KB013": "the status is missing or unknown",
    "KB014": "the description is longer than 200 characters",
    "KB015": "invisible characters",
    "KB016": "a date in the future, wherever on Earth one is",
    "KB017": "a reference, or the section of references, cannot be shown",
    "KB018": "a field that the format does not have is left out: too many, too long or "
    "too deep",
    "KB019": "an alias is not searched: not a string, empty, too long, or one too many",
    "KB020": "`relatedIds` or `supersededBy` names no article or an ambiguous one",
    "KB021": "`relatedIds` or `supersededBy` names a hidden article",
    "KB022": "articles of different categories have the same slug",
    "KB023": "an orphan: no other visible article links or relates to it",
    "KB024": "an alias of an article is the title or the address of another one",
    "KB025": "a field that the format does not have is written almost like one that it "
    "has",
    "KB026": "a visible article without a text, or one that shows something else than "
    "its author sees",
    "KB030": "a link points to no article or page, or to an ambiguous article",
    "KB031": "a visible article or page links to a hidden one",
    "KB032": "a link's anchor matches no heading",
    "KB033": "a picture, or a file that an article links to, is missing",
}
"""Every code that `check_articles` can report, with its meaning."""

_IDS: Final = ("relatedIds", "supersededBy")
_TOP: Final = SourcePosition(1, 1)


def check_articles(
    catalog: ArticleCatalog, files: AttachmentStore, today: datetime.date
) -> list[Problem]:
    """Return every problem of a catalog's files and between them, in path order."""
    found = _CatalogCheck(catalog, files, today).all()
    return sorted({*catalog.snapshot.all_problems(), *found})


class _RelatedStatus(Enum):
    """The visibility of a named article."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    FAULTY = "faulty"
    """Its status is visible; its own faults are already reported."""


class _CatalogCheck:
    """One check of a catalog; articles are identified by id."""

    def __init__(
        self, catalog: ArticleCatalog, files: AttachmentStore, today: datetime.date
    ) -> None:
        self._catalog = catalog
        self._files = files
        self._today = today.isoformat()
        self._articles: dict[str, Article] = {}
        self._visibility: dict[str, _RelatedStatus] = {}
        self._by_slug: defaultdict[str, list[str]] = defaultdict(list)
        self._by_title: defaultdict[str, list[str]] = defaultdict(list)
        visible = {article.id for article in catalog.articles}
        for path, entry in sorted(catalog.snapshot.entries.items()):
            id = path.removesuffix(".md")
            self._by_slug[id.split("/")[1]].append(id)
            self._visibility[id] = _RelatedStatus.HIDDEN
            if isinstance(entry.value, Article):
                self._articles[id] = entry.value
                self._by_title[entry.value.title.casefold()].append(id)
            elif isinstance(entry.value, Unreadable):
                self._visibility[id] = _RelatedStatus.FAULTY
            if id in visible:
                self._visibility[id] = _RelatedStatus.VISIBLE
        self._outlines: dict[str, Outline] = {
            id: read_outline(article.body) for id, article in self._articles.items()
        }
        self._reached: set[str] = set()
        """Articles that visible articles checked so far link or relate to."""

    def all(self) -> Iterator[Problem]:
        """Yield every problem between articles."""
        for article in self._articles.values():
            yield from self._texts(article)
            yield from self._dates(article)
            yield from self._names(article)
            yield from self._aliases(article)
            yield from self._links(article)
            yield from self._pictures(article)
        yield from self._ambiguous_slugs()
        yield from self._orphans()

    def _texts(self, article: Article) -> Iterator[Problem]:
        for line, message in check_text(article):
            above = article.positions.body - 1
            position = SourcePosition(above + line, 1) if line else _TOP
            yield _problem(article.id, position, "KB026", message)

    def _dates(self, article: Article) -> Iterator[Problem]:
        dates = {
            "lastUpdated": article.last_updated,
            "publishedDate": article.published,
        }
        for name, date in dates.items():
            if date and date > self._today:
                message = f"{name} is in the future: write the day it happened"
                position = article.positions.fields[name][0]
                yield _problem(article.id, position, "KB016", message)

    def _names(self, article: Article) -> Iterator[Problem]:
        given = zip(_IDS, (article.related, article.superseded_by), strict=True)
        for field, names in given:
            for index, name in enumerate(names):
                position = article.positions.fields[field][index]
                targets = self._resolve_name(name)
                if len(targets) == 1:
                    self._record_link(article, targets[0])
                    if not self._is_hidden_target(article, targets[0], field):
                        continue
                    advice = self._advise(article, targets[0], "write", "remove it")
                    message = (
                        f"{field} refers to '{targets[0]}', which is hidden: {advice}"
                    )
                    yield _problem(article.id, position, "KB021", message)
                    continue
                advice = self._advice(name)
                message = f"{field} refers to '{name}', which is not an article{advice}"
                if targets:
                    message = (
                        f"{field} refers to '{name}', which is ambiguous: "
                        f"write {' or '.join(targets)}"
                    )
                yield _problem(article.id, position, "KB020", message)

    def _aliases(self, article: Article) -> Iterator[Problem]:
        """Yield aliases that would find the article before the one they name."""
        for alias in article.aliases:
            for id in self._by_title.get(alias.casefold(), ()):
                if id != article.id:
                    position = article.positions.fields[ALIASES][0]
                    message = f"the alias '{alias}' is the title of '{id}': remove it"
                    yield _problem(article.id, position, "KB024", message)
        for address in article.former_addresses:
            *_, name = list_exact_names(address)
            if name != article.id and name in self._visibility:
                position = article.positions.fields[ALIASES][0]
                message = f"the alias '{address}' is the address of '{name}': remove it"
                yield _problem(article.id, position, "KB024", message)

    def _resolve_name(self, name: str) -> list[str]:
        """Return the ids that a name can mean: visible ones if there are any."""
        if name in self._visibility:
            return [name]
        same_slug = self._by_slug.get(name, [])
        return [id for id in same_slug if self._is_visible(id)] or same_slug

    def _is_hidden_target(self, article: Article, target: str, field: str = "") -> bool:
        """Whether the target is hidden from readers of the article.

        A hidden article may name another hidden one, but not as its successor.
        """
        is_hidden = self._visibility[target] is _RelatedStatus.HIDDEN
        return is_hidden and (article.status.is_visible or field == "supersededBy")

    def _links(self, article: Article) -> Iterator[Problem]:
        for link in self._outlines[article.id].links:
            fault = self._judge_file(article, link.href, "file")
            if not link.href:
                fault = "KB030", "a link has no address: add one, or remove it"
            target = locate(article.id, link.href)
            if fault is None and target is not None:
                fault = self._fault(article, target)
            if fault is not None:
                yield _problem(article.id, _position(article, link), *fault)

    def _pictures(self, article: Article) -> Iterator[Problem]:
        for picture in self._outlines[article.id].pictures:
            fault = self._judge_file(article, picture.href, "picture")
            if fault is not None:
                yield _problem(article.id, _position(article, picture), *fault)

    def _judge_file(
        self, article: Article, href: str, kind: str
    ) -> tuple[str, str] | None:
        """Return code and message if a reference is to a file that is not served."""
        names = [*self._files.list_names(href, f"{article.id}.md")]
        if not names or any(map(self._files.find, names)):
            return None
        if any(any(self._files.list_signatures(name)) for name in names):
            reason = "is too large, or links to a place that is not served"
            return "KB033", f"the {kind} '{names[0]}' {reason}: replace it"
        return "KB033", f"no {kind} '{names[0]}': add it, or correct the path"

    def _fault(self, article: Article, target: ArticleTarget) -> tuple[str, str] | None:
        """Return code and message if a link's target or anchor is wrong."""
        targets = self._resolve_target(target)
        if not targets:
            if not target.is_certain:
                return None
            advice = self._advice(target.id)
            return "KB030", f"no article '{target.id}'{advice}"
        if len(targets) > 1:
            return (
                "KB030",
                f"'{target.id}' is ambiguous: write {' or '.join(targets)}",
            )
        (id,) = targets
        self._record_link(article, id)
        if self._is_hidden_target(article, id):
            advice = self._advise(article, id, "link to", "remove the link")
            return "KB031", f"links to '{id}', which is hidden: {advice}"
        outline = self._outlines.get(id)
        anchor = target.anchor
        if outline is None or anchor in outline.anchors or anchor in ("", "top"):
            return None
        where = "here" if id == article.id else f"in '{id}'"
        anchors = AnchorIndex(sorted(outline.anchors))
        return "KB032", anchors.describe_missing(anchor, where)

    def _resolve_target(self, target: ArticleTarget) -> list[str]:
        """Return the ids that a link can mean."""
        if target.is_name and (named := self._resolve_name(target.id)):
            return named
        if target.id in self._visibility:
            return [target.id]
        # The website redirects a former address, and agents find the article by it.
        moved = self._catalog.find_former(target.id)
        return [moved.id] if moved is not None else []

    def _advice(self, name: str) -> str:
        """Return the end of a message about an unknown name."""
        if (moved := self._catalog.find_former(name)) is not None:
            return f": did you mean '{moved.id}'?"
        slug = name.rsplit("/", 1)[-1].removesuffix(".md").casefold()
        slugs = {
            id.split("/")[1].casefold(): id
            for id in self._visibility
            if self._is_visible(id)
        }
        close = get_close_matches(slug, slugs, n=1, cutoff=0.7)
        advice = f"did you mean '{slugs[close[0]]}'?" if close else "fix or remove it"
        return f": {advice}"

    def _advise(self, source: Article, id: str, verb: str, otherwise: str) -> str:
        """Return the advice on a hidden article: its visible successors, if any."""
        article = self._articles.get(id)
        names = article.superseded_by if article is not None else ()
        ids = [one for name in names for one in self._resolve_name(name)]
        visible = [f"'{i}'" for i in ids if self._is_visible(i) and i != source.id]
        return f"{verb} {' or '.join(visible)}" if visible else otherwise

    def _record_link(self, article: Article, target: str) -> None:
        if article.status.is_visible and target != article.id:
            self._reached.add(target)

    def _ambiguous_slugs(self) -> Iterator[Problem]:
        """Yield slugs that are ambiguous, or would be once published."""
        for same_slug in self._by_slug.values():
            published = [id for id in same_slug if not self._is_retired(id)]
            for id in published if len(published) > 1 else ():
                others = " and ".join(
                    f"'{other}'" for other in published if other != id
                )
                message = f"same slug as {others}: rename one"
                yield _problem(id, _TOP, "KB022", message)

    def _orphans(self) -> Iterator[Problem]:
        """Yield articles without incoming links, unless there is only one article."""
        visible = [id for id in self._articles if self._is_visible(id)]
        for id in visible if len(visible) > 1 else ():
            if id not in self._reached:
                message = "no visible article links or relates to this one: add a link"
                yield _problem(id, _TOP, "KB023", message)

    def _is_visible(self, id: str) -> bool:
        return self._visibility[id] is _RelatedStatus.VISIBLE

    def _is_retired(self, id: str) -> bool:
        article = self._articles.get(id)
        return article is not None and article.status is ArticleStatus.DEPRECATED


def _position(article: Article, link: OutlineLink) -> SourcePosition:
    """Return the position of a link in the article's file."""
    return SourcePosition(article.positions.body + link.line - 1, link.column)


def _problem(id: str, position: SourcePosition, code: str, message: str) -> Problem:
    return Problem(f"{id}.md", position.line, position.column, code, message)
