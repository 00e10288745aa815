"""Whole tasks of coding agents: a question, the calls of a model, the cited answer.

The models are scripted, but know only what they receive: every name and sentence of an
answer is taken out of a tool result.
"""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future

import pytest
from support.coding_agents import AGENTS, Session
from support.coding_tasks import ROOT, Library, Run
from support.model_api.answers import choose_sentence, flatten, split_rows
from support.model_api.conversation import Call, Script

DOCS_QUESTION = "How many calls a minute may one client make before it is limited?"
ARTICLE_QUESTION = "When should an agent ask a human rather than continue?"
KEYWORD = "blast radius"
EDITED = "src/app.ts"
MAX_ANSWER = 5_600
"""Characters of the first answer to a question, with what a client adds."""


def ask_documentation() -> Script:
    """Search once; quote the best row's passage with its path and anchor."""
    found = yield Call("search_docs", {"query": DOCS_QUESTION})
    path, anchor, passage = split_rows(found.texts[0])[0]
    sentence = choose_sentence(DOCS_QUESTION, passage)
    return f"{flatten(sentence)} [{path}#{anchor}]"


def ask_articles() -> Script:
    """Search once; quote the best row's passage with its slug."""
    found = yield Call("search_articles", {"query": ARTICLE_QUESTION})
    row = max(found.json, key=lambda row: len(row.get("passage", "")))
    sentence = choose_sentence(ARTICLE_QUESTION, row["passage"])
    return f"{flatten(sentence)} [{row['slug']}#{row.get('anchor', '')}]"


def read_article() -> Script:
    """Search by keyword, read the first article, quote a sentence with its slug."""
    found = yield Call("search_articles", {"query": KEYWORD})
    slug = found.json[0]["slug"]
    article = yield Call("get_article", {"slug": slug})
    sentence = choose_sentence(KEYWORD, article.json["content"])
    return f"{flatten(sentence)} [{slug}]"


def edit_file() -> Script:
    """Ask for the rules of a file before an edit, then read each of them."""
    found = yield Call("rules_for_path", {"path": EDITED})
    rules = []
    for row in found.json:
        if row["kind"] == "rule":
            rule = yield Call("get_rule", {"name": row["name"]})
            rules.append(f"{flatten(rule.json['content'])} [{row['path']}]")
    return "\n".join(rules)


TASKS: Mapping[str, Callable[[], Script]] = {
    "docs": ask_documentation,
    "articles": ask_articles,
    "article": read_article,
    "project": edit_file,
}


@pytest.fixture(scope="module")
def tasks(run: Run) -> "Mapping[tuple[str, str], Future[Session]]":
    """Let every client carry out every task."""
    return {
        (agent, name): run(agent, "http", script())
        for name, script in TASKS.items()
        for agent in AGENTS
    }


Finish = Callable[[str], Session]


@pytest.fixture(params=AGENTS)
def finish(
    request: pytest.FixtureRequest,
    tasks: "Mapping[tuple[str, str], Future[Session]]",
) -> Finish:
    """Wait for a task of one client."""
    return lambda name: tasks[request.param, name].result()


def read_citation(answer: str) -> tuple[str, str]:
    """Return the quoted words and the source of the last line of an answer."""
    match = re.fullmatch(r"(.+) \[(\S+)\]", answer.splitlines()[-1])
    assert match is not None, answer
    return match[1], match[2]


def test_documentation_answers_in_one_call(finish: Finish) -> None:
    """The figure stands in the passage, and the quoted words in the cited page."""
    session = finish("docs")
    (result,) = session.results
    assert len("".join(result.texts)) <= MAX_ANSWER
    words, source = read_citation(session.answer)
    path, anchor = source.split("#")
    assert (path, anchor) == ("security.md", "rate-limits")
    assert words in flatten((ROOT / "docs" / path).read_text(encoding="utf-8"))
    assert "120 calls a minute" in words


def test_articles_answer_in_one_call(finish: Finish) -> None:
    """The quoted words stand in the cited article."""
    session = finish("articles")
    (result,) = session.results
    assert len("".join(result.texts)) <= MAX_ANSWER
    words, source = read_citation(session.answer)
    slug, _, _ = source.partition("#")
    assert words in flatten(read_content(slug))


def test_an_article_is_found_and_read(finish: Finish) -> None:
    """Two calls: the second takes the slug of the first result as it is."""
    session = finish("article")
    assert [result.call.tool for result in session.results] == [
        "search_articles",
        "get_article",
    ]
    words, slug = read_citation(session.answer)
    assert slug == "blast-radius"
    assert words in flatten(read_content(slug))


def read_content(slug: str) -> str:
    """Return the file of one of our own articles."""
    (path,) = (ROOT / "content").glob(f"*/{slug}.md")
    return path.read_text(encoding="utf-8")


def test_rules_are_read_before_an_edit(finish: Finish, library: Library) -> None:
    """Every rule that holds for the file is read whole, and cited by its path."""
    session = finish("project")
    citations = map(read_citation, session.answer.splitlines())
    cited = {path: words for words, path in citations}
    assert ".cursor/rules/typescript.mdc" in cited
    assert ".cursor/rules/house.mdc" in cited
    for path, words in cited.items():
        text = (library.project / path).read_text(encoding="utf-8")
        assert flatten(text).endswith(words)
