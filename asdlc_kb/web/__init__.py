"""The HTTP transport. The only user of Tornado except the composition root."""
