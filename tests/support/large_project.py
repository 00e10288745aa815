"""A project of many artifacts with long descriptions."""

from support.workspace import FILES

DESCRIPTIONS = [("d", 310), ("word " * 300, 60), ('"' * 2_000, 60), ("ä\\" * 600, 60)]
"""Descriptions, each with a number of artifacts of every kind."""


def make_large(described: str, number: int) -> dict[str, str]:
    """Return the files of such a project."""
    files = dict(FILES)
    for n in range(number):
        head = f"---\ndescription: {described}\n---\n"
        files[f".cursor/rules/r{n}.mdc"] = head
        files[f".cursor/commands/c{n}.md"] = head
        files[f".cursor/skills/s{n}/SKILL.md"] = head
        files[f"specs/d{n}/spec.md"] = f"# {described}\n"
        files[f"schemas/s{n}.json"] = "{}"
        files[f"a{n}/AGENTS.md"] = "x"
    files["AGENTS.md"] = (
        "# A\n\n" + f"> {described}\n\n## Section {described}\n\n" * 300
    )
    return files


def list_totals(number: int) -> dict[str, int]:
    """Return the number of its artifacts by kind."""
    own = {"rules": 3, "commands": 2, "skills": 3, "specs": 2, "schemas": 1}
    totals = {part: number + count for part, count in own.items()}
    # At most 300 guides are read, which a problem reports.
    return {**totals, "guides": min(300, number + 2)}
