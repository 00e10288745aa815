"""The website over HTTP."""
