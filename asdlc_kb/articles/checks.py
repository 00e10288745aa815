"""What is wrong between articles: `asdlc-kb check` over a whole catalog.

What is wrong within one file is noted when it is read (`schema`, `files`). What is only
seen from above is worked out here, on demand, for the author: these problems name
hidden articles, so they are for no other door.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from enum import Enum
from typing import Final

from asdlc_kb.articles.article import Article, LinkPlace, Unreadable
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import ArticleTarget, locate
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.outline import Outline, read_outline

CODES: Final[Mapping[str, str]] = {
    "KB001": "a file or folder cannot be read, is too large (2 MiB), is not UTF-8 "
    "text, or a link leads out of the root or to what is not served",
    "KB002": "a name that is not served",
    "KB003": "two names that differ only in case or in the form of their accents",
    "KB004": "a file that its writer keeps open",
    "KB010": "frontmatter is missing, has no end or cannot be parsed, or the file is "
    "empty",
    "KB011": "a required field is missing",
    "KB012": "a field has a value it cannot have",
    "KB013": "the status is missing or unknown",
    "KB014": "the description is longer than 200 characters",
    "KB015": "invisible characters",
    "KB016": "a date in the future, wherever on Earth one is",
    "KB020": "`relatedIds` or `supersededBy` names no article, or several",
    "KB021": "`relatedIds` or `supersededBy` names a hidden article",
    "KB022": "articles of different categories have the same slug",
    "KB023": "an orphan: no other visible article links or relates to it",
    "KB030": "a link leads to no article, or to several",
    "KB031": "a visible article links to a hidden one",
    "KB032": "a link's anchor is no heading's",
}
"""Every code that `check_articles` can report, and what it means."""

_IDS: Final = ("relatedIds", "supersededBy")
_TOP: Final = LinkPlace(1, 1)


def check_articles(catalog: ArticleCatalog, today: datetime.date) -> list[Problem]:
    """Return every problem of a catalog's files and between them, in path order."""
    return sorted({*catalog.snapshot.all_problems(), *_Review(catalog, today).all()})


