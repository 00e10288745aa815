"""Full-text search of one source: the index kept up to date, queries answered."""
