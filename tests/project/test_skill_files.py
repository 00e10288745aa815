"""All files of a skill, their digests, and its frontmatter as data."""

import hashlib
import os
from pathlib import Path

from support.project import fixture, list_problems, scan_of

from asdlc_kb.project.artifact_file import MAX_ASSET_BYTES
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import (
    SkillFile,
    list_skill_files,
    read_skill_file,
)
from asdlc_kb.project.skills import SkillContent, get_skill

FOLDER = ".claude/skills/x"


def skill_of(scanner: ProjectScanner, name: str = "x") -> SkillContent:
    """Return a skill."""
    skill = get_skill(scanner, name)
    assert skill is not None
    return skill


def test_every_file_of_a_skill_is_listed_once_with_its_digest() -> None:
    """SEP-2640: complete, SKILL.md included, SHA-256 of the bytes."""
    scanner = ProjectScanner(fixture("claude"))
    files = list_skill_files(scanner, skill_of(scanner, "release-notes"))
    folder = ".claude/skills/release-notes"
    names = ["SKILL.md", "references/format.md", "scripts/collect.sh"]
    expected = []
    for name in names:
        data = (scanner.project.root / folder / name).read_bytes()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        expected.append(SkillFile(name, f"{folder}/{name}", len(data), digest))
    assert list(files) == expected
    assert list_problems(scanner) == []


def test_a_single_file_is_a_skill_of_one_file() -> None:
    """Its neighbours do not belong to it."""
    scanner = ProjectScanner(fixture("claude"))
    (file,) = list_skill_files(scanner, skill_of(scanner, "curator"))
    assert (file.path, file.shown) == ("SKILL.md", ".claude/skills/curator.md")


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    """The digest is of the returned bytes: none is left out."""
    data = b"\xef\xbb\xbf# T\r\n\xff\0"
    files = {f"{FOLDER}/SKILL.md": b"\xef\xbb\xbfx\r\n", f"{FOLDER}/a/b c%.bin": data}
    scanner = scan_of(tmp_path, files)
    skill = skill_of(scanner)
    assert read_skill_file(scanner, skill, "a/b c%.bin") == data
    assert read_skill_file(scanner, skill, "SKILL.md") == "\ufeffx\r\n"
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert list_skill_files(scanner, skill)[1].digest == digest


def test_what_is_not_a_skills_own_is_neither_listed_nor_read(tmp_path: Path) -> None:
    """D-024: hidden files, packages, links out, and paths that climb."""
    scanner = scan_of(
        tmp_path,
        {
            f"{FOLDER}/SKILL.md": "x",
            f"{FOLDER}/.env": "the secret",
            f"{FOLDER}/node_modules/x.js": "x",
            ".claude/skills/y/SKILL.md": "y",
            "secret.md": "the secret",
        },
    )
    (tmp_path / "outside").write_text("the secret outside")
    folder = scanner.project.root / FOLDER
    (folder / "out").symlink_to("../../../../outside")
    (folder / "in").symlink_to("../y/SKILL.md")
    os.mkfifo(folder / "fifo")
    skill = skill_of(scanner)
    listed = [file.path for file in list_skill_files(scanner, skill)]
    assert listed == ["SKILL.md", "in"]
    assert list_problems(scanner) == [
        (f"{FOLDER}/fifo", "KB001"),
        (f"{FOLDER}/out", "KB001"),
    ]
    paths = (
        ".env",
        "out",
        "fifo",
        "../y/SKILL.md",
        "../../../secret.md",
        "",
        "/",
        "\0",
    )
    for path in (*paths, "none", "node_modules/x.js", str(folder / "SKILL.md")):
        assert read_skill_file(scanner, skill, path) is None


def test_invisible_characters_are_left_out_of_texts(tmp_path: Path) -> None:
    """D-082: hidden Unicode reaches no reader; the digest is of what is sent."""
    hidden = "a\u200bb \U000e0041\r\nc\rd\u202e\n"
    files = {f"{FOLDER}/SKILL.md": "x", f"{FOLDER}/y.md": f"\ufeff{hidden}"}
    scanner = scan_of(tmp_path, files)
    skill = skill_of(scanner)
    text = "\ufeffab \r\ncd\n"
    assert read_skill_file(scanner, skill, "y.md") == text
    (_, file) = list_skill_files(scanner, skill)
    data = text.encode()
    assert file.size == len(data)
    assert file.digest == f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_bytes_that_are_no_text_are_not_touched(tmp_path: Path) -> None:
    """A NUL or an invalid sequence: it is not read as a text."""
    datas = {"nul": "a\u200b\0".encode(), "wrong": "\u200b".encode() + b"\xff"}
    files = {f"{FOLDER}/{name}": data for name, data in datas.items()}
    scanner = scan_of(tmp_path, {f"{FOLDER}/SKILL.md": "x", **files})
    skill = skill_of(scanner)
    for name, data in datas.items():
        assert read_skill_file(scanner, skill, name) == data


def test_a_file_that_is_too_large_is_told_from_one_that_is_not_there(
    tmp_path: Path,
) -> None:
    """It is refused with the reason; other refusals are as if absent."""
    scanner = scan_of(tmp_path, {f"{FOLDER}/SKILL.md": "x", f"{FOLDER}/big": ""})
    os.truncate(scanner.project.root / FOLDER / "big", MAX_ASSET_BYTES + 1)
    skill = skill_of(scanner)
    assert read_skill_file(scanner, skill, "none") is None
    assert scanner.too_large == set()
    assert read_skill_file(scanner, skill, "big") is None
    assert scanner.too_large == {f"{FOLDER}/big"}
    assert [file.path for file in list_skill_files(scanner, skill)] == ["SKILL.md"]
