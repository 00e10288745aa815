"""Tests of the command that reports problems of content: check.

Its output names hidden files, so these tests write folders without canaries, or keep
the output from the scanner.
"""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result
from support.canary import Scanner
from support.files import save_over
from support.knowledge import KnowledgeBase, article_text
from support.processes import run_cli

from asdlc_kb.cli.check import latest_date

Invoke = Callable[..., Result]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def content(folder: Path) -> Path:
    """Two articles that name each other, and a draft with a fault and a broken link."""
    root = folder / "content"
    write(root, "concepts/a", relatedIds="[b]")
    write(root, "concepts/b", relatedIds="[a]")
    write(root, "concepts/wip", status="Draft", maturity="Ripe", body="[x](no.md)\n")
    return root


def write(root: Path, name: str, **fields: object) -> None:
    """Save an article."""
    save_over(root / f"{name}.md", article_text(name, **fields))


RIPE = (
    "KB012 unknown maturity: write one of Proposed, Standard, Deprecated, Experimental"
)
GONE = "KB030 no article 'concepts/no': fix or remove it"


ONE = "Found 1 problem in 1 file\n"
PASSED = "All checks passed\n"


def codes(result: Result) -> list[str]:
    """Return the codes of a report as text, which ends with their number."""
    *lines, last = result.stdout.splitlines()
    found = [line.split()[1] for line in lines]
    number = f"Found {len(lines)} problem{'s' if len(lines) > 1 else ''} in 1 file"
    assert last == (number if lines else PASSED.strip())
    return found


def test_check_of_a_sound_folder_is_quiet(invoke: Invoke, content: Path) -> None:
    """Exit code 0: no findings, in any format."""
    (content / "concepts/wip.md").unlink()
    form: tuple[str, ...]
    for form in ((), ("--format", "text")):
        result = invoke("check", *form)
        assert (result.exit_code, result.output) == (0, PASSED)
    result = invoke("check", "--format", "github")
    assert (result.exit_code, result.output) == (0, "")
    assert invoke("list").stderr == ""
    for form in (("--json",), ("--format", "json"), ("--json", "--format", "json")):
        as_json = invoke("check", *form)
        assert (as_json.exit_code, json.loads(as_json.stdout)) == (0, [])


def test_check_names_each_fault_and_exits_with_1(invoke: Invoke, content: Path) -> None:
    """`file:line:col: CODE message`, of files and between them."""
    result = invoke("check")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.splitlines() == [
        f"content/concepts/wip.md:7:11: {RIPE}",
        f"content/concepts/wip.md:10:1: {GONE}",
        "Found 2 problems in 1 file",
    ]


@pytest.mark.parametrize("spelling", ["content", "content/", "./content", None])
def test_a_file_below_this_folder_is_named_from_here(
    invoke: Invoke, content: Path, spelling: str | None
) -> None:
    """D-134: printed paths can be opened, and GitHub finds them in the repository."""
    result = invoke("check", spelling or str(content), "--select", "KB030")
    assert result.stdout == f"content/concepts/wip.md:10:1: {GONE}\n{ONE}"


def test_a_file_elsewhere_is_named_in_full(
    invoke: Invoke, content: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """D-134: an absolute path is valid in any working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    result = invoke("check", str(content), "--select", "KB030")
    assert result.stdout == f"{content}/concepts/wip.md:10:1: {GONE}\n{ONE}"
    up = os.path.relpath(content)
    result = invoke("check", up, "--select", "KB030")
    assert result.stdout == f"{up}/concepts/wip.md:10:1: {GONE}\n{ONE}"


def test_the_summary_counts_problems_and_files(invoke: Invoke, content: Path) -> None:
    """The last line; colors of problems only where the environment asks for them."""
    write(content, "concepts/c", body="[x](no.md)\n")
    write(content, "concepts/d", body="[x](no.md)\n")
    plain = invoke("check", "--select", "KB030")
    assert plain.stdout.splitlines()[-1] == "Found 3 problems in 3 files"
    assert "\x1b" not in plain.stdout
    colored = invoke("check", "--select", "KB030", env={"FORCE_COLOR": "1"})
    assert "\x1b[31m\x1b[1mKB030\x1b[0m" in colored.stdout
    assert "\x1b" not in invoke("check", env={"NO_COLOR": "1"}).stdout


def test_check_as_json_has_the_parts_of_each_fault(
    invoke: Invoke, content: Path
) -> None:
    """D-129: `--json` on every command that reads."""
    for form in (("--json",), ("--format", "json")):
        result = invoke("check", *form)
        assert result.exit_code == 1
        assert json.loads(result.stdout)[1] == {
            "file": "content/concepts/wip.md",
            "path": "concepts/wip.md",
            "line": 10,
            "column": 1,
            "code": "KB030",
            "message": "no article 'concepts/no': fix or remove it",
        }


def test_check_for_github_writes_workflow_commands(
    invoke: Invoke, content: Path
) -> None:
    """GitHub's workflow commands: properties, `::`, the message."""
    result = invoke("check", "--format", "github")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1] == (
        "::error file=content/concepts/wip.md,line=10,col=1,title=KB030::"
        "no article 'concepts/no': fix or remove it"
    )


