"""The dialect of Mintlify: MDX, with the titles of code behind its language."""

from dataclasses import replace
from typing import Final

from asdlc_kb.markup.dialects.code_marks import rewrite_titled
from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.mdx import MDX

MINTLIFY: Final[Dialect] = replace(MDX, name="mintlify", rewrite_code=rewrite_titled)
