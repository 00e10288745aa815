"""The table of characters, against Python's own version of Unicode."""

import importlib.util
import json
import sys
import unicodedata
from pathlib import Path

import pytest

from asdlc_kb.unicode import table
from asdlc_kb.unicode.invisible import expand_set

ROOT = Path(__file__).parent.parent.parent
KNOWN = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) != "Cn"]
"""Code points assigned in Python's version: an older one, which the table includes."""

SETS = [name for name in vars(table) if name.isupper()]


def points_of(category: str) -> set[int]:
    """Return the code points of a category that Python knows."""
    return {ord(c) for c in KNOWN if unicodedata.category(c) == category}


@pytest.mark.parametrize("name", sorted({*SETS} - {"VERSION", "VARIATIONS"}))
def test_ranges_are_sorted_apart_and_within_unicode(name: str) -> None:
    """One way to write a set: it is compared by its text."""
    last = -2
    for item in getattr(table, name).split():
        first, _, end = item.partition("-")
        assert int(first, 16) > last + 1
        last = int(end or first, 16)
        assert int(first, 16) <= last <= 0x10FFFF


def test_every_format_character_is_removed_or_a_visible_sign() -> None:
    """Cf of any version: ignorable, a format, or a sign before a number or letter."""
    others = points_of("Cf") - expand_set(table.IGNORABLE, table.FORMATS)
    assert {unicodedata.name(chr(n)).split()[0] for n in others} <= {
        *("ARABIC", "SYRIAC", "KAITHI"),
    }
    assert len(others) >= 12


def test_categories_agree_where_python_knows_them() -> None:
    """Private use is fixed, and an assigned code point stays assigned."""
    assert expand_set(table.PRIVATE) == points_of("Co")
    assert expand_set(table.UNASSIGNED).isdisjoint(map(ord, KNOWN))
    assert len(expand_set(table.NONCHARACTERS)) == 66
    assert {chr(n) for n in expand_set(table.SPACES)} == {
        c for c in KNOWN if c.isspace() and c not in "\x1c\x1d\x1e\x1f"
    }


def test_letters_are_letters_marks_or_digits() -> None:
    """Characters next to which joiners and direction marks stay."""
    sets = (table.JOINING, table.RIGHT_TO_LEFT, table.MONGOLIAN, table.EGYPTIAN)
    kinds = {
        unicodedata.category(chr(n))[0]
        for n in expand_set(*sets) & {*map(ord, KNOWN)} - points_of("Nd")
    }
    assert kinds == {"L", "M"}
    assert expand_set(*sets).isdisjoint(expand_set(table.IGNORABLE))


def test_the_script_writes_what_the_database_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A database of a few rows becomes a module of these, the same each time."""
    script = ROOT / "tests" / "unicode" / "make_table.py"
    spec = importlib.util.spec_from_file_location("make_unicode_table", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ignorable = {"range": ["200B", "200D"], "property": "Default_Ignorable_Code_Point"}
    files: dict[str, object] = {
        "package": {"version": "99.0.0"},
        "DerivedCoreProperties": {"DerivedCoreProperties": [ignorable]},
        "StandardizedVariants": {
            "StandardizedVariants": [{"variationSequence": ["0030", "FE00"]}]
        },
        "Scripts": {"Scripts": [{"range": ["0041"], "script": "Latin"}]},
        "ScriptExtensions": {"ScriptExtensions": []},
    }
    for name, key in (
        ("PropList", "property"),
        ("extracted/DerivedGeneralCategory", "category"),
        ("extracted/DerivedJoiningType", "type"),
        ("extracted/DerivedCombiningClass", "combiningClass"),
        ("extracted/DerivedBidiClass", "class"),
        ("emoji/emoji-data", "property"),
        ("emoji/emoji-variation-sequences", "variationSequence"),
    ):
        rows = [] if key == "variationSequence" else [{"range": ["61"], key: "x"}]
        files[name] = {name.rpartition("/")[2]: rows}
    for name, data in files.items():
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(data), encoding="utf-8")
    module.main(str(tmp_path))
    written = capsys.readouterr().out
    assert 'VERSION: Final = "99.0.0"' in written
    assert 'IGNORABLE: Final = "200B-200D"' in written
    assert '    "FE00": "30",' in written
    module.main(str(tmp_path))
    assert capsys.readouterr().out == written
    assert "make_unicode_table" not in sys.modules
