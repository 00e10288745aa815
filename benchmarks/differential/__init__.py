"""Differential test: generated requests to two servers, whose answers must be equal."""
