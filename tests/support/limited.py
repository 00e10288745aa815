"""Servers with several sources, and tokens that are for some of them.

Each source has marks: words in its names, titles and texts that no other source has.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from asdlc_kb.app import Runtime, build
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.settings import MEMORY, Settings
from support.canary import CANARY
from support.knowledge import KnowledgeBase

MARKS: Final = {
    "articles": "quokkastan",
    "one": "zorillafeld",
    "two": "numbatdorf",
    "ship": "pangolinor",
    "boat": "axolotlian",
}
"""The mark of each source: articles, two trees, two projects."""

TOKENS: Final[Mapping[str, Sequence[str]]] = {
    "all": (),
    "every": tuple(MARKS),
    **{name: (name,) for name in MARKS},
    "mixed": ("two", "boat"),
    "unknown": ("narwhal",),
}
"""The sources of each token, by its name; without any it is for all."""


def secret(name: str) -> str:
    """Return the token of a name."""
    return f"akb_a-token-of-{name}"


def authorize(name: str) -> dict[str, str]:
    """Return the Authorization header of a token."""
    return {"Authorization": f"Bearer {secret(name)}"}


LINKS: Final = "".join(
    f"[Shared]({address})\n"
    for address in (
        *("kb://article/shared", "/recipes/shared", "shared.md"),
        *(f"kb://doc/{name}/shared.md" for name in ("one", "two")),
        *(f"/docs/{name}/shared/" for name in ("one", "two")),
        *(f"../{name}/shared.md" for name in ("one", "two")),
        *(f"../../{name}/shared.md" for name in ("one", "two")),
    )
)
"""Links from each source to all others, which may be missing for a token."""


def _write_tree(root: Path, mark: str) -> None:
    root.mkdir()
    for name, text in {
        "index.md": f"# The {mark} manual\n\nAbout shared matters of {mark}.\n",
        "shared.md": f"# Shared\n\nThe harbour of {mark}. See [more]({mark}.md).\n\n"
        + LINKS,
        f"{mark}.md": f"---\ntags: [{mark}]\naliases: [/old-{mark}]\n---\n# {mark}\n\n"
        f"## Part {mark}\n\nA harbour and a lighthouse, {mark}s.\n\n"
        f"![{mark}]({mark}.png)\n",
    }.items():
        (root / name).write_text(text)
    (root / f"{mark}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + mark.encode())


def _write_project(root: Path, mark: str) -> None:
    for name, text in {
        "AGENTS.md": f"# Guide\n\nThe guide of {mark}.\n\n{LINKS}",
        f".claude/commands/{mark}.md": f"Do what {mark} says.\n",
        f".claude/skills/{mark}/SKILL.md": f"---\nname: {mark}\n"
        f"description: The skill of {mark}\n---\nSteps of {mark}.\n",
        f".cursor/rules/{mark}.mdc": f"---\ndescription: {mark}\nglobs: '*.py'\n---\n"
        f"Obey {mark}.\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def write_sources(folder: Path) -> KnowledgeBase:
    """Write the folders of all sources; return the articles."""
    folder.mkdir(exist_ok=True)
    base, mark = KnowledgeBase(folder / "content"), MARKS["articles"]
    base.write(
        f"{mark}/{mark}-first",
        title=f"First {mark}",
        tags=f"[{mark}]",
        body=f"A harbour of {mark}.\n",
    )
    base.write("recipes/shared", title="Shared", body=f"Also {mark}.\n\n{LINKS}")
    for name in ("one", "two"):
        _write_tree(folder / name, MARKS[name])
    for name in ("ship", "boat"):
        _write_project(folder / name, MARKS[name])
    return base


def write_tokens(folder: Path, lines: Sequence[str] = ()) -> str:
    """Write a file of tokens, by default one for each of `TOKENS`; return its path."""
    tokens = folder / "tokens"
    lines = lines or [format_line(name, secret(name), TOKENS[name]) for name in TOKENS]
    tokens.write_text("\n".join(lines))
    return str(tokens)


def open_limited(
    folder: Path,
    sources: Sequence[str] = tuple(MARKS),
    lines: Sequence[str] = (),
    **given: Any,
) -> Runtime:
    """Return a loaded application with some of the sources, which requires tokens.

    `lines` are those of its file of tokens, by default one for each of `TOKENS`.
    """
    settings = Settings(
        content=str(folder / "content") if "articles" in sources else None,
        docs=tuple(f"{n}={folder / n}" for n in ("one", "two") if n in sources),
        project=tuple(str(folder / n) for n in ("ship", "boat") if n in sources),
        **{
            "auth_tokens_file": write_tokens(folder, lines),
            "cache_dir": MEMORY,
            "rate_limit": "off",
            "page_rate_limit": "off",
            "port": 0,
            **given,
        },
    )
    app = build(settings)
    for source in (*app.corpus, *app.project_notifiers):
        source.load()
    return app


def find_marks(data: bytes, seen_by: str) -> set[str]:
    """Return the sources that bytes reveal, but a token is not for."""
    names = TOKENS[seen_by] or tuple(MARKS)
    folded = unquote_to_bytes(data).lower()
    hidden = {name: mark for name, mark in MARKS.items() if name not in names}
    assert CANARY.encode() not in folded
    return {name for name, mark in hidden.items() if mark.encode() in folded}
