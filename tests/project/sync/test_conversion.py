"""What each tool gets of the rules of another."""

import pytest

from asdlc_kb.project.sync.conversion import Conversion, convert_rules
from asdlc_kb.project.sync.marks import remove_blocks
from asdlc_kb.project.sync.sources import SourceRule
from asdlc_kb.project.sync.targets import SYNC_TOOLS

ALWAYS = SourceRule(name="a", path="a.mdc", scope="", activation="always", body="Text.")
PATTERN = SourceRule(
    name="p",
    path="p.mdc",
    scope="",
    activation="auto-attached",
    globs=("app/**/*.ts",),
    body="Types.",
)
REQUESTED = SourceRule(
    name="r",
    path="r.mdc",
    scope="",
    activation="agent-requested",
    description="When X",
    body="Steps.",
)
MANUAL = SourceRule(name="m", path="m.mdc", scope="", activation="manual", body="Hand.")
NESTED = SourceRule(
    name="n", path="app/n.mdc", scope="app", activation="always", body="App."
)


def convert(target: str, *rules: SourceRule, source: str = "cursor") -> Conversion:
    """Return the conversion for a project with a folder app."""
    is_folder = {"app"}.__contains__
    return convert_rules(rules, SYNC_TOOLS[source], SYNC_TOOLS[target], is_folder)


def notes(found: Conversion) -> list[tuple[str, str]]:
    """Return path and text of the notes."""
    return [(note.path, note.text) for note in found.notes]


def lines(text: str) -> list[str]:
    """Return the lines of a file without the mark."""
    return [line for line in text.splitlines() if not line.startswith("<!--")]


@pytest.mark.parametrize("target", ["cursor", "windsurf", "kiro", "continue"])
def test_tools_with_all_activations_get_a_file_of_each(target: str) -> None:
    """Each where that tool looks for it."""
    source = "windsurf" if target == "cursor" else "cursor"
    found = convert(target, ALWAYS, PATTERN, REQUESTED, MANUAL, source=source)
    place = SYNC_TOOLS[target].rules
    assert place is not None
    assert [*found.files] == [
        f"{place.path}{name}{place.suffixes[0]}" for name in "aprm"
    ]
    assert (found.blocks, found.notes) == ({}, [])


@pytest.mark.parametrize("target", ["claude", "cline"])
def test_tools_without_requests_get_a_list_of_descriptions(target: str) -> None:
    """They read the file that they need; a rule chosen by hand is left out."""
    found = convert(target, ALWAYS, PATTERN, REQUESTED, MANUAL)
    place = SYNC_TOOLS[target].rules
    assert place is not None
    assert [*found.files] == [
        f"{place.path}{name}.md" for name in ("a", "p", "rules-by-description")
    ]
    assert lines(found.files[f"{place.path}rules-by-description.md"]) == [
        "Read each of these files when its description fits the task:",
        "",
        "- `r.mdc`: When X",
    ]
    assert notes(found) == [
        ("m.mdc", "left out, since no rules are chosen by hand there"),
        ("r.mdc", "listed by its description"),
    ]


def test_guides_of_folders_get_what_is_about_them() -> None:
    """The innermost folder with every match; a sentence says which files."""
    found = convert("agents", ALWAYS, PATTERN, REQUESTED, NESTED)
    assert {path: lines(text) for path, text in found.blocks.items()} == {
        "AGENTS.md": [
            *("Text.", "", "---", ""),
            "Read each of these files when its description fits the task:",
            *("", "- `r.mdc`: When X"),
        ],
        "app/AGENTS.md": [
            *("For files that match `app/**/*.ts`:", "", "Types.", "", "---", ""),
            "App.",
        ],
    }
    assert found.files == {}
    whole = SourceRule(
        name="w",
        path="w.mdc",
        scope="",
        activation="auto-attached",
        globs=("app/",),
        body="All.",
    )
    assert lines(convert("gemini", whole).blocks["app/GEMINI.md"]) == ["All."]
    elsewhere = SourceRule(
        name="e", path="gone/e.mdc", scope="gone", activation="always", body="Gone."
    )
    assert lines(convert("gemini", elsewhere).blocks["GEMINI.md"]) == [
        *("For files that match `gone/**`:", "", "Gone.")
    ]


def test_copilot_gets_rules_for_all_files_in_its_instructions() -> None:
    """The file that all its products read; of a folder by a pattern."""
    found = convert("copilot", ALWAYS, NESTED, PATTERN)
    assert lines(found.blocks[".github/copilot-instructions.md"]) == ["Text."]
    assert lines(found.files[".github/instructions/app-n.instructions.md"]) == [
        *("---", 'applyTo: "app/**"', "---", "App.")
    ]
    assert ".github/instructions/p.instructions.md" in found.files


def test_rules_of_folders_stay_there_where_the_tool_looks() -> None:
    """Else they get patterns from the top, and the folder in their name."""
    nested = SourceRule(
        name="n",
        path="app/n",
        scope="app",
        activation="auto-attached",
        globs=("*.ts", "!x/*"),
        body="A",
    )
    found = convert("claude", nested)
    assert lines(found.files["app/.claude/rules/n.md"])[:4] == [
        *("---", "paths:", '  - "/*.ts"', "---")
    ]
    assert notes(found) == [("app/n", "patterns that exclude files are left out")]
    found = convert("continue", nested)
    assert lines(found.files[".continue/rules/app-n.md"])[2:5] == [
        *("globs:", '  - "app/*.ts"', '  - "!app/x/*"')
    ]
    assert found.notes == []
    assert notes(convert("windsurf", nested))[1:] == [
        ("app/n", "patterns without a slash may match in any folder")
    ]


def change(**fields: object) -> SourceRule:
    """Return a rule that differs in some fields."""
    values = {
        "name": "x",
        "path": "x",
        "scope": "",
        "activation": "always",
        "body": "X",
    }
    return SourceRule(**{**values, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (change(tools=("cursor", "agents")), "read as it is"),
        (change(same_as="AGENTS.md"), "the same as AGENTS.md"),
        (change(body=" \n"), "left out, since it has no text"),
        (
            change(body="a\n<!-- End of the rules from cursor -->\n"),
            "left out, since it has a line like those of generated blocks",
        ),
        (
            change(activation="auto-attached", globs=("!a",)),
            "left out, since its patterns match nothing",
        ),
    ],
)
def test_what_cannot_be_written_is_named(rule: SourceRule, text: str) -> None:
    """And nothing else is written for it."""
    found = convert("agents", rule)
    assert notes(found) == [("x", text)]
    assert (found.files, found.blocks) == ({}, {})


def test_what_is_read_in_another_way_is_named() -> None:
    """Imports, and the agent that the rule was not for."""
    rule = change(has_imports=True, excluded_agent="code-review")
    assert notes(convert("gemini", rule)) == [
        ("x", "imports are copied as they are written"),
        ("x", "applies to code-review too"),
    ]


def test_two_rules_of_one_name_clash() -> None:
    """Neither is lost without a word."""
    found = convert("claude", change(path="b/x"), change(path="c/x"))
    assert found.clashes == [
        (".claude/rules/x.md", "both b/x and c/x would be written there: rename one")
    ]


def test_a_block_has_nothing_but_the_rules() -> None:
    """So it can be removed."""
    block = convert("gemini", ALWAYS).blocks["GEMINI.md"]
    assert remove_blocks(f"A\n{block}") == "A\n"
