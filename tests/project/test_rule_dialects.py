"""Frontmatter of rules, dialect by dialect."""

import pytest

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.rule_dialects import DIALECTS, DialectName

CASES: tuple[tuple[DialectName, str, str, tuple[str, ...]], ...] = (
    ("plain", "", "always", ()),
    ("manual", "description: D", "manual", ()),
    ("cursor", "alwaysApply: true\nglobs: *.ts", "always", ("*.ts",)),
    ("cursor", "globs: a/**, b/**", "auto-attached", ("a/**", "b/**")),
    ("cursor", "description: D\nglobs:", "agent-requested", ()),
    ("cursor", "alwaysApply: false", "manual", ()),
    ("claude", "paths:\n  - 'a/**'", "auto-attached", ("a/**",)),
    ("claude", "globs: a/**", "always", ()),
    ("claude", 'paths: ["**", "/**"]', "always", ("**", "/**")),
    ("claude", 'paths: ["**", "a"]', "auto-attached", ("**", "a")),
    ("claude", "description: D", "always", ()),
    (
        "copilot",
        'applyTo: "**/*.ts,**/*.tsx"',
        "auto-attached",
        ("**/*.ts", "**/*.tsx"),
    ),
    ("copilot", "description: D", "agent-requested", ()),
    ("copilot", "name: N", "manual", ()),
    ("windsurf", "trigger: always_on", "always", ()),
    (
        "windsurf",
        "trigger: glob\nglobs: src/**/*.ts",
        "auto-attached",
        ("src/**/*.ts",),
    ),
    ("windsurf", "trigger: glob", "manual", ()),
    ("windsurf", "trigger: model_decision\ndescription: D", "agent-requested", ()),
    ("windsurf", "trigger: manual", "manual", ()),
    ("cline", "paths:\n  - src/**", "auto-attached", ("src/**",)),
    ("cline", "author: A", "always", ()),
    ("kiro", "inclusion: always", "always", ()),
    ("kiro", "", "always", ()),
    (
        "kiro",
        "inclusion: fileMatch\nfileMatchPattern: ['**/*.ts', '**/*.js']",
        "auto-attached",
        ("**/*.ts", "**/*.js"),
    ),
    ("kiro", "inclusion: auto\nname: n\ndescription: D", "agent-requested", ()),
    ("kiro", "inclusion: manual", "manual", ()),
    ("continue", "globs: '**/*.py'", "auto-attached", ("**/*.py",)),
    ("continue", "description: D", "always", ()),
    ("continue", "alwaysApply: false\ndescription: D", "agent-requested", ()),
    ("continue", "alwaysApply: false", "manual", ()),
    ("continue", "alwaysApply: true\nglobs: '**/*.py'", "always", ("**/*.py",)),
    ("augment", "type: always_apply", "always", ()),
    ("augment", "type: agent_requested\ndescription: D", "agent-requested", ()),
    ("augment", "type: manual", "manual", ()),
    ("augment", "", "always", ()),
)


@pytest.mark.parametrize(("dialect", "fields", "activation", "globs"), CASES)
def test_a_header_is_read_as_its_tool_reads_it(
    dialect: DialectName, fields: str, activation: str, globs: tuple[str, ...]
) -> None:
    """D-226: the activation, and the patterns."""
    header = DIALECTS[dialect].read(read_lenient(f"---\n{fields}\n---\nText.\n"))
    assert (header.activation, header.globs) == (activation, globs)


def test_every_dialect_is_tested() -> None:
    """A new one needs cases."""
    assert {case[0] for case in CASES} == set(DIALECTS)


@pytest.mark.parametrize(
    ("activation", "kind"),
    [
        ("always", "always"),
        ("auto-attached", "glob"),
        ("agent-requested", "manual"),
        ("manual", "manual"),
    ],
)
def test_results_have_three_types(activation: str, kind: str) -> None:
    """Always, glob or manual."""
    fields = {
        "always": "alwaysApply: true",
        "auto-attached": "globs: x",
        "agent-requested": "description: D",
        "manual": "",
    }[activation]
    header = DIALECTS["cursor"].read(read_lenient(f"---\n{fields}\n---\n"))
    assert (header.activation, header.type) == (activation, kind)
