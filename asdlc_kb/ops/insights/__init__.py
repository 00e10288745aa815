"""Usage statistics of an access log: by day, in memory or in a file."""
