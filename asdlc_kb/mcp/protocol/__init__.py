"""The wire format: JSON-RPC messages, versions, methods, schemas and error codes."""
