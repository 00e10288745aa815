"""The project's own content, read without the code under test."""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent.parent / "content"
VISIBLE = ("Live", "Experimental")


@dataclass(frozen=True)
class File:
    """One article's file."""

    category: str
    slug: str
    title: str
    description: str
    tags: list[str]
    aliases: list[str]
    updated: str
    status: str
    body: str

    @property
    def is_visible(self) -> bool:
        """Whether agents may see it."""
        return self.status in VISIBLE

    def weight(self, query: str) -> int:
        """Title 3, tag or alias 2, description 1, added up."""
        folded = query.lower()
        return (
            3 * (folded in self.title.lower())
            + 2 * any(folded in name.lower() for name in (*self.tags, *self.aliases))
            + (folded in self.description.lower())
        )


def _read(path: Path) -> File:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return File(
        category=path.parent.name,
        slug=path.stem,
        title=json.loads(fields["title"]),
        description=json.loads(fields["description"]),
        tags=json.loads(fields["tags"]),
        aliases=json.loads(fields.get("aliases", "[]")),
        updated=fields["lastUpdated"],
        status=json.loads(fields["status"]),
        body=body,
    )


FILES = [_read(path) for path in sorted(FOLDER.glob("*/*.md"))]
SHOWN = sorted(
    (file for file in FILES if file.is_visible),
    key=lambda file: (file.category, file.slug),
)
"""The visible ones, by category and slug."""

SHOWN.sort(key=lambda file: file.updated, reverse=True)
HIDDEN = [file for file in FILES if not file.is_visible]
