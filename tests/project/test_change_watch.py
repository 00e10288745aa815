"""Whether the sources of answers changed, derived from names and times."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.files import save_in_place, save_over
from support.project import age, make_project

from asdlc_kb.project.change_watch import ProjectWatch
from asdlc_kb.project.commands import scan_commands
from asdlc_kb.project.guide_texts import scan_guide_texts
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner

RULE = "---\ndescription: d\nalwaysApply: true\n---\nx\n"
FILES: dict[str, str | bytes] = {
    "AGENTS.md": "x",
    ".cursorrules": "x",
    ".cursor/rules/a.mdc": RULE,
    ".claude/commands/deep/b.md": "x",
    ".claude/skills/c/SKILL.md": "x",
    ".claude/skills/c/data/d.bin": b"\0",
    ".agents/skills/e/SKILL.md": "x",
    "specs/f/spec.md": "x",
    "schemas/g.json": "{}",
    "packages/h/.cursor/rules/i.mdc": RULE,
    "packages/h/AGENTS.md": "x",
    "src/j.py": "x",
}
LATER = 3600.0


class Reads:
    """Counts the reads of a project."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, scanner: ProjectScanner) -> tuple[int, list[str]]:
        """Return the number of this read, and the names of rules and commands."""
        self.count += 1
        names = [rule.name for rule in scan_rules(scanner)]
        names += [command.name for command in scan_commands(scanner)]
        return self.count, names


def watch_of(
    project: Project, home: Path | None = None
) -> tuple[ProjectWatch[tuple[int, list[str]]], Reads]:
    """Return a watch that has scanned once, an hour after the last change."""
    age(project.root)
    reads = Reads()
    watch = ProjectWatch(project, reads, home, clock=lambda: time.time() + LATER)
    watch.scan()
    return watch, reads


@pytest.mark.parametrize(
    "path", [path for path in FILES if not path.startswith("src/")]
)
def test_a_change_of_what_answers_are_made_from_is_seen(
    tmp_path: Path, path: str
) -> None:
    """In place, by a rename, and when it is deleted."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    for change in (
        lambda: save_in_place(project.root / path, "other text"),
        lambda: save_over(project.root / path, "another text"),
        lambda: (project.root / path).unlink(),
        lambda: save_in_place(project.root / path, "other text"),
    ):
        before = reads.count
        change()
        watch.scan()
        assert reads.count == before + 1


@pytest.mark.parametrize(
    "path",
    [
        ".cursor/rules/new.mdc",
        ".cursor/commands/new/new.md",
        ".gemini/skills/new/SKILL.md",
        "src/deep/new/.claude/rules/new.md",
        "src/deep/AGENTS.md",
        "src/deep/agents.md",
        "web/.agents/skills/new/SKILL.md",
        "web/.windsurf/rules/new.md",
        ".gemini/commands/new.toml",
        ".opencode/command/new.md",
        ".claude/CLAUDE.md",
        "specs/new/spec.md",
        ".kiro/specs/new/requirements.md",
        "openspec/changes/new/proposal.md",
    ],
)
def test_new_files_are_seen_in_new_folders(tmp_path: Path, path: str) -> None:
    """Folders that appear later, nested ones too."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    save_in_place(project.root / path, "x")
    watch.scan()
    assert reads.count == 2


def test_imported_texts_are_seen(tmp_path: Path) -> None:
    """As they change, appear and go, whatever folder they are in."""
    project = make_project(tmp_path, {"CLAUDE.md": "@docs/a.md @away/b.md\n"})
    save_in_place(project.root / "docs/a.md", "x")
    save_in_place(project.root / "docs/c.md", "x")
    age(project.root)
    reads: list[list[str]] = []

    def read(scanner: ProjectScanner) -> int:
        reads.append([text.path for text in scan_guide_texts(scanner)])
        return len(reads)

    watch = ProjectWatch(project, read, clock=lambda: time.time() + LATER)
    root = project.root
    assert not watch.concerns(f"{root}/docs/a.md")
    watch.scan()
    watch.scan()
    assert f"{root}/docs" in watch.find(root)
    assert watch.concerns(f"{root}/docs/a.md")
    assert not watch.concerns(f"{root}/docs/c.md")
    for change, expected in (
        (lambda: save_in_place(root / "docs/a.md", "y"), ["docs/a.md"]),
        (lambda: save_in_place(root / "away/b.md", "y"), ["docs/a.md", "away/b.md"]),
        (lambda: (root / "docs/a.md").unlink(), ["away/b.md"]),
    ):
        before = len(reads)
        change()
        assert watch.scan() == before + 1
        assert reads[-1] == ["CLAUDE.md", *expected]
        watch.scan()
        assert len(reads) <= before + 2
    save_in_place(root / "docs/c.md", "y")
    before = len(reads)
    watch.scan()
    assert len(reads) == before