def test_workflow_commands_are_escaped(invoke: Invoke, folder: Path) -> None:
    """GitHub: `%`, CR and LF as %25, %0D, %0A; in properties `:` and `,` too."""
    root = folder / "50%, or: so"
    body = "[x](a%25b%0A::error%0D::%1B,c.md)\n"
    write(root, "concepts/a", body=body)
    result = invoke("check", root.name, "--format", "github")
    assert result.stdout == (
        "::error file=50%25%2C or%3A so/concepts/a.md,line=9,col=1,title=KB030::"
        "no article 'concepts/a%25b%0A::error%0D::\\x1b,c': fix or remove it\n"
    )


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ((), ["KB012", "KB030"]),
        (("--select", "KB030"), ["KB030"]),
        (("--select", "KB01,KB02"), ["KB012"]),
        (("--select", "KB03", "--select", "KB012"), ["KB012", "KB030"]),
        (("--select", " KB030 , KB012 "), ["KB012", "KB030"]),
        (("--select", "KB"), ["KB012", "KB030"]),
        (("--select", "KB023"), []),
        (("--ignore", "KB030"), ["KB012"]),
        (("--ignore", "KB0"), []),
        (("--ignore", "KB012", "--ignore", "KB03"), []),
        (("--select", "KB012", "--ignore", "KB01"), []),
        (("--select", "KB0", "--ignore", "KB012"), ["KB030"]),
    ],
)
def test_codes_are_selected_and_ignored(
    invoke: Invoke, content: Path, options: tuple[str, ...], reported: list[str]
) -> None:
    """Codes or their beginnings; the exit code is of the reported ones."""
    result = invoke("check", *options)
    assert codes(result) == reported
    assert result.exit_code == bool(reported)
    assert len(json.loads(invoke("check", "--json", *options).stdout)) == len(reported)


