"""How fast the server is beside others, measured by hand: `tox -e bench`."""
