"""Speed of the server compared with others, measured by hand: `tox -e bench`."""
