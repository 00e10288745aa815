"""Knowledge bases for tests: a folder of articles, some of them hidden.

Every base has the hidden articles of `HIDDEN`, full of canary text. Whatever leaves the
server during a test is scanned for it (see `support.canary`).
"""

import time
from pathlib import Path

from support.canary import CANARY

BODY = "Some text about {title}.\n\n## More\n\nAnd more of it.\n"


class KnowledgeBase:
    """A content folder that a test writes articles into."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        self._plant_canaries()

    def write(self, name: str, **fields: object) -> Path:
        """Save `category/slug` atomically, as an editor does; return its path.

        Fields are frontmatter keys, and `body`. A field that is None is left out.
        """
        path = self.root / f"{name}.md"
        return self.save(path, article_text(name, **fields))

    def save(self, path: Path, text: str | bytes) -> Path:
        """Write any text to a path: a temporary file, then a rename over it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.parent / f".{path.name}.tmp"
        data = text.encode() if isinstance(text, str) else text
        temporary.write_bytes(data)
        temporary.rename(path)
        return path

    def _plant_canaries(self) -> None:
        for status in ("Draft", "Proposed", "Deprecated", "Drfat"):
            self.write(
                f"concepts/{CANARY}-{status.lower()}",
                title=f"Hidden {CANARY}",
                description=f"About {CANARY}",
                tags=f"[{CANARY}, shared]",
                status=status,
                body=f"The text says {CANARY}.\n",
            )
        self.write(f"{CANARY}/only", status="Draft", title=CANARY)
        self.write("concepts/known-draft", status="Draft", title=CANARY, body=CANARY)
        self.write(
            "concepts/links-to-hidden",
            title="Links to hidden",
            relatedIds=f"[concepts/{CANARY}-draft, {CANARY}-proposed]",
            lastUpdated="2020-01-01",
        )


class Drafts(KnowledgeBase):
    """A knowledge base without canaries: its author, in development, sees all of it."""

    def _plant_canaries(self) -> None:
        """Add no hidden articles."""


HIDDEN_COUNT = 6
"""Hidden articles in every knowledge base."""

VISIBLE_COUNT = 1
"""Visible articles in every knowledge base: links-to-hidden."""


def settled_clock() -> float:
    """Return a time at which every file has long been unchanged."""
    return time.time() + 60


def article_text(name: str, **fields: object) -> str:
    """Return an article's file: frontmatter, then a body."""
    slug = name.rsplit("/", 1)[-1]
    title = slug.replace("-", " ").capitalize()
    body = str(fields.pop("body", BODY.format(title=title)))
    values = {
        "title": title,
        "description": f"What {slug} is about",
        "tags": "[One, Two]",
        "lastUpdated": "2025-01-15",
        "status": "Live",
        **fields,
    }
    lines = [f"{key}: {value}" for key, value in values.items() if value is not None]
    return "\n".join(["---", *lines, "---", "", body])
