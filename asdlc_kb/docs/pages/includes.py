"""Files that pages of a documentation tree may include.

They lie in the tree or in a folder that its generator's configuration names, by their
real path; are text or code by their suffix; and neither hidden nor installed.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from asdlc_kb.docs.pages.note_names import NoteNames
from asdlc_kb.docs.pages.page_frontmatter import read_fragment
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.clean_text import clean_text
from asdlc_kb.files.dependencies import Dependency, sign_file
from asdlc_kb.files.paths import NameFilter
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.files.tree_listing import is_markdown
from asdlc_kb.files.tree_names import check_tree_folder
from asdlc_kb.markup.dialects.includes import IncludedFile

SUFFIXES: Final = frozenset(
    ".adoc .aidl .asm .astro .bash .bat .bazel .bib .bp .bzl .c .cc .cfg .clj .cmake "
    ".conf .cpp .cs .css .csv .cu .dart .diff .dockerfile .dot .ebnf .el .elm .erl "
    ".ex .exs .f90 .fish .fs .glsl .go .gradle .graphql .groovy .h .hcl .hpp .hs .htm "
    ".html .hx .ini .ipynb .java .jl .js .json .json5 .jsonc .jsx .kt .kts .ld .lean "
    ".less .lisp .log .lua .m .markdown .md .mdx .mermaid .mjs .ml .mlir .mm .mmd "
    ".nim .nix .odin .out .patch .php .pl .plist .po .prisma .proto .ps1 .pug .puml "
    ".py .pyi .pyx .r .rb .rego .rkt .rs .rst .s .sass .scala .scm .scss .sh .sol "
    ".sparql .sql .sv .svelte .swift .tcl .td .tex .text .tf .thrift .toml .ts .tsv "
    ".tsx .txt .v .vb .vhdl .vim .vue .wat .wgsl .xml .xsd .xsl .yaml .yml "
    ".zig .zsh".split()
)
"""Suffixes of files that may be included, in lower case."""

NAMES: Final = frozenset({"dockerfile", "license", "makefile", "notice", "readme"})
"""Names without a suffix that may be included, in lower case."""

_MISSING: Final = "no such file to include"
"""Of a hidden page too."""
_ADVICE: Final = "move it into the tree or a folder that the configuration names"


@dataclass(slots=True)
class TreeIncludes:
    """Reads the files that one page includes, and records them."""

    root: Path
    folders: Sequence[Path] = ()
    """Further folders, in the order of lookup."""
    accepts: NameFilter = lambda path: None
    """Refuses further files by their real and absolute paths."""
    names: NoteNames | None = None
    """Files that are found by their name wherever they lie; None for none."""
    mounts: Sequence[tuple[str, Path]] = ()
    """Further files and folders, by their path in the tree."""
    dependencies: dict[str, Dependency] = field(default_factory=dict)
    has_dated: bool = False
    """Whether a file that was found is hidden at other times."""

    def read(self, written: str, source: str) -> IncludedFile:
        """Return an included file, without frontmatter.

        `source` is the absolute path of the file that includes it. Raises
        UnreadableFile; why is the same whether a file outside exists or not.
        """
        refusal = UnreadableFile(_MISSING, _ADVICE)
        for folder, name in self._candidates(written, source):
            path = os.path.join(folder, name)
            try:
                text = self._read(folder, name)
            except UnreadableFile as error:
                refusal = error
            except (OSError, ValueError):
                self._record(path)
            else:
                self._record(path)
                return IncludedFile(path, text)
        raise refusal

    def _candidates(self, written: str, source: str) -> Iterator[tuple[Path, str]]:
        """Yield folders with the paths in them that can be meant."""
        roots = (self.root, *self.folders)
        bare = written.strip().removeprefix("@site/").removeprefix("@/")
        # The site of Docusaurus is the folder that its configuration names.
        places = [*(roots[::-1] if written.strip().startswith("@site/") else roots)]
        if bare == written.strip() and not bare.startswith("/"):
            places.insert(0, Path(source).parent)
        for place in places:
            path = os.path.normpath(os.path.join(place, bare.lstrip("/")))
            for root in roots:
                name = os.path.relpath(path, root)
                if not name.startswith(os.pardir) and "\0" not in name:
                    yield root, name
                    break
        name = os.path.normpath(bare.lstrip("/"))
        for mounted, target in self.mounts:
            if f"{name}/".startswith(f"{mounted}/") and "\0" not in name:
                below = name[len(mounted) + 1 :]
                yield (target, below) if below else (target.parent, target.name)
        if self.names is not None:
            self.dependencies.update(self.names.dependencies)
            for name in self.names.find(bare):
                yield self.root, name

    def _read(self, folder: Path, name: str) -> str:
        try:
            raw = read_file(folder, name, judge=partial(self._judge, folder))
        except ChangedWhileRead as error:
            raise UnreadableFile("the file is being written", "save it") from error
        text = clean_text(name, raw.text).text
        if not is_markdown(name):
            return text
        fragment = read_fragment(name, text)
        self.has_dated |= fragment.is_dated
        if fragment.body is None:
            raise UnreadableFile(_MISSING, _ADVICE)
        return fragment.body

    def _judge(self, root: Path, path: str) -> UnreadableFile | None:
        folder, _, name = path.rpartition(os.sep)
        lower = name.lower()
        hidden = any(part.startswith(".") for part in path.split(os.sep))
        if hidden or check_tree_folder(folder or os.curdir) is not None:
            return UnreadableFile(
                "hidden and installed files are not included", _ADVICE
            )
        if os.path.splitext(lower)[1] not in SUFFIXES and lower not in NAMES:
            return UnreadableFile("not a text by its suffix", "include text or code")
        return self.accepts(os.path.join(os.path.realpath(root), path))

    def _record(self, path: str) -> None:
        self.dependencies.setdefault(path, Dependency(path, sign_file(path)))
