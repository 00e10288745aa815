"""The project scanner: files listed, read, refused and reported."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.files import ordinary_user, save_in_place
from support.peers import BOUND
from support.project import list_problems, scan_of

from asdlc_kb.project import scanner as module
from asdlc_kb.project.artifact_file import MAX_ASSET_BYTES, ArtifactFile
from asdlc_kb.project.locations import ArtifactFolder
from asdlc_kb.project.scanner import MAX_DEPTH, ProjectScanner

RULES = ".cursor/rules"
SKILL = ".claude/skills/x"


def place_of(scanner: ProjectScanner, folder: str = RULES) -> ArtifactFolder:
    """Return a location in the project."""
    return ArtifactFolder(scanner.project.root, folder, "cursor")


def listed(scanner: ProjectScanner, folder: str = RULES) -> list[str]:
    """Return the paths of the Markdown files of a folder, relative to it."""
    files = scanner.files(place_of(scanner, folder), (".md", ".mdc"))
    return ["/".join(file.below) for file in files]


def texts(scanner: ProjectScanner) -> list[str]:
    """Return the texts of the rules that can be read."""
    read = map(scanner.read, scanner.files(place_of(scanner), (".md", ".mdc")))
    return [text.text for text in read if text is not None]


def test_files_are_listed_in_path_order(tmp_path: Path) -> None:
    """At any depth; hidden ones and installed packages are passed over."""
    names = ["b.md", "a/x.mdc", "a/y/z.md", "c.txt", ".hidden.md", ".git/x.md"]
    names += ["node_modules/x.md", "a/__pycache__/x.md", "with blank (1).md"]
    scanner = scan_of(tmp_path, {f"{RULES}/{name}": "x" for name in names})
    assert listed(scanner) == ["a/x.mdc", "a/y/z.md", "b.md", "with blank (1).md"]
    assert list_problems(scanner) == []


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """D-023: missing artifacts are no error."""
    scanner = scan_of(tmp_path, {})
    assert listed(scanner) == []
    assert not scanner.exists(RULES)
    assert list_problems(scanner) == []


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    """It was put there for a reason; a file of a common name may be anything."""
    scanner = scan_of(tmp_path, {RULES: "a file", "specs": "a file"})
    assert listed(scanner) == listed(scanner, "specs") == []
    assert list_problems(scanner) == [(RULES, "KB001")]


def test_a_file_knows_its_name_below_its_place(tmp_path: Path) -> None:
    """For names and namespaces; files of a home are marked as such."""
    folder = ArtifactFolder(tmp_path, "commands", "claude", "global", "~/.claude/")
    file = ArtifactFile(folder, "commands/web/test.all.md")
    assert file.shown == "~/.claude/commands/web/test.all.md"
    assert file.below == ("web", "test.all.md")
    assert file.stem == "test.all"
    top = scan_of(tmp_path, {}).top("AGENTS.md")
    assert (top.shown, top.below, top.stem) == ("AGENTS.md", ("AGENTS.md",), "AGENTS")


def test_byte_order_mark_and_line_ends_do_not_show(tmp_path: Path) -> None:
    """D-025: editors add BOM and CRLF."""
    scanner = scan_of(tmp_path, {f"{RULES}/a.md": b"\xef\xbb\xbfa\r\nb\r\n"})
    assert texts(scanner) == ["a\nb\n"]


def test_invisible_characters_are_left_out_and_told(tmp_path: Path) -> None:
    """D-082: a rule that only a model can read is no rule."""
    scanner = scan_of(tmp_path, {f"{RULES}/a.md": "one\ntwo\u200b \U000e0041x"})
    assert texts(scanner) == ["one\ntwo x"]
    problem = scanner.sorted_problems[0]
    assert (problem.code, problem.line, problem.column) == ("KB015", 2, 4)
    assert problem.message.startswith("2 invisible characters")


def test_links_inside_the_project_are_followed(tmp_path: Path) -> None:
    """To files and folders; a folder is listed once, at its own path."""
    scanner = scan_of(tmp_path, {".claude/rules/a.md": "A", f"{RULES}/own/b.md": "B"})
    rules = scanner.project.root / RULES
    (rules / "a.md").symlink_to("../../.claude/rules/a.md")
    (rules / "also").symlink_to("own")
    (rules / "up").symlink_to(".")
    assert texts(scanner) == ["A", "B"]
    assert listed(scanner) == ["a.md", "own/b.md"]
    assert list_problems(scanner) == []


def test_links_out_of_the_project_are_refused_and_told(tmp_path: Path) -> None:
    """D-024: files, folders, chains, devices, circles, dangling; the rest is read."""
    save_in_place(tmp_path / "elsewhere" / "x.md", "the secret elsewhere")
    save_in_place(tmp_path / "project-private" / "x.md", "the secret elsewhere")
    scanner = scan_of(tmp_path, {f"{RULES}/good.md": "good"})
    rules = scanner.project.root / RULES
    links: dict[str, str | Path] = {
        "file.md": "../../../elsewhere/x.md",
        "prefix.md": "../../../project-private/x.md",
        "absolute.md": tmp_path / "elsewhere" / "x.md",
        "chain.md": "file.md",
        "device.md": "/dev/zero",
        "loop.md": "loop.md",
        "nowhere.md": "none.md",
        "folder": "../../../elsewhere",
    }
    for name, target in links.items():
        (rules / name).symlink_to(target)
    assert texts(scanner) == ["good"]
    refused = [f"{RULES}/{name}" for name in sorted(links)]
    assert list_problems(scanner) == [(path, "KB001") for path in refused]
    assert "elsewhere" not in str(scanner.sorted_problems)


def test_a_link_tells_nothing_of_what_is_outside(tmp_path: Path) -> None:
    """D-024: a folder, a file, nothing: the same words, whatever its name."""
    save_in_place(tmp_path / "outside" / "x.md", "the secret outside")
    scanner = scan_of(tmp_path, {f"{RULES}/good.md": "good"})
    targets = ("outside", "outside/x.md", "none", "none/x", "outside/x.md/x", "..")
    for number, target in enumerate(targets):
        link = scanner.project.root / RULES / f"link-{number}"
        link.symlink_to(tmp_path / target)
    assert texts(scanner) == ["good"]
    assert len(scanner.problems) == len(targets)
    assert len({problem.message for problem in scanner.problems}) == 1


def test_a_place_that_is_a_link_out_of_the_project_is_not_listed(
    tmp_path: Path,
) -> None:
    """D-024: not even names outside are revealed."""
    save_in_place(tmp_path / "outside" / "telling-name.md", "x")
    scanner = scan_of(tmp_path, {"x": ""})
    (scanner.project.root / ".cursor").symlink_to("../outside")
    (scanner.project.root / "specs").symlink_to(tmp_path / "outside")
    assert not any(listed(scanner, folder) for folder in (RULES, "specs", ".cursor"))
    assert not scanner.exists("specs")
    assert "telling-name" not in str(scanner.problems)


def test_what_blocks_or_is_huge_is_refused_at_once(tmp_path: Path) -> None:
    """D-070: a FIFO, a sparse giant, a folder named like a file: never a hang."""
    scanner = scan_of(tmp_path, {f"{RULES}/good.md": "good", f"{RULES}/d.md/x": ""})
    rules = scanner.project.root / RULES
    os.mkfifo(rules / "fifo.md")
    with open(rules / "sparse.md", "wb") as file:
        file.truncate(20 * 1024**3)
    read: list[str] = []
    thread = threading.Thread(target=lambda: read.extend(texts(scanner)), daemon=True)
    thread.start()
    thread.join(BOUND)
    assert read == ["good"]
    assert list_problems(scanner) == [
        (f"{RULES}/fifo.md", "KB001"),
        (f"{RULES}/sparse.md", "KB001"),
    ]


@pytest.mark.parametrize("data", [b"caf\xe9", b"a\0b", "x".encode("utf-16")])
def test_what_is_not_utf8_text_is_told(tmp_path: Path, data: bytes) -> None:
    """D-051: one bad file never affects another."""
    files = {f"{RULES}/bad.md": data, f"{RULES}/good.md": b"good"}
    scanner = scan_of(tmp_path, files)
    assert texts(scanner) == ["good"]
    assert list_problems(scanner) == [(f"{RULES}/bad.md", "KB001")]


def test_a_name_that_is_not_served_is_told_in_letters(tmp_path: Path) -> None:
    """D-083: control characters reach no terminal."""
    names = ["bad\x1b[31m.md", "tag\u200b.md", "good.md"]
    scanner = scan_of(tmp_path, {f"{RULES}/{name}": "x" for name in names})
    with open(os.fsencode(scanner.project.root / RULES) + b"/\xff.md", "wb"):
        pass
    assert listed(scanner) == ["good.md"]
    assert [code for _, code in list_problems(scanner)] == ["KB002"] * 3
    assert all(
        path.isascii() and path.isprintable() for path, _ in list_problems(scanner)
    )


def test_a_file_that_is_gone_is_no_problem(tmp_path: Path) -> None:
    """A file may be deleted between the listing and the read."""
    scanner = scan_of(tmp_path, {f"{RULES}/a.md": "a", f"{RULES}/b/c.md": "c"})
    files = scanner.files(place_of(scanner), (".md",))
    (scanner.project.root / RULES / "a.md").unlink()
    (scanner.project.root / RULES / "b" / "c.md").unlink()
    (scanner.project.root / RULES / "b").rmdir()
    save_in_place(scanner.project.root / RULES / "b", "a file now")
    assert [scanner.read(file) for file in files] == [None, None]
    assert list_problems(scanner) == []


def test_what_may_not_be_read_is_told() -> None:
    """The operator has to correct permissions."""
    with ordinary_user() as folder:
        scanner = scan_of(folder, {f"{RULES}/a.md": "a", f"{RULES}/b/c.md": "c"})
        (scanner.project.root / RULES / "a.md").chmod(0)
        (scanner.project.root / RULES / "b").chmod(0)
        assert texts(scanner) == []
        refused = [(f"{RULES}/{name}", "KB001") for name in ("a.md", "b")]
        assert list_problems(scanner) == refused
        (scanner.project.root / RULES / "b").chmod(0o700)


def test_folders_that_lie_too_deep_are_told(tmp_path: Path) -> None:
    """D-111: a depth that is not used in practice."""
    deep = "/".join("d" * MAX_DEPTH)
    files = {f"{RULES}/{deep}/in.md": "x", f"{RULES}/{deep}/d/out.md": "x"}
    scanner = scan_of(tmp_path, files)
    assert listed(scanner) == [f"{deep}/in.md"]
    assert list_problems(scanner) == [(f"{RULES}/{deep}/d", "KB001")]


def test_what_is_too_much_is_cut_off_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: files of a location, entries of a folder, bytes of a scan."""
    files = {f"{RULES}/{n}.md": "x" * 10 for n in range(5)}
    monkeypatch.setattr(module, "MAX_FOLDER_FILES", 3)
    scanner = scan_of(tmp_path, files)
    assert listed(scanner) == ["0.md", "1.md", "2.md"]
    assert list_problems(scanner) == [(RULES, "KB001")]
    monkeypatch.setattr(module, "MAX_ENTRIES", 2)
    scanner = scan_of(tmp_path, files)
    assert len(listed(scanner)) == 2
    assert list_problems(scanner) == [(RULES, "KB001")]
    monkeypatch.undo()
    monkeypatch.setattr(module, "MAX_FOLDERS", 2)
    scanner = scan_of(tmp_path, {f"{RULES}/{n}/{n}/x.md": "x" for n in "ab"})
    assert listed(scanner) == [f"{n}.md" for n in range(5)]
    assert list_problems(scanner) == [(RULES, "KB001")]
    scanner = scan_of(tmp_path, {"specs/a/x.md": "x"})
    assert listed(scanner, "specs") == ["a/x.md"]
    assert list_problems(scanner) == []
    monkeypatch.undo()
    monkeypatch.setattr(module, "MAX_BYTES", 25)
    scanner = scan_of(tmp_path, files)
    assert len(texts(scanner)) == 2
    assert list_problems(scanner) == [(f"{RULES}/2.md", "KB001")]


