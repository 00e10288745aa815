"""Regular expressions for paths, and globs as JavaScript tools and Hugo read them."""

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

MAX_CHARS: Final = 1_000
"""Characters of a glob or of a regular expression."""

MAX_WILDCARDS: Final = 3
"""Stars in one name of a glob, and double stars in all of it: the time of a match is a
power of their number."""

MAX_REPEATS: Final = 3
"""Repetitions without a bound in a regular expression, for the same reason."""

_REPEAT: Final = re.compile(r"\\.|(?P<repeat>[*+]|\{\d*,\})", re.DOTALL)
_REPEATED_GROUP: Final = re.compile(r"\)(?:[*+](?!\+)|\{)")
"""What may take exponential time; a possessive one does not."""

_TOKEN: Final = re.compile(
    r"""
    \\(?P<escaped>.)
    |(?P<folders>(?:(?<=[/{(,|])|^)(?:\*\*+/)+)
    |(?P<all>^\*\*+|(?<=[/{(,|])\*\*+(?=[,|)}]|$))
    |(?P<stars>\*+(?!\())
    |(?P<set>\[[!^]?\]?(?:\\.|[^\]/\\])*+\])
    |(?P<group>[@?*+!]?\(|\{[^{},]*\.\.[^{},]*\}|\{)
    |(?P<sign>[?,|)}])
    |(?P<text>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SEPARATORS: Final = {"}": ",", ")": "|"}
_SUFFIXES: Final = {"?": "?", "*": "*+", "+": "++"}


@dataclass(frozen=True, slots=True)
class PathExpression:
    """A regular expression that is searched in the paths of files."""

    expression: re.Pattern[str]
    lead: str = ""
    """What stands before the path."""
    has_folders: bool = True
    """Whether it counts for folders too, with all that is below."""

    def match(self, path: str) -> bool:
        """Whether a path is left out; that of a folder ends with a slash."""
        if not self.has_folders and path.endswith("/"):
            return False
        name = f"{self.lead}{path}"
        while len(name) > len(self.lead):
            if self.expression.search(name):
                return True
            name = name.rstrip("/") if name[-1] == "/" else name.rpartition("/")[0]
            if not self.has_folders:
                break
        return False


Exclusion: TypeAlias = "str | PathExpression"
"""A pattern as in `.gitignore`, or an expression."""


def leave_only(names: Iterable[str], suffix: str) -> PathExpression:
    """Return an expression for the files with a suffix but some."""
    kept = "|".join(map(re.escape, sorted(names)))
    expression = re.compile(f"^(?!(?:{kept})$).*{re.escape(suffix)}$", re.DOTALL)
    return PathExpression(expression, has_folders=False)


def compile_expression(text: str, max_repeats: int | None = None) -> re.Pattern[str]:
    """Return a regular expression; one that may take much time is none."""
    repeats = sum(each["repeat"] is not None for each in _REPEAT.finditer(text))
    is_slow = max_repeats is not None and repeats > max_repeats
    if is_slow or len(text) > MAX_CHARS or _REPEATED_GROUP.search(text):
        raise ValueError("too long, or slow")
    with warnings.catch_warnings():
        # Of signs in a set that other languages read in another way.
        warnings.simplefilter("error", FutureWarning)
        try:
            return re.compile(text)
        except FutureWarning as warning:
            raise ValueError("ambiguous") from warning


def translate_glob(glob: str, *, is_hugo: bool = False) -> str:
    """Return a glob as a regular expression.

    Braces and sets are read, for JavaScript tools also alternatives in parentheses.
    Raises ValueError for what is left: `!(…)`, ranges in braces, and a `!` that takes
    back.
    """
    if glob.startswith("!"):
        raise ValueError("negated")
    return "".join(_Translator(is_hugo).read(glob.removeprefix("./").strip("/")))


class _Translator:
    """Translates the tokens of a glob."""

    def __init__(self, is_hugo: bool) -> None:
        self._is_hugo = is_hugo
        self._open: list[tuple[str, str, tuple[int, int]]] = []
        """The sign that closes a group, what repeats it, and the wildcards before."""
        self._stars = self._doubles = 0
        """Wildcards in the name, and in all names, of one alternative of each group."""

    def read(self, glob: str) -> Iterator[str]:
        for found in _TOKEN.finditer(glob):
            kind, text = found.lastgroup or "", found[0]
            match kind:
                case "folders" | "all" | "stars":
                    yield self._read_wildcard(kind, text)
                case "set":
                    inside = text[1:-1]
                    sign = "^" if inside[:1] in ("!", "^") else ""
                    yield f"(?!/)[{sign}{inside[len(sign) :]}]"
                case "group" if text[0] == "{" or not self._is_hugo:
                    yield self._begin(text)
                case "sign":
                    yield self._read_sign(text)
                case _:
                    self._stars *= text != "/"
                    yield re.escape(found["escaped"] or text)

    def _read_wildcard(self, kind: str, text: str) -> str:
        if any(suffix[1:] for _, suffix, _ in self._open):
            raise ValueError("a wildcard that is repeated")
        self._stars += kind == "stars"
        self._doubles += kind != "stars"
        if max(self._stars, self._doubles) > MAX_WILDCARDS:
            raise ValueError("too many wildcards")
        if self._is_hugo:
            anything = text.strip("/") != "*"
            return (".*" if anything else "[^/]*") + ("/" if kind == "folders" else "")
        return {"folders": "(?:.*/)?", "all": ".*", "stars": "[^/]*"}[kind]

    def _begin(self, text: str) -> str:
        if text[0] == "!" or len(text) > 2:
            raise ValueError("a negated group, or a range")
        is_brace = text == "{"
        suffix = "" if is_brace else _SUFFIXES.get(text[:-1], "")
        before = self._stars, self._doubles
        self._open.append(("}" if is_brace else ")", suffix, before))
        return "(?:"

    def _read_sign(self, text: str) -> str:
        """Return what `?` and the signs of groups stand for."""
        if text == "?":
            return "[^/]"
        closer = self._open[-1][0] if self._open else ""
        if text == closer:
            return f"){self._open.pop()[1]}"
        if text != _SEPARATORS.get(closer):
            return re.escape(text)
        self._stars, self._doubles = self._open[-1][2]
        return "|"
