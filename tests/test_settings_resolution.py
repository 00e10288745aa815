"""Tests of the resolution of settings: four sources, and errors that name one."""

from typing import Any

import pytest

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.settings import FILE_NAME, Settings
from asdlc_kb.settings_descriptions import DESCRIPTIONS
from asdlc_kb.settings_resolution import resolve_settings

ALL = ("flag", "environment", FILE_NAME, "default")


@pytest.mark.parametrize(
    ("flags", "environ", "file", "port", "origin"),
    [
        ({"port": "1"}, {"ASDLC_KB_PORT": "2"}, {"port": 3}, 1, "flag"),
        ({}, {"ASDLC_KB_PORT": "2"}, {"port": 3}, 2, "environment"),
        ({}, {}, {"port": 3}, 3, FILE_NAME),
        ({}, {}, {}, 8420, "default"),
    ],
    ids=ALL,
)
def test_flags_win_over_environment_over_file_over_default(
    flags: dict[str, Any],
    environ: dict[str, str],
    file: dict[str, Any],
    port: int,
    origin: str,
) -> None:
    """D-128: the order of the sources, and the origin of each value."""
    settings, origins = resolve_settings(flags, environ, file)
    assert (settings.port, origins["port"]) == (port, origin)


@pytest.mark.parametrize("address", ["h:6379", "http://h", "redis://", "redis:// h"])
def test_an_address_of_redis_looks_like_one(address: str) -> None:
    """A wrong one is reported without its text, which may hold a password."""
    with pytest.raises(SettingsError) as caught:
        resolve_settings({"bus_url": address}, {}, {})
    assert str(caught.value) == (
        "--bus-url: the value is not the address of a Redis or PostgreSQL; write "
        "redis://10.0.0.9:6379/0 or postgresql://10.0.0.9/kb"
    )


def test_each_setting_has_an_origin_of_its_own() -> None:
    """D-128: `config` shows the source of each setting."""
    environment = {"ASDLC_KB_HOST": "0.0.0.0"}
    _, origins = resolve_settings({"port": "0"}, environment, {"dev": True})
    assert origins == {
        **dict.fromkeys(DESCRIPTIONS, "default"),
        "port": "flag",
        "host": "environment",
        "dev": FILE_NAME,
    }


def test_another_file_is_an_origin_by_its_own_name() -> None:
    """The origin of a value is the file that was read, not the usual one."""
    _, origins = resolve_settings({}, {}, {"port": 1}, "deploy/kb.toml")
    assert origins["port"] == "deploy/kb.toml"


def test_the_defaults_are_safe() -> None:
    """Loopback, port 8420, a body of 1 MiB, a grace period of 60 s, no extra access."""
    settings, _ = resolve_settings({}, {}, {})
    assert settings == Settings(
        content=None,
        host="127.0.0.1",
        port=8420,
        base_url=None,
        allow_host=(),
        allow_origin=(),
        max_body=1024 * 1024,
        missing_grace=60.0,
        instructions=None,
        tool_errors="result",
        dev=False,
        log_level="info",
    )


