"""Pictures rendered on the server."""
