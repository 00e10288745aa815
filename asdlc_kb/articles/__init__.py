"""The article domain; visibility is decided in `status` and nowhere else.

Providers and the command line use an `ArticleLibrary`. Built on files and search.
"""
