"""Publications for programs: llms.txt, feeds, sitemap, well-known files, Markdown."""
