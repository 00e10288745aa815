"""Files on disk, read safely and remembered truthfully.

Knows nothing of articles: it lists, reads, parses frontmatter and keeps the content
cache of any domain. Sole owner of ruamel.yaml and watchfiles.
"""
