"""Pictures made on the server."""
