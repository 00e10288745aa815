"""One look at a project: what is listed, read, refused and told."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.files import ordinary_user, save_in_place
from support.peers import BOUND
from support.project import make_project, survey_of, told

from asdlc_kb.project import scanner as surveys
from asdlc_kb.project.artifact_file import MAX_ASSET_BYTES, ArtifactFile
from asdlc_kb.project.locations import COMMANDS, ArtifactFolder
from asdlc_kb.project.scanner import MAX_DEPTH, ProjectScanner

RULES = ".cursor/rules"
SKILL = ".claude/skills/x"


def place_of(survey: ProjectScanner, folder: str = RULES) -> ArtifactFolder:
    """Return a place in the project."""
    return ArtifactFolder(survey.project.root, folder, "cursor")


def listed(survey: ProjectScanner, folder: str = RULES) -> list[str]:
    """Return the paths of the Markdown files of a folder, relative to it."""
    files = survey.files(place_of(survey, folder), (".md", ".mdc"))
    return ["/".join(file.below) for file in files]


def texts(survey: ProjectScanner) -> list[str]:
    """Return the texts of the rules that can be read."""
    read = map(survey.read, survey.files(place_of(survey), (".md", ".mdc")))
    return [text.text for text in read if text is not None]


def test_files_are_listed_in_path_order(tmp_path: Path) -> None:
    """At any depth; hidden ones and installed packages are passed over."""
    names = ["b.md", "a/x.mdc", "a/y/z.md", "c.txt", ".hidden.md", ".git/x.md"]
    names += ["node_modules/x.md", "a/__pycache__/x.md", "with blank (1).md"]
    survey = survey_of(tmp_path, {f"{RULES}/{name}": "x" for name in names})
    assert listed(survey) == ["a/x.mdc", "a/y/z.md", "b.md", "with blank (1).md"]
    assert told(survey) == []


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """Missing artifacts are no error (seed 003, empty against error)."""
    survey = survey_of(tmp_path, {})
    assert listed(survey) == []
    assert not survey.exists(RULES)
    assert told(survey) == []


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    """Somebody meant something by it; a file of a common name may be anything."""
    survey = survey_of(tmp_path, {RULES: "a file", "specs": "a file"})
    assert listed(survey) == listed(survey, "specs") == []
    assert told(survey) == [(RULES, "KB001")]


def test_a_file_knows_its_name_below_its_place(tmp_path: Path) -> None:
    """For names and namespaces; what is of a home is told as such."""
    place = ArtifactFolder(tmp_path, "commands", "claude", "global", "~/.claude/")
    file = ArtifactFile(place, "commands/web/test.all.md")
    assert file.shown == "~/.claude/commands/web/test.all.md"
    assert file.below == ("web", "test.all.md")
    assert file.stem == "test.all"
    top = survey_of(tmp_path, {}).top("AGENTS.md")
    assert (top.shown, top.below, top.stem) == ("AGENTS.md", ("AGENTS.md",), "AGENTS")


def test_a_home_comes_after_the_workspace(tmp_path: Path) -> None:
    """Only where it was asked for; nothing outside its two folders."""
    project = make_project(tmp_path, {})
    places = list(ProjectScanner(project, tmp_path / "home").places(COMMANDS))
    assert [(place.location, place.show("commands/x.md")) for place in places] == [
        ("workspace", "commands/x.md"),
        ("workspace", "commands/x.md"),
        ("global", "~/.cursor/commands/x.md"),
        ("global", "~/.claude/commands/x.md"),
    ]
    assert [place.root.name for place in places[2:]] == [".cursor", ".claude"]
    assert len(list(ProjectScanner(project).places(COMMANDS))) == 2


def test_byte_order_mark_and_line_ends_do_not_show(tmp_path: Path) -> None:
    """BOM and CRLF are what editors add (formats 2a)."""
    survey = survey_of(tmp_path, {f"{RULES}/a.md": b"\xef\xbb\xbfa\r\nb\r\n"})
    assert texts(survey) == ["a\nb\n"]


def test_invisible_characters_are_left_out_and_told(tmp_path: Path) -> None:
    """A rule that only a model can read is no rule (threat A4)."""
    survey = survey_of(tmp_path, {f"{RULES}/a.md": "one\ntwo\u200b \U000e0041x"})
    assert texts(survey) == ["one\ntwo x"]
    problem = survey.sorted_problems[0]
    assert (problem.code, problem.line, problem.column) == ("KB015", 2, 4)
    assert problem.message.startswith("2 invisible characters")


def test_links_inside_the_project_are_followed(tmp_path: Path) -> None:
    """To files and folders; a folder is listed once, where it is."""
    survey = survey_of(tmp_path, {".claude/rules/a.md": "A", f"{RULES}/own/b.md": "B"})
    rules = survey.project.root / RULES
    (rules / "a.md").symlink_to("../../.claude/rules/a.md")
    (rules / "also").symlink_to("own")
    (rules / "up").symlink_to(".")
    assert texts(survey) == ["A", "B"]
    assert listed(survey) == ["a.md", "own/b.md"]
    assert told(survey) == []


def test_links_out_of_the_project_are_refused_and_told(tmp_path: Path) -> None:
    """Files, folders, chains, devices, circles, nowhere; the rest is read (A2)."""
    save_in_place(tmp_path / "outside" / "x.md", "the secret outside")
    save_in_place(tmp_path / "project-private" / "x.md", "the secret outside")
    survey = survey_of(tmp_path, {f"{RULES}/good.md": "good"})
    rules = survey.project.root / RULES
    links: dict[str, str | Path] = {
        "file.md": "../../../outside/x.md",
        "prefix.md": "../../../project-private/x.md",
        "absolute.md": tmp_path / "outside" / "x.md",
        "chain.md": "file.md",
        "device.md": "/dev/zero",
        "loop.md": "loop.md",
        "nowhere.md": "none.md",
        "folder": "../../../outside",
    }
    for name, target in links.items():
        (rules / name).symlink_to(target)
    assert texts(survey) == ["good"]
    refused = [f"{RULES}/{name}" for name in sorted(links)]
    assert told(survey) == [(path, "KB001") for path in refused]
    assert "outside" not in str(survey.sorted_problems)


def test_a_link_tells_nothing_of_what_is_outside(tmp_path: Path) -> None:
    """A folder, a file, nothing: told in the same words, whatever its name (A2)."""
    save_in_place(tmp_path / "outside" / "x.md", "the secret outside")
    survey = survey_of(tmp_path, {f"{RULES}/good.md": "good"})
    targets = ("outside", "outside/x.md", "none", "none/x", "outside/x.md/x", "..")
    for number, target in enumerate(targets):
        link = survey.project.root / RULES / f"link-{number}"
        link.symlink_to(tmp_path / target)
    assert texts(survey) == ["good"]
    assert len(survey.problems) == len(targets)
    assert len({problem.message for problem in survey.problems}) == 1


def test_a_place_that_is_a_link_out_of_the_project_is_not_listed(
    tmp_path: Path,
) -> None:
    """Not even names of what is outside are told."""
    save_in_place(tmp_path / "outside" / "telling-name.md", "x")
    survey = survey_of(tmp_path, {"x": ""})
    (survey.project.root / ".cursor").symlink_to("../outside")
    (survey.project.root / "specs").symlink_to(tmp_path / "outside")
    assert listed(survey) == listed(survey, "specs") == listed(survey, ".cursor") == []
    assert not survey.exists("specs")
    assert "telling-name" not in str(survey.problems)


def test_what_blocks_or_is_huge_is_refused_at_once(tmp_path: Path) -> None:
    """A FIFO, a sparse giant, a folder named like a file: told, never a hang (A3)."""
    survey = survey_of(tmp_path, {f"{RULES}/good.md": "good", f"{RULES}/d.md/x": ""})
    rules = survey.project.root / RULES
    os.mkfifo(rules / "fifo.md")
    with open(rules / "sparse.md", "wb") as file:
        file.truncate(20 * 1024**3)
    read: list[str] = []
    thread = threading.Thread(target=lambda: read.extend(texts(survey)), daemon=True)
    thread.start()
    thread.join(BOUND)
    assert read == ["good"]
    assert told(survey) == [
        (f"{RULES}/fifo.md", "KB001"),
        (f"{RULES}/sparse.md", "KB001"),
    ]


@pytest.mark.parametrize("data", [b"caf\xe9", b"a\0b", "x".encode("utf-16")])
def test_what_is_not_utf8_text_is_told(tmp_path: Path, data: bytes) -> None:
    """One bad file never hurts another."""
    files = {f"{RULES}/bad.md": data, f"{RULES}/good.md": b"good"}
    survey = survey_of(tmp_path, files)
    assert texts(survey) == ["good"]
    assert told(survey) == [(f"{RULES}/bad.md", "KB001")]


def test_a_name_that_is_not_served_is_told_in_letters(tmp_path: Path) -> None:
    """Control characters reach no terminal (threat A5)."""
    names = ["bad\x1b[31m.md", "tag\u200b.md", "good.md"]
    survey = survey_of(tmp_path, {f"{RULES}/{name}": "x" for name in names})
    with open(os.fsencode(survey.project.root / RULES) + b"/\xff.md", "wb"):
        pass
    assert listed(survey) == ["good.md"]
    assert [code for _, code in told(survey)] == ["KB002"] * 3
    assert all(path.isascii() and path.isprintable() for path, _ in told(survey))


def test_a_file_that_is_gone_is_no_problem(tmp_path: Path) -> None:
    """Deleted between the list and the read (formats 2i)."""
    survey = survey_of(tmp_path, {f"{RULES}/a.md": "a", f"{RULES}/b/c.md": "c"})
    files = survey.files(place_of(survey), (".md",))
    (survey.project.root / RULES / "a.md").unlink()
    (survey.project.root / RULES / "b" / "c.md").unlink()
    (survey.project.root / RULES / "b").rmdir()
    save_in_place(survey.project.root / RULES / "b", "a file now")
    assert [survey.read(file) for file in files] == [None, None]
    assert told(survey) == []


def test_what_may_not_be_read_is_told() -> None:
    """Permissions are the operator's to mend."""
    with ordinary_user() as folder:
        survey = survey_of(folder, {f"{RULES}/a.md": "a", f"{RULES}/b/c.md": "c"})
        (survey.project.root / RULES / "a.md").chmod(0)
        (survey.project.root / RULES / "b").chmod(0)
        assert texts(survey) == []
        assert told(survey) == [(f"{RULES}/{name}", "KB001") for name in ("a.md", "b")]
        (survey.project.root / RULES / "b").chmod(0o700)


