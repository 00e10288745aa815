"""Patterns of a rule, as another tool reads them.

Patterns are read from the top of the project there, unless the tool has rules in
folders. Only what the documentation of every tool has is written: no exclusions but
for Continue, no trailing or leading slash, and no braces where commas separate
patterns.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from asdlc_kb.files.folder_walk import join_below
from asdlc_kb.project.glob_patterns import expand_braces

_WILDCARDS: Final = "*?[{"


def convert_patterns(
    patterns: Sequence[str],
    folder: str = "",
    *,
    bare_matches_anywhere: bool,
    expands: bool,
    excludes: bool,
) -> tuple[str, ...]:
    """Return patterns of a folder as patterns from the top of the project.

    `bare_matches_anywhere` is how their tool reads a pattern without a slash.
    `expands` replaces braces, `excludes` keeps the patterns that begin with `!`.
    """
    converted: dict[str, None] = {}
    for sign, one in _expand(patterns, expands=expands, excludes=excludes):
        anchored = _anchor(one, bare_matches_anywhere=bare_matches_anywhere)
        converted[sign + join_below(folder, anchored)] = None
        if folder and anchored.startswith(f"{folder}/"):
            # Patterns are read from either folder.
            converted[sign + anchored] = None
    return tuple(converted)


def convert_gitignore(
    patterns: Sequence[str], folder: str = "", *, expands: bool, excludes: bool
) -> tuple[str, ...]:
    """Return patterns of a `.gitignore` in a folder as patterns from the top.

    A last name with a suffix is taken for that of files, one before `/**` for that of
    folders.
    """
    converted: dict[str, None] = {}
    for sign, one in _expand(patterns, expands=expands, excludes=excludes):
        for anchored in _anchor_gitignore(one):
            converted[sign + join_below(folder, anchored)] = None
    return tuple(converted)


def _expand(
    patterns: Sequence[str], *, expands: bool, excludes: bool
) -> Iterator[tuple[str, str]]:
    """Yield the sign of an exclusion, or none, and a pattern without it."""
    for pattern in patterns:
        sign = "!" if pattern.startswith("!") else ""
        if sign and not excludes:
            continue
        pattern = pattern.removeprefix("!")
        choices = (expand_braces(pattern) or (pattern,)) if expands else (pattern,)
        for one in choices:
            yield sign, one


def _anchor_gitignore(pattern: str) -> Iterator[str]:
    """Yield what a pattern of a `.gitignore` matches: files, and all below folders."""
    text = pattern.removesuffix("/**")
    inner = text.removesuffix("/")
    names = inner.removeprefix("/").split("/")
    if text.startswith("#") or not {"", ".", ".."}.isdisjoint(names):
        return
    if "/" not in inner:
        names.insert(0, "**")
    last, is_folder = names[-1], text != inner
    if last == "**" and is_folder:
        names.append("*")
    elif last in ("*", "**") and not is_folder:
        names.pop()
        while names[-1:] == ["**"]:
            names.pop()
    elif text == pattern and not is_folder:
        yield "/".join(names)
        if "." in last:
            return
    yield "/".join([*names, "**"])


def write_gitignore(pattern: str) -> str:
    """Return a pattern from the top as one of a `.gitignore`."""
    inner = pattern.removesuffix("/**")
    return pattern if "/" in inner or inner == "**" else f"/{pattern}"


def _anchor(pattern: str, *, bare_matches_anywhere: bool) -> str:
    """Return a pattern with which every tool matches the same files."""
    is_bare = "/" not in pattern.removesuffix("/")
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if is_bare and bare_matches_anywhere and names[:1] != ["**"]:
        names.insert(0, "**")
    if pattern.endswith("/"):
        names.append("**")
    return "/".join(names)


def find_common_folder(
    patterns: Iterable[str], is_folder: Callable[[str], bool]
) -> str:
    """Return the innermost existing folder that has every match; else empty."""
    common: list[str] | None = None
    for pattern in patterns:
        names = pattern.removeprefix("!").split("/")[:-1]
        fixed = [*takewhile(lambda name: not set(name) & set(_WILDCARDS), names)]
        if common is None:
            common = fixed
        pairs = zip(common, fixed, strict=False)
        common = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    while common and not is_folder("/".join(common)):
        common.pop()
    return "/".join(common or ())


def covers_folder(patterns: Sequence[str], folder: str) -> bool:
    """Whether one of the patterns matches every file of a folder."""
    return join_below(folder, "**") in patterns
