"""The oracle: a writer that knows every version it ever wrote, and checks answers.

Every version of every file is a text that repeats one number: a mixture of two is no
version, and a hidden one is full of canary text.
"""

import os
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from asdlc_kb.files.signature import REST_SECONDS, STILL_SECONDS
from support.canary import CANARY
from support.knowledge import article_text

CATEGORIES = ("concepts", "patterns", "practices")
SLUGS = tuple(f"article-{number}" for number in range(8))
HIDDEN_STATUSES = ("Draft", "Proposed", "Deprecated", "Drfat")
TIMESTAMP_STEP = 0.004
"""Resolution of file times on a kernel of 250 ticks, in seconds."""
NOT_FOUND = "Article '{}' not found"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a text."""

    number: int
    is_visible: bool
    text: str
    title: str
    body: str


class Oracle:
    """Edits a content folder at random; knows which versions may and must be served."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.edits = 0
        self.on_disk: dict[str, Version] = {}
        """The current version of each file, by `category/slug`."""
        self.written: defaultdict[str, dict[str, Version]] = defaultdict(dict)
        """Every visible version that a name ever had, by title."""
        self.read_at_once: set[str] = set()
        """Names known to the server, which must notice their atomic saves at once."""
        self.edited = ""
        """The name of the last edit."""
        self._inodes: dict[str, int] = {}
        self._pauses: dict[str, tuple[float, float, bool, float]] = {}
        """In-place writes by title: longest pause, last write, still writing, and
        the pause that counts as settled.
        """
        self._number = 0
        root.mkdir()
        for category in CATEGORIES:
            (root / category).mkdir()
            for slug in SLUGS[::2]:
                self._save_over(f"{category}/{slug}")

    @property
    def visible(self) -> dict[str, str]:
        """The titles that must be listed once the disk rests."""
        return {n: v.title for n, v in self.on_disk.items() if v.is_visible}

    def edit(self) -> Iterator[str | None]:
        """Make one edit, in steps; yield a name after it was saved atomically."""
        self.edits += 1
        name = f"{self.random.choice(CATEGORIES)}/{self.random.choice(SLUGS)}"
        self.edited = name
        edits: tuple[Callable[[str], Iterator[str | None]], ...] = (
            self._atomic,
            self._atomic,
            self._in_place,
            self._same_mtime,
            self._flip,
            self._delete,
            self._rename,
            self._swap_category,
        )
        weights = (4, 4, 4, 2, 3, 2, 2, 1)
        yield from self.random.choices(edits, weights)[0](name)

    def check(self, name: str, title: str, body: str) -> None:
        """Fail unless this is a complete version that was once visible at this name."""
        version = self.written[name].get(title)
        assert version is not None, f"{name} was never {title!r}"
        if version.body.startswith(body) and self._has_rested(title):
            return
        assert version.body == body, f"{name} is torn: {body[:200]!r}"

    def _has_rested(self, title: str) -> bool:
        """Whether its writer paused for as long as counts as settled.

        That is 100 ms, and 20 ms for a file created since the last pause.

        A busy machine makes this writer pause so; a beginning may be served then. File
        systems round the time of a change down to a step.
        """
        longest, since, is_open, rest = self._pauses.get(title, (0.0, 0.0, False, 1.0))
        running = time.monotonic() - since if is_open else 0.0
        return max(longest, running) >= rest - TIMESTAMP_STEP

    def expected(self, name: str) -> str:
        """Return the correct title, or the error instead."""
        return self.visible.get(name, NOT_FOUND.format(name))

    def rest(self) -> None:
        """Record that the server agreed with the disk: it knows every file."""
        self.read_at_once = set(self.on_disk)
        self._inodes = {name: self._path(name).stat().st_ino for name in self.on_disk}

    def _make(self, name: str, is_visible: bool | None = None) -> Version:
        """Make the next version; all of one kind and name have equal size."""
        self._number += 1
        if is_visible is None:
            is_visible = self.random.random() < 0.75
        mark = f"{self._number:07}" if is_visible else f"{CANARY}-{self._number:07}"
        lines = self.random.choice((4, 40, 400)) if is_visible else 40
        title = f"Version {mark}"
        body = "".join(f"line {line} of {mark}\n" for line in range(lines))
        status = "Live" if is_visible else self.random.choice(HIDDEN_STATUSES)
        text = article_text(name, title=title, description=mark, status=status)
        text = text.partition("\n---\n")[0] + f"\n---\n\n{body}"
        return Version(self._number, is_visible, text, title, body)

    def _record(self, name: str, version: Version) -> Version:
        """Record a version before it is on disk: it may be served from then on."""
        if version.is_visible:
            self.written[name][version.title] = version
        return version

    def _path(self, name: str) -> Path:
        return self.root / f"{name}.md"

    def _save_over(self, name: str, version: Version | None = None) -> None:
        version = self._record(name, version or self._make(name))
        temporary = self._path(name).parent / f".{version.number}.tmp"
        temporary.write_text(version.text)
        temporary.rename(self._path(name))
        self.on_disk[name] = version

    def _atomic(self, name: str) -> Iterator[str | None]:
        self._save_over(name)
        yield name if name in self.read_at_once else None

    def _in_place(self, name: str) -> Iterator[str | None]:
        """Write in up to five pieces, as a careless program does."""
        version = self._record(name, self._make(name))
        longest = 0.0
        cuts = sorted(self.random.choices(range(len(version.text)), k=4))
        with self._path(name).open("w") as file:
            began = time.monotonic()
            for start, end in zip([0, *cuts], [*cuts, None], strict=True):
                # From before a write until after the next one: this process may be
                # delayed before or after the file changes.
                before, began = began, time.monotonic()
                file.write(version.text[start:end])
                file.flush()
                longest = max(longest, time.monotonic() - before)
                rest = self._rest(name)
                self._pauses[version.title] = longest, began, end is not None, rest
                yield None
        self.on_disk[name] = version

    def _rest(self, name: str) -> float:
        """Return how long a file being written must be unchanged to be read."""
        is_known = self._inodes.get(name) == self._path(name).stat().st_ino
        return STILL_SECONDS if is_known else REST_SECONDS

    def _same_mtime(self, name: str) -> Iterator[str | None]:
        """Change the text, and neither its size nor its mtime."""
        old = self.on_disk.get(name)
        if old is None or not old.is_visible:
            return
        new_mark, old_mark = f"{self._number + 1:07}", f"{old.number:07}"
        self._number += 1
        title, body, text = (
            part.replace(old_mark, new_mark) for part in (old.title, old.body, old.text)
        )
        version = self._record(name, Version(self._number, True, text, title, body))
        before = os.stat(self._path(name))
        descriptor = os.open(self._path(name), os.O_WRONLY)
        os.write(descriptor, version.text.encode())
        os.close(descriptor)
        os.utime(self._path(name), ns=(before.st_atime_ns, before.st_mtime_ns))
        assert os.stat(self._path(name)).st_size == before.st_size
        self.on_disk[name] = version
        yield None

    def _flip(self, name: str) -> Iterator[str | None]:
        """Show a hidden article, or hide a visible one."""
        old = self.on_disk.get(name)
        self._save_over(name, self._make(name, old is None or not old.is_visible))
        yield name if name in self.read_at_once else None

    def _delete(self, name: str) -> Iterator[str | None]:
        self._path(name).unlink(missing_ok=True)
        was_there = self.on_disk.pop(name, None) is not None
        known = was_there and name in self.read_at_once
        self.read_at_once.discard(name)
        yield name if known else None

    def _rename(self, name: str) -> Iterator[str | None]:
        """Rename a file, replacing any other one."""
        other = f"{name.split('/')[0]}/{self.random.choice(SLUGS)}"
        if name not in self.on_disk or other == name:
            return
        version = self._record(other, self.on_disk[name])
        self._path(name).rename(self._path(other))
        self.on_disk[other] = version
        del self.on_disk[name]
        self.read_at_once.discard(name)
        yield other if other in self.read_at_once else None

    def _swap_category(self, name: str) -> Iterator[str | None]:
        """Replace a category by a folder prepared elsewhere."""
        category = name.split("/")[0]
        made, away = self.root.parent / "made", self.root.parent / "away"
        made.mkdir()
        fresh: dict[str, Version] = {}
        for slug in self.random.sample(SLUGS, 4):
            twin = f"{category}/{slug}"
            version = self._record(twin, self._make(twin))
            (made / f"{slug}.md").write_text(version.text)
            fresh[twin] = version
        (self.root / category).rename(away)
        made.rename(self.root / category)
        for path in away.iterdir():
            path.unlink()
        away.rmdir()
        for known in [n for n in self.on_disk if n.startswith(f"{category}/")]:
            del self.on_disk[known]
            self.read_at_once.discard(known)
        self.on_disk.update(fresh)
        yield None
