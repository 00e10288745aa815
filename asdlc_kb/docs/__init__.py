"""The documentation domain: pages of a tree, their order, groups and sections.

Visibility is decided in `page`, applied in `catalog`, and nowhere else.
"""
