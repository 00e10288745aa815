"""All files of a skill, their digests, and its frontmatter as data."""

import hashlib
import os
from pathlib import Path

from support.project import fixture, survey_of, told

from asdlc_kb.project.skill_files import (
    SkillFile,
    list_skill_files,
    read_frontmatter,
    read_skill_file,
)
from asdlc_kb.project.skills import SkillContent, get_skill
from asdlc_kb.project.survey import Survey

FOLDER = ".claude/skills/x"


def skill_of(survey: Survey, name: str = "x") -> SkillContent:
    """Return a skill."""
    skill = get_skill(survey, name)
    assert skill is not None
    return skill


def test_every_file_of_a_skill_is_listed_once_with_its_digest() -> None:
    """SEP-2640: complete, SKILL.md included, SHA-256 of the bytes (formats 2d)."""
    survey = Survey(fixture("claude"))
    files = list_skill_files(survey, skill_of(survey, "release-notes"))
    folder = ".claude/skills/release-notes"
    names = ["SKILL.md", "references/format.md", "scripts/collect.sh"]
    expected = []
    for name in names:
        data = (survey.project.root / folder / name).read_bytes()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        expected.append(SkillFile(name, f"{folder}/{name}", len(data), digest))
    assert list(files) == expected
    assert told(survey) == []


def test_a_single_file_is_a_skill_of_one_file() -> None:
    """Its neighbours are not its own."""
    survey = Survey(fixture("claude"))
    (file,) = list_skill_files(survey, skill_of(survey, "curator"))
    assert (file.path, file.shown) == ("SKILL.md", ".claude/skills/curator.md")


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    """The digest is of what is given: no byte is left out."""
    data = b"\xef\xbb\xbf# T\r\n\xff\0"
    files = {f"{FOLDER}/SKILL.md": b"\xef\xbb\xbfx\r\n", f"{FOLDER}/a/b c%.bin": data}
    survey = survey_of(tmp_path, files)
    skill = skill_of(survey)
    assert read_skill_file(survey, skill, "a/b c%.bin") == data
    assert read_skill_file(survey, skill, "SKILL.md") == b"\xef\xbb\xbfx\r\n"
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert list_skill_files(survey, skill)[1].digest == digest


def test_what_is_not_a_skills_own_is_neither_listed_nor_read(tmp_path: Path) -> None:
    """Hidden files, packages, links out, and paths that climb (threat A2)."""
    survey = survey_of(
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
    folder = survey.project.root / FOLDER
    (folder / "out").symlink_to("../../../../outside")
    (folder / "in").symlink_to("../y/SKILL.md")
    os.mkfifo(folder / "fifo")
    skill = skill_of(survey)
    listed = [file.path for file in list_skill_files(survey, skill)]
    assert listed == ["SKILL.md", "in"]
    assert told(survey) == [(f"{FOLDER}/fifo", "KB001"), (f"{FOLDER}/out", "KB001")]
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
        assert read_skill_file(survey, skill, path) is None


def test_frontmatter_is_data() -> None:
    """Read leniently where strict YAML refuses it (formats 2d: verbatim)."""
    survey = Survey(fixture("claude"))
    assert read_frontmatter(skill_of(survey, "release-notes")) == {
        "name": "release-notes",
        "description": (
            "Drafts release notes: from merged changes. Use when a version is cut."
        ),
        "license": "MIT",
        "metadata": {"owner": "docs", "version": "1.0"},
        "disable-model-invocation": True,
    }


def test_strict_frontmatter_is_data_of_any_depth(tmp_path: Path) -> None:
    """Lists, mappings, nothing; texts that look like more stay texts."""
    text = (
        "---\nname: x\ndescription: 'true'\nversion: 1.10\nnone:\nlist: [a, true]\n"
        "metadata: {draft: true}\nhooks:\n  - on: {deep: [1]}\n---\n"
    )
    survey = survey_of(tmp_path, {f"{FOLDER}/SKILL.md": text})
    assert read_frontmatter(skill_of(survey)) == {
        "name": "x",
        "description": "true",
        "version": "1.10",
        "none": None,
        "list": ["a", True],
        "metadata": {"draft": "true"},
        "hooks": [{"on": {"deep": ["1"]}}],
    }


def test_a_skill_without_frontmatter_has_no_data(tmp_path: Path) -> None:
    """Nothing is made up."""
    survey = survey_of(tmp_path, {f"{FOLDER}/SKILL.md": "text"})
    assert read_frontmatter(skill_of(survey)) == {}


def test_lenient_frontmatter_keeps_lists_and_nothing(tmp_path: Path) -> None:
    """What has a second colon is no YAML, and the rest of it is not lost."""
    text = "---\nname: x\ndescription: a: b\nnone:\nlist: [a, false]\n---\n"
    survey = survey_of(tmp_path, {f"{FOLDER}/SKILL.md": text})
    data = read_frontmatter(skill_of(survey))
    assert data == {
        "name": "x",
        "description": "a: b",
        "none": None,
        "list": ["a", False],
    }
