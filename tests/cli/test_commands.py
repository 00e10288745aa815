"""Tests of the table of commands."""

import subprocess
import sys

import pytest

from asdlc_kb.cli.commands import COMMANDS, load_command

BOUND = 60


@pytest.mark.parametrize("name", COMMANDS)
def test_every_name_loads_the_command_of_that_name(name: str) -> None:
    """A command is called what the table calls it."""
    assert load_command(name).name == name


def test_the_table_is_in_the_order_of_the_help() -> None:
    """`asdlc-kb --help` lists the commands by name."""
    assert list(COMMANDS) == sorted(COMMANDS)


def test_one_command_loads_no_other() -> None:
    """D-141: the modules of other commands would cost startup time."""
    program = (
        "import sys\n"
        "from asdlc_kb.cli.commands import load_command\n"
        "assert 'asdlc_kb.settings' not in sys.modules\n"
        "load_command('token')\n"
        "assert 'asdlc_kb.cli.new_token' in sys.modules\n"
        "assert 'asdlc_kb.settings' not in sys.modules\n"
        "load_command('stdio')\n"
        "assert 'asdlc_kb.cli.serve' in sys.modules\n"
        "assert 'asdlc_kb.cli.build' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=BOUND)
