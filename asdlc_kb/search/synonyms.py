"""Synonyms: words and phrases that are searched for each other.

The format is that of Solr and Elasticsearch, a rule on each line:

    # a group: each is searched for the others
    pull request, PR, merge request
    # one way: a search for the first also searches for the others
    k8s => kubernetes

Case does not matter. A backslash before a comma makes it a part of the phrase. What is
typed is always searched, too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice, product
from pathlib import Path
from typing import Final

import msgspec

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.search.tokens import WORD, is_cjk, normalize_form
from asdlc_kb.unicode.invisible import strip_invisible

MAX_FILE_BYTES: Final = 512 * 1024
MAX_RULES: Final = 5_000
MAX_PHRASES: Final = 50
"""Phrases of a rule."""
MAX_PHRASE_CHARS: Final = 100
MAX_PHRASE_WORDS: Final = 8
MAX_VARIANTS: Final = 16
"""Variants of a query that are searched by keyword."""
MAX_VARIED_CHARS: Final = 200
"""Characters of a query up to which it has variants: longer ones are prose."""
MAX_WHOLE_CHARS: Final = 4
"""Characters of a synonym up to which it is found as a whole word only: many other
words begin with it."""

_COMMA: Final = re.compile(r"(?<!\\),")


class SynonymRule(msgspec.Struct, frozen=True):
    """A line of a file: phrases in lower case."""

    line: int
    typed: tuple[str, ...]
    """The phrases for which others are searched, too."""
    searched: tuple[str, ...]
    """These others; of a group, all its phrases."""


class QueryVariant(msgspec.Struct, frozen=True):
    """A query in which a synonym replaces a phrase."""

    text: str
    begins_word: bool
    """Whether it is found only where a word begins."""
    ends_word: bool
    """Whether it is found only where a word ends; an `s` may follow."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of what it finds."""
        begin = r"(?<![^\W_])" if self.begins_word else ""
        end = r"s?(?![^\W_])" if self.ends_word else ""
        return re.compile(f"{begin}{re.escape(self.text)}{end}")


class _Phrase(msgspec.Struct, frozen=True):
    """A phrase, found by its first word."""

    text: str
    offset: int
    """Characters before that word, as in `.net`."""


class Synonyms:
    """Rules, immutable; false without any."""

    def __init__(self, rules: Iterable[SynonymRule] = ()) -> None:
        self.rules = tuple(rules)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __add__(self, other: "Synonyms") -> "Synonyms":
        """Return the rules of both."""
        if self and other:
            return Synonyms((*self.rules, *other.rules))
        return self or other

    @property
    def phrases(self) -> Iterable[str]:
        """The phrases that have synonyms."""
        return self._by_phrase.keys()

    def find(self, phrase: str) -> tuple[str, ...]:
        """Return the synonyms of a phrase, in the order of the rules."""
        rules = self._by_phrase.get(phrase, ())
        others = dict.fromkeys(chain.from_iterable(rule.searched for rule in rules))
        others.pop(phrase, None)
        return tuple(others)

    @cached_property
    def _by_phrase(self) -> Mapping[str, list[SynonymRule]]:
        """The rules of each phrase."""
        found: dict[str, list[SynonymRule]] = {}
        for rule in self.rules:
            for phrase in rule.typed:
                found.setdefault(phrase, []).append(rule)
        return found

    @cached_property
    def _by_word(self) -> Mapping[str, list[_Phrase]]:
        """The phrases by their first word."""
        phrases: dict[str, list[_Phrase]] = {}
        for phrase in self._by_phrase:
            first = next(WORD.finditer(phrase))
            found = _Phrase(phrase, first.start())
            phrases.setdefault(first[0], []).append(found)
        return phrases

    @cached_property
    def _unspaced(self) -> tuple[str, ...]:
        """The phrases of scripts without blanks, of which words have no borders."""
        return tuple(p for p in self._by_phrase if any(map(is_cjk, p)))

    def vary(self, query: str) -> tuple[QueryVariant, ...]:
        """Return the query with synonyms in place of its phrases, without itself."""
        if len(query) > MAX_VARIED_CHARS or "\n" in query:
            return ()
        folded = query.lower()
        places = list(self._find_places(folded))
        if not places:
            return ()
        choices = [(phrase, *self.find(phrase)) for _, phrase in places]
        chosen = islice(product(*choices), 1, MAX_VARIANTS + 1)
        return tuple(_replace(folded, places, synonyms) for synonyms in chosen)

    def _find_places(self, query: str) -> Iterator[tuple[int, str]]:
        """Yield where phrases are, on borders of words: the longest that come first."""
        found = [(query.find(text), text) for text in self._unspaced]
        for match in WORD.finditer(query):
            for phrase in self._by_word.get(match[0], ()):
                at, text = match.start() - phrase.offset, phrase.text
                is_there = at >= 0 and query.startswith(text, at)
                if is_there and _ends_word(query, at + len(text)):
                    found.append((at, text))
        end = 0
        for at, text in sorted(found, key=lambda place: (place[0], -len(place[1]))):
            if at >= end:
                yield at, text
                end = at + len(text)


