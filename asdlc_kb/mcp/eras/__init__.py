"""The two protocol eras: `initialize` with sessions, and stateless requests."""
