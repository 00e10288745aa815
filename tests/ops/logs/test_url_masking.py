"""Passwords in addresses are not shown."""

import hypothesis
import hypothesis.strategies as st
import pytest

from asdlc_kb.ops.logs.url_masking import mask_secrets
from asdlc_kb.settings import Settings, list_values


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("redis://h:6379/0", "redis://h:6379/0"),
        ("rediss://me:pass@h/1", "rediss://***@h/1"),
        ("redis://:p@ss:w/rd@h", "redis://***@h"),
        (
            "unix:///run/r.sock?db=1&password=p&x=2",
            "unix:///run/r.sock?db=1&password=***&x=***",
        ),
        ("redis://h/0?username=me&password=p", "redis://h/0?username=***&password=***"),
        ("redis://me:p@h?password=p@ss", "redis://***@***?password=***"),
        ("redis://h?password=p@ss&db=2", "redis://***?password=***&db=2"),
        ("redis://h?passw%6frd=pass", "redis://h?***"),
        ("redis://h?ssl_password=pass#pass", "redis://h?ssl_password=***#***"),
        ("redis://h?db=1;password=pass", "redis://h?db=***"),
        ("redis://h?pass", "redis://h?***"),
        ("redis://me:p?ss@h", "redis://***?***"),
        ("redis://:p#s&s=x@h", "redis://***#***&s=***"),
        ("unix://:p@/run/r.sock", "unix://***@/run/r.sock"),
        ("postgresql://me:pass@h:5432/kb", "postgresql://***@h:5432/kb"),
        ("postgresql://me:pass@a,b/kb", "postgresql://***@***"),
        (
            "postgresql:///kb?host=/run/x&password=p",
            "postgresql:///kb?host=***&password=***",
        ),
        ("redis://[::1]:6379/0?db=&protocol=3", "redis://[::1]:6379/0?db=&protocol=3"),
    ],
)
def test_passwords_are_not_listed(address: str, shown: str) -> None:
    """Printed settings may be pasted into a ticket."""
    assert mask_secrets(address) == shown
    assert list_values(Settings(bus_url=address))["bus_url"] == shown


@hypothesis.given(
    password=st.text("ps/?#&=@:;%", min_size=6),
    place=st.sampled_from(["redis://me:{}@h/0", "redis://h?password={}&db=1"]),
)
def test_no_part_of_a_password_is_listed(password: str, place: str) -> None:
    """Any password, escaped or not: at most the name of an option is shown."""
    secret = password.replace("s", "SECRET")
    shown = mask_secrets(place.format(secret))
    assert "SECRET" not in shown