def _ends_word(text: str, at: int) -> bool:
    return not (text[at - 1 : at].isalnum() and text[at : at + 1].isalnum())


def _replace(
    query: str, places: list[tuple[int, str]], synonyms: tuple[str, ...]
) -> QueryVariant:
    """Return a query with synonyms in these places."""
    parts: list[str] = []
    end = 0
    for (at, phrase), synonym in zip(places, synonyms, strict=True):
        parts += query[end:at], synonym
        end = at + len(phrase)
    text = "".join((*parts, query[end:]))
    at, first = places[0]
    is_first = at == 0 and synonyms[0] != first
    is_last = end == len(query) and synonyms[-1] != places[-1][1]
    return QueryVariant(
        text,
        begins_word=is_first and not is_cjk(text[0]),
        ends_word=is_last
        and len(synonyms[-1]) <= MAX_WHOLE_CHARS
        and not is_cjk(text[-1]),
    )


NO_SYNONYMS: Final = Synonyms()


def read_synonyms(path: Path) -> Synonyms:
    """Read a file of rules; raise SettingsError, with the line, if it is invalid."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES:
        raise SettingsError(f"{path}: the file is larger than {MAX_FILE_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}:{line}: not UTF-8: save the file as UTF-8") from (
            None
        )
    return parse_synonyms(text, str(path))


def parse_synonyms(text: str, name: str) -> Synonyms:
    """Return the rules of a text; raise SettingsError with its name and the line."""
    rules: list[SynonymRule] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rules.append(_parse_rule(number, line))
        except ValueError as error:
            raise SettingsError(f"{name}:{number}: {error}") from None
        if len(rules) > MAX_RULES:
            raise SettingsError(f"{name}:{number}: more than {MAX_RULES:,} rules")
    return Synonyms(rules)


def _parse_rule(number: int, line: str) -> SynonymRule:
    """Return the rule of a line; raise ValueError."""
    left, arrow, right = line.partition("=>")
    if "=>" in right:
        raise ValueError("more than one '=>': write each rule on its own line")
    typed = _parse_phrases(left)
    if not arrow:
        if len(typed) < 2:
            raise ValueError(
                "a group has at least two words or phrases: separate them by commas, "
                "as in 'k8s, kubernetes'"
            )
        return SynonymRule(number, typed, typed)
    searched = _parse_phrases(right)
    if not (typed and searched):
        raise ValueError(
            "'=>' needs words on both sides, as in 'k8s => kubernetes, cluster'"
        )
    return SynonymRule(number, typed, searched)


def _parse_phrases(text: str) -> tuple[str, ...]:
    """Return the distinct phrases of one side of a rule; raise ValueError."""
    phrases: dict[str, None] = {}
    for part in _COMMA.split(text):
        written = " ".join(strip_invisible(part).split()).replace("\\,", ",")
        phrase = normalize_form(written).lower()
        if not phrase:
            continue
        if not WORD.search(phrase):
            raise ValueError(f"'{written}' has no letters or digits")
        if len(phrase) > MAX_PHRASE_CHARS or phrase.count(" ") >= MAX_PHRASE_WORDS:
            raise ValueError(
                f"'{written[:MAX_PHRASE_CHARS]}' is too long: at most "
                f"{MAX_PHRASE_WORDS} words and {MAX_PHRASE_CHARS} characters"
            )
        phrases[phrase] = None
    if len(phrases) > MAX_PHRASES:
        raise ValueError(f"more than {MAX_PHRASES} words and phrases")
    return tuple(phrases)


BUILT_IN: Final = parse_synonyms(
    """
    a11y, accessibility
    cli, command line
    config, configuration
    db, database
    dir, directory
    env var, environment variable
    i18n, internationalization
    js, javascript
    k8s, kubernetes
    l10n, localization
    ssr, server-side rendering
    var, variable
    """,
    "built-in synonyms",
)
"""Synonyms of every full-text search: pairs that harmed no set of queries (D-192)."""