def test_instructions_that_settings_name_are_seen(tmp_path: Path) -> None:
    """Of opencode and Gemini CLI; so are the settings themselves."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    for path, text in (
        ("opencode.json", '{"instructions": ["docs/*.md"]}'),
        ("docs/a.md", "x"),
        (".gemini/settings.json", '{"contextFileName": ["T.md", "docs/U.md"]}'),
        ("src/T.md", "x"),
        ("src/docs/U.md", "x"),
        ("opencode.jsonc", '{"instructions": ["docs/b.md"]}'),
        (".codex/config.toml", 'project_doc_fallback_filenames = ["C.md"]'),
        ("C.md", "x"),
        (".claude/settings.json", '{"claudeMdExcludes": ["**/CLAUDE.md"]}'),
        ("plugin/.claude-plugin/plugin.json", '{"name": "p"}'),
        ("plugin/commands/x.md", "x"),
    ):
        before = reads.count
        save_in_place(project.root / path, text)
        watch.scan()
        assert reads.count == before + 1, path


def test_a_check_finds_changes_of_known_files_and_folders(tmp_path: Path) -> None:
    """It lists nothing, and returns the last value if nothing changed."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    for is_announced in (False, True):
        assert watch.check(is_announced) == watch.scan()
    save_in_place(project.root / "src/k/AGENTS.md", "left to its event")
    assert watch.check(False) is not None
    for path in ("packages/h/AGENTS.md", ".claude/commands/deep/new.md"):
        save_in_place(project.root / path, "changed")
        assert watch.check(False) is None
        watch.scan()
        assert watch.check(False) is not None
    assert reads.count == 3


def test_a_check_reads_once_more_what_had_just_changed(tmp_path: Path) -> None:
    """A second change within one tick would be missed for ever."""
    project = make_project(tmp_path, FILES)
    now = [time.time()]
    reads = Reads()
    watch = ProjectWatch(project, reads, clock=lambda: now[0])
    watch.scan()
    now[0] += LATER
    for _ in range(2):
        watch.check(False)
        assert reads.count == 2


def test_a_new_folder_is_left_to_the_next_check(tmp_path: Path) -> None:
    """A build creates many; installed packages and files are none."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    root = project.root
    (root / "node_modules").mkdir()
    (root / "src" / "new").mkdir()
    for path in ("node_modules", "src/j.py", "src/away", "src/.hidden"):
        assert not watch.concerns(f"{root}/{path}")
        assert watch.check(True) is not None
    assert not watch.concerns(f"{root}/src/new")
    assert watch.check(True) is None
    assert f"{root}/src/new" in watch.find(root)
    watch.scan()
    assert watch.check(True) is not None
    assert reads.count == 1


def test_nothing_else_is_looked_at(tmp_path: Path) -> None:
    """Source files, hidden files, packages, a history in a home's folder."""
    project = make_project(tmp_path, FILES)
    home = tmp_path / "home"
    save_in_place(home / ".claude" / "commands" / "k.md", "x")
    watch, reads = watch_of(project, home)
    for path in (
        "src/j.py",
        "new.py",
        ".cursor/rules/.hidden.mdc",
        ".claude/settings.local.json",
        "node_modules/x/AGENTS.md",
        ".git/AGENTS.md",
    ):
        save_in_place(project.root / path, "other")
    save_in_place(home / ".claude" / "history.jsonl", "x")
    watch.scan()
    assert reads.count == 1
    save_in_place(home / ".claude" / "commands" / "l.md", "x")
    assert watch.scan() == (2, ["a", "i", "cursorrules", "deep:b", "k", "l"])


def test_what_has_just_changed_is_read_once_more(tmp_path: Path) -> None:
    """D-064: a second change within one tick leaves the same signature."""
    project = make_project(tmp_path, FILES)
    now = [time.time()]
    reads = Reads()
    watch = ProjectWatch(project, reads, clock=lambda: now[0])
    for expected in (1, 2):
        watch.scan()
        assert reads.count == expected
    now[0] += LATER
    for _ in range(3):
        watch.scan()
        assert reads.count == 3


