"""Code that `manage.py` needs before any package is installed: it uses the standard library only, never Django."""
