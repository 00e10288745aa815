"""Full-text indexes on disk: schema, directory, snapshots, integrity."""
