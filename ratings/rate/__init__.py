"""`squarefield rate`: rate the games of a CSV file with one of three models."""
