"""Bearer tokens, JSON Web Tokens and files with credentials."""
