"""Generated articles, equal on every machine, about 5 KiB each.

The text reads like English, because its sentences come from patterns. Its vocabulary
grows with the number of articles, as that of people does.
"""

import datetime
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

EDITION: Final = 1
"""Part of a cached folder's name: raise it when other articles are made."""

BODY_BYTES: Final = 4_700
CATEGORIES: Final = ("concepts", "patterns", "practices")

_NOUNS: Final = (
    "agent budget branch build cache change check claim client commit context "
    "contract decision deadline defect diff document engineer evaluation example "
    "failure fixture guess handover history incident index instruction interface "
    "issue library limit log loop memory merge migration model module note owner "
    "patch pattern permission pipeline plan policy prompt protocol queue question "
    "record release repository request review reviewer risk rule sandbox schedule "
    "schema secret server session signal snapshot specification stream summary task "
    "team test token tool trace transcript verdict window worker workflow"
).split()
_VERBS: Final = (
    "answers blocks calls changes checks closes collects compares copies delays drops "
    "explains finds follows guards hides holds keeps limits loads measures merges "
    "moves names needs opens parses passes plans protects reads records refuses "
    "repairs replaces returns reviews rewrites saves sends shows splits starts stops "
    "tests trims trusts watches writes"
).split()
_ADJECTIVES: Final = (
    "ambient bounded brittle cheap clean costly early empty explicit fresh frozen "
    "hidden honest idle large late local long narrow noisy old open partial plain "
    "private quiet rare ready remote repeatable safe shared short silent slow small "
    "stable stale strict sudden typed unsafe unused useful visible whole wrong"
).split()
_TAGS: Final = (
    "Autonomy,Code Review,Context Engineering,Cost,Delivery,Evaluation,Governance,"
    "Memory,Observability,Planning,Prompting,Reliability,Security,Specification,"
    "Team Practice,Testing,Tools,Verification"
).split(",")
_OPENERS: Final = (
    "In practice",
    "After the first week",
    "On a busy day",
    "Most of the time",
    "When nobody looks",
    "For a new team",
)
_STARTS: Final = (
    "ba ce do fa gri ho ju ka lo mi no pe qua ri so tra ul ve wi ze".split()
)
_MIDDLES: Final = "bra den fil gan kor lum mar nel pro rus sta ton ver zal".split()
_ENDS: Final = "da dex dor la lin lo mo na nix ra rin rom so ta tis ver".split()


