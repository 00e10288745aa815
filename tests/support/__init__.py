"""Shared helpers of the tests; README.md lists them by subject."""
