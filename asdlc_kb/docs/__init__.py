"""The documentation domain: pages of a tree, their order, groups and sections.

Visibility is decided in `pages.publication`, applied in `catalogs.tree_catalog`, and
nowhere else.
"""
