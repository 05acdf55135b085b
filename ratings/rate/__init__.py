"""`squarefield rate`: what a model of ratings says of the games in a CSV file."""
