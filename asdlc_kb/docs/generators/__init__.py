"""Configurations of documentation generators, read as data."""

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.discovery import read_configuration
from asdlc_kb.docs.generators.narrowing import view_edition

__all__ = ["TreeConfiguration", "read_configuration", "view_edition"]
