"""Rules about characters, by a table of one version of Unicode."""
