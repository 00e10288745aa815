"""Publications for programs: llms.txt, feeds, sitemap, well-known files, Markdown.

They are public: hidden articles are not included, even where pages show them to their
author.
"""
