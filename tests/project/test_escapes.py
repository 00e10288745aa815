"""Attempts to escape from a project, or to break its answers, by odd names."""

import json
import os
import shutil
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.files import save_in_place
from support.peers import BOUND
from support.project import list_problems, make_project

from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.context import scan_project
from asdlc_kb.project.registry import Projects
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import scan_schemas


def test_whether_a_file_outside_exists_is_not_revealed(tmp_path: Path) -> None:
    """D-024: links to existing and missing targets are refused in the same words."""
    save_in_place(tmp_path / "outside" / "there.md", "secret")
    project = make_project(tmp_path, {".cursor/rules/good.mdc": "good"})
    rules = project.root / ".cursor" / "rules"
    for name in ("there.md", "none.md", "none/x.md", "there.md/x.md"):
        link = rules / f"{name.replace('/', '-')}.mdc"
        link.symlink_to(tmp_path / "outside" / name)
    (rules / "chain.mdc").symlink_to("none.md.mdc")
    scanner = ProjectScanner(project)
    assert [rule.name for rule in scan_rules(scanner)] == ["good"]
    messages = {problem.message for problem in scanner.problems}
    assert len(scanner.problems) == 5
    assert messages == {"the link points outside the folder: copy the file instead"}


@pytest.mark.parametrize(
    "target",
    [
        *("/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/fd/0"),
        *("/proc/self/cwd/setup.cfg", "/dev/fd/0", "/dev/stdin", "/dev/tty"),
        *("//etc/passwd", "/./etc/../etc/passwd", "..", "../..", "/"),
    ],
)
def test_a_link_of_any_kind_that_leads_out_is_refused(
    tmp_path: Path, target: str
) -> None:
    """D-024: the kernel's own links, devices, roots; as a file and as a folder."""
    project = make_project(tmp_path, {".cursor/rules/good.mdc": "good"})
    (project.root / ".cursor" / "rules" / "x.mdc").symlink_to(target)
    (project.root / "AGENTS.md").symlink_to(target)
    (project.root / "specs").symlink_to(target)
    scanner = ProjectScanner(project)
    assert [rule.name for rule in scan_rules(scanner)] == ["good"]
    assert scan_guides(scanner) == ()
    assert scan_project(project).asdlc_artifacts.specs.specs == ()


def test_the_kernels_links_back_into_the_project_are_links_like_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the target of a link counts."""
    project = make_project(tmp_path, {".agents/AGENTS.md": "inside"})
    monkeypatch.chdir(project.root)
    here = Path("/proc/self/cwd")
    here = here if here.exists() else project.root
    (project.root / "AGENTS.md").symlink_to(here / ".agents" / "AGENTS.md")
    (guide,) = scan_guides(ProjectScanner(project))
    assert (guide.content, guide.same_as) == ("inside", ".agents/AGENTS.md")


def test_places_that_are_no_folders_are_told_and_never_block(tmp_path: Path) -> None:
    """D-111: a FIFO in the place of a folder, and of a file."""
    project = make_project(tmp_path, {"schemas/a.json": "{}", ".claude/x": ""})
    os.mkfifo(project.root / ".cursorrules")
    os.mkfifo(project.root / "AGENTS.md")
    os.mkfifo(project.root / ".claude" / "rules")
    os.mkfifo(project.root / "specs")
    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.append(scan_project(project)), daemon=True
    )
    thread.start()
    thread.join(BOUND)
    (context,) = found
    assert [schema.name for schema in context.asdlc_artifacts.schemas.schemas] == ["a"]
    assert [(problem.path, problem.code) for problem in context.problems] == [
        (".claude/rules", "KB001"),
        (".cursorrules", "KB001"),
        ("AGENTS.md", "KB001"),
    ]


def test_names_that_cannot_be_told_are_in_no_answer(tmp_path: Path) -> None:
    """Bytes that are no text, line ends, invisible marks: answers stay JSON."""
    project = make_project(
        tmp_path,
        {
            "schemas/a.json": r'{"$id": "x\ud800"}',
            "schemas/b.json": r'{"id": "x\u200b\u001b[31m"}',
            "schemas/c.json": r'{"$id": "https://example.com/ä"}',
            ".agents/rules/good.md": "x",
        },
    )
    root = os.fsencode(project.root)
    for name in (b"\xff\n.md", b"a\x1b[31m.md", b"\xe2\x80\xae.md"):
        with open(root + b"/.agents/rules/" + name, "wb") as file:
            file.write(b"inside")
    os.symlink(b".agents/rules/\xff\n.md", root + b"/AGENTS.md")
    os.symlink(b".agents/rules/\xe2\x80\xae.md", root + b"/CLAUDE.md")
    scanner = ProjectScanner(project)
    assert [(guide.content, guide.same_as) for guide in scan_guides(scanner)] == [
        ("inside", None),
        ("inside", None),
    ]
    ids = [schema.schema_id for schema in scan_schemas(scanner)]
    assert ids == [None, None, "https://example.com/ä"]
    assert list_problems(scanner) == [
        ("schemas/a.json", "KB015"),
        ("schemas/b.json", "KB015"),
    ]
    answer = json.dumps(asdict(scan_project(project)), ensure_ascii=False, default=str)
    assert answer.encode().decode() == answer


def test_a_project_whose_name_cannot_be_told_is_called_in_letters(
    tmp_path: Path,
) -> None:
    """The operator's own folder, whatever its name."""
    names = [b"api\xff", b"api\n", "größe".encode()]
    for name in names:
        os.mkdir(os.fsencode(tmp_path) + b"/" + name)
    roots = [tmp_path / os.fsdecode(name) for name in names]
    projects = list(Projects(roots))
    assert [p.name for p in projects] == ["api\\udcff", "api\\n", "größe"]
    assert [p.root for p in projects] == roots


def test_names_that_differ_in_case_alone_stay_two(tmp_path: Path) -> None:
    """Each is its own, and a request in another case finds the first."""
    files = {f".cursor/rules/{name}.mdc": name for name in ("Style", "style")}
    project = make_project(tmp_path, files)
    if len(os.listdir(project.root / ".cursor" / "rules")) == 2:
        rules = scan_rules(ProjectScanner(project))
        assert [(rule.name, rule.content) for rule in rules] == [
            ("Style", "Style"),
            ("style", "style"),
        ]


def test_folders_deeper_than_any_path_end_nothing(tmp_path: Path) -> None:
    """D-111: a tree that no path can name is cut off at the limits."""
    project = make_project(tmp_path, {".cursor/rules/a.mdc": "x"})
    for top in (project.root, project.root / ".cursor" / "rules"):
        folder = os.open(top, os.O_RDONLY)
        for _ in range(50):
            os.mkdir("d" * 150, dir_fd=folder)
            below = os.open("d" * 150, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = below
        os.close(folder)
    scanner = ProjectScanner(project)
    assert [rule.name for rule in scan_rules(scanner)] == ["a"]
    assert [code for _, code in list_problems(scanner)] == ["KB001", "KB001"]
    shutil.rmtree(project.root)


def test_rules_in_countless_folders_are_cut_off_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: the limit of one location is not multiplied by a thousand locations."""
    monkeypatch.setattr("asdlc_kb.project.scanner.MAX_FILES_READ", 10)
    files = {f"m{n:02}/.cursor/rules/{r}.mdc": "x" for n in range(5) for r in range(4)}
    scanner = ProjectScanner(make_project(tmp_path, files))
    assert len(scan_rules(scanner)) == 10
    assert list_problems(scanner) == [("m02/.cursor/rules/2.mdc", "KB001")]