WRITER = """
import os, sys
with open(sys.argv[1], "r+b", buffering=0) as file:
    while os.getppid() == int(sys.argv[2]):
        file.seek(0)
        file.write(b"b" * 1000)
"""


def test_a_file_that_is_being_written_is_told(tmp_path: Path) -> None:
    """D-067: torn text is never returned; a read is retried, with a limit."""
    scanner = scan_of(tmp_path, {f"{RULES}/a.md": "a" * 2_000_000})
    path = scanner.project.root / RULES / "a.md"
    command = [sys.executable, "-c", WRITER, str(path), str(os.getpid())]
    problems: list[str] = []
    deadline = time.monotonic() + BOUND
    with subprocess.Popen(command) as process:
        try:
            while not problems and time.monotonic() < deadline:
                fresh = ProjectScanner(scanner.project)
                texts(fresh)
                problems = [problem.message for problem in fresh.problems]
        finally:
            process.kill()
    assert problems == ["is being written: try again"]
    assert len(texts(scanner)) == 1


def test_any_file_is_read_as_it_is(tmp_path: Path) -> None:
    """For digests: every byte; bounded, and inside the project."""
    scanner = scan_of(tmp_path, {f"{SKILL}/a.bin": b"\xef\xbb\xbf\0\xff\r\n"})
    folder = scanner.project.root / SKILL
    data = scanner.read_bytes(scanner.top(f"{SKILL}/a.bin"))
    assert data == b"\xef\xbb\xbf\0\xff\r\n"
    assert scanner.read_bytes(scanner.top(f"{SKILL}/none")) is None
    (folder / "out").symlink_to("/etc/hostname")
    with open(folder / "big", "wb") as file:
        file.truncate(MAX_ASSET_BYTES + 1)
    assert scanner.read_bytes(scanner.top(f"{SKILL}/out")) is None
    assert scanner.read_bytes(scanner.top(f"{SKILL}/big")) is None
    refused = [(f"{SKILL}/{name}", "KB001") for name in ("big", "out")]
    assert list_problems(scanner) == refused


