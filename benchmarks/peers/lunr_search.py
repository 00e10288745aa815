"""lunr as a peer, set up as the search of MkDocs or of Material for MkDocs.

Reads `{"pages", "queries", "count", "style"}` from stdin and prints the first pages of
each query as JSON. Each page and each section is an entry. A page ranks by its best
entry. The styles:

- `mkdocs`: lunr in its defaults;
- `material`: a title counts a thousand times as much as text, lengths do not count, no
  word is stemmed, every word may be continued; an entry with more of the words counts
  more, and so does a page's own.
"""

import json
import re
import sys

from lunr import get_default_builder
from lunr.builder import Builder
from lunr.exceptions import QueryParseError
from lunr.stop_word_filter import WORDS, stop_word_filter

TITLE_BOOST = 1_000
SEPARATOR = re.compile(r"[\s\-]+")
OPERATORS = re.compile(r"[*+:^~\"]")


def main() -> None:
    """Index, search, and print."""
    request = json.load(sys.stdin)
    is_material = request["style"] == "material"
    index = build(request["pages"], is_material)
    rank = rank_material if is_material else rank_mkdocs
    found = [rank(index, query)[: request["count"]] for query in request["queries"]]
    print(json.dumps(found))


def build(pages, is_material):
    """Return the index."""
    if is_material:
        builder = Builder()
        builder.pipeline.add(stop_word_filter)
        builder.b(0)
    else:
        builder = get_default_builder("en")
    builder.ref("id")
    builder.field("title", boost=TITLE_BOOST if is_material else 1)
    builder.field("text")
    for page in pages:
        for number, entry in enumerate(list_entries(page)):
            builder.add({"id": f"{page['path']}#{number}", **entry})
    return builder.build()


def list_entries(page):
    """Yield the page's own entry, with the text above its headings, then sections."""
    own = [page["description"]]
    sections = []
    for section in page["sections"]:
        if section["heading"] in ("", page["title"]):
            own.append(section["text"])
        else:
            sections.append({"title": section["heading"], "text": section["text"]})
    yield {"title": page["title"], "text": "\n".join(own)}
    yield from sections


def rank_mkdocs(index, query):
    """Return the paths of the pages."""
    words = split(query)
    refs = (match["ref"] for match in search(index, words))
    return list(dict.fromkeys(ref.rpartition("#")[0] for ref in refs))


def rank_material(index, query):
    """Return the paths of the pages, with the scores of entries adjusted."""
    terms = split(query)
    scored = []
    for match in search(index, [f"{term}*" for term in terms]):
        path, _, number = match["ref"].rpartition("#")
        share = share_of(terms, match["match_data"].metadata)
        boost = (number == "0") + share
        scored.append((match["score"] * (1 + boost**2), path))
    scored.sort(key=lambda one: -one[0])
    return list(dict.fromkeys(path for _, path in scored))


def split(query):
    """Return the words of a query, without characters that are operators."""
    parts = SEPARATOR.split(OPERATORS.sub(" ", query.lower()))
    return [part for part in parts if part]


def search(index, terms):
    """Return the matches; none if the query is invalid."""
    try:
        return index.search(" ".join(terms))
    except QueryParseError:
        return []


def share_of(terms, found):
    """Return the share of terms that an entry has, of those that are not stop words."""
    matched = {term for term in terms if any(w.startswith(term) for w in found)}
    counted = [term for term in terms if term in matched or term not in WORDS]
    return len(matched.intersection(counted)) / max(1, len(counted))


if __name__ == "__main__":
    main()
