"""Keyword search in the names and descriptions of artifacts."""

import time
from dataclasses import dataclass

import pytest

from asdlc_kb.project.artifact_search import search_artifacts


@dataclass(frozen=True)
class Skill:
    """An artifact."""

    name: str
    description: str = ""
    path: str = ""


SKILLS = (
    Skill("create-plan", "Writes a plan. Use before work on a feature."),
    Skill("db-migrations", "Create and apply database migrations."),
    Skill("release-notes", "Writes the notes of a release."),
    Skill("database", "Queries for the reporting database."),
    Skill("Überblick", "Überblick über 数据库 und Café."),
)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("release", ["release-notes"]),
        ("how do I migrate a database", ["db-migrations", "database"]),
        ("migration", ["db-migrations"]),
        ("planning", ["create-plan"]),
        ("DATABASE", ["database", "db-migrations"]),
        ("uberblick", ["Überblick"]),
        ("数据", ["Überblick"]),
        ("cafe", ["Überblick"]),
        ("kubernetes", []),
        ("dat", []),
    ],
)
def test_the_best_come_first(query: str, names: list[str]) -> None:
    """Endings, case and accents do not matter; parts of words are no matches."""
    assert [skill.name for skill in search_artifacts(SKILLS, query)] == names


def test_rare_words_count_more_than_common_ones() -> None:
    """Results with nothing but a common word are omitted."""
    skills = [Skill(f"s{number}", "Use for this project") for number in range(50)]
    skills[40] = Skill("s40", "Use for billing")
    found = search_artifacts(skills, "use billing project")
    assert [skill.name for skill in found] == ["s40"]


def test_equal_results_keep_their_order() -> None:
    """As in the list."""
    skills = [Skill(name, "notes") for name in ("b", "a", "c")]
    assert search_artifacts(skills, "notes") == tuple(skills)


@pytest.mark.parametrize("query", ["", " ", "-", "?!"])
def test_a_query_without_words_matches_all(query: str) -> None:
    """It is the list."""
    assert search_artifacts(SKILLS, query) == SKILLS


def test_common_words_alone_are_words() -> None:
    """Nothing else is in the query."""
    assert (
        search_artifacts([Skill("do-it-all"), Skill("x")], "all")[0].name == "do-it-all"
    )


def test_a_hostile_query_takes_no_time() -> None:
    """Only the first words of a long one count."""
    words = " ".join(f"word{number}" for number in range(40))
    skills = [Skill(f"n{number}", f"{words} {number}") for number in range(400)]
    query = " ".join(f"w{number} word{number}" for number in range(1_000))
    started = time.process_time()
    search_artifacts(skills, query)
    assert time.process_time() - started < 5