def test_bytes_that_are_being_written_are_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest is of a whole file; it is read again, for a bounded time."""
    scanner = scan_of(tmp_path, {f"{SKILL}/a.bin": b"abc"})
    path = scanner.project.root / SKILL / "a.bin"
    real, looks = os.fstat, 0

    def fstat(descriptor: int) -> os.stat_result:
        nonlocal looks
        looks += 1
        if looks <= limit:
            path.write_bytes(path.read_bytes() + b"d")
        return real(descriptor)

    monkeypatch.setattr(os, "fstat", fstat)
    limit = 1_000_000
    assert scanner.read_bytes(scanner.top(f"{SKILL}/a.bin")) is None
    (problem,) = scanner.problems
    assert problem.message == "is being written: try again"
    limit = looks + 3
    again = ProjectScanner(scanner.project)
    data = again.read_bytes(again.top(f"{SKILL}/a.bin"))
    assert data == path.read_bytes()


def test_a_problem_is_told_once(tmp_path: Path) -> None:
    """Two lists of the same files find the same problems."""
    scanner = scan_of(tmp_path, {f"{RULES}/a.md": b"\xff"})
    assert texts(scanner) == texts(scanner) == []
    assert len(scanner.sorted_problems) == 1


def test_a_link_that_is_swapped_while_it_is_read_never_shows_the_outside(
    tmp_path: Path,
) -> None:
    """D-024: neither the text of a file nor the names in a folder."""
    save_in_place(tmp_path / "outside" / "telling-name.md", "the secret outside")
    inside = {".claude/rules/a.md": "inside", f"{RULES}/good.md": "inside"}
    scanner = scan_of(tmp_path, inside)
    rules, spare = scanner.project.root / RULES, tmp_path / "spare"
    spare.mkdir()
    stopped = threading.Event()
    targets = (scanner.project.root / ".claude/rules", tmp_path / "outside")

    def flip() -> None:
        while not stopped.is_set():
            for target in targets:
                name = "a.md" if target.name == "rules" else "telling-name.md"
                (spare / "file").symlink_to(target / name)
                os.rename(spare / "file", rules / "swapped.md")
                (spare / "folder").symlink_to(target)
                os.rename(spare / "folder", rules / "swapped")

    flipper = threading.Thread(target=flip)
    flipper.start()
    told_names: set[str] = set()
    seen: set[str] = set()
    refused = rounds = 0
    deadline = time.monotonic() + BOUND
    try:
        while (rounds < 500 or not refused) and time.monotonic() < deadline:
            rounds += 1
            fresh = ProjectScanner(scanner.project)
            seen.update(texts(fresh))
            told_names.update(listed(fresh), (p.path for p in fresh.problems))
            refused += len(fresh.problems)
    finally:
        stopped.set()
        flipper.join()
    assert seen == {"inside"}
    assert refused
    assert not [name for name in told_names if "telling" in name]


def test_a_file_that_is_open_for_writing_is_waited_for_and_left_out(
    tmp_path: Path,
) -> None:
    """D-067: half a rule is none; all files of one call together wait half a second."""
    names = [f"{SKILL}/{name}" for name in ("a.md", "b.md", "c.bin")]
    scanner = scan_of(tmp_path, dict.fromkeys(names, "text"))
    first, second, third = map(scanner.top, names)
    root = scanner.project.root
    with (root / names[0]).open("a"), (root / names[2]).open("ab"):
        assert scanner.read(first) is None
        assert scanner.read_bytes(third) is None
        assert scanner.read(second) is not None
    assert list_problems(scanner) == [(names[0], "KB004"), (names[2], "KB004")]
    assert scanner.read(first) is not None