def test_folders_that_lie_too_deep_are_told(tmp_path: Path) -> None:
    """A depth that nobody uses (threat A3)."""
    deep = "/".join("d" * MAX_DEPTH)
    files = {f"{RULES}/{deep}/in.md": "x", f"{RULES}/{deep}/d/out.md": "x"}
    survey = survey_of(tmp_path, files)
    assert listed(survey) == [f"{deep}/in.md"]
    assert told(survey) == [(f"{RULES}/{deep}/d", "KB001")]


def test_what_is_too_much_is_cut_off_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of a place, entries of a folder, bytes of a survey (threat A3)."""
    files = {f"{RULES}/{n}.md": "x" * 10 for n in range(5)}
    monkeypatch.setattr(surveys, "MAX_FOLDER_FILES", 3)
    survey = survey_of(tmp_path, files)
    assert listed(survey) == ["0.md", "1.md", "2.md"]
    assert told(survey) == [(RULES, "KB001")]
    monkeypatch.setattr(surveys, "MAX_ENTRIES", 2)
    survey = survey_of(tmp_path, files)
    assert len(listed(survey)) == 2
    assert told(survey) == [(RULES, "KB001")]
    monkeypatch.undo()
    monkeypatch.setattr(surveys, "MAX_FOLDERS", 2)
    survey = survey_of(tmp_path, {f"{RULES}/{n}/{n}/x.md": "x" for n in "ab"})
    assert listed(survey) == [f"{n}.md" for n in range(5)]
    assert told(survey) == [(RULES, "KB001")]
    survey = survey_of(tmp_path, {"specs/a/x.md": "x"})
    assert listed(survey, "specs") == ["a/x.md"]
    assert told(survey) == []
    monkeypatch.undo()
    monkeypatch.setattr(surveys, "MAX_BYTES", 25)
    survey = survey_of(tmp_path, files)
    assert len(texts(survey)) == 2
    assert told(survey) == [(f"{RULES}/2.md", "KB001")]


WRITER = """
import os, sys
with open(sys.argv[1], "r+b", buffering=0) as file:
    while os.getppid() == int(sys.argv[2]):
        file.seek(0)
        file.write(b"b" * 1000)
