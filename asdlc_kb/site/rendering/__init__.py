"""Content as HTML and Markdown, with resolved links."""
