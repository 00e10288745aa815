"""Ingestion: writes the folders of some settings into a store."""
