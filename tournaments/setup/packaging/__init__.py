"""Builds the library `squarefield` from this checkout: wheel, sdist, squarefield.pyz and their list of contents.

The same sources give the same bytes at any time and in any directory. Nothing here needs an installed package, so that
`pip install .` works without an index, and a site can build the files that it serves.
"""
