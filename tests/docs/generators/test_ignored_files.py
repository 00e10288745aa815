"""What a repository ignores, vendors or only tests with."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.generators import write_files

from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.ignored_files import PathPatterns, list_ignored


def test_the_files_of_all_folders_count_from_their_folder(tmp_path: Path) -> None:
    """As git reads them; a later pattern takes an earlier one back."""
    write_files(
        tmp_path,
        {
            ".gitignore": "# made\n*.log\n/out\nsecret/\n",
            "sub[1]/.gitignore": "/here.md\ndeep.md\n!kept.log\n",
        },
    )
    patterns = PathPatterns(list_ignored(tmp_path, ConfigurationFiles(tmp_path)))
    for path in (
        *("a.log", "x/a.log", "out/", "x/secret/", "sub[1]/here.md"),
        *("sub[1]/deep.md", "sub[1]/x/deep.md"),
    ):
        assert patterns.match(path), path
    for path in (
        *("x/out", "secret", "here.md", "deep.md", "sub[1]/x/here.md"),
        *("sub[1]/kept.log", "sub1/here.md"),
    ):
        assert not patterns.match(path), path


def test_many_wildcards_take_no_time() -> None:
    """As much is left out as is written, or more; nothing is taken back by them."""
    name = "a" * 200
    patterns = PathPatterns([f"{'*a' * 20}*b", f"!{'*a' * 20}*c"])
    assert patterns.match(f"{name}.md")
    assert not patterns.match("b.md")
    patterns = PathPatterns([f"x{'/**/a' * 20}/b.md"])
    assert patterns.match(f"x{'/a' * 30}/c.md")
    assert not patterns.match(f"y{'/a' * 30}/b.md")
    assert not PathPatterns(["\\*\\*\\*\\*a", "[*][*][*][*]a"]).match("xa")


@given(st.lists(st.text(st.sampled_from("ab/*?!#[]\\- "), max_size=10), max_size=4))
def test_no_pattern_fails(patterns: list[str]) -> None:
    """One that git would not accept matches nothing."""
    PathPatterns(patterns).match("a/b.md")
