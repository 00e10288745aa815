"""Frontmatter in each dialect, as its reader and strict YAML read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.frontmatter.nodes import Scalar
from asdlc_kb.frontmatter.parser import parse
from asdlc_kb.project.rule_dialects import DIALECTS, Activation, DialectName
from asdlc_kb.project.sync.headers import RuleFields, write_header
from asdlc_kb.project.sync.targets import SYNC_TOOLS

GLOBS = ("**/*.ts", "src/**")

WRITTEN: list[tuple[DialectName, Activation, str]] = [
    ("cursor", "always", "description: Text\nalwaysApply: true"),
    (
        "cursor",
        "auto-attached",
        "description: Text\nglobs: **/*.ts,src/**\nalwaysApply: false",
    ),
    ("cursor", "agent-requested", "description: Text\nalwaysApply: false"),
    ("cursor", "manual", "alwaysApply: false"),
    ("claude", "always", ""),
    ("claude", "auto-attached", 'paths:\n  - "**/*.ts"\n  - "src/**"'),
    ("cline", "auto-attached", 'paths:\n  - "**/*.ts"\n  - "src/**"'),
    ("copilot", "auto-attached", 'description: Text\napplyTo: "**/*.ts,src/**"'),
    ("copilot", "agent-requested", "description: Text"),
    ("copilot", "manual", ""),
    ("windsurf", "always", "trigger: always_on\ndescription: Text"),
    (
        "windsurf",
        "auto-attached",
        "trigger: glob\ndescription: Text\nglobs: **/*.ts,src/**",
    ),
    ("windsurf", "agent-requested", "trigger: model_decision\ndescription: Text"),
    ("windsurf", "manual", "trigger: manual\ndescription: Text"),
    ("kiro", "always", "inclusion: always"),
    (
        "kiro",
        "auto-attached",
        'inclusion: fileMatch\nfileMatchPattern: ["**/*.ts", "src/**"]',
    ),
    ("kiro", "agent-requested", "inclusion: auto\nname: a\ndescription: Text"),
    ("kiro", "manual", "inclusion: manual"),
    ("continue", "always", "name: a\ndescription: Text\nalwaysApply: true"),
    (
        "continue",
        "auto-attached",
        'name: a\ndescription: Text\nglobs:\n  - "**/*.ts"\n  - "src/**"\n'
        "alwaysApply: false",
    ),
    ("continue", "manual", "name: a\nalwaysApply: false"),
]


@pytest.mark.parametrize(("dialect", "activation", "written"), WRITTEN)
def test_the_fields_are_those_of_the_documentation(
    dialect: DialectName, activation: Activation, written: str
) -> None:
    """Cursor's patterns have no quotes: it reads the line literally."""
    rule = RuleFields(name="a", activation=activation, globs=GLOBS, description="Text")
    expected = f"---\n{written}\n---\n" if written else ""
    assert write_header(dialect, rule) == expected


@pytest.mark.parametrize("name", [*SYNC_TOOLS])
@given(
    description=st.text(
        st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=30
    ).map(lambda text: " ".join(text.split()))
)
def test_what_is_written_is_read(name: str, description: str) -> None:
    """Activation, patterns and any description, by the lenient reader and by YAML."""
    tool = SYNC_TOOLS[name]
    for activation in sorted(tool.activations):
        assert tool.rules is not None
        rule = RuleFields(
            name="a", activation=activation, globs=GLOBS, description=description
        )
        if activation == "agent-requested" and not description:
            continue
        header = write_header(tool.rules.dialect, rule)
        fields = read_lenient(f"{header}Text\n")
        read = DIALECTS[tool.rules.dialect].read(fields)
        assert read.activation == activation
        if activation == "auto-attached":
            assert read.globs == GLOBS
        if "description" in fields.fields:
            assert fields.text("description") == description
        if header and "\nglobs: *" not in header:
            parsed = parse(header.removeprefix("---\n").removesuffix("---\n"))
            value = parsed.items.get("description")
            assert value is None or (
                isinstance(value, Scalar) and value.text == description
            )
