"""Scenarios of the official suite by target, and those excused or left out, with
reasons.

Data for `run`.
"""

import sys
from dataclasses import dataclass

L1 = "2025-03-26"
L2 = "2025-06-18"

L3 = "2025-11-25"
"""The newest version with a handshake."""

M = "2026-07-28"
"""The version without one."""

SERVE = [
    *(sys.executable, "-m", "asdlc_kb", "serve", "--port", "0"),
    *("--rate-limit", "off", "--page-rate-limit", "off"),
]

COMMANDS: dict[str, list[str]] = {
    "real": [*SERVE, "content"],
    "project": [*SERVE, "--project", "tests/conformance/project"],
    "fixture": [sys.executable, "tests/conformance/fixture.py"],
}
"""How each target starts; it prints the address of its endpoint on stdout."""

ALONE = frozenset({"server-stateless"})
"""Scenarios that time out after 500 ms, or that change lists: run one at a time."""

HANDSHAKE = """
    server-initialize server-session-lifecycle ping tools-list resources-list
    prompts-list
"""
"""Scenarios for 2025-06-18 that need no test items."""

SKILLS = """
    sep-2640-skills-enumeration sep-2640-skills-manifest sep-2640-skills-directory
"""
"""Scenarios of the skills extension."""

EXTENSIONS = frozenset(SKILLS.split())
"""Scenarios that belong to no version: the suite runs them only if forced."""

BOTH_ERAS = """
    completion-complete tools-list tools-call-simple-text tools-call-image
    tools-call-audio tools-call-embedded-resource tools-call-mixed-content
    tools-call-error tools-call-with-progress server-sse-multiple-streams
    resources-list resources-read-text resources-read-binary resources-templates-read
    prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource
    prompts-get-with-image dns-rebinding-protection json-schema-2020-12
"""

PLAN: dict[tuple[str, str], list[str]] = {
    ("real", L1): ["server-session-lifecycle"],
    ("real", L2): HANDSHAKE.split(),
    ("real", L3): f"""
        {HANDSHAKE} dns-rebinding-protection server-sse-multiple-streams
    """.split(),
    ("real", M): """
        tools-list resources-list prompts-list sep-2164-resource-not-found caching
        dns-rebinding-protection server-sse-multiple-streams http-header-validation
        input-required-result-unsupported-methods input-required-result-validate-input
        server-stateless
    """.split(),
    ("project", L3): f"""
        {SKILLS} tools-list resources-list prompts-list
    """.split(),
    ("project", M): f"""
        {SKILLS} tools-list resources-list prompts-list caching http-header-validation
        sep-2164-resource-not-found
    """.split(),
    ("fixture", L3): f"""
        server-initialize server-session-lifecycle ping resources-subscribe
        resources-unsubscribe {BOTH_ERAS}
    """.split(),
    ("fixture", M): f"""
        {BOTH_ERAS} sep-2164-resource-not-found caching
        http-header-validation http-custom-header-server-validation
        input-required-result-basic-elicitation input-required-result-basic-sampling
        input-required-result-basic-list-roots input-required-result-request-state
        input-required-result-multiple-input-requests input-required-result-multi-round
        input-required-result-missing-input-response input-required-result-result-type
        input-required-result-non-tool-request input-required-result-tampered-state
        input-required-result-unsupported-methods input-required-result-validate-input
        input-required-result-capability-check input-required-result-ignore-extra-params
        server-stateless
    """.split(),
}
"""Target and version to scenarios. The real server runs all that need no test items."""


@dataclass(frozen=True)
class Excuse:
    """One check that the suite cannot test here, and why; stale if it can."""

    target: str
    version: str
    scenario: str
    check: str
    reason: str


EXCUSED = [
    Excuse("real", M, "server-stateless", f"sep-2575-{check}", f"needs the tool {tool}")
    for check, tool in [
        ("server-rejects-undeclared-capability", "test_missing_capability"),
        ("missing-capability-http-400", "test_missing_capability"),
        ("http-server-no-independent-requests-on-stream", "test_streaming_elicitation"),
        ("server-no-log-without-loglevel", "test_logging_tool"),
    ]
]
"""Checks that call a test tool which a knowledge base does not have."""

LEFT_OUT: dict[tuple[str, str], str] = {
    (L3, "logging-set-level"): "no logging capability",
    (L3, "tools-call-with-logging"): "no logging capability",
    (L3, "tools-call-sampling"): "the server sends no requests to its client",
    (L3, "tools-call-elicitation"): "the server sends no requests to its client",
    (L3, "elicitation-sep1034-defaults"): "the server sends no requests to its client",
    (L3, "elicitation-sep1330-enums"): "the server sends no requests to its client",
}
"""Scored scenarios that the fixture does not run, with the reason."""
