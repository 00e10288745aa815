"""Admission: Host and Origin, client addresses, rate limits, bearer tokens."""
