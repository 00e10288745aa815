"""asdlc_kb: folders of Markdown, served to AI agents of every kind and to people."""

__version__ = "0.1.0"
