"""Configuration files are read within bounds, and failures are notes."""

import os
from pathlib import Path

from support.generators import write_files

from asdlc_kb.docs.generators.configuration_files import (
    MAX_FILE_BYTES,
    ConfigurationFiles,
)


def test_a_file_that_cannot_be_read_is_a_note(tmp_path: Path) -> None:
    """Missing, too large, a pipe, or outside: none is an exception."""
    top = write_files(tmp_path / "top", {"large.yml": "a" * (MAX_FILE_BYTES + 1)})
    (tmp_path / "secret.yml").write_text("secret: 1")
    (top / "link.yml").symlink_to("../secret.yml")
    os.mkfifo(top / "pipe.yml")
    files = ConfigurationFiles(top)
    for name in ("missing.yml", "large.yml", "link.yml", "pipe.yml", "."):
        assert files.read_yaml(top / name) is None
    assert len(files.notes) == 5
    assert files.files == []
    assert str(tmp_path) not in "".join(files.notes)
    assert "outside the repository" in files.notes[2]


def test_an_invalid_file_is_a_note_with_the_place(tmp_path: Path) -> None:
    """In each format."""
    write_files(
        tmp_path, {"a.yml": "a: 1\nb: [", "b.toml": "a = ", "c.json": "nothing"}
    )
    files = ConfigurationFiles(tmp_path)
    for name in ("a.yml", "b.toml", "c.json"):
        assert files.read_any(tmp_path / name) is None
    assert [note.partition(":")[0] for note in files.notes] == [
        *("a.yml", "b.toml", "c.json")
    ]
    assert "line" in files.notes[0]
    assert len(files.files) == 3


def test_json_may_have_comments_and_a_byte_order_mark(tmp_path: Path) -> None:
    """As editors write it."""
    write_files(tmp_path, {"a.json": '\ufeff{"a": 1, // one\r\n}'})
    assert ConfigurationFiles(tmp_path).read_json(tmp_path / "a.json") == {"a": 1.0}


def test_constants_are_imported_from_files_of_the_tree(tmp_path: Path) -> None:
    """Default, named and whole modules, and JSON; cycles and packages are computed."""
    write_files(
        tmp_path,
        {
            "config.js": "import a, { b } from './parts/a'\n"
            "import * as c from './c.mjs'\nimport d from './d.json'\n"
            "import e from 'package'\n"
            "export default { a, b, c: c.x, d: d.y, e }",
            "parts/a.ts": "import x from '../config.js'\n"
            "export const b: string[] = ['b']\nexport default 'a'",
            "c.mjs": "export const x = 'c'",
            "d.json": '{"y": "d"}',
        },
    )
    module = ConfigurationFiles(tmp_path).read_script(tmp_path / "config.js")
    assert isinstance(module.exported, dict)
    assert [module.exported[key] for key in "abcd"] == ["a", ["b"], "c", "d"]
    assert not isinstance(module.exported["e"], str)
