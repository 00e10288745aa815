"""Full-text search service of one source: index synchronization and queries."""
