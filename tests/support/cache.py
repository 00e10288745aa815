"""A content cache over a real folder, with hand-driven clocks and counted parses."""

import time
from pathlib import Path

from asdlc_kb.files.article_listing import check_article_path, list_files
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult, ScanResult, Snapshot
from support.files import Clock

BAD = "bad"
"""A file that begins with it is malformed: it keeps its last good version."""

GONE = "gone"
"""A file that begins with it has no value, whatever it had before."""


class TextCache:
    """A cache with texts as domain objects and a clock far past all changes."""

    def __init__(
        self, root: Path, *, missing_grace: float = 60.0, uses_kernel_state: bool = True
    ) -> None:
        self.root = root
        self.parsed: list[str] = []
        """The parsed paths, in order."""
        self.clock = Clock(time.time() + 3600)
        self.timer = Clock()
        self.cache: ContentCache[str] = ContentCache(
            root,
            self._parse,
            list_files=list_files,
            judge=check_article_path,
            missing_grace=missing_grace,
            uses_kernel_state=uses_kernel_state,
            clock=self.clock,
            timer=self.timer,
        )

    def scan(self) -> ScanResult[str]:
        """Scan, publish the result, and return it."""
        result = self.cache.scan()
        self.publish(result)
        return result

    def publish(self, scan: ScanResult[str]) -> Snapshot[str]:
        """Publish the result of a scan."""
        self.cache.publish(self.cache.merge(scan))
        return self.snapshot

    def refresh(self, path: str) -> Snapshot[str]:
        """Check whether a known file was saved again; read and publish it if so."""
        read = self.cache.check_file(path)
        return self.publish(read()) if read is not None else self.snapshot

    @property
    def snapshot(self) -> Snapshot[str]:
        """The current snapshot."""
        return self.cache.snapshot

    @property
    def values(self) -> dict[str, str | None]:
        """The value of each file, by path."""
        return {path: entry.value for path, entry in self.snapshot.entries.items()}

    @property
    def faults(self) -> list[str]:
        """The problems of the snapshot, as lines."""
        return [str(problem) for problem in self.snapshot.all_problems()]

    def parses(self) -> list[str]:
        """Return the paths parsed since the last call."""
        parsed, self.parsed = self.parsed, []
        return parsed

    def _parse(self, raw: RawFile) -> ParseResult[str]:
        self.parsed.append(raw.path)
        if raw.text.startswith(BAD):
            problem = Problem(raw.path, 1, 1, "KB999", "malformed")
            return ParseResult(None, (problem,), keeps_last_good=True)
        return ParseResult(None if raw.text.startswith(GONE) else raw.text)