class _RelatedStatus(Enum):
    """What a reader meets behind a name."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    FAULTY = "faulty"
    """It says it is visible; its own faults are reported already."""


class _Review:
    """One look at a catalog; articles are named by their ids."""

    def __init__(self, catalog: ArticleCatalog, today: datetime.date) -> None:
        self._today = today.isoformat()
        self._articles: dict[str, Article] = {}
        self._standings: dict[str, _RelatedStatus] = {}
        self._by_slug: defaultdict[str, list[str]] = defaultdict(list)
        visible = {article.id for article in catalog.articles}
        for path, entry in sorted(catalog.snapshot.entries.items()):
            id = path.removesuffix(".md")
            self._by_slug[id.split("/")[1]].append(id)
            self._standings[id] = _RelatedStatus.HIDDEN
            if isinstance(entry.value, Article):
                self._articles[id] = entry.value
            elif isinstance(entry.value, Unreadable):
                self._standings[id] = _RelatedStatus.FAULTY
            if id in visible:
                self._standings[id] = _RelatedStatus.VISIBLE
        self._outlines: dict[str, Outline] = {
            id: read_outline(article.body) for id, article in self._articles.items()
        }
        self._reached: set[str] = set()
        """Articles that another visible article leads to, as far as was looked."""

    def all(self) -> Iterator[Problem]:
        """Yield every problem between articles."""
        for article in self._articles.values():
            yield from self._dates(article)
            yield from self._names(article)
            yield from self._links(article)
        yield from self._twins()
        yield from self._orphans()

    def _dates(self, article: Article) -> Iterator[Problem]:
        dates = {
            "lastUpdated": article.last_updated,
            "publishedDate": article.published,
        }
        for name, date in dates.items():
            if date and date > self._today:
                message = f"{name} is in the future: write the day it happened"
                place = article.places.fields[name][0]
                yield _problem(article.id, place, "KB016", message)

    def _names(self, article: Article) -> Iterator[Problem]:
        given = zip(_IDS, (article.related, article.superseded_by), strict=True)
        for field, names in given:
            for index, name in enumerate(names):
                place = article.places.fields[field][index]
                found = self._named(name)
                if len(found) == 1:
                    self._note(article, found[0])
                    if not self._is_gap(article, found[0], field):
                        continue
                    message = f"{field} names the hidden '{found[0]}': remove it"
                    yield _problem(article.id, place, "KB021", message)
                    continue
                advice = self._advice(name)
                message = f"{field} names '{name}', which is no article{advice}"
                if found:
                    message = f"{field} names '{name}': say which, {' or '.join(found)}"
                yield _problem(article.id, place, "KB020", message)

    def _named(self, name: str) -> list[str]:
        """Return the articles of a name: visible ones if there are any."""
        if name in self._standings:
            return [name]
        twins = self._by_slug.get(name, [])
        return [id for id in twins if self._is_visible(id)] or twins

    def _is_gap(self, article: Article, target: str, field: str = "") -> bool:
        """Whether readers of an article would miss what it leads to.

        A hidden article may name its like, but not as its successor.
        """
        is_hidden = self._standings[target] is _RelatedStatus.HIDDEN
        return is_hidden and (article.status.is_visible or field == "supersededBy")

    def _links(self, article: Article) -> Iterator[Problem]:
        for link in self._outlines[article.id].links:
            target = locate(article.id, link.href)
            if target is None:
                continue
            if (fault := self._fault(article, target)) is not None:
                place = LinkPlace(article.places.body + link.line - 1, link.column)
                yield _problem(article.id, place, *fault)

    def _fault(self, article: Article, target: ArticleTarget) -> tuple[str, str] | None:
        """Return code and message if a link does not lead where it says."""
        found = self._meant(target)
        if not found:
            if not target.is_certain:
                return None
            advice = self._advice(target.id)
            return "KB030", f"no article '{target.id}'{advice}"
        if len(found) > 1:
            return "KB030", f"'{target.id}' is several: say which, {' or '.join(found)}"
        (id,) = found
        self._note(article, id)
        if self._is_gap(article, id):
            return "KB031", f"links to the hidden '{id}': remove the link"
        outline = self._outlines.get(id)
        anchor = target.anchor
        if outline is None or anchor in outline.anchors or anchor in ("", "top"):
            return None
        close = get_close_matches(anchor.lower(), sorted(outline.anchors), n=1)
        advice = f": did you mean '#{close[0]}'?" if close else ": name a heading"
        where = "here" if id == article.id else f"in '{id}'"
        return "KB032", f"no heading {where} has the anchor '#{anchor}'{advice}"

    def _meant(self, target: ArticleTarget) -> list[str]:
        """Return the articles that a link can mean."""
        if target.is_name:
            return self._named(target.id)
        return [target.id] if target.id in self._standings else []

    def _advice(self, name: str) -> str:
        """Return the end of a message on a name that leads nowhere."""
        slug = name.rsplit("/", 1)[-1]
        slugs = {id.split("/")[1]: id for id in self._standings if self._is_visible(id)}
        close = get_close_matches(slug, slugs, n=1, cutoff=0.7)
        advice = f"did you mean '{slugs[close[0]]}'?" if close else "mend or remove it"
        return f": {advice}"

    def _note(self, article: Article, target: str) -> None:
        if article.status.is_visible and target != article.id:
            self._reached.add(target)

    def _twins(self) -> Iterator[Problem]:
        """Yield slugs that are, or would be once published, ambiguous."""
        for twins in self._by_slug.values():
            kept = [id for id in twins if not self._is_retired(id)]
            for id in kept if len(kept) > 1 else ():
                others = " and ".join(f"'{twin}'" for twin in kept if twin != id)
                message = f"the slug is that of {others} too: rename one"
                yield _problem(id, _TOP, "KB022", message)

    def _orphans(self) -> Iterator[Problem]:
        """Yield what readers cannot come across; a lone article has no company."""
        visible = [id for id in self._articles if self._is_visible(id)]
        for id in visible if len(visible) > 1 else ():
            if id not in self._reached:
                message = "no visible article links or relates to this one: link it"
                yield _problem(id, _TOP, "KB023", message)

    def _is_visible(self, id: str) -> bool:
        return self._standings[id] is _RelatedStatus.VISIBLE

    def _is_retired(self, id: str) -> bool:
        article = self._articles.get(id)
        return article is not None and article.status is ArticleStatus.DEPRECATED


def _problem(id: str, place: LinkPlace, code: str, message: str) -> Problem:
    return Problem(f"{id}.md", place.line, place.column, code, message)
