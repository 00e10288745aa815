"""Translation of the Markdown of site generators to GitHub's Markdown."""
