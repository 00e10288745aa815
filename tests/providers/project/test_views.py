"""Representations of artifacts: empty fields are left out, long ones are cut."""

from asdlc_kb.files.problem import Problem
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.providers.project import views
from asdlc_kb.providers.project.artifact_kinds import KINDS
from asdlc_kb.providers.shared.chunks import Chunk
from asdlc_kb.providers.shared.results import to_values

RULE = RuleContent(
    name="r",
    description="",
    type="manual",
    path=".cursor/rules/r.mdc",
    activation="manual",
    platform="cursor",
    content="",
    source="",
    identity=(1, 1),
)


def test_empty_fields_are_left_out_where_they_are_optional() -> None:
    """A rule without a description has an empty one; without globs, none."""
    row = to_values(views.make_row(views.RuleRow, RULE))
    assert row == {
        "name": "r",
        "description": "",
        "type": "manual",
        "path": ".cursor/rules/r.mdc",
        "activation": "manual",
        "platform": "cursor",
    }


def test_what_an_artifact_says_of_itself_is_cut() -> None:
    """Nothing in a row is unbounded."""
    row = views.make_row(views.RuleRow, RULE, description="x")
    assert row.description == "x"
    long = "word " * 1_000
    rule = RuleContent(
        name="r",
        description=long,
        type="glob",
        path="p",
        globs=("**/*.py",) * 200,
        activation="auto-attached",
        platform="cursor",
        content="",
        source="",
        identity=(1, 1),
    )
    row = views.make_row(views.RuleRow, rule)
    assert row.description is not None
    assert len(row.description) <= views.MAX_DESCRIPTION_CHARS
    assert row.description.endswith("word…")
    assert row.globs == ("**/*.py",) * 100
    exact = "x" * views.MAX_DESCRIPTION_CHARS
    row = views.make_row(views.RuleRow, RULE, description=exact)
    assert row.description == exact


def test_a_whole_text_says_nothing_of_parts() -> None:
    """Clients see positions only if there is more."""
    assert views.chunk_fields(Chunk("all", 0, 3, 3)) == {"content": "all"}
    part = views.chunk_fields(Chunk("al", 0, 2, 3, "next"))
    assert (part["start"], part["end"], part["characters"]) == (0, 2, 3)
    assert part["next_cursor"] == "next"


def test_problems_are_few() -> None:
    """A project full of problems leaves room for its rules."""
    problems = [Problem(f"{n}.md", 1, 2, "KB001", "broken") for n in range(100)]
    rows = views.list_problems(problems)
    assert isinstance(rows, tuple)
    assert len(rows) == views.MAX_PROBLEMS
    assert rows[0] == views.ProblemRow(
        path="0.md", line=1, column=2, code="KB001", message="broken"
    )
    assert not isinstance(views.list_problems([]), tuple)


def test_problems_are_a_sentence_with_the_first_ones() -> None:
    """Short, whatever the messages."""
    problems = [Problem(f"{n}.md", 1, 2, "KB001", "broken" * 50) for n in range(9)]
    (sentence,) = views.describe_problems(problems)
    assert sentence.startswith(
        "9 problems (asdlc-kb check --project shows all): 0.md: broken"
    )
    assert len(sentence) < 500
    assert views.describe_problems([]) == ()


def test_a_problem_of_a_long_path_has_its_message() -> None:
    """A path without a reason says nothing."""
    problem = Problem("folder/" * 30, 1, 1, "KB001", "more than 12 deep")
    (sentence,) = views.describe_problems([problem])
    assert sentence.endswith("older/folder/: more than 12 deep.")
    assert len(sentence) < 150


def test_lists_carry_no_texts() -> None:
    """An agent pays for every word of a list; only a view has the text."""
    for kind in KINDS.values():
        assert {"content", "source", "file"}.isdisjoint(kind.row.__struct_fields__)
        assert "content" in kind.view.__struct_fields__
