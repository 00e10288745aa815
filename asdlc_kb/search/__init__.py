"""Finding: keyword search (seed 000). Knows documents and places, not articles."""
