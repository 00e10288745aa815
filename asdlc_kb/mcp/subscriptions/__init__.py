"""Change notifications: events, pending events of each peer, and their delivery."""
