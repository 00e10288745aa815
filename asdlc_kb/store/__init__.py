"""The store: sources in PostgreSQL, written as snapshots and mirrored into folders."""
