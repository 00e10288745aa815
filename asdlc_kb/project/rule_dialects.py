"""Dialects of rules: how frontmatter says to which files a rule applies.

A rule is attached always, to files that match its patterns, when the agent chooses it
by its description, or by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from asdlc_kb.frontmatter.lenient import LenientFrontmatter

RuleType: TypeAlias = Literal["always", "glob", "manual"]
Activation: TypeAlias = Literal["always", "auto-attached", "agent-requested", "manual"]

DialectName: TypeAlias = Literal[
    "plain",
    "cursor",
    "claude",
    "copilot",
    "windsurf",
    "cline",
    "kiro",
    "continue",
    "augment",
    "manual",
]

_TYPES: Final[Mapping[Activation, RuleType]] = {
    "always": "always",
    "auto-attached": "glob",
}


_FOR_ALL: Final = frozenset({"**", "/**", "**/**"})
"""Patterns that Claude Code reads as none."""


class RuleHeader(NamedTuple):
    """What the frontmatter of a rule says about its use."""

    activation: Activation
    globs: tuple[str, ...]
    """Patterns of files, also of a rule that is attached in another way."""

    @property
    def type(self) -> RuleType:
        """The activation in the three types of the tools' results."""
        return _TYPES.get(self.activation, "manual")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDialect:
    """The frontmatter fields of a tool's rules."""

    globs: tuple[str, ...] = ()
    """Fields with patterns; the first that has some counts."""
    always: str = ""
    """Field that attaches the rule always, if it is true."""
    mode: str = ""
    """Field that names the activation."""
    modes: Mapping[str, Activation] = field(default_factory=dict)
    """Activations by value of that field, in lower case."""
    is_requestable: bool = False
    """Whether a description alone lets the agent choose."""
    otherwise: Activation = "always"
    """Activation of a rule about which the fields say nothing."""
    bare_matches_anywhere: bool = False
    """Whether a pattern without a slash matches names at any depth."""
    is_gitignore: bool = False
    """Whether patterns match as those of a `.gitignore`."""

    def read(self, header: LenientFrontmatter) -> RuleHeader:
        """Return the activation and the patterns in a rule's frontmatter."""
        globs = next(filter(None, map(header.patterns, self.globs)), ())
        is_for_all = self.is_gitignore and _FOR_ALL.issuperset(globs)
        return RuleHeader(self._classify(header, not is_for_all and bool(globs)), globs)

    def _classify(self, header: LenientFrontmatter, has_globs: bool) -> Activation:
        named = self.modes.get((header.text(self.mode) or "").strip("\"'").lower())
        if named == "auto-attached" and not has_globs:
            return "manual"
        if named is not None:
            return named
        if self.always and header.flag(self.always):
            return "always"
        if has_globs:
            return "auto-attached"
        is_refused = self.always in header.fields
        if self.is_requestable and header.text("description"):
            if self.otherwise == "manual" or is_refused:
                return "agent-requested"
        return "manual" if is_refused else self.otherwise


DIALECTS: Final[Mapping[DialectName, RuleDialect]] = {
    "plain": RuleDialect(),
    "cursor": RuleDialect(
        globs=("globs",),
        always="alwaysApply",
        is_requestable=True,
        otherwise="manual",
    ),
    "claude": RuleDialect(globs=("paths",), is_gitignore=True),
    "copilot": RuleDialect(globs=("applyTo",), is_requestable=True, otherwise="manual"),
    "windsurf": RuleDialect(
        globs=("globs",),
        mode="trigger",
        modes={
            "always_on": "always",
            "glob": "auto-attached",
            "model_decision": "agent-requested",
            "manual": "manual",
        },
        otherwise="manual",
        bare_matches_anywhere=True,
    ),
    "cline": RuleDialect(globs=("paths",)),
    "kiro": RuleDialect(
        globs=("fileMatchPattern",),
        mode="inclusion",
        modes={
            "always": "always",
            "filematch": "auto-attached",
            "auto": "agent-requested",
            "manual": "manual",
        },
        bare_matches_anywhere=True,
    ),
    "continue": RuleDialect(
        globs=("globs",), always="alwaysApply", is_requestable=True
    ),
    "augment": RuleDialect(
        mode="type",
        modes={
            "always_apply": "always",
            "agent_requested": "agent-requested",
            "auto": "agent-requested",
            "manual": "manual",
        },
    ),
    "manual": RuleDialect(otherwise="manual"),
}
