"""Cascades: what is stated once for many pages about their publication, as in Hugo.

A field counts as the nearest cascade above a page states it. Where it is not known
whether a target means the page, what hides the page counts and nothing else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Fields
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from asdlc_kb.docs.pages.path_globs import match_glob
from asdlc_kb.docs.pages.stated_fields import (
    EXPIRED_FROM,
    PUBLISHED_FROM,
    Build,
    StatedFields,
    read_build,
    read_window,
)
from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter import nodes
from asdlc_kb.frontmatter.toml_format import make_mapping

MAX_CASCADES: Final = 200
"""Cascades of one index page or of a configuration; a further one hides all pages."""

_DATES: Final = (*PUBLISHED_FROM, *EXPIRED_FROM, "date")
_TARGETS: Final = ("target", "_target")
COUNTED: Final = frozenset({*_DATES, *_TARGETS, "build", "_build", "draft"})
"""Fields of a cascade that are read, in lower case."""
_ENVIRONMENT: Final = "production"
"""That of a published site."""

_SUFFIX: Final = re.compile(r"\.[^./]+\Z")
_SUBTAG: Final = re.compile(r"[-_]")


@dataclass(frozen=True, slots=True)
class Target:
    """The pages that a cascade means: patterns by the case-folded name of a field."""

    patterns: Fields[str, str] = field(default_factory=dict)
    base: str = ""
    """Before the paths of pages."""

    def matches(self, path: str, language: str) -> bool | None:
        """Whether it means a page; None if that is not known."""
        results = [
            self._match(name, pattern, path, language)
            for name, pattern in self.patterns.items()
        ]
        if False in results:
            return False
        return None if None in results else True

    def _match(self, name: str, pattern: str, path: str, language: str) -> bool | None:
        match name:
            case "path":
                names = _list_logical(f"{self.base}{path}", language)
                return _match_any(pattern, names)
            case "kind":
                return _match_any(pattern, _list_kinds(f"{self.base}{path}"))
            case "lang" if language:
                return _match_any(pattern, _list_tags(language))
            case "environment":
                # Others may be what is published here.
                return match_glob(pattern, _ENVIRONMENT) or None
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """What is stated for many pages; None for what is not stated."""

    target: Target = Target()
    build: Build | None = None
    is_draft: bool | None = None
    """Whether they are hidden whatever a page states about `build`."""
    visible_from: float | None = None
    """As of a page, for those that state no dates."""
    visible_until: float | None = None


@dataclass(slots=True)
class CascadedValues:
    """What the cascades above a page state together."""

    build: Build | None = None
    is_draft: bool | None = None
    visible_from: float | None = None
    visible_until: float | None = None
    is_withheld: bool = False
    """Whether a cascade that may mean the page does not build it."""

    def add(self, cascade: Cascade) -> None:
        """Add a cascade that means the page, farther than those before."""
        for name in ("build", "is_draft", "visible_from", "visible_until"):
            if getattr(self, name) is None:
                setattr(self, name, getattr(cascade, name))

    def add_doubtful(self, cascade: Cascade) -> None:
        """Add what hides the page of a cascade that may mean it."""
        if cascade.is_draft:
            self.is_draft = True
        if cascade.build is not None and cascade.build.is_hidden:
            self.is_withheld = True
        if cascade.visible_from is not None:
            begins = -inf if self.visible_from is None else self.visible_from
            self.visible_from = max(cascade.visible_from, begins)
        if cascade.visible_until is not None:
            ends = inf if self.visible_until is None else self.visible_until
            self.visible_until = min(cascade.visible_until, ends)


def merge_cascades(
    cascades: Iterable[Cascade], path: str, language: str
) -> CascadedValues:
    """Return what cascades state about a page, the nearest one first."""
    values = CascadedValues()
    doubtful: list[Cascade] = []
    for cascade in cascades:
        is_meant = cascade.target.matches(path, language)
        if is_meant:
            values.add(cascade)
        elif is_meant is None:
            doubtful.append(cascade)
    for cascade in doubtful:
        values.add_doubtful(cascade)
    return values


def read_site_cascades(
    parts: Sequence[Fields[str, Any]], base: str
) -> tuple[Cascade, ...]:
    """Return the cascades of a configuration."""
    mappings: list[nodes.Value] = []
    for part in parts:
        counted = {k: v for k, v in part.items() if k.strip().casefold() in COUNTED}
        try:
            mappings.append(make_mapping(counted, 1))
        except FrontmatterError:
            mappings.append(_HIDDEN)
    return read_cascades(nodes.Sequence(tuple(mappings), 1, 1), "hugo", base)


_HIDDEN: Final = nodes.Mapping({"draft": nodes.Scalar("true", False, 1, 1)}, 1, 1)


def read_cascades(
    value: nodes.Value | None, dialect: str, base: str = ""
) -> tuple[Cascade, ...]:
    """Return what a field `cascade` states about publication."""
    parts = value.items if isinstance(value, nodes.Sequence) else (value,)
    if len(parts) > MAX_CASCADES:
        parts = (_HIDDEN,)
    mappings = (part for part in parts if isinstance(part, nodes.Mapping))
    found = (_read_cascade(StatedFields(part), dialect, base) for part in mappings)
    return tuple(cascade for cascade in found if cascade is not None)


def _read_cascade(stated: StatedFields, dialect: str, base: str) -> Cascade | None:
    """Return a cascade; None if nothing about publication is stated."""
    begins, ends = read_window("", stated, dialect)
    build = read_build(stated)
    is_draft = stated.is_true("draft") or (False if stated.find("draft") else None)
    if build is None and is_draft is None and not any(map(stated.find, _DATES)):
        return None
    return Cascade(
        target=_read_target(stated, base),
        build=build,
        is_draft=is_draft,
        visible_from=begins if begins != -inf else None,
        visible_until=ends if ends != inf else None,
    )


def _read_target(stated: StatedFields, base: str) -> Target:
    target = next(filter(None, map(stated.find, _TARGETS)), None)
    if target is None:
        return Target()
    if not isinstance(target, nodes.Mapping):
        return Target({"": ""})
    inner = StatedFields(target)
    patterns = {name: inner.find_text((name,)) for name in inner.values}
    # An empty pattern means all pages, one that is no text is not known.
    return Target(
        {
            name: pattern
            for name, pattern in patterns.items()
            if pattern or not isinstance(inner.values[name], nodes.Scalar)
        },
        base,
    )


def _match_any(pattern: str, texts: Iterable[str]) -> bool | None:
    results = [match_glob(pattern, text) for text in texts] if pattern else [None]
    return True if True in results else None if None in results else False


def _list_logical(path: str, language: str) -> Iterator[str]:
    """Yield the paths by which a pattern may mean a page.

    With and without the suffix, that of a language, and the folder of one.
    """
    first, _, rest = path.partition("/")
    is_language = first.casefold() in map(str.casefold, _list_tags(language))
    for below in (path, rest) if rest and is_language else (path,):
        folder, _, last = f"/{below}".rpartition("/")
        if last.partition(".")[0] in ("index", "_index"):
            names = [folder or "/"]
        else:
            bare = _SUFFIX.sub("", f"{folder}/{last}")
            names = [f"{folder}/{last}", bare, _SUFFIX.sub("", bare)]
        for name in dict.fromkeys(names):
            yield from dict.fromkeys((name, name.replace(" ", "-")))


def _list_tags(language: str) -> tuple[str, ...]:
    """Return the keys that a language with this tag may have."""
    parts = _SUBTAG.split(language)
    return (language, "-".join(parts), "_".join(parts), *parts)


def _list_kinds(path: str) -> tuple[str, ...]:
    """Return the kinds in Hugo that a page may have."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    if stem == "_index":
        # A folder at the top may be that of a language.
        home = () if "/" in folder else ("home",)
        return ("home",) if not folder else (*home, "section", "taxonomy", "term")
    return ("home",) if stem == "index" and not folder else ("page",)
