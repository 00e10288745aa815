"""One page: its frontmatter, includes and text, and what is published of it."""
