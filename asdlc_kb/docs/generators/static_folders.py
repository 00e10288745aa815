"""Folders of a generator with files that are published as they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.configuration import TreeConfiguration

_FOLDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "docusaurus": ("static",),
    "gitbook": (".gitbook/assets",),
    "hugo": ("static", "assets"),
    "jekyll": (".",),
    "mintlify": (".",),
    "nextjs": ("public",),
    "starlight": ("public", "src/assets"),
    "vitepress": ("public",),
    "vuepress": (".vuepress/public",),
}
"""Relative to the folder of the generator's project, the first one first."""

_OWN_FOLDERS: Final = (".vitepress", ".vuepress", "_default", "config")
"""Folders in a project that hold its configuration."""


def find_static_folders(configuration: TreeConfiguration) -> tuple[Path, ...]:
    """Return the existing folders with static files, those next to the pages first.

    A link that leads out of the repository, or without one of the project, is no such
    folder.
    """
    names = _FOLDERS.get(configuration.generator, ())
    if not names or not configuration.files:
        return ()
    project = configuration.files[0].parent
    while project.name in _OWN_FOLDERS:
        project = project.parent
    bases = dict.fromkeys((configuration.root, project))
    found = (base / name for name in names for base in bases)
    top = (configuration.repository or project).resolve()
    return tuple(
        folder
        for folder in dict.fromkeys(found)
        if folder.is_dir() and folder.resolve().is_relative_to(top)
    )
