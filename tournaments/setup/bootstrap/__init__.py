"""What `manage.py` needs before the packages are there: the standard library alone, never Django."""
