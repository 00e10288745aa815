"""Whoosh as a peer: schema, parser, fuzzy terms, highlights.

`whoosh_docs.py ROOT FOLDER` reads queries from stdin as a JSON list and prints the
times of building, opening and querying, in milliseconds.
"""

import json
import re
import sys
import time
from pathlib import Path
from statistics import median

from whoosh import index
from whoosh.analysis import StemmingAnalyzer
from whoosh.fields import ID, NUMERIC, TEXT, Schema
from whoosh.qparser import FuzzyTermPlugin, MultifieldParser, OrGroup


def main() -> None:
    """Measure, and print."""
    root, folder = map(Path, sys.argv[1:])
    request = json.load(sys.stdin)
    folder.mkdir(parents=True)
    built, _ = measure(build, root, folder)
    opened, found = measure(index.open_dir, folder)
    fields = ["title", "content", "headings"]
    parser = MultifieldParser(fields, found.schema, group=OrGroup)
    parser.add_plugin(FuzzyTermPlugin())
    with found.searcher() as searcher:
        waits = sorted(measure(ask, searcher, parser, q)[0] for q in request)
    last = waits[max(0, -(-len(waits) * 95 // 100) - 1)]
    figures = {"build": built, "reopen": opened, "p50": median(waits), "p95": last}
    print(json.dumps(figures))


def build(root, folder):
    """Index every Markdown file."""
    analyzer = StemmingAnalyzer()
    schema = Schema(
        path=ID(unique=True, stored=True),
        title=TEXT(analyzer=analyzer, stored=True, field_boost=2.0),
        content=TEXT(analyzer=analyzer),
        content_stored=TEXT(stored=True),
        headings=TEXT(analyzer=analyzer, stored=True, field_boost=1.5),
        category=ID(stored=True),
        size=NUMERIC(stored=True),
    )
    writer = index.create_in(folder, schema).writer()
    for path in sorted(root.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        title = re.search(r"^(?:# |title: )(.+)", text, re.MULTILINE)
        writer.add_document(
            path=str(path.relative_to(root)),
            title=title[1] if title else path.stem,
            content=text,
            content_stored=text,
            headings=" ".join(re.findall(r"^## (.+)", text, re.MULTILINE)),
            category=path.parent.name,
            size=len(text),
        )
    writer.commit()


def ask(searcher, parser, query):
    """Search, with an excerpt of each of the ten best."""
    hits = searcher.search(parser.parse(query), limit=10)
    return [hit.highlights("content_stored") for hit in hits]


def measure(work, *arguments):
    """Return the milliseconds that some work takes, and its result."""
    began = time.perf_counter()
    result = work(*arguments)
    return (time.perf_counter() - began) * 1000, result


if __name__ == "__main__":
    main()