"""


def test_a_file_that_is_being_written_is_told(tmp_path: Path) -> None:
    """Torn text is never given; a read is tried again, and not for ever."""
    survey = survey_of(tmp_path, {f"{RULES}/a.md": "a" * 2_000_000})
    path = survey.project.root / RULES / "a.md"
    command = [sys.executable, "-c", WRITER, str(path), str(os.getpid())]
    problems: list[str] = []
    deadline = time.monotonic() + BOUND
    with subprocess.Popen(command) as process:
        try:
            while not problems and time.monotonic() < deadline:
                look = ProjectScanner(survey.project)
                texts(look)
                problems = [problem.message for problem in look.problems]
        finally:
            process.kill()
    assert problems == ["is being written: ask again"]
    assert len(texts(survey)) == 1


def test_any_file_is_read_as_it_is(tmp_path: Path) -> None:
    """For digests: every byte; bounded, and inside the project."""
    survey = survey_of(tmp_path, {f"{SKILL}/a.bin": b"\xef\xbb\xbf\0\xff\r\n"})
    folder = survey.project.root / SKILL
    assert survey.read_bytes(survey.top(f"{SKILL}/a.bin")) == b"\xef\xbb\xbf\0\xff\r\n"
    assert survey.read_bytes(survey.top(f"{SKILL}/none")) is None
    (folder / "out").symlink_to("/etc/hostname")
    with open(folder / "big", "wb") as file:
        file.truncate(MAX_ASSET_BYTES + 1)
    assert survey.read_bytes(survey.top(f"{SKILL}/out")) is None
    assert survey.read_bytes(survey.top(f"{SKILL}/big")) is None
    assert told(survey) == [(f"{SKILL}/{name}", "KB001") for name in ("big", "out")]


def test_bytes_that_are_being_written_are_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest is of a whole file; it is read again, for a bounded time."""
    survey = survey_of(tmp_path, {f"{SKILL}/a.bin": b"abc"})
    path = survey.project.root / SKILL / "a.bin"
    real, looks = os.fstat, 0

    def fstat(descriptor: int) -> os.stat_result:
        nonlocal looks
        looks += 1
        if looks <= most:
            path.write_bytes(path.read_bytes() + b"d")
        return real(descriptor)

    monkeypatch.setattr(os, "fstat", fstat)
    most = 1_000_000
    assert survey.read_bytes(survey.top(f"{SKILL}/a.bin")) is None
    assert [problem.message for problem in survey.problems] == [
        "is being written: ask again"
    ]
    most = looks + 3
    again = ProjectScanner(survey.project)
    data = again.read_bytes(again.top(f"{SKILL}/a.bin"))
    assert data == path.read_bytes()