WRONG: list[tuple[str, Any, str]] = [
    ("port", "abc", "'abc' is not a whole number from 0 to 65,535"),
    ("port", "70000", "'70000' is not a whole number from 0 to 65,535"),
    ("max_body", "1", "'1' is not a whole number from 1,024"),
    ("missing_grace", "nan", "'nan' is not a number from 0"),
    ("tool_errors", "loud", "'loud' is not one of result, protocol"),
    (
        "log_level",
        "warnin",
        "'warnin' is not one of debug, info, warning, error. Did you mean: warning?",
    ),
    ("dev", "perhaps", "'perhaps' is not a switch; write true or false"),
    ("rate_limit", "foo", "'foo' is not a rate; write 120/minute or off"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
@pytest.mark.parametrize("source", ["flag", "environment", "file"])
def test_a_wrong_value_names_its_setting(
    source: str, name: str, value: str, message: str
) -> None:
    """D-127: errors name what the user wrote, and state what to do."""
    variable = f"ASDLC_KB_{name.upper()}"
    flags = {name: value} if source == "flag" else {}
    environ = {variable: value} if source == "environment" else {}
    file = {name: value} if source == "file" else {}
    written = {
        "flag": f"--{name.replace('_', '-')}",
        "environment": variable,
        "file": f"{FILE_NAME}: {name}",
    }
    with pytest.raises(SettingsError) as caught:
        resolve_settings(flags, environ, file)
    assert str(caught.value) == f"{written[source]}: {message}"


def test_a_list_of_the_file_must_be_a_list() -> None:
    """A key of the file has the setting's own type."""
    wrong = {
        "kb.example.com": r"""'kb.example.com' is .*; write \["kb.example.com"\]$""",
        5: "5 is not a list",
    }
    for value, message in wrong.items():
        with pytest.raises(SettingsError, match=f"allow_host: {message}"):
            resolve_settings({}, {}, {"allow_host": value})
    with pytest.raises(SettingsError, match="allow_host: 5 is not a host name"):
        resolve_settings({}, {}, {"allow_host": ["kb.example.com", 5]})


def test_an_unknown_key_is_refused_by_name() -> None:
    """A misspelt setting must not be ignored silently."""
    with pytest.raises(SettingsError) as caught:
        resolve_settings({}, {}, {"prot": 1})
    message = "'prot' is not a setting. Did you mean: port?"
    assert str(caught.value) == f"{FILE_NAME}: {message}"


def test_a_misspelt_variable_is_refused_by_name() -> None:
    """D-214: it must not be ignored either; those of other programs are."""
    with pytest.raises(SettingsError) as caught:
        resolve_settings({}, {"ASDLC_KB_PROT": "1"}, {})
    assert str(caught.value) == (
        "environment: ASDLC_KB_PROT is not a setting. Did you mean: ASDLC_KB_PORT?"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kb.example.com", ("kb.example.com",)),
        ("kb.example.com,docs.example.com", ("kb.example.com", "docs.example.com")),
        (" kb.example.com , docs.example.com ", ("kb.example.com", "docs.example.com")),
        ("kb.example.com,", ("kb.example.com",)),
        ("", ()),
    ],
)
@pytest.mark.parametrize("name", ["allow_host", "project"])
def test_the_environment_spells_lists_with_commas(
    name: str, text: str, words: tuple[str, ...]
) -> None:
    """Blanks and empty parts are no names: an empty Host must never be accepted."""
    settings, origins = resolve_settings({}, {f"ASDLC_KB_{name.upper()}": text}, {})
    assert getattr(settings, name) == words
    assert origins[name] == "environment"


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("true", True), ("0", False), ("false", False)]
)
def test_the_environment_spells_switches(text: str, value: bool) -> None:
    """A switch is a word in the environment."""
    assert resolve_settings({}, {"ASDLC_KB_DEV": text}, {})[0].dev is value


def test_other_variables_of_the_environment_are_none_of_our_business() -> None:
    """Only names of settings after the prefix count, in capitals."""
    environment = {"PORT": "1", "ASDLC_KB_port": "2", "HOST": "x", "ASDLC_KB_PATH": "/"}
    settings, origins = resolve_settings({}, environment, {})
    assert settings == Settings()
    assert set(origins.values()) == {"default"}


def test_a_picture_in_previews_has_a_full_address() -> None:
    """Other sites load it, so a file of this machine would not be found."""
    url = "https://a.example/x/card.png?v=2"
    settings, _ = resolve_settings({"social_image": url}, {}, {})
    assert settings.social_image == url
    for wrong in ("card.png", "/card.png", "https://a.example", 'https://a/"x.png'):
        with pytest.raises(SettingsError, match="--social-image"):
            resolve_settings({"social_image": wrong}, {}, {})


@pytest.mark.parametrize(
    "edit_url",
    [
        *("https://git.example/edit", "git.example/{path}", "javascript:{path}"),
        *("https://git.example/{name}/{path}", "https://{path}/x", "https://a/ {path}"),
        *('https://a/"{path}{path}', "https://{file}/x", "https://a/{file}/{path}"),
    ],
)
def test_an_address_of_files_says_which(edit_url: str) -> None:
    """Links of pages: http or https, and only known placeholders in braces."""
    with pytest.raises(SettingsError, match="--edit-url"):
        resolve_settings({"edit_url": edit_url}, {}, {})


