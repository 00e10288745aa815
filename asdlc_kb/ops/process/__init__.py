"""The process: supervisor, service manager, memory, event loop, shutdown."""
