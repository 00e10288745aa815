"""What the configuration of a documentation generator states about a tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from asdlc_kb.docs.edition import ONE_EDITION, EditionRules
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.path_expressions import Exclusion
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.nested_lists import MenuItem

GITHUB: Final = "github"
"""The dialect of a tree without a generator."""

BELOW: Final = "/**"
"""Suffix of a navigation's address that stands for the pages of a folder, in the order
of the folder, without those that the navigation names elsewhere."""


@dataclass(frozen=True, slots=True)
class FolderLabel:
    """Title and position of a folder in menus; empty and None if not stated."""

    title: str = ""
    position: float | None = None


@dataclass(frozen=True, slots=True)
class PageDefaults:
    """Frontmatter for the pages of a scope that do not state it themselves."""

    path: str
    """A beginning of paths, or a pattern of files and folders; empty for all."""
    type: str
    """`pages`, or the name of a collection; empty for all."""
    values: Mapping[str, Data]
    """Texts, numbers and lists of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeConfiguration:
    """A tree of pages as its generator is configured; data only, nothing was run."""

    generator: str = ""
    """`mkdocs`, `docusaurus` and so on; empty if no configuration was found."""
    files: tuple[Path, ...] = ()
    """The configuration files that were read."""
    root: Path
    """The folder with the pages."""
    base: str = ""
    """The path of `root` in the folder for which the configuration was written, with a
    slash; empty if it is that folder."""
    dialect: str = GITHUB
    """The dialect of Markdown of its pages."""
    title: str = ""
    site_url: str = ""
    """Full address of the published site."""
    prefixes: tuple[str, ...] = ()
    """Leading parts of the site's own absolute links that are no folders, as `/en/`."""
    route: str = ""
    """Leading part of the addresses of all pages within their site, as `/docs/`; empty
    if the site has nothing else."""
    resolves_names: bool = False
    """Whether a program of the authors resolves names in links."""
    default_language: str = ""
    """The folder of the root whose pages stand for those that another language lacks;
    empty for none."""
    navigation: tuple[MenuItem, ...] = ()
    """Entries with addresses relative to `root`; an entry without a title has that of
    its page, and `BELOW` is the address of the pages of a folder."""
    sidebar_file: str = ""
    """The file of the root that is the navigation, as Markdown; empty for none."""
    folders: Mapping[str, FolderLabel] = field(default_factory=dict)
    """Labels by folder, relative to `root`."""
    editions: EditionRules = ONE_EDITION
    """Its versions and languages."""
    include_folders: tuple[Path, ...] = ()
    """Folders for included files outside the tree, in the order of lookup."""
    include_mounts: tuple[tuple[str, Path], ...] = ()
    """Files and folders outside the tree, by the path at which pages include them."""
    name_folders: tuple[str, ...] = ()
    """Folders of files that pages call by their name only, relative to `root`, or with
    `./` to the folder of the page."""
    ignored: tuple[str, ...] = ()
    """Patterns of files that git ignores, relative to `repository`."""
    leaves_out_ignored: bool = False
    """Whether these are no pages: the repository itself is served."""
    repository: Path | None = None
    """The folder with `.git` at or above `root`."""
    excluded: tuple[Exclusion, ...] = ()
    """Files and folders that are no pages, relative to the folder for which the
    configuration was written."""
    cascades: tuple[Mapping[str, Data], ...] = ()
    """Frontmatter for many pages, as in Hugo, the first one first."""
    defaults: tuple[PageDefaults, ...] = ()
    """Frontmatter by scope, as in Jekyll."""
    labels: frozenset[str] = frozenset()
    """Values of `status` that it defines to be shown next to titles, in lower case."""
    values: Mapping[str, str] = field(default_factory=dict)
    """What pages call by its name in templates, as `site.version` in Jekyll."""
    notes: tuple[str, ...] = ()
    """What could not be read, for the operator."""
    fault: Problem | None = None
    """Why nothing is known of the configuration: then no page is served, because which
    ones it leaves out is not known either."""
