"""Character rules from the tables of one Unicode version."""
