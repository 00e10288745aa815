"""Measurement of answers: what a question costs, and whether its answer arrives."""