@pytest.mark.parametrize(
    ("exceptions", "reported"),
    [
        ("content/concepts/wip.md:KB030", ["KB012"]),
        ("content/*:KB030", ["KB012"]),
        ("wip.md:KB030", ["KB012"]),
        ("wip.md:KB0", []),
        (" wip.md:KB030 , *.md:KB012 ", []),
        ("concepts/*:KB030", ["KB012", "KB030"]),
        ("WIP.md:KB030", ["KB012", "KB030"]),
        ("a.md:KB030", ["KB012", "KB030"]),
    ],
)
def test_a_code_is_accepted_in_files_that_match_a_pattern(
    invoke: Invoke, content: Path, exceptions: str, reported: list[str]
) -> None:
    """The path as reported, or its last part, so that others stay checked."""
    result = invoke("check", "--per-file-ignores", exceptions)
    assert codes(result) == reported
    assert result.exit_code == bool(reported)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("KB030", "'KB030' is not PATTERN:CODE"),
        (":KB030", "':KB030' is not PATTERN:CODE"),
        ("wip.md:KB030,", "'' is not PATTERN:CODE"),
        ("wip.md:", "no code begins with ''"),
        ("wip.md:KB999", "no code begins with 'KB999'"),
    ],
)
def test_an_exception_names_a_pattern_and_a_code(
    invoke: Invoke, content: Path, value: str, reason: str
) -> None:
    """Exit code 2, with the part that is wrong."""
    result = invoke("check", "--per-file-ignores", value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Invalid value for '--per-file-ignores': {reason}" in result.stderr


@pytest.mark.parametrize("flag", ["--select", "--ignore"])
@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("KB999", "KB999"),
        ("KB0301", "KB0301"),
        ("KB030,E5", "E5"),
        ("kb030", "kb030"),
        ("", ""),
        ("KB030,", ""),
    ],
)
def test_a_code_that_does_not_exist_is_a_usage_error(
    invoke: Invoke, content: Path, flag: str, value: str, word: str
) -> None:
    """Exit code 2: a misspelt code would pass for a clean report."""
    result = invoke("check", flag, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Invalid value for '{flag}': no code begins with '{word}'" in result.stderr


@pytest.mark.parametrize(
    "options", [("--format", "xml"), ("--json", "--format", "github")]
)
def test_one_known_format_at_a_time(
    invoke: Invoke, content: Path, options: tuple[str, ...]
) -> None:
    """Exit code 2: usage."""
    result = invoke("check", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


def test_the_future_begins_after_today_everywhere(
    invoke: Invoke, content: Path
) -> None:
    """An author in a time zone ahead of the build machine has no date in the future."""
    (content / "concepts/wip.md").unlink()
    now = datetime.now(UTC)
    for hours, exit_code in ((14, 0), (62, 1)):
        day = (now + timedelta(hours=hours)).date().isoformat()
        write(content, "concepts/a", relatedIds="[b]", lastUpdated=day)
        result = invoke("check")
        assert (result.exit_code, codes(result)) == (exit_code, ["KB016"] * exit_code)


def test_the_latest_date_is_that_of_the_east() -> None:
    """Kiribati is 14 hours ahead of UTC."""
    for hour, day in ((9, 17), (10, 18)):
        now = datetime(2026, 5, 17, hour, 59, tzinfo=UTC)
        assert latest_date(now).isoformat() == f"2026-05-{day}"


def test_check_shows_odd_file_names_escaped(
    invoke: Invoke, knowledge: KnowledgeBase
) -> None:
    """D-083: a file name with ESC, CR and LF stays on one line, visibly."""
    knowledge.write("concepts/a\x1b[31m\r\nb\x85\u2028c")
    for form in ("text", "github"):
        lines = invoke("check", str(knowledge.root), "--format", form).stdout
        named = r"concepts/a\x1b[31m\r\nb\x85\u2028c.md"
        assert named in lines
        assert all(line.isprintable() for line in lines.splitlines())


def test_the_content_of_this_project_is_sound() -> None:
    """`asdlc-kb check content` exits with 0, as a process does."""
    done = run_cli("check", "content", scanner=Scanner(), cwd=ROOT)
    assert (done.out, done.err, done.code) == (PASSED, "", 0)


def test_check_reports_files_beyond_the_limit(invoke: Invoke, content: Path) -> None:
    """D-061: how many are served, and what serves the rest."""
    (content / "concepts/wip.md").unlink()
    result = invoke("check", "--max-files", "1")
    assert result.exit_code == 1
    assert "KB001 1 of more files are served: raise max_files" in result.stdout
    assert invoke("check", "--max-files", "2").exit_code == 0


def test_lines_of_synonyms_without_effect_are_warnings(
    invoke: Invoke, content: Path, folder: Path
) -> None:
    """KB060 is reported at its line and fails nothing; other problems do."""
    words = folder / "words.txt"
    words.write_text("# Ours\nzebra, okapi\n")
    arguments = ("check", str(content), "--synonyms", "words.txt")
    (content / "concepts/wip.md").unlink()
    result = invoke(*arguments)
    assert result.exit_code == 0
    assert result.stdout == (
        "words.txt:2:1: KB060 no visible text has 'zebra', 'okapi': "
        "correct or remove the line\nFound 1 warning in 1 file\n"
    )
    assert invoke(*arguments, "--ignore", "KB060").stdout == PASSED
    annotated = invoke(*arguments, "--format", "github").stdout
    assert annotated.startswith("::warning file=words.txt,line=2,")
    write(content, "concepts/zebra", title="Zebras", relatedIds="[no]")
    broken = invoke(*arguments)
    assert broken.exit_code == 1
    assert "KB060" not in broken.stdout


def test_synonyms_that_are_wrong_are_a_usage_error(
    invoke: Invoke, content: Path, folder: Path
) -> None:
    """With the line, for every command that reads them."""
    (folder / "words.txt").write_text("a, b\nalone\n")
    for command in (("check",), ("search", "x"), ("stdio",), ("serve",)):
        result = invoke(*command, str(content), "--synonyms", "words.txt")
        assert result.exit_code == 2, command
        assert "words.txt:2: a group has at least two words" in result.stderr
    result = invoke("check", str(content), "--synonyms", "none.txt")
    assert result.exit_code == 2
    assert "none.txt: No such file" in result.stderr


def test_a_folder_without_a_file_to_check_is_a_problem(
    invoke: Invoke, folder: Path
) -> None:
    """A category instead of the root, a failed checkout; drafts are files to check."""
    write(folder, "content/concepts/a")
    for given, reason in (
        (["content/concepts"], "no article is served, only found 1 Markdown file not"),
        (["empty"], "no article is served: write one to CATEGORY/NAME.md"),
        (["--docs", "empty"], "no documentation page is served: --docs takes"),
    ):
        (folder / "empty").mkdir(exist_ok=True)
        result = invoke("check", *given)
        assert (result.exit_code, result.stderr) == (1, "")
        assert result.stdout.startswith(f"{given[-1]}:1:1: KB005 {reason}")
        assert invoke("check", *given, "--ignore", "KB005").stdout == PASSED
    write(folder, "content/concepts/a", status="Draft")
    save_over(folder / "content/README.md", "# Text\n")
    result = invoke("check", "content")
    assert (result.exit_code, result.stdout) == (0, PASSED)
    assert "no article is served, only found 1 Markdown file" in result.stderr


def test_a_published_article_outside_the_categories_is_a_problem(
    invoke: Invoke, content: Path
) -> None:
    """It is not served, and does not say so; in the order of the other problems."""
    write(content, "a")
    result = invoke("check")
    assert result.stdout.splitlines()[0] == (
        "content/a.md:1:1: KB002 the article is not served: move it to CATEGORY/NAME.md"
    )
