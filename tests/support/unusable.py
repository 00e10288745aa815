"""Names of folders that the system refuses to open, for every user.

A folder of another user is of no use for a test: the tests may run as root.
"""

from typing import Final

REFUSED_NAME: Final = "x" * 300
"""A name beyond the limit of every file system: an error, but not a missing folder."""
