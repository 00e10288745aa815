"""The lexers that may run in the server's process.

Measured with Pygments 2.21. Each lexer was tried with repeats of many kinds, those
included that its own regular expressions invite, and took at most 50 ms of CPU
for a text of the size below; so did every lexer that it calls. Beyond that size most
are quadratic somewhere, and one that is not listed may be exponential: a match holds
the interpreter, so such code is read in a process that can be killed, or not at all.

Made by `python -m benchmarks.hostile lexers --write`, again for another Pygments.
"""

from typing import Final

MAX_LINEAR_CHARACTERS: Final = 1_024
"""Characters of a text up to which a lexer of the table was measured."""

LINEAR_LEXERS: Final = frozenset(
    (
        "CssLexer",
        "DiffLexer",
        "GoLexer",
        "GraphQLLexer",
        "HtmlLexer",
        "IniLexer",
        "JavascriptLexer",
        "JsonLexer",
        "KotlinLexer",
        "NginxConfLexer",
        "PhpLexer",
        "PythonLexer",
        "RubyLexer",
        "RustLexer",
        "SqlLexer",
        "SwiftLexer",
        "TOMLLexer",
        "TypeScriptLexer",
        "XmlLexer",
        "YamlLexer",
    )
)
"""Names of the classes."""
