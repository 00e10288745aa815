"""Files next to the `index` page of a folder, in Hugo."""

from asdlc_kb.docs.pages.leaf_bundles import find_resources


def test_other_files_of_a_bundle_are_no_pages() -> None:
    """At any depth; its page in each language is one."""
    paths = [
        *("index.md", "a.md", "b/_index.md", "b/c.md", "both/_index.md"),
        *("both/index.md", "both/x.md", "leaf/index.md", "leaf/index.fr.md"),
        *("leaf/note.md", "leaf/deep/index.md", "leaf/deep/_index.md", "leafy/x.md"),
    ]
    assert [*find_resources(paths)] == [
        *("leaf/note.md", "leaf/deep/index.md", "leaf/deep/_index.md"),
    ]
    assert [*find_resources(["index.md", "a.md"])] == []
