"""lunr as a peer, set up as the search of Material for MkDocs is.

Reads `{"pages", "queries", "count"}` from stdin and prints the first pages of each
query as JSON. Each page and each section is an entry. A title counts a thousand times
as much as text, lengths do not count, and every word may be continued. An entry with
more of the words counts more, and so does a page's own. A page ranks by its best entry.
"""

import json
import re
import sys

from lunr.builder import Builder
from lunr.exceptions import QueryParseError
from lunr.stop_word_filter import WORDS, stop_word_filter

TITLE_BOOST = 1_000
SEPARATOR = re.compile(r"[\s\-]+")
OPERATORS = re.compile(r"[*+:^~\"]")


def main() -> None:
    """Index, search, and print."""
    request = json.load(sys.stdin)
    index = build(request["pages"])
    found = [rank(index, q, request["count"]) for q in request["queries"]]
    print(json.dumps(found))


def build(pages):
    """Return the index."""
    builder = Builder()
    builder.pipeline.add(stop_word_filter)
    builder.ref("id")
    builder.field("title", boost=TITLE_BOOST)
    builder.field("text")
    builder.b(0)
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


def rank(index, query, count):
    """Return the paths of the first pages."""
    parts = SEPARATOR.split(OPERATORS.sub(" ", query.lower()))
    terms = [part for part in parts if part]
    try:
        matches = index.search(" ".join(f"{term}*" for term in terms))
    except QueryParseError:
        return []
    scored = []
    for match in matches:
        path, _, number = match["ref"].rpartition("#")
        share = share_of(terms, match["match_data"].metadata)
        boost = (number == "0") + share
        scored.append((match["score"] * (1 + boost**2), path))
    scored.sort(key=lambda one: -one[0])
    return list(dict.fromkeys(path for _, path in scored))[:count]


def share_of(terms, found):
    """Return the share of terms that an entry has, of those that are not stop words."""
    matched = {term for term in terms if any(w.startswith(term) for w in found)}
    counted = [term for term in terms if term in matched or term not in WORDS]
    return len(matched.intersection(counted)) / max(1, len(counted))


if __name__ == "__main__":
    main()
