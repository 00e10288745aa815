"""The fast path: requests answered in the connection's stream, without Tornado."""
