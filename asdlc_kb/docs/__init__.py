"""A tree of documentation: its pages, their order and groups, their sections.

What may be seen is decided in `page` and applied in `catalog`, and nowhere else.
"""
