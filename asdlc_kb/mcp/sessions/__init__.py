"""Sessions of handshake versions: signed ids and the stored state."""