def test_a_problem_is_told_once(tmp_path: Path) -> None:
    """Two lists of the same files find the same faults."""
    survey = survey_of(tmp_path, {f"{RULES}/a.md": b"\xff"})
    assert texts(survey) == texts(survey) == []
    assert len(survey.sorted_problems) == 1


def test_a_link_that_is_swapped_while_it_is_read_never_shows_the_outside(
    tmp_path: Path,
) -> None:
    """Neither the text of a file nor the names in a folder (threat A2, race)."""
    save_in_place(tmp_path / "outside" / "telling-name.md", "the secret outside")
    inside = {".claude/rules/a.md": "inside", f"{RULES}/good.md": "inside"}
    survey = survey_of(tmp_path, inside)
    rules, spare = survey.project.root / RULES, tmp_path / "spare"
    spare.mkdir()
    stopped = threading.Event()

    def flip() -> None:
        while not stopped.is_set():
            for target in (survey.project.root / ".claude/rules", tmp_path / "outside"):
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
            look = ProjectScanner(survey.project)
            seen.update(texts(look))
            told_names.update(listed(look))
            refused += len(look.problems)
            told_names.update(problem.path for problem in look.problems)
    finally:
        stopped.set()
        flipper.join()
    assert seen == {"inside"}
    assert refused
    assert not [name for name in told_names if "telling" in name]


def test_a_file_that_is_open_for_writing_is_waited_for_and_left_out(
    tmp_path: Path,
) -> None:
    """Half a rule is none; all files of one question together wait half a second."""
    names = [f"{SKILL}/{name}" for name in ("a.md", "b.md", "c.bin")]
    survey = survey_of(tmp_path, dict.fromkeys(names, "text"))
    first, second, third = map(survey.top, names)
    root = survey.project.root
    with (root / names[0]).open("a"), (root / names[2]).open("ab"):
        assert survey.read(first) is None
        assert survey.read_bytes(third) is None
        assert survey.read(second) is not None
    assert told(survey) == [(names[0], "KB004"), (names[2], "KB004")]
    assert survey.read(first) is not None
