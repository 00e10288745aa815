"""Notes on what of a documentation tree is not read, for its operator."""

from pathlib import Path

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.files.other_formats import describe_other_formats


def list_notes(docs: DocLibrary) -> list[str]:
    """Return what of a tree is not read, for its operator; blocks."""
    notes = [f"documentation: {note}" for note in docs.configuration.notes]
    hint = describe_unserved(docs.root, docs.catalog)
    return [*notes, hint] if hint is not None else notes


def describe_unserved(root: Path, catalog: TreeCatalog) -> str | None:
    """Return a hint if no page is served; it is not for clients. Blocks."""
    is_explained = catalog.snapshot.is_missing or catalog.configuration.fault
    if catalog.by_path or is_explained:
        return None
    reason = "--docs takes a folder with Markdown files"
    if problem := next(iter(catalog.snapshot.problems), None):
        reason = f"{problem.path} {problem.message}"
    elif other := describe_other_formats(root):
        reason = other
    return f"no documentation page is served: {reason}"
