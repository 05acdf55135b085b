"""The tools of `python -m engines`, one module each, with `main(argv) -> exit status`."""