@pytest.mark.parametrize(
    ("signal", "is_one"),
    [
        ("search=yes", True),
        ("search=yes, ai-input=yes, ai-train=no", True),
        ("ai-train=no,search=yes", True),
        *(
            (signal, False)
            for signal in ("", "yes", "search=maybe", "search=yes\nDisallow:")
        ),
    ],
)
def test_a_content_signal_is_one(signal: str, is_one: bool) -> None:
    """A line of robots.txt, and no other line with it."""
    if is_one:
        assert (
            resolve_settings({"content_signal": signal}, {}, {})[0].content_signal
            == signal
        )
    else:
        with pytest.raises(SettingsError, match="--content-signal"):
            resolve_settings({"content_signal": signal}, {}, {})


def test_an_address_of_files_may_name_the_folder() -> None:
    """For two folders of one repository."""
    for url in (
        *("https://a.example/x/{path}", "http://b/{folder}/{path}?plain=1"),
        "https://a.example/edit/main/{file}",
    ):
        assert resolve_settings({"edit_url": url}, {}, {})[0].edit_url == url


@pytest.mark.parametrize(
    "base_url",
    [
        *("kb.example.com", "http://[", "ftp://a", "https://a@b", "https://a b"),
        *("https://a\n", "https://a/b\n", 'https://a/"', "https://a/b\\"),
    ],
)
def test_a_public_address_is_an_address(base_url: str) -> None:
    """A wrong one is reported at once (exit code 2): it is quoted in a header."""
    with pytest.raises(SettingsError, match="--base-url"):
        resolve_settings({"base_url": base_url}, {}, {})


@pytest.mark.parametrize("name", ["title", "tagline"])
def test_a_name_is_a_line_of_any_text(name: str) -> None:
    """It is used in HTML, XML, JSON and Markdown: no name has a line end."""
    longest = {"title": 100, "tagline": 300}[name]
    for value in ('<b>&"', "Größe 上下文", "x", "x" * longest):
        assert getattr(resolve_settings({}, {}, {name: value})[0], name) == value
    ends = ("\n", "\r", "\x00", "\x7f", "\x85", "\u2028", "\ud800", "\uffff")
    wrong = ("", "  ", "x" * (longest + 1), *(f"a{end}" for end in ends))
    for value in (*wrong, *(f"{end}b" for end in ends)):
        with pytest.raises(SettingsError, match=f"--{name}"):
            resolve_settings({name: value}, {}, {})


@pytest.mark.parametrize(
    ("scope", "is_one"),
    [
        ("kb:read", True),
        ("kb:read https://kb.example.com/search", True),
        ("!#[]^~", True),
        ("", False),
        (" kb:read", False),
        ("kb:read ", False),
        ("kb:read  kb:search", False),
        ("kb:read\n", False),
        ("kb\tread", False),
        ('kb"read', False),
        ("kb\\read", False),
        ("kb:réad", False),
    ],
)
def test_scopes_are_those_of_a_challenge(scope: str, is_one: bool) -> None:
    """RFC 6749, 3.3: visible ASCII but quotes and backslashes, one space between."""
    if is_one:
        assert resolve_settings({"auth_scope": scope}, {}, {})[0].auth_scope == scope
    else:
        with pytest.raises(SettingsError, match="--auth-scope"):
            resolve_settings({"auth_scope": scope}, {}, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_url", "https://kb.example.com/kb"),
        ("auth_issuer", "https://login.example.com"),
        ("auth_scope", "kb:read"),
        ("edit_url", "https://a.example/x/{path}"),
        ("social_image", "https://a.example/x.png"),
        ("content_signal", "search=yes"),
        ("bus_url", "redis://h:6379/0"),
        ("rate_limit", "10/second"),
        ("page_rate_limit", "off"),
    ],
)
def test_a_line_end_is_part_of_no_value(name: str, value: str) -> None:
    """It would end a header or a line of robots.txt; from a file it comes easily."""
    assert getattr(resolve_settings({name: value}, {}, {})[0], name) == value
    for source in ({name: f"{value}\n"}, {name: f"\n{value}"}):
        with pytest.raises(SettingsError, match=name):
            resolve_settings({}, {}, source)
