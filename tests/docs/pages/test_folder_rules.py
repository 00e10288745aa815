"""Hidden index pages without their text."""

from support.canary import CANARY
from support.docs import raw_file

from asdlc_kb.docs.pages.folder_rules import write_folder_rule
from asdlc_kb.docs.pages.page import FolderRule, read_page
from asdlc_kb.docs.pages.page_text import PageRules

PATH = "part/_index.md"
TEXT = f"""---
title: {CANARY}
build: {{render: never, list: never}}
cascade:
- target: {{path: "/part/**"}}
  build: {{list: never}}
  publishDate: 2020-01-01
  params: {{secret: {CANARY}}}
- draft: true
---
{CANARY}
"""


def test_a_rule_is_the_same_without_the_text() -> None:
    """D-260: target, build and dates are kept, and nothing else."""
    rules = PageRules(dialect="hugo")
    original = read_page(raw_file(TEXT, PATH), rules).value
    assert isinstance(original, FolderRule)
    assert len(original.cascades) == 2
    written = write_folder_rule(PATH, TEXT).decode()
    assert read_page(raw_file(written, PATH), rules).value == original
    assert CANARY not in written
