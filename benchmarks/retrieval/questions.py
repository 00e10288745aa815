"""The questions: on this project's articles, and on public documentation trees."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tomllib import loads
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

FOLDER: Final = Path(__file__).parent
TREE_QUESTIONS: Final = FOLDER / "tree_questions.toml"
FURTHER_QUESTIONS: Final = FOLDER / "further_questions.toml"

Half: TypeAlias = Literal["dev", "test"]
Kind: TypeAlias = Literal["keyword", "question", "typo", "identifier"]
Names: TypeAlias = Annotated[tuple[str, ...], Meta(min_length=1, max_length=3)]


class OwnQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question on the articles."""

    half: Half
    query: str
    must_include: Names


class TreeQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query for pages of a tree."""

    tree: str
    kind: Kind
    query: str
    must_include: Names
    half: Half | None = None


class TreeOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The repository of a tree."""

    repository: str
    """`owner/name` on GitHub."""
    commit: str
    root: str
    """Folder of the pages in the repository."""


class TreeQuestions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trees, and the queries for their pages."""

    tree: Mapping[str, TreeOrigin]
    case: tuple[TreeQuestion, ...]


class _OwnFile(msgspec.Struct, forbid_unknown_fields=True):
    case: tuple[OwnQuestion, ...]


def read_own_questions(half: Half | None = None) -> Sequence[OwnQuestion]:
    """Return the questions on the articles, of one half or of both."""
    text = (FOLDER / "own_questions.toml").read_text("utf-8")
    cases = msgspec.convert(loads(text), _OwnFile).case
    return [case for case in cases if half in (None, case.half)]


def read_tree_questions(
    path: Path = TREE_QUESTIONS, half: Half | None = None
) -> TreeQuestions:
    """Return the trees with their queries, of one half or all."""
    questions = msgspec.convert(loads(path.read_text("utf-8")), TreeQuestions)
    cases = tuple(case for case in questions.case if half in (None, case.half))
    return TreeQuestions(questions.tree, cases)