@dataclass(frozen=True)
class Sample:
    """One generated article."""

    category: str
    slug: str
    title: str
    tags: tuple[str, ...]
    description: str
    date: datetime.date
    status: str
    maturity: str
    related: tuple[str, ...]
    body: str
    aliases: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole file."""
        tags = ", ".join(f'"{tag}"' for tag in self.tags)
        related = ", ".join(f'"{name}"' for name in self.related)
        return (
            f'---\ntitle: "{self.title}"\ndescription: "{self.description}"\n'
            f"tags: [{tags}]\nlastUpdated: {self.date.isoformat()}\n"
            f'status: "{self.status}"\nmaturity: "{self.maturity}"\n'
            f"relatedIds: [{related}]\n---\n{self.body}"
        )


def samples(count: int) -> Iterator[Sample]:
    """Yield the articles of a corpus; every smaller one is not a part of it."""
    names = [_name(number) for number in range(count)]
    for number, (category, slug, title) in enumerate(names):
        pick = random.Random(f"{EDITION}/{number}")
        before = names[number - 1]
        further = names[pick.randrange(count)]
        related = {f"{c}/{s}": None for c, s, _ in (before, further) if s != slug}
        is_new = pick.random() < 0.1
        yield Sample(
            category=category,
            slug=slug,
            title=title,
            tags=tuple(pick.sample(_TAGS, pick.randint(2, 4))),
            description=_cut(f"{_sentence(pick)} {_sentence(pick)} {_rare(pick)}"),
            date=datetime.date(2026, 3, 31) - datetime.timedelta(pick.randrange(900)),
            status="Experimental" if is_new else "Live",
            maturity="Experimental" if is_new else "Standard",
            related=tuple(related),
            body=_body(pick, before),
        )


def write(count: int, root: Path) -> None:
    """Write a corpus of so many articles into a folder."""
    for category in CATEGORIES:
        (root / category).mkdir(parents=True, exist_ok=True)
    for sample in samples(count):
        path = root / sample.category / f"{sample.slug}.md"
        path.write_text(sample.text, encoding="utf-8")


def prepare(count: int, cache: Path) -> Path:
    """Return the folder of a corpus in the cache, written if it is not there."""
    folder = cache / f"corpus-{EDITION}-{count}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=cache))
        try:
            write(count, unfinished)
            unfinished.rename(folder)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return folder


def queries(count: int, limit: int) -> list[str]:
    """Return distinct searches, none of them the same when upper case is ignored.

    Words, beginnings of words, pairs of words, and pieces of titles and descriptions,
    in equal shares as far as there are enough of them. Each stands in a title or
    description: what keywords do not find would be searched for in the bodies.
    """
    pick = random.Random(f"{EDITION}/queries")
    step = max(1, count // 4_000)
    fields = [
        field.lower()
        for number, sample in enumerate(samples(count))
        if number % step == 0
        for field in (sample.title, sample.description)
    ]
    found: dict[str, None] = {}
    for _ in range(limit * 20):
        if len(found) == limit:
            break
        text = pick.choice(fields)
        words = text.split()
        match pick.randrange(4):
            case 0:
                query = pick.choice(words).strip(".,")
            case 1:
                word = pick.choice(words).strip(".,")
                query = word[: pick.randint(3, max(3, len(word)))]
            case 2:
                start = pick.randrange(len(words) - 1)
                query = " ".join(words[start : start + 2]).strip(".,")
            case _:
                start = pick.randrange(len(text) - 12)
                query = text[start : start + pick.randint(5, 12)].strip()
        if len(query) >= 3:
            found[query] = None
    return list(found)


def missing(limit: int, start: int = 0) -> list[str]:
    """Return distinct queries of one or two words that no article has or resembles."""
    numbers = range(start, start + limit)
    return [
        f"zq{number}xj" if number % 2 else f"zq{number}xj vk{number}wz"
        for number in numbers
    ]


def common(count: int, least: int, limit: int) -> list[str]:
    """Return distinct pieces of titles and descriptions that many articles have.

    `least` is the number of articles; pieces have two to six characters.
    """
    found: Counter[str] = Counter()
    for sample in samples(count):
        fields = (sample.title.lower(), sample.description.lower())
        pieces = {
            field[start : start + size].strip()
            for field in fields
            for size in range(2, 7)
            for start in range(len(field) - size)
        }
        found.update(pieces)
    often = sorted(
        piece for piece, times in found.items() if times >= least and len(piece) > 1
    )
    random.Random(f"{EDITION}/common").shuffle(often)
    return often[:limit]


def _name(number: int) -> tuple[str, str, str]:
    """Return category, slug and title of an article by its number."""
    pick = random.Random(f"{EDITION}/name/{number}")
    word = _make_word(number // 2)
    title = f"{pick.choice(_ADJECTIVES)} {pick.choice(_NOUNS)} {word}".title()
    slug = f"{title.lower().replace(' ', '-')}-{number}"
    return CATEGORIES[number % len(CATEGORIES)], slug, title


def _make_word(number: int) -> str:
    """Return an invented word, a different one for each number."""
    number, end = divmod(number, len(_ENDS))
    number, start = divmod(number, len(_STARTS))
    word = _STARTS[start] + _ENDS[end]
    while number:
        number, middle = divmod(number - 1, len(_MIDDLES))
        word = word[:2] + _MIDDLES[middle] + word[2:]
    return word


def _sentence(pick: random.Random) -> str:
    noun, verb = pick.choice(_NOUNS), pick.choice(_VERBS)
    adjective, other = pick.choice(_ADJECTIVES), pick.choice(_NOUNS)
    match pick.randrange(4):
        case 0:
            return f"A {adjective} {noun} {verb} the {other}."
        case 1:
            third = pick.choice(_NOUNS)
            return f"The {noun} {verb} the {other} before the {third} is {adjective}."
        case 2:
            opener = pick.choice(_OPENERS)
            return f"{opener} the {adjective} {noun} {verb} every {other}."
        case _:
            return f"What the {noun} {verb} is a {adjective} {other}."


def _rare(pick: random.Random) -> str:
    """Return a sentence with two made-up words, some of them commoner than others."""
    first, second = (_make_word(int(20_000 * pick.random() ** 3)) for _ in range(2))
    return f"Made for {first} and {second}."


def _body(pick: random.Random, before: tuple[str, str, str]) -> str:
    """Return Markdown: sections, a list, a table, code and a link."""
    category, slug, title = before
    coined = _make_word(pick.randrange(20_000))
    arrow = " It goes task → plan → check." if pick.random() < 0.1 else ""
    lines = [
        f"{_paragraph(pick)}{arrow}",
        f"See [{title}](../{category}/{slug}.md) too.",
        f"```python\ndef {coined}(window):\n    return window[-8:]\n```",
        f"| {pick.choice(_NOUNS)} | {pick.choice(_NOUNS)} |\n|---|---|\n"
        f"| {pick.choice(_VERBS)} | {pick.randint(2, 99)} |",
    ]
    size = sum(len(line) + 2 for line in lines)
    while size < BODY_BYTES:
        part = _part(pick)
        lines.append(part)
        size += len(part) + 2
    return "\n\n".join(lines) + "\n"


def _part(pick: random.Random) -> str:
    match pick.randrange(6):
        case 0:
            return f"## The {pick.choice(_ADJECTIVES)} {pick.choice(_NOUNS)}"
        case 1:
            return "\n".join(f"- {_sentence(pick)}" for _ in range(pick.randint(2, 5)))
        case _:
            return _paragraph(pick)


def _paragraph(pick: random.Random) -> str:
    return " ".join(_sentence(pick) for _ in range(pick.randint(3, 6)))


def _cut(text: str) -> str:
    """Return a description of at most 200 characters."""
    return text if len(text) <= 200 else text[: text.rindex(" ", 0, 199)] + "."
