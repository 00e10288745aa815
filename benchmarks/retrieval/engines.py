"""Search engines that rank the pages of a tree: ours, Pagefind, lunr and ripgrep."""

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.docs.catalogs.page_filter import PageFilter, select_pages
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import SearchRequest
from benchmarks import node, pypi
from benchmarks.failure import BenchFailure
from benchmarks.retrieval.measures import DEPTH
from benchmarks.retrieval.pages import PreparedTree

PACKAGES: Final = ("lunr==0.8.0", "pagefind[bin]==1.5.2")
"""Other engines, from PyPI."""

MAX_SECONDS: Final = 600
"""Maximum seconds of one process."""

PEERS: Final = Path(__file__).parent.parent / "peers"

Rankings: TypeAlias = Sequence[Sequence[str]]
"""The first pages for each query, best first."""

Engine: TypeAlias = Callable[[PreparedTree, Sequence[str]], Rankings]

_EDGES: Final = re.compile(r"^[^\w.-]+|[^\w]+$")


def rank_ours(tree: PreparedTree, queries: Sequence[str]) -> Rankings:
    """Rank as `search_docs` does."""
    catalog = tree.catalog
    selected = select_pages(catalog, PageFilter())
    with closing(FullText(None)) as index:
        index.sync(tree.source)
        requests = (
            SearchRequest(
                query,
                DEPTH,
                catalog.has_digest,
                keys=selected.paths,
                is_secondary=selected.is_secondary,
            )
            for query in queries
        )
        return [[hit.key for hit in index.search(one).hits] for one in requests]


def rank_pagefind(tree: PreparedTree, queries: Sequence[str]) -> Rankings:
    """Rank with Pagefind, in its defaults, over HTML pages."""
    with TemporaryDirectory() as name:
        site = Path(name)
        for page in tree.pages:
            file = site / f"{page.path}.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(page.html, encoding="utf-8")
        _run([_python(), "-m", "pagefind", "--site", site])
        script = PEERS / "pagefind_search.mjs"
        request = json.dumps({"queries": queries, "count": DEPTH})
        answer = _run([node.command(), script, site / "pagefind"], request)
    found: Rankings = json.loads(answer)
    return [[_path_of(url) for url in urls] for urls in found]


def _path_of(url: str) -> str:
    return url.removeprefix("/").removesuffix(".html")


def rank_lunr(style: str, tree: PreparedTree, queries: Sequence[str]) -> Rankings:
    """Rank with lunr, as MkDocs or Material for MkDocs do: `mkdocs`, `material`."""
    request = {
        "pages": msgspec.to_builtins(tree.pages),
        "queries": queries,
        "count": DEPTH,
        "style": style,
    }
    answer = _run([_python(), PEERS / "lunr_search.py"], json.dumps(request))
    found: Rankings = json.loads(answer)
    return found


def rank_ripgrep(tree: PreparedTree, queries: Sequence[str]) -> Rankings:
    """Rank the files that have all words by the number of matches."""
    program = shutil.which("rg")
    if program is None:
        raise BenchFailure("no rg: apt-get install ripgrep")
    known = {page.path for page in tree.pages}
    counts: dict[str, Counter[str]] = {}
    rankings = []
    for query in queries:
        words = list_words(query)
        for word in words:
            if word not in counts:
                counts[word] = _count_matches(program, tree.root, word)
        rankings.append(rank_by_count([counts[word] for word in words], known))
    return rankings


def list_words(query: str) -> Sequence[str]:
    """Return the words that somebody would look for, without punctuation."""
    words = (_EDGES.sub("", word) for word in query.casefold().split())
    return [word for word in dict.fromkeys(words) if word]


def rank_by_count(
    counts: Sequence[Mapping[str, int]], known: frozenset[str] | set[str]
) -> Sequence[str]:
    """Return the known files that every count has, those with most matches first."""
    if not counts:
        return []
    shared = known.intersection(*counts)
    totals = {path: sum(count[path] for count in counts) for path in shared}
    return sorted(totals, key=lambda path: (-totals[path], path))[:DEPTH]


def _count_matches(program: str, root: Path, word: str) -> Counter[str]:
    """Return the number of matches of a text by file, in any case."""
    options = ["--count-matches", "--ignore-case", "--fixed-strings", "--null"]
    options += ["--no-ignore", "--glob", "*.md", "--glob", "*.mdx"]
    answer = _run([program, *options, "-e", word, "."], cwd=root, success=(0, 1))
    counted: Counter[str] = Counter()
    for line in answer.splitlines():
        path, _, count = line.partition("\0")
        counted[path.removeprefix("./")] = int(count)
    return counted


def _python() -> Path:
    return pypi.python(PACKAGES)


def _run(
    command: Sequence[str | Path],
    given: str = "",
    cwd: Path | None = None,
    success: Sequence[int] = (0,),
) -> str:
    """Return what a command prints; raise BenchFailure if it fails."""
    done = subprocess.run(
        command,
        input=given,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=MAX_SECONDS,
        check=False,
    )
    if done.returncode not in success:
        raise BenchFailure(f"{Path(command[0]).name}: {done.stderr[-1000:]}")
    return done.stdout


ENGINES: Final[Mapping[str, Engine]] = {
    "asdlc-kb": rank_ours,
    "Pagefind": rank_pagefind,
    "lunr, as MkDocs": partial(rank_lunr, "mkdocs"),
    "lunr, as Material": partial(rank_lunr, "material"),
    "ripgrep": rank_ripgrep,
}