def test_a_failed_read_is_repeated_by_the_next_scan(tmp_path: Path) -> None:
    """A change is not lost with the scan that found it."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    good, failures = watch._read, [OSError("once")]

    def read(scanner: ProjectScanner) -> tuple[int, list[str]]:
        if failures:
            raise failures.pop()
        return good(scanner)

    watch._read = read
    save_in_place(project.root / "AGENTS.md", "other text")
    with pytest.raises(OSError, match="once"):
        watch.scan()
    watch.scan()
    assert reads.count == 2


def test_a_change_that_restores_the_time_is_seen(tmp_path: Path) -> None:
    """As rsync does it: mtime and size are equal, ctime is not."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    path = project.root / "AGENTS.md"
    before = os.stat(path)
    path.write_text("y")
    while os.stat(path).st_ctime_ns == before.st_ctime_ns:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    watch.scan()
    assert reads.count == 2


def test_all_folders_that_may_have_artifacts_are_watched(tmp_path: Path) -> None:
    """Artifact folders and those of the project; nothing hidden or installed."""
    project = make_project(tmp_path, FILES)
    (project.root / ".claude" / "skills" / "empty").mkdir()
    (tmp_path / "outside").mkdir()
    (project.root / ".gemini").symlink_to("../outside")
    for path in (".git/x", "node_modules/x", "src/deep"):
        (project.root / path).mkdir(parents=True)
    watch, _ = watch_of(project)
    found = watch.find(project.root)
    root = str(project.root)
    expected = {
        *("", ".agents", ".agents/skills", ".agents/skills/e"),
        *(".claude", ".claude/commands", ".claude/commands/deep", ".claude/skills"),
        *(".claude/skills/c", ".claude/skills/c/data", ".claude/skills/empty"),
        *(".cursor", ".cursor/rules", "packages/h/.cursor/rules"),
        *("schemas", "specs", "specs/f", "src", "src/deep"),
        *("packages", "packages/h", "packages/h/.cursor"),
    }
    assert set(found) == {os.path.join(root, path).rstrip("/") for path in expected}
    for path, identity in found.items():
        status = os.stat(path)
        assert identity == (status.st_dev, status.st_ino)


def test_one_sweep_serves_the_watch_and_the_scan(tmp_path: Path) -> None:
    """While the folders stay the same; else a change in between would be missed."""
    project = make_project(tmp_path, FILES)
    watch, reads = watch_of(project)
    watch.find(project.root)
    save_in_place(project.root / "AGENTS.md", "before the watch was armed")
    watch.scan()
    assert reads.count == 2
    watch.find(project.root)
    save_in_place(project.root / "AGENTS.md", "told by the watch, and looked at next")
    watch.scan()
    assert reads.count == 2
    watch.scan()
    assert reads.count == 3


def test_a_project_that_is_gone_has_nothing_and_comes_back(tmp_path: Path) -> None:
    """Whatever happens to its folder, a scan succeeds."""
    project = make_project(tmp_path, FILES)
    watch, _ = watch_of(project)
    project.root.rename(tmp_path / "away")
    assert watch.find(project.root) == {}
    assert watch.scan() == (2, [])
    (tmp_path / "away").rename(project.root)
    assert watch.scan() == (3, ["a", "i", "cursorrules", "deep:b"])


def test_changes_are_told_apart_by_name(tmp_path: Path) -> None:
    """In folders of artifacts regular names; elsewhere guides and tools' folders."""
    project = make_project(tmp_path, FILES)
    concerns: Callable[[str], bool] = watch_of(project)[0].concerns
    root = project.root
    for name in ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".cursor", ".claude"):
        assert concerns(f"{root}/{name}")
    for name in (".agents", "specs", "schemas", "skills", "openspec"):
        assert concerns(f"{root}/{name}")
    for name in ("main.py", ".git", "AGENTS.md~", "away", "node_modules", "a.md"):
        assert not concerns(f"{root}/{name}")
        assert not concerns(f"{root}/src/{name}")
    assert concerns(f"{root}/src/AGENTS.md")
    assert concerns(f"{root}/src/.windsurf")
    assert not concerns(f"{root}/src/.windsurfrules")
    assert concerns(f"{root}/.cursor/rules/a.mdc")
    assert concerns(f"{root}/.cursor/rules")
    assert not concerns(f"{root}/.cursor/rules/.a.mdc.swp")


def test_a_name_of_the_settings_concerns_as_a_guide_does(tmp_path: Path) -> None:
    """In any folder; with a path, its last name."""
    settings = '{"contextFileName": ["T.md", "docs/U.md"]}'
    project = make_project(tmp_path, {**FILES, ".gemini/settings.json": settings})
    watch = watch_of(project)[0]
    assert watch.concerns(f"{project.root}/src/T.md")
    assert watch.concerns(f"{project.root}/src/docs/U.md")
    assert not watch.concerns(f"{project.root}/src/V.md")
