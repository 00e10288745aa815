"""The grammars of readers: what each parses, and when it is loaded."""

import subprocess
import sys

from asdlc_kb.markup.lazy_grammar import block_grammar, full_grammar, list_grammar

TEXT = "- a *b*\n\n      c\n"


def types_of(tokens: object) -> list[str]:
    """Return the token types that distinguish the grammars."""
    assert isinstance(tokens, list)
    inner = [child.type for token in tokens for child in token.children or ()]
    return [t for t in (*(token.type for token in tokens), *inner) if "_open" not in t]


def test_each_grammar_parses_what_its_readers_need() -> None:
    """Blocks alone have no emphasis; lists have no indented code."""
    assert {"em_close", "code_block"} <= set(types_of(full_grammar().parse(TEXT)))
    blocks = types_of(block_grammar().parse(TEXT))
    assert "code_block" in blocks
    assert "em_close" not in blocks
    assert "code_block" not in types_of(list_grammar().parse(TEXT))
    assert block_grammar() is block_grammar()


def test_the_library_is_loaded_at_the_first_use() -> None:
    """A server that parses no Markdown does not pay for it."""
    code = (
        "import sys\n"
        "from asdlc_kb.markup import lazy_grammar, nested_lists\n"
        "from asdlc_kb.markup import sections, split_points\n"
        "assert 'markdown_it' not in sys.modules\n"
        "lazy_grammar.full_grammar()\n"
        "assert 'markdown_it' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
