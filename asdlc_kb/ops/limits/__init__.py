"""Rate limits, in one process and across processes."""
