"""Sessions of the versions with a handshake: signed ids, and what is kept of them."""
