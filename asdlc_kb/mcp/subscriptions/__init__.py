"""Change notifications: events, pending events of each client, and delivery."""
