"""Names and links of pages: how they are written, and what they lead to."""
